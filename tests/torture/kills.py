"""Kill jobs at every step that they take on the disk, and at random times; see what is left.

After a kill, a reader must find what was there before or what the job makes; the same job, run
again, must end as if nothing had happened, and leave nothing that it would not leave otherwise.

What is killed: jobs that write, each from the folder that it finds to what readers see after. A new
job is a function and a row of JOBS.
"""

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from recsys.app.wiring import open_index
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.encoders.export_encoder import export_encoder
from recsys.pipelines.evaluation.batch import BatchOptions, run_batch
from recsys.pipelines.evaluation.evaluate import EvaluateOptions, evaluate
from recsys.pipelines.index.update import UpdateOptions, update
from recsys.pipelines.jobs.engines import ProcessPool
from recsys.pipelines.ranking.train_ranker import TrainOptions, train_ranker
from recsys.store.generations import GENERATIONS
from tests.torture.children import FOREIGN, KILLED, OK, REFUSED, SECONDS, Json, done, in_child
from tests.torture.faults import AFTER, BEFORE, WITHIN, Steps, inject
from tests.torture.runner import Case, Torture, Verdict
from tests.torture.small_world import (
    ENCODER,
    INDEX,
    OTHERS,
    SPLIT,
    answers_of,
    build_world,
    copy_small_world,
)
from tests.torture.warm import fork_workers

PLAN = "plan.json"
TARGETED = 0.9
"""Share of the kills that are by injection, as far as there are so many different ones."""
AT_RANDOM = "at random"

_NUMBERED = re.compile(rf"(.*{GENERATIONS}/)(\d+)(?=/|$)")


EMPTY, BUILT, TRAINED = "empty", "built", "trained"
EXPORTED, RUN, REPORT = "exported", "run.trec", "report"


@dataclass(frozen=True, slots=True)
class Job:
    """A job that writes.

    begins: the prepared folder that it is run in. run: does it there. look: what a reader finds
    there, as JSON; may raise. new: whether there is nothing to read before it has ended.
    """

    name: str
    begins: str
    run: Callable[[Path], object]
    look: Callable[[Path], Json]
    new: bool = False


def write_beginnings(shared: Path) -> None:
    """Write the folders that jobs begin in, out of a built world."""
    built = shared / BUILT
    export_encoder(str(built / ENCODER), built / EXPORTED, precision="f32", verify=False)
    trained = Path(shutil.copytree(built, shared / TRAINED))
    train_ranker(trained / INDEX, trained / SPLIT, TrainOptions(seed=1))


def answers(folder: Path) -> Json:
    """Answer the drafts."""
    return answers_of(folder / INDEX)


def _batch(folder: Path) -> None:
    fork_workers()
    options = BatchOptions(engine=ProcessPool(1), k=5)
    run_batch(folder / INDEX, folder / SPLIT, options, folder / RUN, open_index=open_index)


def _evaluate(folder: Path) -> None:
    fork_workers()
    (folder / REPORT).mkdir(exist_ok=True)
    options = EvaluateOptions(systems=("two-stage", "bm25"), engine=ProcessPool(1), k=20)
    evaluate(folder / INDEX, folder / SPLIT, options, folder / REPORT, open_index=open_index)


def _report(folder: Path) -> Json:
    """Read the runs as `recsys report` does; the facts, which hold times, are only named."""
    from recsys.eval.recorded_runs import FACTS, read_evaluation

    if not (folder / REPORT / FACTS).exists():
        return None
    found = read_evaluation(folder / REPORT)
    return [sorted(found.facts), {name: dict(run) for name, run in found.runs.items()}]


def _encoded(folder: Path) -> Json:
    encoder = OnnxEncoder.load(folder / EXPORTED, threads=1)
    return encoder.encode([("rivers", None)]).tolist()


