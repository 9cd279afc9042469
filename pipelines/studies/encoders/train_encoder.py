"""Train an encoder on citations: from a checkpoint to an ordinary Hugging Face folder.

It learns by a loss over triplets. A batch's distinct texts are encoded once: `vectors` (n, d).
`places` (3, b) int64 says where the query, positive and negative of each of b triplets are.
"""

from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize, triplet_margin_loss

from recsys.errors import InputError, SplitError
from recsys.eval.measures import Doubles
from recsys.eval.studies.encoders.training_page import TRAINING, page_note
from recsys.pipelines.jobs.kept_results import check_out
from recsys.pipelines.jobs.tensor_file import TensorFile
from recsys.pipelines.studies.citeomatic.negatives import Triplets, near_negatives
from recsys.pipelines.studies.encoders.related import is_related_folder, read_related
from recsys.pipelines.studies.encoders.tower import StartOptions, Student, Texts, Tower
from recsys.pipelines.studies.encoders.training import (
    LoopOptions,
    Run,
    Trained,
    train,
    train_into,
)
from recsys.pipelines.studies.encoders.triplets import MEASURE, Draw, Reading, Source, read_index
from recsys.store.arrays import Floats, Rows
from recsys.store.artifacts import MANIFEST, fingerprint

LossName: TypeAlias = Literal["triplet", "unit-triplet", "in-batch"]
MARGIN, UNIT_MARGIN = 1.0, 0.1
"""The paper's, and one that suits vectors of length 1, no two of which are more than 2 apart."""


@dataclass(frozen=True, slots=True)
class LossOptions:
    """What is minimised.

    name: "triplet" is SPECTER's, of the vectors as they come; "unit-triplet" of vectors of length
    1, which is what an index compares; "in-batch" tells each positive from all other texts of the
    batch. margin: of triplets; None: MARGIN or UNIT_MARGIN. temperature: of in-batch.
    """

    name: LossName = "triplet"
    margin: float | None = None
    temperature: float = 0.05

    def of(self, vectors: Tensor, places: Tensor, apart: Tensor) -> Tensor:
        """Compute the mean loss of the triplets.

        Args:
            vectors: (n, d).
            places: (3, b).
            apart: (b, n) bool, texts that each triplet's query may be told from, for in-batch.
        """
        if self.name == "triplet":
            return triplet(vectors, places, MARGIN if self.margin is None else self.margin)
        unit = normalize(vectors, dim=1)
        if self.name == "unit-triplet":
            return triplet(unit, places, UNIT_MARGIN if self.margin is None else self.margin)
        return in_batch(unit, places, apart, self.temperature)


def triplet(vectors: Tensor, places: Tensor, margin: float) -> Tensor:
    """Average max(|q - p| - |q - n| + margin, 0) in L2 distances (Cohan et al. 2020, eq. 2)."""
    query, positive, negative = vectors[places]
    return triplet_margin_loss(query, positive, negative, margin=margin)


def in_batch(vectors: Tensor, places: Tensor, apart: Tensor, temperature: float) -> Tensor:
    """Average -log of the softmax of cosines / temperature at the positive.

    It is over the positive, the triplet's own negative and the texts in `apart` (van den Oord et
    al. 2018, eq. 4).
    """
    query, positive, negative = places
    own = torch.arange(len(query), device=vectors.device)
    seen = apart.clone()
    seen[own, positive] = seen[own, negative] = True
    cosines = vectors[query] @ vectors.T / temperature
    return cross_entropy(cosines.masked_fill(~seen, -torch.inf), positive)


DEPTH = 50
"""Nearest papers among which negatives are drawn."""
_BLOCK = 32
"""Queries that stay together when an epoch is put into order."""


