"""Attack the server, and see that it refuses, does not grow, says nothing and goes on answering."""

import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.web_check.attacks import PROTOCOL, SECONDS, SIZES, SLOW, STRANGERS, TIMEOUT, Attack
from tests.web_check.findings import Report, Setting
from tests.web_check.poison import CANARY, FILES, QUESTIONS, paths
from tests.web_check.server import DRAFT, Reply, Server, led, serving

MB = 2**20
GROWN = 20 * MB
"""Bytes by which the server and its children may have grown after an attack."""
SETTLING = 25.0
"""Seconds in which what a process has taken is given back."""
WARMING = 12
"""Answers before memory is first looked at."""
CHEAP_SHARE = 0.5
"""With a smaller share of the cases only those are tried that take less than a second."""
LIMITS = ("--timeout", 25)


def hostile(setting: Setting) -> Report:
    """Try every attack, one after the other, on two servers: one has less patience."""
    report = Report()
    with tempfile.TemporaryDirectory(prefix="canary-") as folder:
        canary = Path(folder) / "canary.tex"
        canary.write_text(CANARY, encoding="utf-8")
        attacks = (*STRANGERS, *PROTOCOL, *QUESTIONS, *paths(canary), *SIZES, *FILES)
        with serving(setting.index, *LIMITS) as server:
            attack(server, chosen(attacks, setting), report)
    with serving(setting.index, "--timeout", TIMEOUT) as server:
        attack(server, chosen(SLOW, setting), report)
    return report


def chosen(attacks: Iterable[Attack], setting: Setting) -> list[Attack]:
    """Choose the attacks that a share of the check has time for."""
    return [each for each in attacks if each.cheap or setting.share >= CHEAP_SHARE]


def attack(server: Server, attacks: Sequence[Attack], report: Report) -> None:
    """Try attacks on a server that is warmed first."""
    warm(server)
    first, most, peak = server.memory(), 0, (0, "")
    for each in attacks:
        before = server.memory()
        server.forget_peak()
        reply = _tried(server, each, report)
        if reply is None:
            return
        peak = max(peak, (server.peak() - before, each.name))
        grown = _grown(server, before)
        report.expect(grown < GROWN, f"{each.name}: {grown / MB:.1f} MB more afterwards")
        most = max(most, grown)
    said = server.complaints()
    report.expect(not said, f"the server said: {said[:2000]}")
    report.figures += [
        f"at most {most / MB:.1f} MB more after an attack",
        f"{(server.memory() - first) / MB:.1f} MB more after all {len(attacks)}",
        f"at most {peak[0] / MB:.0f} MB more meanwhile in the server itself ({peak[1]})",
    ]


def warm(server: Server) -> None:
    """Let the server do all that it does once."""
    for number in range(WARMING):
        server.ask("/v1/recommendations", {"draft": DRAFT, "k": 1 + number})
    server.ask("/v1/citations", {"text": "Rivers carry sand |.", "title": DRAFT["title"]})
    for path in ("/", "/search?q=rivers", "/answer?title=rivers", "/api", "/map?title=rivers"):
        server.ask(path)


def _tried(server: Server, each: Attack, report: Report) -> Reply | None:
    """Try one attack; None: the server is no more."""
    try:
        reply = led(server, each.run(server), seconds=SECONDS)
    except (OSError, ValueError) as error:
        ended = server.process.poll()
        report.findings.append(f"{each.name}: {type(error).__name__}: {error}; ended: {ended}")
        report.counts["wrong"] += 1
        return Reply(b"", True, 0, 0) if ended is None else None
    told = " ".join(dict.fromkeys(reply.told().split()))
    right = each.accepts(reply)
    report.counts[told if right else "wrong"] += 1
    report.expect(right, f"{each.name}: {reply.told()[:60]} {reply.raw[-300:]!r}"[:600])
    report.expect(CANARY.encode() not in reply.raw, f"{each.name}: a file of the server was read")
    report.expect(b"root:x:" not in reply.raw, f"{each.name}: /etc/passwd was read")
    report.expect(
        b"access-control-allow" not in reply.raw.lower(), f"{each.name}: other sites may read"
    )
    said = server.answers()
    ended = server.process.poll()
    if report.expect(ended is None, f"after {each.name} the server ended with {ended}"):
        report.expect(not said, f"after {each.name} there is no answer: {said}")
    return reply if ended is None else None


def _grown(server: Server, before: int) -> int:
    """Return by how much the server has grown, once it has had time to give back."""
    until = time.monotonic() + SETTLING
    while True:
        more = server.memory() - before
        if more < GROWN or time.monotonic() > until:
            return max(0, more)
        time.sleep(0.25)
