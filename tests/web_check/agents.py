"""`recsys mcp` as other programs see it: the conformance suite, the inspector, speed and memory."""

import json
import os
import re
import statistics
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, cycle
from pathlib import Path
from typing import Any

import uvicorn

from recsys.app.agents.server import PATH, make_application, make_server
from recsys.app.agents.tools import TOOLS, Desk, Nothing, Tool
from recsys.app.web.listening import answered_hosts, bind
from recsys.app.web.service import ServeSettings, Service
from recsys.errors import InputError
from tests.built_index import ROOT
from tests.web_check.findings import Report, Setting, missing
from tests.web_check.load import MORE_MEMORY, WORDS
from tests.web_check.server import Server

MODULES = Path("build/web-check/node_modules")
NOT_OFFERED = Path(__file__).with_name("not_offered.yml")
"""Scenarios of the suite that ask for what `recsys mcp` does not say that it has."""
_SCENARIO = re.compile(r"^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed", re.MULTILINE)
Question = tuple[str, dict[str, Any]]
"""The name of a tool and its arguments."""


def agents(setting: Setting) -> Report:
    """Ask by the suite, by the inspector, and a thousand times."""
    report = Report()
    run_suite(setting, report)
    run_long(setting, report)
    inspect_tools(setting, report)
    return report


# The conformance suite of the protocol, over HTTP.


def test_simple_text(desk: Desk, asked: Nothing) -> str:
    """Answer as the suite asks of a tool of this name."""
    return "This is a simple text response for testing."


def test_error_handling(desk: Desk, asked: Nothing) -> str:
    """Fail as the suite asks of a tool of this name."""
    raise InputError("This tool intentionally returns an error for testing.")


ASKED_FOR = tuple(Tool("", run, Nothing, None) for run in (test_simple_text, test_error_handling))
"""Tools of no use but to the suite, which cannot know ours."""


def node(script: str) -> list[str | Path]:
    """Begin the command line of a script in MODULES.

    Raises:
        RecsysError: it is not installed.
    """
    path = MODULES / script
    if not path.exists():
        raise missing("mcp")
    return [MODULES.resolve() / "node" / "bin" / "node", path.resolve()]


