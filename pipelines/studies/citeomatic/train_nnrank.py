"""Train NNRank on the citations of an index's own papers, and store it in the index."""

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from recsys.indexes.opening import open_collection
from recsys.models.encoder import SeenQueries
from recsys.models.nnrank import KIND, METADATA_FIELDS, SCHEMA, TEXT_FIELDS, RankShape, bags_file
from recsys.models.nnselect import NNSelectModel, Vocabulary
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.jobs.index_writer import IndexWriter, writing
from recsys.pipelines.studies.citeomatic.bags import known_by, read_bags
from recsys.pipelines.studies.citeomatic.cross_fit import CrossFitter, FoldVectors
from recsys.pipelines.studies.citeomatic.network_training import (
    Checkpoint,
    History,
    LoopOptions,
    device_of,
    train,
)
from recsys.pipelines.studies.citeomatic.rank_net import RankData
from recsys.pipelines.studies.citeomatic.rank_task import (
    DEV_MEASURE,
    RankOptions,
    RankTask,
    facts_of,
)
from recsys.progress import Progress, silent
from recsys.store.arrays import Rows
from recsys.store.artifacts import MANIFEST, NNSELECT, fingerprint, nnrank_folder, seal, sha256
from recsys.store.collection import Collection
from recsys.store.generations import content_key, in_force, root_of

_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""

VOCABULARY = "vocabulary"
"""Folder of the words, authors... that have numbers."""


@dataclass(frozen=True, slots=True)
class NNRankOptions:
    """The model, and how it is trained.

    metadata: whether authors, venue and keyphrases are read. left_out: fields that are not. seen:
    whether it learns, as in the paper, from NNSelect's cosines of queries that NNSelect has seen
    (see `cross_fit`).
    """

    model: RankOptions = field(default_factory=RankOptions)
    loop: LoopOptions = field(default_factory=lambda: LoopOptions(epochs=10, rate=0.0005))
    metadata: bool = True
    left_out: tuple[str, ...] = ()
    seen: bool = False


@dataclass(frozen=True, slots=True)
class NNRankReport:
    """What was trained, and how good it is on dev."""

    folder: Path
    queries: int
    neighbours: int
    inputs: tuple[str, ...]
    history: History
    dev: dict[str, float]

    def lines(self) -> list[str]:
        """Say it to people."""
        did = self.history
        shown = ", ".join(f"{name} {self.dev[name]:.4f}" for name in ("MRR", "R@20", "R@100"))
        lines = [
            f"Trained on {self.queries} queries, {did.triplets:,} triplets in {did.epochs} epochs, "
            f"{did.per_second:,.0f} triplets per second of processor time.",
            f"Inputs: {', '.join(self.inputs)}.",
            f"On dev: {DEV_MEASURE} {self.dev[DEV_MEASURE]:.4f} after epoch {did.best}, {shown}, "
            f"over NNSelect's {self.neighbours} neighbours and their citations.",
        ]
        if did.continued:
            lines.append(f"Continued: {did.continued} epochs were done already.")
        return [*lines, f"Saved in {root_of(self.folder.parent)}."]