JOBS = (
    Job("build", EMPTY, lambda at: build_world(at, at / INDEX), answers, new=True),
    Job(
        "build --force",
        TRAINED,
        lambda at: build_world(at, at / INDEX, OTHERS, force=True),
        answers,
    ),
    Job(
        "train ranker",
        BUILT,
        lambda at: train_ranker(at / INDEX, at / SPLIT, TrainOptions()),
        answers,
    ),
    Job(
        "train ranker again",
        TRAINED,
        lambda at: train_ranker(at / INDEX, at / SPLIT, TrainOptions()),
        answers,
    ),
    Job(
        "export encoder",
        BUILT,
        lambda at: export_encoder(
            str(at / ENCODER), at / EXPORTED, precision="f32", pooling="cls", verify=False
        ),
        _encoded,
    ),
    Job(  # It holds other papers then: some are added, some replaced, some removed.
        "update",
        TRAINED,
        lambda at: update(at / INDEX, [at / OTHERS], UpdateOptions(whole=True)),
        answers,
    ),
    Job(
        "batch",
        BUILT,
        _batch,
        lambda at: (at / RUN).read_text(encoding="utf-8") if (at / RUN).exists() else None,
    ),
    Job("evaluate", BUILT, _evaluate, _report),
)
_BY_NAME = {job.name: job for job in JOBS}


def prepare(shared: Path, count: int) -> None:
    """Write where jobs begin, run each once undisturbed, and note its steps and its end.

    Of few kills, the first jobs have one each: there are no more jobs than kills.
    """
    jobs = JOBS[:count]
    copy_small_world(shared / BUILT)
    shutil.copytree(shared / BUILT, shared / EMPTY, ignore=shutil.ignore_patterns(INDEX))
    if any(job.begins != EMPTY for job in jobs):
        done(partial(write_beginnings, shared))
    plan = {job.name: undisturbed(shared, job) for job in jobs}
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
        name = [*plan][number % len(plan)]
        after = float(rng.uniform(0, plan[name]["seconds"]))
        yield {"job": name, "mode": AT_RANDOM, "seconds": round(after, 4)}


def trial(shared: Path, own: Path, case: Case) -> Verdict:
    """Kill, look, run again, look again."""
    job = _BY_NAME[case["job"]]
    facts = _plan(shared)[job.name]
    place = Path(shutil.copytree(shared / job.begins, own / "place"))
    if case["mode"] == AT_RANDOM:
        after = case["seconds"]
        killed = in_child(partial(_do, job, place), seconds=SECONDS, kill_after=after)
    else:
        steps = Steps(place, case["step"], case["mode"])
        killed = in_child(partial(_do, job, place, steps), seconds=SECONDS)
    if killed.kind not in (KILLED, OK):
        return Verdict.of(case, "lost", f"the job itself: {killed.said}")
    seen = in_child(partial(_looked, job, place))
    if kind := _misread(job, facts, seen.kind, seen.value):
        return Verdict.of(case, kind, f"after the kill: {seen.said or 'neither old nor new'}")
    again = in_child(partial(run_to_the_end, job, place), seconds=SECONDS)
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


def _do(job: Job, place: Path, steps: Steps | None = None) -> list[tuple[str, bool]]:
    """Run a job; with its steps counted, and perhaps killed at one of them."""
    if steps is not None:
        steps.pid = os.getpid()
        inject(steps)
    job.run(place)
    if steps is None:
        return []
    steps.pid = -1
    return steps.seen


def _looked(job: Job, place: Path) -> Json:
    return json.loads(json.dumps(job.look(place)))


def run_to_the_end(job: Job, place: Path) -> Json:
    """Run a job; tell what readers find, and all files."""
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
    old = None if job.new else done(partial(_looked, job, place))
    begun = time.monotonic()
    steps = done(partial(_do, job, place, Steps(place)))
    seconds = time.monotonic() - begun
    new = done(partial(_looked, job, place))
    facts = {"old": old, "new": new, "files": listing(place), "seconds": seconds, "steps": steps}
    shutil.rmtree(place)
    return facts


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
