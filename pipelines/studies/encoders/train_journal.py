"""Train an encoder to tell the journals of papers, and write it as an ordinary folder.

MIReAD (Razdaibiedina & Brechalov 2023) trains SciBERT so, on 500,335 abstracts of 2,734 journals,
at most 300 of each, for one epoch in steps of 8 at a rate of 1e-6. One epoch over some thousand
papers is a hundred steps: it takes a higher rate to learn anything in so few.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize

from recsys.errors import InputError
from recsys.eval.studies.encoders.training_page import TRAINING, page_note
from recsys.eval.studies.probes.probe_results import is_unseen, write_class_names
from recsys.formats import work_stream
from recsys.models.encoder import Text
from recsys.pipelines.jobs.kept_results import check_out
from recsys.pipelines.jobs.tensor_file import TensorFile
from recsys.pipelines.studies.embedding_probes import VENUE, classes, values_of
from recsys.pipelines.studies.encoders.tower import (
    Batch,
    Learner,
    StartOptions,
    Student,
    Texts,
    Tower,
)
from recsys.pipelines.studies.encoders.training import (
    LoopOptions,
    Pace,
    Run,
    Trained,
    train,
    train_into,
)
from recsys.protocols import Progress, silent
from recsys.records import Paper
from recsys.store.arrays import Floats, Longs, Rows
from recsys.store.artifacts import CORPUS, fingerprint, sha256
from recsys.store.corpus import Corpus
from recsys.store.generations import content_key, is_index, pin


@dataclass(frozen=True, slots=True)
class ClassOptions:
    """Which papers are learned from.

    label: what the classes are, `venue`, `keyphrases` or `labels.NAME`. least: papers of a class.
    most: those of a class that are used, drawn by chance. unseen: share of the classes that
    `is_unseen` keeps from training. dev: share of each class's papers that judge.
    """

    label: str = VENUE
    least: int = 100
    most: int = 300
    unseen: float = 0.0
    dev: float = 0.1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ClassPapers:
    """Papers of known class.

    texts, labels: of the n papers, int64 places in names. learned, dev: rows of them, ascending.
    hashes: of what they were read from, and how.
    """

    name: str
    texts: Sequence[Text]
    labels: Longs
    names: tuple[str, ...]
    learned: Rows
    dev: Rows
    hashes: tuple[str, ...] = ()


def read_class_papers(
    source: Path, options: ClassOptions, *, progress: Progress = silent
) -> ClassPapers:
    """Read papers with their classes.

    Args:
        source: a file of papers in a format that `recsys.formats.papers` knows, or an index.
        options: which papers are learned from.
        progress: told about reading.

    Raises:
        InputError: the source cannot be read, or fewer than two classes are large enough.
        ArtifactError: the index cannot be opened.
    """
    papers, key = read_papers(source, progress=progress)
    hashes = (key, fingerprint(asdict(options)))
    return class_papers(source, papers, options, hashes)


def read_papers(source: Path, *, progress: Progress = silent) -> tuple[list[Paper], str]:
    """Read papers by ascending id, with a hash that tells them from others.

    Raises:
        InputError: the source cannot be read.
        ArtifactError: the index cannot be opened.
    """
    if not is_index(source):
        papers = list(work_stream.read_papers(source, progress=progress))
        return sorted(papers, key=lambda paper: paper.id), sha256(source)
    generation = pin(source)
    generation.manifest()  # Checks the files.
    corpus = Corpus.load(generation.folder / CORPUS)
    papers = corpus.full_papers(range(len(corpus)))
    return sorted(papers, key=lambda paper: paper.id), content_key(generation.folder)


def class_papers(
    source: Path, papers: Sequence[Paper], options: ClassOptions, hashes: tuple[str, ...] = ()
) -> ClassPapers:
    """Choose papers of classes that are large enough, and deal them out to learning and dev.

    A paper of an unseen class is left out, whatever else it is of.
    """
    share, seed = options.unseen, options.seed
    values = {
        paper_id: names
        for paper_id, names in values_of(papers, options.label, source).items()
        if not any(is_unseen(name, share=share, seed=seed) for name in names)
    }
    if not values:
        raise InputError(f"All classes of {options.label} are unseen.", "Lower --unseen.")
    own = [paper for paper in papers if paper.id in values]
    each = [values[paper.id] for paper in own]
    found = classes(each, options.label, most=sum(map(len, each)), least=options.least)
    rng = np.random.default_rng(seed)
    learned, dev = list[Longs](), list[Longs]()
    for label in range(len(found.names)):
        members = rng.permutation(np.flatnonzero(found.labels == label))[: options.most]
        judging = max(round(options.dev * len(members)), 1)
        dev.append(members[:judging])
        learned.append(members[judging:])
    rows = np.sort(np.concatenate([*learned, *dev]))
    places = [
        np.searchsorted(rows, np.sort(np.concatenate(part))).astype(np.int32)
        for part in (learned, dev)
    ]
    return ClassPapers(
        name=source.name,
        texts=[(own[row].title, own[row].abstract) for row in rows.tolist()],
        labels=found.labels[rows],
        names=found.names,
        learned=places[0],
        dev=places[1],
        hashes=hashes,
    )


TEMPERATURE = 0.1
"""What cosines are divided by before the softmax. Of 0.05, 0.1 and 0.2 it helped most with journals
that the encoder had not seen (jpl_labels, seeds 0 and 1); 0.05 told seen ones better."""
MEASURE = "accuracy"


class Classifier(Learner):
    """Gives each class the cosine of its direction and the text's vector, over TEMPERATURE.

    Unlike MIReAD's layer of inner products it looks at what an index compares, the angle alone.
    """

    def __init__(self, tower: Tower, directions: Floats) -> None:
        """Put directions, (classes, d) float32, on top of an encoder."""
        super().__init__()
        self.tower = tower
        self.directions = nn.Parameter(torch.from_numpy(directions))

    def forward(self, some: Sequence[Batch]) -> Tensor:
        """Compute the logits of the classes: (texts of all batches, classes) float32."""
        vectors = self.tower(some)
        with torch.autocast(vectors.device.type, enabled=False):
            return self.logits(normalize(vectors, dim=1))

    def logits(self, unit: Tensor) -> Tensor:
        """Compare vectors of length 1 with the classes."""
        return unit @ normalize(self.directions, dim=1).T / TEMPERATURE


@dataclass(frozen=True, slots=True)
class JournalTask:
    """Implements `training.Task`. texts: of the papers, by row."""

    learner: Classifier
    texts: Texts
    papers: ClassPapers

    @classmethod
    def start(cls, tower: Tower, texts: Texts, papers: ClassPapers) -> "JournalTask":
        """Give each class the mean of its papers' vectors as its direction.

        Few papers would teach directions that are drawn by chance little more than this. Before the
        first step, dev shows how well the untrained encoder tells classes by their means.
        """
        vectors = texts.vectors(tower, papers.learned)
        means = class_means(vectors, papers.labels[papers.learned], len(papers.names))
        return cls(Classifier(tower, means).to(texts.device), texts, papers)

    def facts(self) -> dict[str, Any]:
        """Tell what is learned from, and what is measured."""
        papers = self.papers
        return {
            "sources": {papers.name: list(papers.hashes)},
            "papers": {"learned": len(papers.learned), "dev": len(papers.dev)},
            "classes": list(papers.names),
            "measure": MEASURE,
        }

    def save(self, student: Student, folder: Path, *, changed: bool) -> None:
        """Write the encoder without its classifier, and the names of the classes."""
        student.save(folder)
        write_class_names(folder / CLASSES, self.papers.names)

    def examples(self, rng: np.random.Generator) -> Rows:
        """Shuffle the papers that are learned from: (n, 1) int32 rows."""
        return rng.permutation(self.papers.learned)[:, None]

    def loss(self, network: nn.Module, examples: Rows) -> Tensor:
        """Average -log of the softmax at the class of each paper."""
        rows = examples[:, 0]
        labels = torch.from_numpy(self.papers.labels[rows]).to(self.texts.device)
        return cross_entropy(self.texts.through(network, rows), labels)

    def measure(self) -> list[float]:
        """Compute the accuracy on dev, and the macro-average of F1."""
        from sklearn.metrics import f1_score

        labels, told = self.papers.labels[self.papers.dev], self.told(self.papers.dev)
        macro_f1 = f1_score(labels, told, average="macro", zero_division=0)
        return [float(np.mean(labels == told)), float(macro_f1)]

    @torch.no_grad()
    def told(self, rows: Rows) -> Longs:
        """Tell the classes of papers: (len(rows),) int64."""
        vectors = self.texts.vectors(self.learner.tower, rows)
        logits = self.learner.logits(torch.from_numpy(vectors).to(self.texts.device))
        return logits.argmax(dim=1).cpu().numpy()


def class_means(vectors: Floats, labels: Longs, count: int) -> Floats:
    """Average the vectors of each class: (count, d) float32."""
    sums = np.zeros((count, vectors.shape[1]))
    np.add.at(sums, labels, vectors)
    sizes = np.bincount(labels, minlength=count)
    means: Floats = (sums / np.maximum(sizes, 1)[:, None]).astype(np.float32)
    return means


_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""

RATE, ADAPTER_RATE = 5e-5, 2e-4
"""Usual learning rates of all weights and of an adapter, for MiniLM and some thousand papers."""
CLASSES = "classes.txt"
"""The classes that the encoder was trained to tell; `recsys study probe --seen` reads it."""


@dataclass(frozen=True, slots=True)
class JournalOptions:
    """What is trained, on which papers, and how. device: "cpu", "cuda" or "auto"."""

    start: StartOptions = field(default_factory=StartOptions)
    classes: ClassOptions = field(default_factory=ClassOptions)
    loop: LoopOptions = field(default_factory=lambda: LoopOptions(epochs=1, pace=Pace(RATE)))
    device: str = "auto"


TrainedJournal: TypeAlias = Trained[JournalTask]


@dataclass(frozen=True, slots=True)
class JournalReport:
    """What was trained, and how good it is on dev."""

    out: Path
    trained: TrainedJournal

    def lines(self) -> list[str]:
        """Say it to people."""
        did, papers = self.trained.history, self.trained.task.papers
        kind = "all weights" if self.trained.student.lora is None else "an adapter"
        return [
            f"Trained {kind} ({self.trained.facts['learned_numbers']:,} numbers) on "
            f"{len(papers.learned):,} papers of {len(papers.names):,} classes in {did.steps:,} "
            f"steps, {did.per_second:,.1f} papers per second.",
            f"On dev: {MEASURE} {did.measures[0]:.4f} before, {did.measures[did.best]:.4f} after "
            f"step {did.checked[did.best]:,}, which was kept ({len(papers.dev):,} papers).",
            *did.notes(),
            page_note(self.out),
            f"Saved in {self.out}. Use it: `recsys embed PAPERS --out FILE --encoder {self.out}`.",
        ]


def train_journal(source: Path, options: JournalOptions, out: Path, run: Run) -> JournalReport:
    """Train on papers whose class is known, stop on others of the same classes, write, report.

    A killed training continues from its last checkpoint if it is started in the same way.

    Args:
        source: a file of papers, or an index.
        options: what is trained, on which papers, and how.
        out: the folder to write; an encoder that was trained there before is replaced.
        run: how the training is run; its processes are those that `torchrun` started.

    Raises:
        ArtifactError: the index or the checkpoint cannot be read.
        InputError: OUT holds something else, an option does not make sense, or there are too few
            papers of two classes.
    """
    check_out(out, TRAINING, "encoder that recsys trained")
    papers = read_class_papers(source, options.classes, progress=run.progress)
    trained = train_into(out, options.device, run, partial(fit_journal, papers, options))
    return JournalReport(out, trained)


def fit_journal(
    papers: ClassPapers, options: JournalOptions, unfinished: Path, run: Run
) -> TrainedJournal:
    """Train an encoder and leave it at its best; one that is unfinished continues from its file.

    Raises:
        ArtifactError: the checkpoint to start from cannot be read.
        InputError: an option does not make sense, or there are too few papers.
    """
    device = run.ranks.device
    student = Student.load(options.start, seed=options.loop.seed, device=device)
    texts = student.read(papers.texts, options.start, device=device, progress=run.progress)
    task = JournalTask.start(student.tower, texts, papers)
    recipe = [_REVISION, papers.hashes, student.start.weights_hash, asdict(student.settings)]
    how = [asdict(options), device, texts.half, run.ranks.world]
    history = train(task, options.loop, TensorFile(unfinished, fingerprint([recipe, how])), run)
    return Trained.of(student, task, history, asdict(options))
