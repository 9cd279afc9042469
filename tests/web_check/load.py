"""Ask as fast as four clients can: how long answers take, and that nothing grows or fails."""

import http.client
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from recsys.errors import RecsysError
from tests.built_index import ROOT
from tests.web_check.findings import Report, Setting, program
from tests.web_check.server import Server, serving

# Let wrk ask as fast as it is answered.

SCRIPT = Path(__file__).with_name("load.lua")
CONNECTIONS = 4
JSON, FORM = "application/json", "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Speed:
    """What wrk measured. Times are in milliseconds; errors counts every kind."""

    requests: int
    seconds: float
    p50: float
    p95: float
    p99: float
    errors: int

    def told(self) -> str:
        """Say it in words."""
        return (
            f"{self.requests / self.seconds:.1f} requests/s, p50 {self.p50:.0f} ms, "
            f"p95 {self.p95:.0f} ms, p99 {self.p99:.0f} ms, {self.errors} errors"
        )


def write_bodies(folder: Path, drafts: Sequence[dict[str, Any]]) -> None:
    """Write the drafts as wrk sends them: a line is the body of a request."""
    asked = [json.dumps({"draft": draft}) for draft in drafts]
    typed = [urlencode(draft) for draft in drafts]
    (folder / "bodies.json").write_text("\n".join(asked) + "\n", encoding="utf-8")
    (folder / "bodies.form").write_text("\n".join(typed) + "\n", encoding="utf-8")


def write_answers(server: Server, folder: Path) -> None:
    """Ask all drafts as the page does, and write down the addresses of their answers."""
    addresses = []
    for body in (folder / "bodies.form").read_text(encoding="utf-8").splitlines():
        wire = http.client.HTTPConnection(server.host, server.port, timeout=60)
        wire.request("POST", "/answer", body, {"Content-Type": FORM})
        addresses.append(wire.getresponse().getheader("location", "/"))
        wire.close()
    (folder / "answers").write_text("\n".join(addresses) + "\n", encoding="utf-8")


def hurry(server: Server, folder: Path, *, form: bool, seconds: float) -> Speed:
    """Send the bodies of a folder for some seconds over four connections.

    form: look at the pages of the answers instead, see `write_answers`.

    Raises:
        RecsysError: wrk is not installed.
        RuntimeError: it failed.
    """
    told = (
        (folder / "answers", "", "")
        if form
        else (folder / "bodies.json", "/v1/recommendations", JSON)
    )
    command = [
        program("wrk"), "--connections", CONNECTIONS, "--threads", 1, "--timeout", "30s",
        "--duration", f"{max(1, round(seconds))}s", "--script", SCRIPT, server.address, "--", *told,
    ]  # fmt: skip
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"wrk ended with {done.returncode}: {done.stderr[-1000:]}")
    found = json.loads(done.stdout.strip().splitlines()[-1])
    errors = sum(found[kind] for kind in ("connect", "read", "write", "status", "timeout"))
    p50, p95, p99 = (found[name] / 1000 for name in ("p50", "p95", "p99"))
    return Speed(found["requests"], found["microseconds"] / 1e6, p50, p95, p99, errors)


SECONDS = 30.0
"""For each way of serving."""
WAYS = ((1, 2), (1, 1), (2, 1), (2, 2))
"""Workers, and threads of each."""
MOST_P95 = 150.0
"""Milliseconds; the first way, which is the default, is judged."""
SWAPS = 20
LONG = 10_000
"""Requests of the long run."""
PART = 1_000
"""Requests at its beginning and its end that are compared."""
MORE_MEMORY = 1.05
DRAFTS = 50
"""Different drafts at least."""
WORDS = (
    "data", "graph", "survey", "volume", "flow", "interaction", "network", "time", "user", "model",
    "analysis", "color", "text", "map", "design", "image", "tree", "field", "search", "learning",
)  # fmt: skip


def load(setting: Setting) -> Report:
    """Measure speed, swap the index meanwhile, and run for long."""
    report = Report()
    with tempfile.TemporaryDirectory(prefix="load-") as place:
        folder = Path(place)
        with serving(setting.index) as server:
            drafts = drafts_of(setting, server)
        write_bodies(folder, drafts)
        report.figures.append(f"{len(drafts)} drafts")
        for workers, threads in WAYS:
            _measure(setting, folder, workers, threads, report)
        _swap(setting, folder, report)
        _run_long(setting, folder, report)
    return report


