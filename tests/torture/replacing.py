"""Replace an index again and again while others read it: every answer is of one of the two.

One writer alternates between two corpora; readers open the index for every answer, or keep one
recommender, which must go on answering as it did when it was opened.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from recsys.errors import RecsysError
from recsys.recommend import Recommender
from tests.torture.children import OK, Json, Outcome, done, in_child
from tests.torture.runner import FAILURES, Case, Failure, Torture, Verdict
from tests.torture.small_world import (
    DRAFTS,
    INDEX,
    OTHERS,
    PAPERS,
    build_world,
    told,
    write_world,
)

READERS, PER_REPLACEMENT = 8, 10
"""Readers at once, and answers that all of them give for each replacement at least."""
KEEPING = 100
"""Answers that a reader takes from one recommender, where it keeps one."""
EXPECTED = "expected.json"
HOUR = 3_600


def prepare(shared: Path, count: int) -> None:
    """Build the first index, and note what both of them answer."""
    done(partial(_write, shared))


def _write(shared: Path) -> None:
    write_world(shared)
    expected = []
    for papers in (OTHERS, PAPERS):
        build_world(shared, shared / INDEX, papers, force=True)
        recommender = _open(shared / INDEX)
        expected.append([_answer(recommender, draft) for draft in DRAFTS])
    (shared / EXPECTED).write_text(json.dumps(expected), encoding="utf-8")


def cases(shared: Path, count: int, seed: int) -> Iterator[Case]:
    """Give one case: how many answers, while how often the index is replaced."""
    yield {"answers": count, "replacements": max(1, count // PER_REPLACEMENT)}


def trial(shared: Path, own: Path, case: Case) -> Verdict:
    """Start the readers and the writer; gather what was answered."""
    stop = own / "stop"
    each = -(-case["answers"] // READERS)
    readers = [
        _start(partial(_read, shared, stop, each, keeps=number % 2 == 1), own / f"{number}.json")
        for number in range(READERS)
    ]
    written = in_child(partial(_replace, shared, case["replacements"]), seconds=HOUR)
    stop.touch()
    counts: Counter[str] = Counter()
    said: dict[str, str] = {}
    for pid, path in readers:
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        outcome = Outcome(**json.loads(path.read_text(encoding="utf-8"))) if not code else None
        if outcome is None or outcome.kind != OK:
            kind = "crash" if outcome is None else outcome.kind
            counts[kind] += 1
            said[kind] = f"a reader ended: {code} {outcome and outcome.said}"
        else:
            counts.update(outcome.value["counts"])
            said |= outcome.value["said"]
    if written.kind != OK:
        counts["lost"] += 1
        said["lost"] = f"the writer: {written.kind} {written.said}"
    failed = [Failure(case, kind, said.get(kind, "")) for kind in counts if kind in FAILURES]
    return Verdict(counts, tuple(failed), (f"{case['replacements']} replacements",))


def _start(work: Callable[[], Json], path: Path) -> tuple[int, Path]:
    """Do something in a child of a child: this process waits for all of them at once."""
    pid = os.fork()
    if pid:
        return pid, path
    try:
        path.write_text(json.dumps(asdict(in_child(work, seconds=HOUR))), encoding="utf-8")
    finally:
        os._exit(not path.exists())


def _replace(shared: Path, times: int) -> None:
    for number in range(times):
        papers = (OTHERS, PAPERS)[number % 2]
        build_world(shared, shared / INDEX, papers, force=True)


def _read(shared: Path, stop: Path, least: int, *, keeps: bool) -> dict[str, Any]:
    """Answer until the writer has ended, and at least so often."""
    expected = json.loads((shared / EXPECTED).read_text(encoding="utf-8"))
    counts: Counter[str] = Counter()
    said: dict[str, str] = {}
    times = min(KEEPING, 2 + least) if keeps else 1
    while sum(counts.values()) < least or not stop.exists():
        kind, why = _opened(shared / INDEX, expected, times, counts)
        if kind:
            counts[kind] += 1
            said.setdefault(kind, why)
    return {"counts": counts, "said": said}


def _opened(index: Path, expected: list[Any], times: int, counts: Counter[str]) -> tuple[str, str]:
    """Open once and answer so often; gives what went wrong, and counts what went right."""
    try:
        recommender = _open(index)
        first = None
        for number in range(times):
            at = number % len(DRAFTS)
            found = _answer(recommender, DRAFTS[at])
            of = [which for which, those in enumerate(expected) if those[at] == found]
            if not of or first not in (None, of[0]):
                return "mixed", f"answer {number + 1} is of {of or 'neither'}, the first of {first}"
            first = of[0]
            counts["kept, right" if times > 1 else "opened, right"] += 1
            time.sleep(0)
    except RecsysError as error:
        return "lost", str(error)
    except Exception as error:
        return "foreign", f"{type(error).__name__}: {error}"
    return "", ""


def _open(index: Path) -> Recommender:
    import recsys

    return recsys.load(index)


def _answer(recommender: Recommender, draft: str) -> Json:
    return json.loads(json.dumps(told(recommender.recommend(draft, 10))))


REPLACING = Torture(
    name="replacing",
    meaning="8 readers of an index that is replaced all the time",
    unit="answers and errors",
    count=2_000,
    prepare=prepare,
    cases=cases,
    trial=trial,
    parallel=False,
)