@contextmanager
def without_token(index: Path) -> Iterator[str]:
    """Serve by HTTP in this process, to a suite that can send no header; give the address."""
    listening = bind("127.0.0.1", 0)
    port = listening.getsockname()[1]
    settings = ServeSettings(
        indexes=(("served", str(index)),), hosts=answered_hosts("127.0.0.1", port, ())
    )
    service = Service(settings)
    application = make_application(make_server(service, tools=(*TOOLS, *ASKED_FOR)), service)
    server = uvicorn.Server(uvicorn.Config(application, log_config=None, ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}{PATH}"
    finally:
        server.should_exit = True
        thread.join()


def run_suite(setting: Setting, report: Report) -> None:
    """Run every scenario: those that fail must be those of NOT_OFFERED, and no others."""
    out = setting.out / "conformance"
    with without_token(setting.index) as address:
        words = ["server", "--url", address, "--suite", "all", "-o", out]
        expected = ["--expected-failures", NOT_OFFERED.resolve()]
        command = [*node("@modelcontextprotocol/conformance/dist/index.js"), *words, *expected]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    report.expect(not done.returncode, f"the suite ends with {done.returncode}: {done.stdout}")
    note_suite(done.stdout, report)


def note_suite(told: str, report: Report) -> None:
    """Count the scenarios of the suite's summary."""
    scenarios = _SCENARIO.findall(told)
    passed = [name for name, good, bad in scenarios if int(good) and not int(bad)]
    report.counts["scenarios passed"] += len(passed)
    report.counts["scenarios not offered"] += len(scenarios) - len(passed)
    report.figures.append(f"passed of the suite: {', '.join(passed)}")
    report.expect(passed, f"the suite passed nothing: {told[-2000:]}")


# The inspector's command line, by standard input and output.


def command_of(index: Path) -> list[str]:
    """Return the command line that an assistant would be given."""
    return [sys.executable, "-m", "tests.run_recsys", "mcp", "--index", str(index), "--quiet"]


def inspect_tools(setting: Setting, report: Report) -> None:
    """List the tools strictly, and call each."""
    begin = [*node(".bin/mcp-inspector"), "--cli", "--connect-timeout", 120_000]
    calls: list[Sequence[object]] = [("--method", "tools/list", "--strict")]
    with speaking(setting.index) as wire:
        paper = next(papers_of(wire))
    for name, arguments in questions(paper):
        pairs = [f"{key}={json.dumps(value)}" for key, value in arguments.items()]
        more = ("--tool-arg", *pairs) if pairs else ()
        calls.append(("--method", "tools/call", "--tool-name", name, *more))
    for call in calls:
        command = [*begin, "-e", f"PYTHONPATH={ROOT}", *call, "--", *command_of(setting.index)]
        done = subprocess.run(
            list(map(str, command)), capture_output=True, text=True, cwd=ROOT, check=False
        )
        told = f"inspector {' '.join(map(str, call))}: {done.stdout[-500:]}{done.stderr[-500:]}"
        good = not done.returncode and '"isError": true' not in done.stdout
        report.counts["inspected" if report.expect(good, told) else "failed"] += 1


# A thousand questions by standard input and output: how long each takes, and that nothing grows.

LONG, WARM = 1_000, 400
"""Questions, and those after which memory is first looked at."""
DRAFTS = 40


@dataclass(frozen=True, slots=True)
class Wire:
    """A process that speaks the protocol, a message a line."""

    process: "subprocess.Popen[str]"
    numbers: Iterator[int]

    def request(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        assert self.process.stdin is not None and self.process.stdout is not None
        message = {"jsonrpc": "2.0", "id": next(self.numbers), "method": method, "params": params}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def processor_seconds(self) -> float:
        """Return what all threads of the process have taken so far."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text(encoding="ascii").split()[0]) for task in tasks) / 1e9

    def call(self, name: str, /, **arguments: object) -> dict[str, Any]:
        """Call a tool and return its result."""
        found = self.request("tools/call", {"name": name, "arguments": arguments})
        result: dict[str, Any] = found["result"]
        return result


@contextmanager
def speaking(index: Path) -> Iterator[Wire]:
    """Start `recsys mcp`, greet it, and end it."""
    process = subprocess.Popen(
        command_of(index), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    with process:
        wire = Wire(process, count())
        client = {"name": "web-check", "version": "1"}
        facts = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        wire.request("initialize", facts)
        assert process.stdin is not None
        process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        try:
            yield wire
        finally:
            process.stdin.close()
            process.wait(timeout=60)


def papers_of(wire: Wire) -> Iterator[dict[str, Any]]:
    """Give papers with abstracts, a few of each search."""
    for word in WORDS:
        listed = wire.call("search_papers", query=word, k=DRAFTS // len(WORDS))
        for each in listed["structuredContent"]["papers"]:
            paper = wire.call("get_paper", id=each["id"])["structuredContent"]
            if paper["abstract"]:
                yield paper


def questions(paper: Mapping[str, Any]) -> list[Question]:
    """Ask each tool about a paper, as if it were a draft."""
    title = paper["title"]
    entry = f"@article{{a, title={{{title}}}, year={{{paper['year'] or 2000}}}}}"
    return [
        ("recommend_citations", {"text": f"{title}\n\n{paper['abstract']}"}),
        ("cite_sentence", {"text": f"{title} |."}),
        ("check_references", {"text": entry}),
        ("search_papers", {"query": title}),
        ("get_paper", {"id": paper["id"]}),
        ("follow_citations", {"id": paper["id"], "direction": "cited_by"}),
        ("export_bibliography", {"ids": [paper["id"]]}),
        ("corpus_info", {}),
    ]


def run_long(setting: Setting, report: Report) -> None:
    """Ask one process again and again; the memory of its end is compared with that of before."""
    most, warm = setting.part(LONG), setting.part(WARM)
    taken, memory = defaultdict[str, list[float]](list), list[int]()
    work = defaultdict[str, list[float]](list)
    with speaking(setting.index) as wire:
        watched = Server(wire.process, "", 0, Path())  # type: ignore[arg-type]  # It is of text.
        drafts = list(papers_of(wire))
        asked = cycle(question for paper in drafts for question in questions(paper))
        for number, (name, arguments) in zip(range(1, most + 1), asked, strict=False):
            begun, spent = time.perf_counter(), wire.processor_seconds()
            result = wire.call(name, **arguments)
            taken[name].append(1000 * (time.perf_counter() - begun))
            work[name].append(1000 * (wire.processor_seconds() - spent))
            good = report.expect(not result["isError"], f"{name}: {result['content']}")
            report.counts["answered" if good else "failed"] += 1
            if number in (warm, most):
                memory.append(watched.memory())
    for name, times in taken.items():
        own = shown(work[name])  # Which hardly depends on what else runs on the machine.
        report.figures.append(f"{name}: {shown(times)}; of the processor {own}")
    more = memory[-1] / memory[0]
    if setting.share >= 1:  # A few calls still fill caches.
        report.expect(more < MORE_MEMORY, f"memory grew by {100 * (more - 1):.1f} %")
    grown = f"{memory[0] >> 20} MB after {warm}, {memory[-1] >> 20} MB after {most}"
    report.figures.append(f"memory: {grown}")


def shown(times: Sequence[float]) -> str:
    """Say how long half and 95 % of the calls took at most."""
    cuts = statistics.quantiles([*times, times[-1]], n=20, method="inclusive")
    return f"p50 {cuts[9]:.0f} ms, p95 {cuts[18]:.0f} ms"
