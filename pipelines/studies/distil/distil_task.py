"""An encoder that learns another one's geometry, over one corpus or several."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from recsys.pipelines.studies.distil.distil_loss import DistilLoss, Rotation
from recsys.pipelines.studies.finetuning.tower import Tower
from recsys.pipelines.studies.specter.triplet_task import BLOCK, EncoderTask
from recsys.store.arrays import Floats, Longs, Rows

DEPTH = 50
"""Papers nearest to one, for the teacher, among which its company is drawn."""
NEAREST = 10
"""Papers nearest to one that student and teacher should agree on."""
_FITTED = 1000
"""Texts on which the teacher's vectors are turned to the student's."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What the teacher says. rows: of the shelf, ascending. vectors: (len(rows), d') unit rows."""

    rows: Rows
    vectors: Floats

    @classmethod
    def of_all(cls, parts: Sequence["Lesson"]) -> "Lesson":
        """Put lessons of different papers together, in the order of their rows."""
        rows = np.concatenate([part.rows for part in parts])
        order = np.argsort(rows, kind="stable")
        return cls(rows[order], np.concatenate([part.vectors for part in parts])[order])

    def of(self, rows: Rows) -> tuple[Longs, Floats]:
        """Look rows up: the places of those that are known among the asked, and their vectors."""
        places = np.flatnonzero(np.isin(rows, self.rows))
        return places, self.vectors[np.searchsorted(self.rows, rows[places])]


@dataclass(frozen=True, slots=True)
class DistilOptions:
    """What is learned of the teacher.

    near: of a paper's company in a batch so many are near to it for the teacher. citations: weight
    of the triplets' loss beside the teacher's; None: no citation is read.
    """

    loss: DistilLoss = field(default_factory=DistilLoss)
    near: int = 3
    citations: float | None = None


@dataclass(frozen=True, slots=True)
class DistilTask:
    """Implements `finetuning.encoder_training.Task`.

    cited: tower, texts and dev queries, and triplets where citations count. parts: of each corpus;
    whole: of all, as the loss takes it. watched: the teacher's vectors of what each corpus of the
    shelf is judged on.
    """

    cited: EncoderTask
    parts: tuple[Lesson, ...]
    whole: Lesson
    watched: tuple[Floats, ...]
    options: DistilOptions

    @classmethod
    def start(
        cls,
        cited: EncoderTask,
        parts: Sequence[Lesson],
        watched: Sequence[Floats],
        options: DistilOptions,
    ) -> "DistilTask":
        """Turn the teacher's vectors to the student's where they are compared one by one."""
        whole = Lesson.of_all(parts)
        if options.loss.name == "regression":
            some = np.linspace(0, len(whole.rows) - 1, min(_FITTED, len(whole.rows)))
            places = np.unique(some.astype(np.int64))
            own = cited.vectors(whole.rows[places])
            turned = Rotation.fit(whole.vectors[places], own).of(whole.vectors)
            whole = Lesson(whole.rows, turned)
        return cls(cited, tuple(parts), whole, tuple(watched), options)

    @property
    def learner(self) -> Tower:
        """What is trained."""
        return self.cited.tower

    def examples(self, rng: np.random.Generator) -> Rows:
        """Draw an epoch: (n, 3) triplets, or (n, 1 + near) papers, each with its company.

        Every paper comes first once. Those of one corpus come together, BLOCK at a time.
        """
        if self.options.citations is not None:
            return self.cited.examples(rng)
        drawn, keys = [], []
        for part in self.parts:
            order = rng.permutation(len(part.rows))
            drawn.append(with_company(part, rng, self.options.near)[order])
            keys.append(rng.random(len(order))[np.arange(len(order)) // BLOCK])
        return np.concatenate(drawn)[np.argsort(np.concatenate(keys), kind="stable")]

    def loss(self, network: nn.Module, examples: Rows) -> Tensor:
        """Encode each distinct text once, and compare it with what the teacher says."""
        rows, places = np.unique(examples.T, return_inverse=True)
        texts = self.cited.texts
        vectors = texts.through(network, rows)
        known, wanted = self.whole.of(rows)
        own = normalize(vectors, dim=1)[torch.from_numpy(known).to(vectors.device)]
        taught = self.options.loss.of(own, torch.from_numpy(wanted).to(vectors.device))
        weight = self.options.citations
        if weight is None:
            return taught
        apart = torch.from_numpy(self.cited.shelf.apart(examples[:, 0], rows))
        at = torch.from_numpy(places.reshape(3, -1)).to(vectors.device)
        triplets = self.cited.loss_options.of(vectors, at, apart.to(vectors.device))
        return taught + weight * triplets

    def measure(self) -> Sequence[float]:
        """Average over the corpora that are learned from; then R@20 and likeness of each corpus.

        The average is of the likeness to the teacher, or of R@20 where citations count.
        """
        recalls, alike = [], []
        for (source, start, _), wanted in zip(self.cited.shelf, self.watched, strict=True):
            own = self.cited.vectors(source.judge.rows + start)
            recalls.append(float(source.judge.recalls(own).mean()))
            alike.append(likeness(own, wanted))
        deciding = alike if self.options.citations is None else recalls
        return [float(np.mean(deciding[: self.cited.learned])), *recalls, *alike]


def likeness(own: Floats, wanted: Floats) -> float:
    """Tell which share of each paper's NEAREST by the teacher are so by the student, on average.

    Args:
        own: (n, d), the student's vectors, unit rows.
        wanted: (n, d') the teacher's of the same papers.
    """
    near = min(NEAREST, len(own) - 1)
    first, second = (_nearest(each, near) for each in (own, wanted))
    shared = [len(np.intersect1d(*both)) for both in zip(first, second, strict=True)]
    return float(np.mean(shared)) / near


def _nearest(vectors: Floats, near: int) -> Longs:
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -np.inf)
    found: Longs = np.argpartition(-cosines, near - 1, axis=1)[:, :near]
    return found


def with_company(part: Lesson, rng: np.random.Generator, near: int) -> Rows:
    """Give each paper some of those that are near to it: (n, 1 + near) rows of the shelf."""
    count = len(part.rows)
    near = min(near, count - 1)
    if near <= 0:
        return part.rows[:, None]
    every = np.arange(count, dtype=np.int64)
    company = np.empty((count, near), np.int64)
    for begin in range(0, count, _FITTED):
        some = every[begin : begin + _FITTED]
        cosines = part.vectors[some] @ part.vectors.T
        cosines[np.arange(len(some)), some] = -np.inf
        depth = min(DEPTH, count - 1)
        found = np.argpartition(-cosines, depth - 1, axis=1)[:, :depth]
        turn = np.argsort(rng.random(found.shape), axis=1)[:, :near]
        company[some] = np.take_along_axis(found, turn, axis=1)
    return part.rows[np.column_stack([every, company])].astype(np.int32)
