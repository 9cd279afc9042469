"""The server as a process: started, watched from outside, asked whether it still answers."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.built_index import ROOT

DRAFT = {"title": "Rivers, measured again", "abstract": "We measure rivers with an instrument."}
PATIENCE = 120.0
"""Seconds in which the server must be there: the machine may be busy."""
_ADDRESS = re.compile(r"on http://(\S+):(\d+)/ - ")
_KB = 1024


@dataclass(frozen=True, slots=True)
class Server:
    """A process that serves. said: the file that holds its standard error."""

    process: "subprocess.Popen[bytes]"
    host: str
    port: int
    said: Path

    @property
    def address(self) -> str:
        """Return what a browser asks, without a slash at the end."""
        return f"http://{self.host}:{self.port}"

    def family(self) -> Sequence[int]:
        """List the process and all that it has started."""
        found, todo = list[int](), [self.process.pid]
        while todo:
            pid = todo.pop()
            found.append(pid)
            for task in _listed(Path(f"/proc/{pid}/task")):
                with suppress(OSError):
                    todo += map(int, (task / "children").read_text(encoding="ascii").split())
        return found

    def memory(self) -> int:
        """Return the resident bytes of all of them."""
        return sum(_status(pid, "VmRSS") for pid in self.family()) * _KB

    def peak(self) -> int:
        """Return the most resident bytes of the process itself since `forget_peak`."""
        return _status(self.process.pid, "VmHWM") * _KB

    def forget_peak(self) -> None:
        """Let `peak` count from now on, where the system can."""
        with suppress(OSError):
            Path(f"/proc/{self.process.pid}/clear_refs").write_text("5", encoding="ascii")

    def descriptors(self) -> int:
        """Count the open descriptors of all of them."""
        return sum(len(_listed(Path(f"/proc/{pid}/fd"))) for pid in self.family())

    def complaints(self) -> str:
        """Return what it has said, but for the line that tells its address."""
        lines = self.said.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(line for line in lines if not _ADDRESS.search(line))

    def ask(self, path: str, body: object = None, *, seconds: float = 30) -> tuple[int, bytes]:
        """Send a plain question: its status and answer. A body is sent as JSON."""
        data = None if body is None else json.dumps(body).encode()
        headers = {} if body is None else {"Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, data, headers)
        try:
            with urllib.request.urlopen(request, timeout=seconds) as reply:
                return reply.status, reply.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    def answers(self, *, seconds: float = 30) -> str:
        """Ask as a person and as a program do: "" when both are answered, else what came."""
        try:
            for path, body in (("/", None), ("/v1/recommendations", {"draft": DRAFT, "k": 3})):
                status, answer = self.ask(path, body, seconds=seconds)
                if status not in (200, 422):  # 422: a strange corpus may hold nothing near.
                    return f"{path} gives {status}: {answer[:200]!r}"
        except OSError as error:
            return f"{type(error).__name__}: {error}"
        return ""

    def papers(self, words: Sequence[str]) -> list[dict[str, Any]]:
        """Find papers with a title and an abstract by words, one search each; no paper twice."""
        found: dict[str, dict[str, Any]] = {}
        for word in words:
            listed = json.loads(self.ask(f"/v1/search?q={word}")[1])["papers"]
            query = urlencode([("ids", each["id"]) for each in listed if "," not in each["id"]])
            for paper in json.loads(self.ask(f"/v1/papers?{query}")[1])["papers"] if query else ():
                if paper["title"] and paper["abstract"]:
                    found.setdefault(paper["id"], paper)
        return list(found.values())


@contextmanager
def serving(index: Path, *words: object) -> Iterator[Server]:
    """Start `recsys serve` on a free port, and end it and its children afterwards.

    Raises:
        RuntimeError: it does not start.
    """
    command = [sys.executable, "-m", "tests.run_recsys", "serve", str(index), "--port", "0"]
    with tempfile.TemporaryDirectory(prefix="web-check-") as folder:
        said = Path(folder) / "stderr"
        with said.open("wb") as stderr:
            process = subprocess.Popen(
                [*command, *map(str, words)],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stderr=stderr,
                start_new_session=True,
            )
        try:
            yield _started(process, said)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _started(process: "subprocess.Popen[bytes]", said: Path) -> Server:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        match = _ADDRESS.search(said.read_text(encoding="utf-8", errors="replace"))
        if match:
            server = Server(process, match[1], int(match[2]), said)
            with suppress(OSError):
                if server.ask("/healthz")[0] == 200:
                    return server
        time.sleep(0.1)
    raise RuntimeError(f"recsys serve did not start: {said.read_text(encoding='utf-8')}")


def _listed(folder: Path) -> Sequence[Path]:
    try:
        return list(folder.iterdir())
    except OSError:  # It has ended.
        return ()


def _status(pid: int, name: str) -> int:
    """Read a figure in kilobytes; 0 when the process has ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    match = re.search(rf"^{name}:\s+(\d+)", text, re.M)
    return int(match[1]) if match else 0
