"""Kill jobs at every step that they take on the disk, and at random times; see what is left.

After a kill, a reader must find what was there before or what the job makes; the same job, run
again, must end as if nothing had happened, and leave nothing that it would not leave otherwise.
"""

import json
import re
import shutil
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from recsys.store.generations import GENERATIONS
from tests.torture.children import FOREIGN, KILLED, OK, REFUSED, Json, Outcome, in_child
from tests.torture.faults import AFTER, BEFORE, WITHIN, Steps, inject
from tests.torture.kill_jobs import JOBS, Job, write_beginnings
from tests.torture.verdicts import Case, Torture, Verdict

PLAN = "plan.json"
SECONDS = 60
"""Processor time of a job; readers have the usual one."""
TARGETED = 0.9
"""Share of the kills that are by injection, as far as there are so many different ones."""
AT_RANDOM = "at random"

_NUMBERED = re.compile(rf"(.*{GENERATIONS}/)(\d+)(?=/|$)")
_BY_NAME = {job.name: job for job in JOBS}


def prepare(shared: Path) -> None:
    """Write where jobs begin, run each once undisturbed, and note its steps and its end."""
    _done(in_child(partial(write_beginnings, shared), seconds=SECONDS))
    plan = {job.name: undisturbed(shared, job) for job in JOBS}
    (shared / PLAN).write_text(json.dumps(plan), encoding="utf-8")


def cases(shared: Path, count: int, seed: int) -> Iterator[Case]:
    """Choose targeted kills evenly among all that there are, and random ones for the rest."""
    plan, rng = _plan(shared), np.random.default_rng(seed)
    points = [
        {"job": name, "step": step, "mode": mode, "what": what}
        for name, facts in plan.items()
        for step, (what, halved) in enumerate(facts["steps"])
        for mode in ((BEFORE, WITHIN, AFTER) if halved else (BEFORE, AFTER))
    ]
    wanted = min(len(points), int(np.ceil(TARGETED * count)))
    chosen = sorted(rng.choice(len(points), wanted, replace=False).tolist())
    yield from (points[at] for at in chosen)
    for number in range(count - wanted):
        name = JOBS[number % len(JOBS)].name
        after = float(rng.uniform(0, plan[name]["seconds"]))
        yield {"job": name, "mode": AT_RANDOM, "seconds": round(after, 4)}


def trial(shared: Path, own: Path, case: Case) -> Verdict:
    """Kill, look, run again, look again."""
    job = _BY_NAME[case["job"]]
    facts = _plan(shared)[job.name]
    place = Path(shutil.copytree(shared / job.begins, own / "place"))
    killed = _killed(job, place, case)
    if killed.kind not in (KILLED, OK):
        return Verdict.of(case, "lost", f"the job itself: {killed.said}")
    seen = in_child(partial(_looked, job, place))
    if kind := _misread(job, facts, seen.kind, seen.value):
        return Verdict.of(case, kind, f"after the kill: {seen.said or 'neither old nor new'}")
    again = in_child(partial(_ended, job, place), seconds=SECONDS)
    if again.kind != OK:
        return Verdict.of(case, "lost", f"run again: {again.kind} {again.said}")
    looked, files = again.value
    if looked != facts["new"]:
        return Verdict.of(case, "lost", "run again, it ends otherwise than undisturbed")
    if files != facts["files"]:
        left, gone = sorted({*files} - {*facts["files"]}), sorted({*facts["files"]} - {*files})
        return Verdict.of(case, "left behind", f"more {left[:9]}, missing {gone[:9]}")
    if killed.kind == OK:
        return Verdict.of(case, "ended before the kill")
    return Verdict.of(case, "whole" if seen.kind == OK else "refused as unfinished")


def _misread(job: Job, facts: dict[str, Any], kind: str, value: Json) -> str:
    """Name what is wrong with what a reader found after the kill; empty: nothing."""
    if kind == REFUSED:
        return "" if job.new else "lost"
    if kind == FOREIGN:
        return "foreign"
    if kind != OK:
        return kind
    return "" if value in (facts["old"], facts["new"]) else "mixed"


def _killed(job: Job, place: Path, case: Case) -> Outcome:
    if case["mode"] == AT_RANDOM:
        return in_child(partial(_run, job, place), seconds=SECONDS, kill_after=case["seconds"])
    work = partial(_injected, job, place, case["step"], case["mode"])
    return in_child(work, seconds=SECONDS)


def _run(job: Job, place: Path) -> None:
    job.run(place)


def _injected(job: Job, place: Path, step: int, mode: str) -> None:
    inject(Steps(place, step, mode))
    job.run(place)


def _looked(job: Job, place: Path) -> Json:
    return json.loads(json.dumps(job.look(place)))


def _ended(job: Job, place: Path) -> Json:
    job.run(place)
    return [_looked(job, place), listing(place)]


def listing(place: Path) -> list[str]:
    """Name everything below a folder; of generations only whether they are the newest.

    A job that was killed when it was done makes one more when it is run again.
    """
    names = [path.relative_to(place).as_posix() for path in place.rglob("*")]
    numbers = [int(found[2]) for name in names if (found := _NUMBERED.match(name))]
    newest = max(numbers, default=0)
    return sorted(
        _NUMBERED.sub(lambda found: found[1] + str(int(found[2]) - newest), name) for name in names
    )


def undisturbed(shared: Path, job: Job) -> dict[str, Any]:
    """Run a job to its end; say what readers find before and after, and which steps it took."""
    place = Path(shutil.copytree(shared / job.begins, shared / "undisturbed"))
    old = None if job.new else _done(in_child(partial(_looked, job, place)))
    begun = time.monotonic()
    steps = _done(in_child(partial(_counted, job, place), seconds=SECONDS))
    seconds = time.monotonic() - begun
    new = _done(in_child(partial(_looked, job, place)))
    facts = {"old": old, "new": new, "files": listing(place), "seconds": seconds, "steps": steps}
    shutil.rmtree(place)
    return facts


def _counted(job: Job, place: Path) -> list[tuple[str, bool]]:
    steps = Steps(place)
    inject(steps)
    job.run(place)
    steps.pid = -1
    return steps.seen


def _done(outcome: Outcome) -> Json:
    if outcome.kind != OK:
        raise RuntimeError(f"undisturbed, a job ended so: {outcome.kind} {outcome.said}")
    return outcome.value


def _plan(shared: Path) -> dict[str, Any]:
    plan: dict[str, Any] = json.loads((shared / PLAN).read_text(encoding="utf-8"))
    return plan


KILLS = Torture(
    name="kills",
    meaning="jobs killed at every step on the disk, and at random times",
    unit="kills",
    count=3_000,
    prepare=prepare,
    cases=cases,
    trial=trial,
)
