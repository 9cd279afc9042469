"""The server as a process: started, watched from outside, asked whether it still answers."""

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.built_index import ROOT

DRAFT = {"title": "Rivers, measured again", "abstract": "We measure rivers with an instrument."}
PATIENCE = 120.0
"""Seconds in which the server must be there: the machine may be busy."""
_ADDRESS = re.compile(r"on http://(\S+):(\d+)/ \(")
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
def serving(index: Path | None, *words: object) -> Iterator[Server]:
    """Start `recsys serve` on a free port, and end it and its children afterwards.

    index: None: the starter corpus.

    Raises:
        RuntimeError: it does not start.
    """
    served = () if index is None else (str(index),)
    command = [sys.executable, "-m", "tests.run_recsys", "serve", *served, "--port", "0"]
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


# HTTP as no library would send it: bytes on a socket, and what comes back.

_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) ")
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_KEPT = 2**20
"""Bytes of an answer that are kept."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. closed: whether the server closed the connection. sent: bytes it took."""

    raw: bytes
    closed: bool
    sent: int
    seconds: float

    @property
    def statuses(self) -> tuple[int, ...]:
        """List the statuses of all answers on the connection."""
        return tuple(int(each) for each in _STATUS.findall(self.raw))

    def told(self) -> str:
        """Say it in a word: the statuses, or how the connection ended."""
        last = "closed" if self.closed else "open"
        return " ".join(map(str, self.statuses)) or last

    @property
    def whole(self) -> bool:
        """Tell whether the first answer has arrived with all of its body."""
        head, found, body = self.raw.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        return bool(found) and length is not None and len(body) >= int(length[1])


def head(server: Server, first: str, *headers: str, host: bool = True) -> bytes:
    """Write the head of a request."""
    own = (f"Host: {server.host}:{server.port}",) if host else ()
    return "\r\n".join((first, *own, *headers, "", "")).encode("utf-8", "surrogateescape")


def post(server: Server, path: str, kind: str, body: bytes, *headers: str) -> bytes:
    """Write a request with a body."""
    more = (f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers)
    return head(server, f"POST {path} HTTP/1.1", *more) + body


def multipart(parts: Iterable[tuple[str, bytes]], boundary: str = "x7y") -> bytes:
    """Write a form: the disposition of each part and its content."""
    pieces = [
        f"--{boundary}\r\nContent-Disposition: form-data; {told}\r\n\r\n".encode() + content
        for told, content in parts
    ]
    return b"\r\n".join([*pieces, f"--{boundary}--\r\n".encode()])


def send(
    server: Server,
    pieces: Iterable[bytes],
    *,
    seconds: float,
    pause: float = 0,
    quiet: float = 0,
    half_close: bool = False,
) -> Reply:
    """Send pieces one after the other, as long as the server takes them, and read the answer.

    Args:
        server: whom to send them to.
        pieces: made one at a time: none is held.
        seconds: how long to wait in all.
        pause: seconds between two pieces.
        quiet: seconds without a byte after which nothing more is awaited; 0: the first answer.
        half_close: say that nothing more is sent, after the last piece.
    """
    begun, taken = time.monotonic(), 0
    answer = bytearray()
    with socket.create_connection((server.host, server.port), timeout=seconds) as wire:
        wire.settimeout(0.5)
        until = begun + seconds
        closed = False
        for piece in pieces:
            went, closed = _sent(wire, piece, answer, until)
            taken += went
            if closed or answer or time.monotonic() > until:
                break
            time.sleep(pause)
        if half_close and not closed:
            wire.shutdown(socket.SHUT_WR)
        closed = closed or _read(wire, answer, until, quiet)
    return Reply(bytes(answer), closed, taken, time.monotonic() - begun)


def led(server: Server, reply: Reply, *, seconds: float) -> Reply:
    """Follow a reply that leads to the page of an answer; others stay as they are."""
    found = re.search(rb"(?i)\r\nlocation: (/answers/[^\r#]*)", reply.raw)
    if list(reply.statuses) != [303] or found is None:
        return reply
    return send(server, [head(server, f"GET {found[1].decode()} HTTP/1.1")], seconds=seconds)


def _sent(wire: socket.socket, piece: bytes, answer: bytearray, until: float) -> tuple[int, bool]:
    """Send a piece; how much of it went, and whether the connection is closed."""
    view, went = memoryview(piece), 0
    while went < len(piece) and time.monotonic() < until:
        readable, writable, _ = select.select([wire], [wire], [], 0.5)
        try:
            if readable and not _received(wire, answer):
                return went, True
            if writable:
                went += wire.send(view[went : went + 2**20])
        except TimeoutError:
            continue
        except OSError:
            return went, True
        if answer:
            break
    return went, False


def _received(wire: socket.socket, answer: bytearray) -> bool:
    """Take what has come; False at the end."""
    piece = wire.recv(65536)
    if len(answer) < _KEPT:
        answer += piece
    return bool(piece)


def _read(wire: socket.socket, answer: bytearray, until: float, quiet: float) -> bool:
    """Read until the answer is whole, or nothing more comes; True: the server closed."""
    last = time.monotonic()
    while time.monotonic() < until:
        if quiet and time.monotonic() - last > quiet:
            return False
        if not quiet and Reply(bytes(answer), False, 0, 0).whole:
            return False
        try:
            if not _received(wire, answer):
                return True
            last = time.monotonic()
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


def repeated(piece: bytes, size: int) -> Iterator[bytes]:
    """Give a piece again and again until so many bytes are given."""
    for _ in range(size // len(piece)):
        yield piece


def chunked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Frame pieces as chunks, and end them."""
    for piece in pieces:
        yield b"%x\r\n%b\r\n" % (len(piece), piece)
    yield b"0\r\n\r\n"
