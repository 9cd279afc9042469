"""What is killed: jobs that write, each from the folder that it finds to what readers see after.

A new job is a function and a row of JOBS.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from recsys.app.wiring import open_index
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.encoders.export_encoder import export_encoder
from recsys.pipelines.evaluation.batch import BatchOptions, run_batch
from recsys.pipelines.evaluation.evaluate import EvaluateOptions, evaluate
from recsys.pipelines.index.update import UpdateOptions, update
from recsys.pipelines.jobs.engines import ProcessPool
from recsys.pipelines.ranking.train_ranker import TrainOptions, train_ranker
from tests.torture.children import Json
from tests.torture.small_world import (
    ENCODER,
    INDEX,
    OTHERS,
    SPLIT,
    answers_of,
    build_world,
    write_world,
)
from tests.torture.warm import fork_workers

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
    """Write the folders that jobs begin in."""
    empty = shared / EMPTY
    empty.mkdir()
    write_world(empty)
    built = Path(shutil.copytree(empty, shared / BUILT))
    build_world(built, built / INDEX)
    export_encoder(str(built / ENCODER), built / EXPORTED, precision="f32", verify=False)
    trained = Path(shutil.copytree(built, shared / TRAINED))
    train_ranker(trained / INDEX, trained / SPLIT, TrainOptions(seed=1))


def answers(folder: Path) -> Json:
    """Answer the drafts."""
    return answers_of(folder / INDEX)


def _update(folder: Path) -> None:
    """Make the index hold other papers: adds, replaces and removes."""
    update(folder / INDEX, [folder / OTHERS], UpdateOptions(whole=True))


def _batch(folder: Path) -> None:
    fork_workers()
    options = BatchOptions(engine=ProcessPool(1), k=5)
    run_batch(folder / INDEX, folder / SPLIT, options, folder / RUN, open_index=open_index)


def _evaluate(folder: Path) -> None:
    fork_workers()
    (folder / REPORT).mkdir(exist_ok=True)
    options = EvaluateOptions(systems=("two-stage", "bm25"), engine=ProcessPool(1), k=20)
    evaluate(folder / INDEX, folder / SPLIT, options, folder / REPORT, open_index=open_index)


def _run(folder: Path) -> Json:
    path = folder / RUN
    return path.read_text(encoding="utf-8") if path.exists() else None


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
    Job("update", TRAINED, _update, answers),
    Job("batch", BUILT, _batch, _run),
    Job("evaluate", BUILT, _evaluate, _report),
)