@dataclass(frozen=True, slots=True)
class RankMaterial:
    """What NNRank is made from: read once, for any number of trainings."""

    index: Path
    split: Path
    collection: Collection
    vocabulary: Vocabulary
    data: RankData
    queries: tuple[Rows, Rows]

    @classmethod
    def read(cls, index: Path, split: Path, *, progress: Progress = silent) -> "RankMaterial":
        """Open everything; NNSelect's folds are trained if they are not there.

        Raises:
            ArtifactError: the index cannot be opened, or has no NNSelect.
            SplitError: the split does not fit the index, or its parts overlap.
        """
        collection = open_collection(index)
        index = collection.folder
        vectors = NNSelectModel.load(index / NNSELECT, len(collection.corpus)).vectors
        parts = read_split(split, collection)
        train_rows, dev_rows = (collection.corpus.rows(parts.part(p)) for p in ("train", "dev"))
        progress("words", 0, 1)
        vocabulary, bags = read_bags(collection, known_by(collection, train_rows))
        progress("words", 1, 1)
        queries = train_rows, dev_rows
        folds = CrossFitter(index, collection, bags, queries).vectors(progress=progress)
        data = RankData.of(bags, collection.graph, vectors, folds)
        return cls(index, split, collection, vocabulary, data, queries)

    def shape(self, options: NNRankOptions) -> RankShape:
        """Choose the fields: those that the corpus has and the options want."""
        sizes = self.data.bags.sizes
        extra = tuple(name for name in METADATA_FIELDS if sizes[name] and options.metadata)
        fields = tuple(f for f in (*TEXT_FIELDS, *extra) if f not in options.left_out)
        return replace(options.model.shape, fields=fields)

    def lesson(self, options: NNRankOptions) -> RankData:
        """Choose the cosines that it learns from."""
        if not options.seen:
            return self.data
        one = np.zeros(len(self.data.vectors), np.int32)
        return replace(self.data, folds=FoldVectors(self.data.vectors[None], one))

    def key(self, options: NNRankOptions) -> str:
        """Hash what a training depends on."""
        parts = [self.index / NNSELECT / MANIFEST, self.split]
        known = content_key(self.index)
        return fingerprint([_REVISION, known, *map(sha256, parts), asdict(options)])


def train_nnrank(
    index: Path,
    split: Path,
    options: NNRankOptions,
    *,
    wait: bool = False,
    progress: Progress = silent,
) -> NNRankReport:
    """Train on the split's train queries, stop on its dev queries, save into the index, report.

    A killed training continues where its last epoch ended, if it is started in the same way.

    Raises:
        ArtifactError: the index cannot be opened, or has no NNSelect.
        SplitError: the split does not fit the index, or its parts overlap.
        InputError: another process changes the index, and `wait` is false.
    """
    with writing(index, wait=wait, progress=progress) as writer:
        return _train(writer, split, options, progress)


def _train(
    writer: IndexWriter, split: Path, options: NNRankOptions, progress: Progress
) -> NNRankReport:
    material = RankMaterial.read(writer.index, split, progress=progress)
    folder = nnrank_folder(writer.index, metadata=options.metadata)
    checkpoint = writer.unfinished / f"{folder.name}.partial.safetensors"
    task, history = fit(material, options, checkpoint, progress=progress)
    report = NNRankReport(
        folder,
        len(material.queries[0]),
        options.model.neighbours,
        task.options.shape.inputs,
        history,
        task.figures(),
    )
    with writer.member(folder.name) as new:
        save(material, task, report, options, new)
    checkpoint.unlink()
    return replace(report, folder=in_force(writer.index) / folder.name)


def fit(
    material: RankMaterial,
    options: NNRankOptions,
    checkpoint: Path,
    *,
    progress: Progress = silent,
) -> tuple[RankTask, History]:
    """Train a network, and leave it at its best; the checkpoint stays."""
    model = replace(options.model, shape=material.shape(options))
    task = RankTask.build(
        material.collection,
        material.lesson(options),
        material.queries,
        model,
        seed=options.loop.seed,
    )
    device = device_of(options.loop.device)
    task.network.to(device)
    key = fingerprint([material.key(options), device])
    return task, train(task, options.loop, Checkpoint(checkpoint, key), progress=progress)


def save(
    material: RankMaterial,
    task: RankTask,
    report: NNRankReport,
    options: NNRankOptions,
    folder: Path,
) -> None:
    """Write the model into an empty folder."""
    model = task.network.export()
    train_rows, dev_rows = material.queries
    model.save(folder)
    for name in model.shape.fields:
        material.data.bags.of(name).save(folder, bags_file(name))
    (folder / VOCABULARY).mkdir()
    material.vocabulary.save(folder / VOCABULARY)
    SeenQueries.of(material.collection, train=train_rows, dev=dev_rows).save(folder)
    config = {
        **model.config(),
        "nnselect": sha256(material.index / NNSELECT / MANIFEST),
        "options": facts_of(options.model),
        "loop": asdict(options.loop),
        "metadata": options.metadata,
        "left_out": options.left_out,
        "seen": options.seen,
        "history": {"measure": DEV_MEASURE, "dev": report.history.measures},
        "losses": report.history.losses,
        "dev": report.dev,
    }
    seal(folder, KIND, SCHEMA, config)
