"""Give every reader mutated files: only errors of recsys may come out, soon, in bounded memory."""

import base64
import json
import mmap
import signal
import struct
import traceback
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from recsys.errors import RecsysError
from tests.torture.children import CRASH, FOREIGN, HANG, HANGS, MEMORY, OK, Outcome, in_child
from tests.torture.kills import SECONDS
from tests.torture.mutations import Source, mutated
from tests.torture.readers import READERS, Read, samples_of
from tests.torture.small_world import INDEX, build_world, write_world
from tests.torture.verdicts import Case, Failure, Torture, Verdict

BATCH = 250
"""Inputs that one process reads."""
SAMPLES = "samples.json"
MOST_FAILURES = 5
"""Failures of a batch that are told; all are counted."""


def prepare(shared: Path) -> None:
    """Write the samples, and an index whose papers a split may name."""
    made = in_child(partial(_write, shared), seconds=SECONDS)
    if made.kind != OK:
        raise RuntimeError(f"the samples cannot be written: {made.said}")


def _write(shared: Path) -> None:
    write_world(shared)
    build_world(shared, shared / INDEX)
    found = {
        name: [base64.b64encode(each).decode() for each in those]
        for name, those in samples_of(shared).items()
    }
    (shared / SAMPLES).write_text(json.dumps(found), encoding="utf-8")


def cases(shared: Path, count: int, seed: int) -> Iterator[Case]:
    """Share the inputs among the readers, in batches."""
    parts = sum(reader.share for reader in READERS.values())
    for name, reader in READERS.items():
        wanted = -(-count * reader.share // parts)
        for first in range(0, wanted, BATCH):
            number = min(BATCH, wanted - first)
            yield {"reader": name, "seed": seed, "first": first, "number": number}


def trial(shared: Path, own: Path, case: Case) -> Verdict:
    """Read a batch; what ends the process is a failure of one input, and the rest goes on."""
    counts: Counter[str] = Counter()
    failures: list[Failure] = []
    at, end = case["first"], case["first"] + case["number"]
    progress = mmap.mmap(-1, 8)
    while at < end:
        progress[:] = struct.pack("q", at)
        work = partial(_read_all, shared, own, case | {"first": at, "number": end - at}, progress)
        outcome = in_child(work, seconds=HANG * BATCH, memory=MEMORY)
        if outcome.kind == OK:
            counts.update(outcome.value["counts"])
            found = [tuple(each) for each in outcome.value["failures"]]
            at = end
        else:
            last = struct.unpack("q", progress[:])[0]
            counts["answered"] += last - at  # Or refused: the process took its tally with it.
            found, at = [(last, _ended(outcome), outcome.said)], last + 1
            counts[_ended(outcome)] += 1
        failures += [_failure(shared, case, *each) for each in found]
    return Verdict(counts, tuple(failures))


def _ended(outcome: Outcome) -> str:
    """Tell a process that the alarm ended from one that crashed."""
    if outcome.said == f"exit code {-signal.SIGPROF}":
        return HANGS
    return outcome.kind if outcome.kind in (HANGS, FOREIGN) else CRASH


def _failure(shared: Path, case: Case, number: int, kind: str, said: str) -> Failure:
    one = case | {"first": number, "number": 1}
    raw = {f"input{READERS[case['reader']].suffix}": input_of(_samples(shared), one, number)}
    return Failure(one, kind, said, raw)


def _read_all(shared: Path, own: Path, case: Case, progress: mmap.mmap) -> dict[str, Any]:
    """Read inputs one after the other; says how it went, and what failed."""
    reader, known = READERS[case["reader"]], _samples(shared)
    name = "manifest.json" if case["reader"] == "manifest" else f"input{reader.suffix}"
    counts: Counter[str] = Counter()
    failures: list[tuple[int, str, str]] = []
    for number in range(case["first"], case["first"] + case["number"]):
        progress[:] = struct.pack("q", number)
        (own / name).write_bytes(input_of(known, case, number))
        # Its default action ends the process: also one that is deep in a compiled library.
        signal.setitimer(signal.ITIMER_PROF, HANG)
        kind, said = _read(reader.read, own / name, shared)
        signal.setitimer(signal.ITIMER_PROF, 0)
        counts[kind] += 1
        if said and len(failures) < MOST_FAILURES:
            failures.append((number, kind, said))
    return {"counts": counts, "failures": failures}


def _read(read: Read, path: Path, shared: Path) -> tuple[str, str]:
    try:
        read(path, shared)
    except RecsysError as error:
        one_line = "\n" not in str(error) and len(str(error)) < 2_000
        return ("refused" if one_line else "refused at length"), ""
    except Exception as error:
        return FOREIGN, "".join(traceback.format_exception(error))[-4000:]
    return "answered", ""


def input_of(known: dict[str, list[bytes]], case: Case, number: int) -> bytes:
    """Make an input again: it depends on the reader, the seed and its number only."""
    name = case["reader"]
    place = list(READERS).index(name)
    others = [each for those in known.values() for each in those]
    source = Source([case["seed"], place, number], others, READERS[name].words)
    return mutated(known[name], source)


def _samples(shared: Path) -> dict[str, list[bytes]]:
    held = json.loads((shared / SAMPLES).read_text(encoding="utf-8"))
    return {name: [base64.b64decode(each) for each in those] for name, those in held.items()}


FUZZ = Torture(
    name="fuzz",
    meaning="mutated files given to every reader",
    unit="inputs",
    count=200_000,
    prepare=prepare,
    cases=cases,
    trial=trial,
)
