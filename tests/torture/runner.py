"""Run one torture over its cases, shared among processes, and keep what failed.

What was found are counts by kind, and what failed, so that it can be repeated.
"""

import json
import os
import pickle
import shutil
import sys
import tempfile
import time
import traceback
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

    prepare: writes what so many trials share into an empty folder. cases: (that folder, how many,
    seed) -> what to try. trial: (that folder, a folder of its own, a case) -> what came of it;
    must leave the shared folder as it was. count: how many trials the long run makes, in units.
    parallel: whether cases may be shared among processes.
    """

    name: str
    meaning: str
    unit: str
    count: int
    prepare: Callable[[Path, int], None]
    cases: Callable[[Path, int, int], Iterator[Case]]
    trial: Callable[[Path, Path, Case], Verdict]
    parallel: bool = True


TOLD = 10
"""Failures that are printed; all are kept."""
KEPT = 200
"""Failures that are kept of one torture."""


@dataclass(slots=True)
class Tally:
    """What a torture has found so far."""

    name: str
    unit: str
    seed: int
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    failures: int = 0
    notes: tuple[str, ...] = ()

    @property
    def trials(self) -> int:
        """Count the trials, whatever came of them."""
        return sum(self.counts.values())

    @property
    def failed(self) -> int:
        """Count the failures."""
        return sum(self.counts[kind] for kind in FAILURES)

    def line(self) -> str:
        """Say it in one line."""
        bad = ", ".join(f"{self.counts[kind]} {kind}" for kind in FAILURES)
        return (
            f"{self.name}: {self.trials:,} {self.unit}, seed {self.seed}: {bad}; "
            f"{', '.join(self.harmless()) or 'nothing else'}; {self.seconds:.0f} s"
        )

    def harmless(self) -> list[str]:
        """Say what else came of the trials."""
        good = sorted((kind, n) for kind, n in self.counts.items() if kind not in FAILURES)
        return [*(f"{n:,} {kind}" for kind, n in good), *self.notes]


def run(torture: Torture, *, count: int, seed: int, out: Path, jobs: int = 1) -> Tally:
    """Try every case; failures are written below `out`."""
    begun = time.monotonic()
    tally = Tally(torture.name, torture.unit, seed)
    with tempfile.TemporaryDirectory(prefix=f"torture-{torture.name}-") as place:
        shared = Path(place) / "shared"
        shared.mkdir()
        torture.prepare(shared, count)
        cases = list(torture.cases(shared, count, seed))
        for verdict in _verdicts(torture, Path(place), cases, jobs if torture.parallel else 1):
            tally.counts.update(verdict.counts)
            tally.notes = tuple(dict.fromkeys([*tally.notes, *verdict.notes]))
            for failure in verdict.failures:
                _keep(tally, failure, out)
    tally.seconds = time.monotonic() - begun
    return tally


def repeat(torture: Torture, kept: Path) -> Verdict:
    """Try one case again that was written as a failure."""
    case: Case = json.loads((kept / "case.json").read_text(encoding="utf-8"))["case"]
    with tempfile.TemporaryDirectory(prefix=f"torture-{torture.name}-") as place:
        shared, own = Path(place) / "shared", Path(place) / "own"
        shared.mkdir()
        own.mkdir()
        torture.prepare(shared, torture.count)
        return torture.trial(shared, own, case | {"kept": str(kept)})


def _verdicts(torture: Torture, place: Path, cases: list[Case], jobs: int) -> Iterator[Verdict]:
    if jobs == 1:
        for number, case in enumerate(cases):
            yield _tried(torture, place / f"own-{number}", case)
        return
    shards = [_shard(torture, place, cases[first::jobs], first) for first in range(jobs)]
    for pid, path in shards:
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if code:
            raise RuntimeError(f"a process of the torture ended with exit code {code}")
        yield from pickle.loads(path.read_bytes())


def _tried(torture: Torture, own: Path, case: Case) -> Verdict:
    own.mkdir()
    try:
        return torture.trial(own.parent / "shared", own, case)
    except Exception as error:  # Told with the others: the rest of some hours is worth having.
        return Verdict.of(case, "broken", "".join(traceback.format_exception(error))[-4000:])
    finally:
        shutil.rmtree(own, ignore_errors=True)


def _shard(torture: Torture, place: Path, cases: list[Case], number: int) -> tuple[int, Path]:
    """Fork a process that tries its share and writes its verdicts."""
    path = place / f"shard-{number}"
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid, path
    code = 1
    try:
        places = (place / f"own-{number}-{at}" for at in range(len(cases)))
        verdicts = [_tried(torture, *each) for each in zip(places, cases, strict=True)]
        path.write_bytes(pickle.dumps(verdicts))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _keep(tally: Tally, failure: Failure, out: Path) -> None:
    """Write a folder that repeats a failure, and say how."""
    tally.failures += 1
    if tally.failures > KEPT:
        return
    folder = out / f"{tally.name}-{tally.seed}-{tally.failures:03}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    value = {"torture": tally.name, "kind": failure.kind, "case": failure.case}
    value |= {"said": failure.said}
    (folder / "case.json").write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    for name, raw in failure.files.items():
        (folder / name).write_bytes(raw)
    if tally.failures <= TOLD:
        last = failure.said.strip().splitlines()[-1:] or [""]
        sys.stderr.write(
            f"{failure.kind}: {last[0][:200]} {json.dumps(failure.case)[:300]}\n"
            f"  repeat: python -m tests.torture --repeat {folder}\n"
        )
