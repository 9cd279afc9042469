"""Train NNSelect on the citations of an index's own papers, and store it in the index.

It may start from word vectors that somebody else has trained.
"""

import gzip
import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
import torch

from recsys.errors import InputError
from recsys.indexes.opening import open_collection
from recsys.models.encoder import SeenQueries
from recsys.models.nnselect import KIND, NEIGHBOURS, SCHEMA, NNSelectModel, Vocabulary
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.jobs.index_writer import IndexWriter, writing
from recsys.pipelines.ranking.train_ranker import newest_year
from recsys.pipelines.studies.citeomatic.bags import TokenBags, known_by, read_bags
from recsys.pipelines.studies.citeomatic.network_training import (
    Checkpoint,
    History,
    LoopOptions,
    device_of,
    train,
)
from recsys.pipelines.studies.citeomatic.select_task import (
    DEV_MEASURE,
    SelectOptions,
    SelectTask,
    facts_of,
)
from recsys.pipelines.studies.citeomatic.towers import NNSelect, embed
from recsys.progress import Progress, silent
from recsys.store.arrays import Floats, Rows, SortedStrings
from recsys.store.artifacts import NNSELECT, UNTIL, fingerprint, seal, sha256
from recsys.store.generations import content_key, in_force, root_of

_FORMAT = "Give a text file with a word and its numbers in every line, as of GloVe or word2vec."


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Vectors of some words: numbers of the words (m,) int32, ascending, and (m, d) float32."""

    codes: Rows
    vectors: Floats

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.vectors.shape[1])


def read_word_vectors(path: Path, words: SortedStrings) -> WordVectors:
    """Read the vectors of known words from a text file, plain or .gz; the first of a word counts.

    A first line of two numbers, as word2vec writes, is left out.

    Raises:
        InputError: no such file, a line that is of another length or no numbers, or no known word.
    """
    found: dict[int, Floats] = {}
    dim = 0
    for number, parts in _lines(path):
        if number == 1 and len(parts) == 2:
            continue
        dim = dim or len(parts) - 1
        code = words.find(parts[0])
        if code is not None and code not in found:
            found[code] = _vector(path, number, parts[1:], dim)
    if not found:
        raise InputError(f"{path} has no vector of any of {len(words)} words.", _FORMAT)
    codes = sorted(found)
    return WordVectors(np.array(codes, np.int32), np.stack([found[code] for code in codes]))


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    if not path.is_file():
        raise InputError(f"There is no file of word vectors at {path}.", "Check the path.")
    opened = (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8")
    )
    try:
        with opened as file:
            for number, line in enumerate(file, 1):
                if parts := line.split():
                    yield number, parts
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile) as error:
        raise InputError(f"{path} cannot be read ({error}).", _FORMAT) from error


def _vector(path: Path, number: int, parts: list[str], dim: int) -> Floats:
    try:
        vector = np.array(parts, np.float32)
    except ValueError as error:
        raise InputError(f"{path}, line {number}: {error}.", _FORMAT) from error
    if len(vector) != dim or not np.isfinite(vector).all() or not vector.any():
        raise InputError(
            f"{path}, line {number}: not a vector of {dim} finite numbers, one of them not 0.",
            _FORMAT,
        )
    return vector


_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""

BATCH = 2048
"""Triplets: four times as many as the loop's default take half the time, and learn as much."""
CHECKPOINT = "nnselect.partial.safetensors"
"""Of a training that is not finished."""


@dataclass(frozen=True, slots=True)
class NNSelectOptions:
    """The model, and how it is trained.

    word_vectors: file to start from; the model's `dim` is then that of the file.
    """

    model: SelectOptions = field(default_factory=SelectOptions)
    loop: LoopOptions = field(default_factory=lambda: LoopOptions(epochs=15, batch=BATCH))
    word_vectors: Path | None = None


