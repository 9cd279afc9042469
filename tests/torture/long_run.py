"""Let one recommender answer for long: memory, descriptors and time must not grow."""

import gc
import os
import resource
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.torture.children import OK, in_child
from tests.torture.replacing import HOUR
from tests.torture.runner import Case, Failure, Torture, Verdict
from tests.torture.small_world import INDEX, copy_small_world

DIFFERENT = 97
"""Different drafts that are asked in turn."""
SHARE = 20
"""The first and the last of so many parts of the run are compared."""
LEAST = 200
"""Answers of a part at least: fewer tell nothing about time."""
MOST_MEMORY = 8 << 20
"""Bytes by which the process may grow between these parts."""
MOST_TIME = 1.25
"""How many times as long an answer may take on average in the last part, in processor time."""


def prepare(shared: Path, count: int) -> None:
    """Build an index."""
    copy_small_world(shared)


def cases(shared: Path, count: int, seed: int) -> Iterator[Case]:
    """Give one case: one process, so many answers."""
    yield {"answers": count}


def trial(shared: Path, own: Path, case: Case) -> Verdict:
    """Answer, and compare the end with the beginning."""
    found = in_child(partial(_run, shared / INDEX, case["answers"]), seconds=HOUR)
    if found.kind != OK:
        return Verdict.of(case, found.kind if found.kind != "refused" else "lost", found.said)
    failures = [Failure(case, "grown", each) for each in found.value["grown"]]
    counts = {"answered": case["answers"] - len(failures), "grown": len(failures)}
    return Verdict(counts, tuple(failures), tuple(found.value["facts"]))


def _run(index: Path, answers: int) -> dict[str, Any]:
    import recsys

    recommender = recsys.load(index)
    drafts = [
        f"On rivers {at} and glaciers\n\nSurvey {at % 12} of deserts" for at in range(DIFFERENT)
    ]
    first = [recommender.recommend(draft, 10) for draft in drafts]
    part = min(answers, max(LEAST, answers // SHARE))
    times, memory, opened = np.empty(answers), [0, 0], [0, 0]
    for number in range(answers):
        begun = time.process_time()
        answer = recommender.recommend(drafts[number % DIFFERENT], 10)
        times[number] = time.process_time() - begun
        if answer != first[number % DIFFERENT]:
            raise ValueError(f"answer {number + 1} is not the one given to that draft before")
        if number + 1 == part:
            memory[0], opened[0] = _resident(), len(os.listdir("/proc/self/fd"))
    memory[1], opened[1] = _resident(), len(os.listdir("/proc/self/fd"))
    first_mean, last_mean = (float(np.mean(each)) for each in (times[:part], times[-part:]))
    facts = [
        f"{(memory[1] - memory[0]) >> 10:,} KiB more",
        f"{opened[1] - opened[0]} descriptors more",
        f"mean {1000 * first_mean:.2f} ms at first and {1000 * last_mean:.2f} ms at last",
    ]
    grown = {
        "memory": memory[1] - memory[0] > MOST_MEMORY,
        "descriptors": opened[1] > opened[0],
        "time": last_mean > MOST_TIME * first_mean,
    }
    told = [f"{name} grew: {', '.join(facts)}" for name, did in grown.items() if did]
    return {"facts": facts, "grown": told}


def _resident() -> int:
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


LONG_RUN = Torture(
    name="long-run",
    meaning="one recommender that answers for long",
    unit="answers",
    count=20_000,
    prepare=prepare,
    cases=cases,
    trial=trial,
    parallel=False,
)
