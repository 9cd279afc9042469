"""Fit a student to a teacher: from a checkpoint to a trained encoder, in memory."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recsys.eval.studies.encoders.training_page import TRAINING
from recsys.pipelines.studies.distil.distil_task import DistilOptions, DistilTask, Lesson
from recsys.pipelines.studies.distil.taught_corpora import TaughtCorpora, Teacher
from recsys.pipelines.studies.finetuning.encoder_training import LoopOptions, Run, train
from recsys.pipelines.studies.finetuning.student import StartOptions, Student
from recsys.pipelines.studies.finetuning.trained_encoder import facts_of
from recsys.pipelines.studies.finetuning.training_history import Checkpoint, History
from recsys.pipelines.studies.specter.dev_recall import MEASURE
from recsys.pipelines.studies.specter.triplet_loss import LossOptions
from recsys.pipelines.studies.specter.triplet_sources import Reading, Source
from recsys.pipelines.studies.specter.triplet_task import EncoderTask, Shelf
from recsys.pipelines.studies.specter.triplets import Draw
from recsys.store.artifacts import fingerprint, write_json

_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""
NEVER = 10**6
"""Checks without a better measure before training stops: the curve is wanted whole."""


@dataclass(frozen=True, slots=True)
class DistilPlan:
    """What is trained, and how. draw: of triplets, where citations count."""

    start: StartOptions
    learned: DistilOptions
    loop: LoopOptions
    draw: Draw
    reading: Reading


@dataclass(frozen=True, slots=True)
class Distilled:
    """A student with its training. size: how many numbers are learned."""

    student: Student
    task: DistilTask
    plan: DistilPlan
    history: History
    size: int

    def save(self, folder: Path) -> None:
        """Write an ordinary encoder, and the history."""
        facts = self.facts()
        cites = self.plan.learned.citations is not None  # Dev says when to stop, all the same.
        self.student.save(folder, self.task.cited.seen(trained=cites and self.history.changed))
        write_json(folder / TRAINING, facts)

    def facts(self) -> dict[str, Any]:
        """Write down what was done."""
        cited = self.task.cited
        names = [each.name for each in cited.shelf.sources]
        return facts_of(self.student.start, self.student.settings, self.history) | {
            "options": asdict(self.plan),
            "learned_numbers": self.size,
            "sources": self.watched(),
            "learned_from": names[: cited.learned],
            "taught_papers": [len(part.rows) for part in self.task.parts],
            "measure": "likeness" if self.plan.learned.citations is None else MEASURE,
        }

    def watched(self) -> dict[str, list[str]]:
        """Name what was watched on dev, in its order, with the hashes of what it was read from."""
        sources = self.task.cited.shelf.sources
        recalls = {f"{each.name}": list(each.hashes) for each in sources}
        return recalls | {f"{each.name}, likeness": [] for each in sources}


def fit_student(
    corpora: TaughtCorpora,
    plan: DistilPlan,
    teacher: Teacher,
    partial: Path,
    run: Run,
) -> Distilled:
    """Train a student and leave it as it is after the best check of dev.

    Args:
        corpora: what it learns from; the one that is left out is only watched.
        plan: what is trained, and how.
        teacher: whose angles it learns.
        partial: file that an unfinished training continues from; it stays.
        run: how the training is run.
    """
    sources, more = corpora.sources(plan.reading), corpora.more_texts()
    device, learned = run.ranks.device, len(corpora.learn)
    student = Student.load(plan.start, seed=plan.loop.seed, device=device)
    every = [text for part in (*(each.texts for each in sources), *more) for text in part]
    texts = student.read(every, plan.start, device=device, progress=run.progress)
    shelf = Shelf.of(sources)
    loss = LossOptions("in-batch")
    cited = EncoderTask(student.tower, shelf, texts, plan.draw, loss, learned)
    ends = np.cumsum([shelf.starts[-1], *map(len, more)]).tolist()
    parts = corpora.lessons(teacher, [*shelf.starts[:learned], *ends[:-1]])
    names = (*corpora.learn, corpora.held_out)
    watched = [
        corpora.taught(name, source.judge.rows, teacher)
        for name, source in zip(names, sources, strict=True)
    ]
    task = DistilTask.start(cited, parts, watched, plan.learned)
    size = sum(each.numel() for each in task.learner.learned().values())
    key = _key(sources, corpora, plan, student, parts)
    where = [teacher.encoder.fingerprint, device, texts.half, run.ranks.world]
    history = train(task, plan.loop, Checkpoint(partial, fingerprint([key, where])), run)
    return Distilled(student, task, plan, history, size)


def _key(
    sources: Sequence[Source],
    corpora: TaughtCorpora,
    plan: DistilPlan,
    student: Student,
    parts: Sequence[Lesson],
) -> str:
    """Hash all that the training depends on."""
    read = [[each.hashes for each in sources], corpora.hashes(), len(corpora.learn)]
    taught = [fingerprint([part.rows.tolist()]) for part in parts]
    began = [student.start.weights_hash, asdict(student.settings)]
    return fingerprint([_REVISION, read, taught, began, asdict(plan)])
