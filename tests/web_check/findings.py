"""What a check of the server found: how many cases, what came of them, and what must not be."""

import shutil
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from recsys.errors import RecsysError


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What all checks are told.

    index: what is served. out: an existing folder for pictures and reports. share: of the usual
    cases and seconds. seed: what chooses random cases. axe: the script that judges accessibility.
    drafts: a file of drafts for the load; None takes papers of the index itself.
    """

    index: Path
    out: Path
    share: float = 1.0
    seed: int = 0
    axe: Path = Path("build/web-check/node_modules/axe-core/axe.min.js")
    drafts: Path | None = None

    def part(self, whole: int) -> int:
        """Return the share of a number of cases, one at least."""
        return max(1, round(whole * self.share))


@dataclass(slots=True)
class Report:
    """What a check has found so far.

    counts: cases by what came of them. findings: what must not be, a line or more each. figures:
    what was measured, in words.
    """

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def cases(self) -> int:
        """Count the cases, whatever came of them."""
        return sum(self.counts.values())

    def expect(self, held: object, finding: str) -> bool:
        """Note a finding unless something held; tells whether it did."""
        if not held:
            self.findings.append(finding)
        return bool(held)


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of check, a row of the table. unit: what its cases are called."""

    name: str
    meaning: str
    unit: str
    run: Callable[[Setting], Report]


# What a check needs that is no dependency of the tests: found, or said how to get it.

HOW: Mapping[str, str] = {
    "axe-core": "npm install --prefix build/web-check axe-core",
    "chromium": "On Debian and Ubuntu: apt-get install chromium",
    "mcp": "npm install --prefix build/web-check @modelcontextprotocol/conformance "
    "@modelcontextprotocol/inspector node@22",
    "playwright": "pip install playwright",
    "schemathesis": "pip install schemathesis",
    "wrk": "On Debian and Ubuntu: apt-get install wrk",
}


def missing(name: str) -> RecsysError:
    """Say what is missing, and how to get it; `make web-check` does."""
    return RecsysError(f"{name} is not installed.", f"{HOW[name]}; or run: make web-check")


def program(name: str) -> str:
    """Find a program beside Python or on the path.

    Raises:
        RecsysError: it is not installed.
    """
    own = Path(sys.executable).with_name(name)
    found = str(own) if own.is_file() else shutil.which(name)
    if found is None:
        raise missing(name)
    return found