@dataclass(frozen=True, slots=True)
class NNSelectReport:
    """What was trained, and how good it is on dev."""

    folder: Path
    queries: int
    words: int
    history: History
    dev: dict[str, float]

    def lines(self) -> list[str]:
        """Say it to people."""
        did = self.history
        shown = ", ".join(f"{name} {self.dev[name]:.4f}" for name in ("F1@20", "MRR", "R@100"))
        lines = [
            f"Trained on {self.queries} queries, {did.triplets:,} triplets in {did.epochs} epochs, "
            f"{did.per_second:,.0f} triplets per second of processor time; {self.words:,} words.",
            f"On dev: {DEV_MEASURE} {self.dev[DEV_MEASURE]:.4f} after epoch {did.best}, {shown}, "
            f"by {NEIGHBOURS} neighbours and their citations.",
        ]
        if did.continued:
            lines.append(f"Continued: {did.continued} epochs were done already.")
        return [*lines, f"Saved in {root_of(self.folder.parent)}."]


def train_nnselect(
    index: Path,
    split: Path,
    options: NNSelectOptions,
    *,
    wait: bool = False,
    progress: Progress = silent,
) -> NNSelectReport:
    """Train on the split's train queries, stop on its dev queries, save into the index, report.

    A killed training continues where its last epoch ended, if it is started in the same way.

    Raises:
        ArtifactError: the index cannot be opened.
        SplitError: the split does not fit the index, or its parts overlap.
        InputError: the word vectors cannot be read, or another process changes the index, and
            `wait` is false.
    """
    with writing(index, wait=wait, progress=progress) as writer:
        return _train(writer, split, options, progress)


def _train(
    writer: IndexWriter, split: Path, options: NNSelectOptions, progress: Progress
) -> NNSelectReport:
    collection = open_collection(writer.index)
    parts = read_split(split, collection)
    train_rows, dev_rows = (collection.corpus.rows(parts.part(name)) for name in ("train", "dev"))
    progress("words", 0, 1)
    vocabulary, bags = read_bags(collection, known_by(collection, train_rows))
    progress("words", 1, 1)
    options, start = _with_word_vectors(options, vocabulary)
    seed, device = options.loop.seed, device_of(options.loop.device)
    task = SelectTask.build(collection, bags, (train_rows, dev_rows), options.model, seed)
    if start is not None:
        task.network.start_from(torch.from_numpy(start.codes), torch.from_numpy(start.vectors))
    task.network.to(device)
    files = [sha256(each) for each in (split, options.word_vectors) if each]
    recipe = [_REVISION, content_key(collection.folder), files, asdict(options), device]
    checkpoint = Checkpoint(writer.unfinished / CHECKPOINT, fingerprint(recipe))
    history = train(task, options.loop, checkpoint, progress=progress)
    report = NNSelectReport(
        writer.index / NNSELECT, len(train_rows), len(vocabulary.words), history, task.figures()
    )
    model = _model(task.network, vocabulary, bags)
    with writer.member(NNSELECT) as folder:
        model.save(folder)
        SeenQueries.of(collection, train=train_rows, dev=dev_rows).save(folder)
        until = newest_year(collection, train_rows, dev_rows)
        seal(folder, KIND, SCHEMA, _facts(report, model, options) | {UNTIL: until})
    checkpoint.path.unlink()
    return replace(report, folder=in_force(writer.index) / NNSELECT)


def _with_word_vectors(
    options: NNSelectOptions, vocabulary: Vocabulary
) -> tuple[NNSelectOptions, WordVectors | None]:
    if options.word_vectors is None:
        return options, None
    start = read_word_vectors(options.word_vectors, vocabulary.words)
    return replace(options, model=replace(options.model, dim=start.dim)), start


def _model(network: NNSelect, vocabulary: Vocabulary, bags: TokenBags) -> NNSelectModel:
    table = network.words.table().float().cpu().numpy()
    scales = network.scales.detach().float().cpu().numpy()
    known = [hashlib.sha256(array.tobytes()).hexdigest() for array in (table, scales)]
    return NNSelectModel(
        vocabulary.words, table, scales, embed(network, bags), fingerprint([KIND, *known])
    )


def _facts(
    report: NNSelectReport, model: NNSelectModel, options: NNSelectOptions
) -> dict[str, object]:
    return {
        "fingerprint": model.fingerprint,
        "dim": model.dim,
        "words": len(model.table),
        "papers": len(model.vectors),
        "options": facts_of(options.model),
        "loop": asdict(options.loop),
        "word_vectors": None if options.word_vectors is None else options.word_vectors.name,
        "history": {DEV_MEASURE: report.history.measures, "loss": report.history.losses},
        "dev": report.dev,
    }