@dataclass(frozen=True, slots=True)
class EncoderTask:
    """Implements `training.Task`. texts: of the source's papers."""

    learner: Tower
    source: Source
    texts: Texts
    draw: Draw = field(default_factory=Draw)
    loss_options: LossOptions = field(default_factory=LossOptions)

    def save(self, student: Student, folder: Path, *, changed: bool) -> None:
        """Write the encoder with the queries that it knows; dev says when to stop in any case."""
        seen = self.source.seen
        student.save(folder, seen if changed else replace(seen, train=frozenset()))

    def triplets(self, rng: np.random.Generator) -> Triplets:
        """Draw an epoch: queries in random order, the triplets of each one after another."""
        sampler, near = self.source.sampler, None
        if self.draw.near:
            every = np.arange(len(self.source.texts), dtype=np.int32)
            near = near_negatives(self.vectors(every), sampler.base, DEPTH)
        drawn = sampler.epoch(rng, self.draw, near)
        queries, place = np.unique(drawn.query, return_inverse=True)
        turn = rng.permutation(len(queries))
        block = rng.random(len(queries))[turn // _BLOCK]
        return drawn.take(np.lexsort((turn[place], block[place])))

    def examples(self, rng: np.random.Generator) -> Rows:
        """Draw an epoch of triplets: (t, 3) int32, rows of query, positive and negative."""
        drawn = self.triplets(rng)
        return np.stack([drawn.query, drawn.positive, drawn.negative], axis=1).astype(np.int32)

    def loss(self, network: nn.Module, examples: Rows) -> Tensor:
        """Encode each distinct text once, and compare."""
        rows, places = np.unique(examples.T, return_inverse=True)
        vectors = self.texts.through(network, rows)
        device = vectors.device
        apart = torch.from_numpy(self.source.sampler.apart(examples[:, 0], rows)).to(device)
        at = torch.from_numpy(places.reshape(3, -1)).to(device)
        return self.loss_options.of(vectors, at, apart)

    def vectors(self, rows: Rows) -> Floats:
        """Encode papers of the source: (len(rows), d) float32, L2-normalised."""
        return self.texts.vectors(self.learner, rows)

    def recalls(self) -> Doubles:
        """Compute R@20 of each dev query."""
        return self.source.judge.recalls(self.vectors(self.source.judge.rows))

    def measure(self) -> list[float]:
        """Average R@20 over the dev queries; once more, for what a history keeps by source."""
        mean = float(self.recalls().mean())
        return [mean, mean]


_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""

RATE, ADAPTER_RATE = 2e-5, 2e-4
"""Usual learning rates of all weights (the paper's) and of an adapter."""
PART = 16
"""Triplets computed at a time, unless their texts are each other's negatives."""


@dataclass(frozen=True, slots=True)
class EncoderOptions(StartOptions):
    """What is trained from what, and how.

    loop: parts are of PART triplets if it does not say, for in-batch of a whole step. device:
    "cpu", "cuda" or "auto".
    """

    draw: Draw = field(default_factory=Draw)
    loss: LossOptions = field(default_factory=LossOptions)
    loop: LoopOptions = field(default_factory=LoopOptions)
    device: str = "auto"


TrainedEncoder: TypeAlias = Trained[EncoderTask]


def fit(source: Source, options: EncoderOptions, unfinished: Path, run: Run) -> TrainedEncoder:
    """Train an encoder and leave it at its best.

    Args:
        source: what it learns from.
        options: what is trained, and how.
        unfinished: file that an unfinished training continues from; it stays.
        run: how the training is run.

    Raises:
        ArtifactError: the checkpoint to start from cannot be read.
        InputError: an option does not make sense, or there are too few triplets.
    """
    student, task = untrained(source, options, run)
    recipe = [_REVISION, source.hashes, student.start.weights_hash]
    where = [task.texts.device, task.texts.half, run.ranks.world]
    how = [asdict(student.settings), asdict(options), *where]
    file, loop = TensorFile(unfinished, fingerprint([recipe, how])), options.loop
    if loop.part is None and options.loss.name != "in-batch":
        loop = replace(loop, part=PART)
    told = {
        "sources": {source.name: list(source.hashes)},
        "learned_from": [source.name],
        "measure": MEASURE,
    }
    return Trained.of(student, task, train(task, loop, file, run), asdict(options), told)


def untrained(source: Source, options: EncoderOptions, run: Run) -> tuple[Student, EncoderTask]:
    """Load what is to be trained, with what it is to learn from; see `fit`."""
    draw = options.draw
    if draw.hard + draw.near > draw.per_query:
        raise InputError(
            f"{draw.hard} hard and {draw.near} near negatives are more than the {draw.per_query} "
            "triplets of a query.",
            "Lower --hard or --near, or raise --per-query.",
        )
    if options.loss.margin is not None and options.loss.margin <= 0:
        raise InputError(
            f"A margin of {options.loss.margin} asks for nothing.", "Give a --margin above 0."
        )
    device = run.ranks.device
    student = Student.load(options, seed=options.loop.seed, device=device)
    texts = student.read(source.texts, options, device=device, progress=run.progress)
    return student, EncoderTask(student.tower, source, texts, draw, options.loss)


@dataclass(frozen=True, slots=True)
class EncoderReport:
    """What was trained, and how good it is on dev."""

    out: Path
    trained: TrainedEncoder

    def lines(self) -> list[str]:
        """Say it to people."""
        did = self.trained.history
        judge = self.trained.task.source.judge
        kind = "all weights" if self.trained.student.lora is None else "an adapter"
        return [
            f"Trained {kind} ({self.trained.facts['learned_numbers']:,} numbers) on "
            f"{did.examples:,} triplets in {did.steps:,} steps, {did.per_second:,.1f} triplets per "
            "second.",
            f"On dev, by cosine alone: {MEASURE} {did.measures[0]:.4f} before, "
            f"{did.measures[did.best]:.4f} after step {did.checked[did.best]:,}, which was kept "
            f"({len(judge.queries):,} queries, {len(judge.papers):,} papers).",
            *did.notes(),
            page_note(self.out),
            f"Saved in {self.out}. Use it: `recsys build PAPERS --out DIR --encoder {self.out}`.",
        ]


def train_encoder(
    place: Path, split: Path | None, options: EncoderOptions, out: Path, reading: Reading, run: Run
) -> EncoderReport:
    """Train on train queries, stop on dev queries, write the encoder, report.

    A killed training continues from its last checkpoint if it is started in the same way.

    Args:
        place: an index, or a folder in SPECTER's format (see `related`), which needs no split.
        split: of the index.
        options: what is trained, and how.
        out: the folder to write; an encoder that was trained there before is replaced.
        reading: what is read of the papers.
        run: how the training is run; its processes are those that `torchrun` started.

    Raises:
        ArtifactError: the index or the checkpoint cannot be read.
        SplitError: the split does not fit the index, or its parts overlap.
        InputError: OUT holds something else, or an option does not make sense.
    """
    check_out(out, TRAINING, "encoder that recsys trained")
    if is_related_folder(place) and not (place / MANIFEST).exists():
        source = read_related(place, reading)
    elif split is not None:
        source = read_index(place, split, reading)
    else:
        raise SplitError(
            f"It is unknown which papers of {place} are train queries.", "Give --split FILE."
        )
    return EncoderReport(out, train_into(out, options.device, run, partial(fit, source, options)))