def drafts_of(setting: Setting, server: Server) -> list[dict[str, Any]]:
    """Take drafts from a file, or papers of the index itself.

    Raises:
        RecsysError: they are too few.
    """
    if setting.drafts is not None:
        lines = setting.drafts.read_text(encoding="utf-8").splitlines()
        papers = [json.loads(line) for line in lines]
    else:
        papers = server.papers(WORDS)
    found = [{"title": each["title"], "abstract": each["abstract"]} for each in papers]
    if len(found) < setting.part(DRAFTS):
        raise RecsysError(
            f"There are {len(found)} drafts, {DRAFTS} are needed.", "Give --drafts with more."
        )
    return found


def _measure(setting: Setting, folder: Path, workers: int, threads: int, report: Report) -> None:
    with serving(setting.index, "--workers", workers, "--threads", threads) as server:
        hurry(server, folder, form=False, seconds=max(1.0, 3 * setting.share))  # Warms it.
        write_answers(server, folder)
        for form in (False, True):
            speed = hurry(server, folder, form=form, seconds=SECONDS * setting.share)
            name = "page" if form else "JSON"
            report.counts["answered"] += speed.requests - speed.errors
            report.counts["failed"] += speed.errors
            report.figures.append(f"{workers} workers of {threads} threads, {name}: {speed.told()}")
            report.expect(not speed.errors, f"{name}: {speed.told()}")
            if (workers, threads) == WAYS[0] and not form and setting.share >= 1:
                report.expect(speed.p95 < MOST_P95, f"p95 is {speed.p95:.0f} ms")
        report.expect(not server.complaints(), f"the server said: {server.complaints()[:2000]}")


def _swap(setting: Setting, folder: Path, report: Report) -> None:
    """Update a copy of the index again and again while it is asked."""
    index = Path(shutil.copytree(setting.index, folder / "swapped.index"))
    swaps = setting.part(SWAPS)
    with serving(index) as server:
        before = _fingerprint(server)
        wrong = list[str]()
        thread = threading.Thread(target=_update, args=(index, folder, swaps, wrong))
        thread.start()
        requests = errors = 0
        slowest = 0.0
        while thread.is_alive():
            speed = hurry(server, folder, form=False, seconds=2)
            requests, errors = requests + speed.requests, errors + speed.errors
            slowest = max(slowest, speed.p99)
        thread.join()
        report.findings += wrong
        report.counts["answered"] += requests - errors
        report.counts["failed"] += errors
        report.expect(not errors, f"{errors} errors while the index was swapped")
        report.expect(_fingerprint(server) != before, "the index that is served is the first one")
        report.expect(not server.complaints(), f"the server said: {server.complaints()[:2000]}")
    report.figures.append(
        f"{swaps} swaps: {requests} requests, {errors} errors, p99 of 2 s at most {slowest:.0f} ms"
    )


def _update(index: Path, folder: Path, swaps: int, wrong: list[str]) -> None:
    """Add one paper to the index, again and again."""
    for number in range(swaps):
        added = folder / "added.jsonl"
        paper = {"id": f"added-{number}", "title": f"An added paper, number {number}", "year": 2024}
        added.write_text(json.dumps(paper) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "tests.run_recsys", "update", str(index), str(added)]
        done = subprocess.run([*command, "--quiet"], cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            wrong.append(f"update {number} ended with {done.returncode}: {done.stderr[-500:]}")
            return


def _fingerprint(server: Server) -> str:
    told = json.loads(server.ask("/v1/indexes")[1])
    return str(told["indexes"][0]["fingerprint"])


def _run_long(setting: Setting, folder: Path, report: Report) -> None:
    """Answer thousands, and compare the memory of the last with that of the first thousand."""
    most, part = setting.part(LONG), setting.part(PART)
    with serving(setting.index) as server:
        asked, memory, opened = 0, list[int](), list[int]()
        write_answers(server, folder)
        while asked < most:
            speed = hurry(
                server, folder, form=len(memory) % 2 == 1, seconds=max(1, 5 * setting.share)
            )
            asked += speed.requests
            report.counts["answered"] += speed.requests - speed.errors
            report.counts["failed"] += speed.errors
            if asked >= part:
                time.sleep(0.5)  # Connections of the last run are closed by then.
                memory.append(server.memory())
                opened.append(server.descriptors())
    more = memory[-1] / memory[0]
    report.expect(more < MORE_MEMORY, f"memory grew by {100 * (more - 1):.1f} %")
    report.expect(opened[-1] <= opened[0], f"descriptors: {opened[0]}, then {opened[-1]}")
    report.figures.append(
        f"{asked} requests: memory {100 * (more - 1):+.1f} % ({memory[-1] >> 20} MB), "
        f"descriptors {opened[0]} and {opened[-1]}"
    )
