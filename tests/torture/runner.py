"""Run one torture over its cases, shared among processes, and keep what failed."""

import json
import os
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.torture.verdicts import FAILURES, Case, Failure, Torture, Verdict

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
        torture.prepare(shared)
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
        torture.prepare(shared)
        return torture.trial(shared, own, case | {"kept": str(kept)})


def _verdicts(torture: Torture, place: Path, cases: list[Case], jobs: int) -> Iterator[Verdict]:
    if jobs == 1:
        for number, case in enumerate(cases):
            yield _tried(torture, place, f"own-{number}", case)
        return
    shards = [_shard(torture, place, cases[first::jobs], first) for first in range(jobs)]
    for pid, path in shards:
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if code:
            raise RuntimeError(f"a process of the torture ended with exit code {code}")
        yield from map(_parsed, path.read_text(encoding="utf-8").splitlines())


def _tried(torture: Torture, place: Path, name: str, case: Case) -> Verdict:
    own = place / name
    own.mkdir()
    try:
        return torture.trial(place / "shared", own, case)
    except Exception as error:  # Told with the others: the rest of some hours is worth having.
        return Verdict.of(case, "broken", "".join(traceback.format_exception(error))[-4000:])
    finally:
        shutil.rmtree(own, ignore_errors=True)


def _shard(torture: Torture, place: Path, cases: list[Case], number: int) -> tuple[int, Path]:
    """Fork a process that tries its share and writes a line for each."""
    path = place / f"shard-{number}.jsonl"
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid, path
    code = 1
    try:
        with path.open("w", encoding="utf-8") as file:
            for at, case in enumerate(cases):
                verdict = _tried(torture, place, f"own-{number}-{at}", case)
                file.write(_written(verdict) + "\n")
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _written(verdict: Verdict) -> str:
    failures = [
        [each.case, each.kind, each.said, {name: raw.hex() for name, raw in each.files.items()}]
        for each in verdict.failures
    ]
    return json.dumps([dict(verdict.counts), failures, verdict.notes])


def _parsed(line: str) -> Verdict:
    counts, failures, notes = json.loads(line)
    return Verdict(
        counts,
        tuple(
            Failure(case, kind, said, {name: bytes.fromhex(raw) for name, raw in files.items()})
            for case, kind, said, files in failures
        ),
        tuple(notes),
    )


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
