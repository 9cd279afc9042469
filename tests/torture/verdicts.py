"""What a torture found: counts by kind, and what failed, so that it can be repeated."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

Case: TypeAlias = dict[str, Any]
"""What a trial is told, as JSON: enough to repeat it."""

FAILURES = (
    "lost",
    "mixed",
    "silent",
    "foreign",
    "crash",
    "hang",
    "left behind",
    "grown",
    "broken",
)
"""Kinds of verdicts that must not occur. All others are told and do no harm."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that failed. files: what it needs to be repeated, by name."""

    case: Case
    kind: str
    said: str
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a case: how often what, what of it was a failure, and what else to say."""

    counts: Mapping[str, int]
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, case: Case, kind: str, said: str = "") -> "Verdict":
        """Judge a case that is one trial."""
        failures = (Failure(case, kind, said),) if kind in FAILURES else ()
        return cls(Counter({kind: 1}), failures)


@dataclass(frozen=True, slots=True)
class Torture:
    """One kind of torture, a row of the table.

    prepare: writes what all trials share into an empty folder. cases: (that folder, how many,
    seed) -> what to try. trial: (that folder, a folder of its own, a case) -> what came of it;
    must leave the shared folder as it was. count: how many trials the long run makes, in units.
    jobs: whether cases may be shared among processes.
    """

    name: str
    meaning: str
    unit: str
    count: int
    prepare: Callable[[Path], None]
    cases: Callable[[Path, int, int], Iterator[Case]]
    trial: Callable[[Path, Path, Case], Verdict]
    parallel: bool = True
