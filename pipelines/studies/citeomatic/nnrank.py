"""Train NNRank on the citations of an index's own papers, and store it in the index."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TypeAlias, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import elu, embedding, embedding_bag, normalize

from recsys.eval.measures import Judged, summarise
from recsys.indexes.opening import open_collection
from recsys.models.encoder import SeenQueries
from recsys.models.nnrank import (
    CANDIDATE_WORDS,
    KIND,
    METADATA_FIELDS,
    SCHEMA,
    TEXT_FIELDS,
    WORDS,
    NNRank,
    RankShape,
    bags_file,
)
from recsys.models.nnselect import NEIGHBOURS, NNSelectModel, Vocabulary, select
from recsys.models.pairs import INTERSECTED, NUMBERS, Pairs, cosines, distinct, make_pairs, stacked
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.jobs.index_writer import IndexWriter, writing
from recsys.pipelines.studies.citeomatic.cross_fit import CrossFitter, FoldVectors
from recsys.pipelines.studies.citeomatic.negatives import (
    Kind,
    Margins,
    Miner,
    Mining,
    Sampling,
    Triplets,
    TripletSampler,
    ragged,
    triplet_loss,
)
from recsys.pipelines.studies.citeomatic.network_training import (
    Checkpoint,
    History,
    LoopOptions,
    device_of,
    train,
)
from recsys.pipelines.studies.citeomatic.nnselect import (
    LEAST,
    Dev,
    MagDirBag,
    Penalty,
    TokenBags,
    codes_of,
    distinct_words,
    drop_words,
    known_by,
    read_bags,
    rows_of,
    to_torch,
)
from recsys.progress import Progress, silent
from recsys.store.arrays import Floats, Ragged, Rows, top_k
from recsys.store.artifacts import MANIFEST, NNSELECT, fingerprint, nnrank_folder, seal, sha256
from recsys.store.collection import Collection
from recsys.store.generations import content_key, in_force, root_of
from recsys.store.graph import CitationGraph

# NNRank in torch: the network that is trained; `recsys.models.nnrank` answers with what it
# learns.
#
# The paper leaves open how weights start. Here a word, author... starts as important as it is
# rare: so the network ranks well on what it never saw in training, and learns the rest. The ELU
# layers start by Glorot, the last one with ones, as in the original code.
#
# Batches of pairs are not padded, and each paper's words are read once a batch.

Bags: TypeAlias = "tuple[torch.Tensor, torch.Tensor]"
"""(values, offsets) of several bags."""
_LEAST = 1e-6


@dataclass(frozen=True, slots=True)
class RankData:
    """What batches are cut from.

    sets: title and abstract -> distinct words of each paper. vectors: (n, d) float32, NNSelect's.
    folds: what to train on instead of these.
    """

    bags: TokenBags
    sets: Mapping[str, Ragged]
    graph: CitationGraph
    vectors: Floats
    folds: FoldVectors

    @classmethod
    def of(
        cls, bags: TokenBags, graph: CitationGraph, vectors: Floats, folds: FoldVectors
    ) -> "RankData":
        """Make the sets."""
        sets = {field: distinct(bags.of(field)) for field in INTERSECTED}
        return cls(bags, sets, graph, vectors, folds)

    def pairs(self, queries: Rows, candidates: Rows) -> Pairs:
        """Put rows side by side, to answer."""
        cosine = cosines(self.vectors, self.vectors, queries, candidates)
        return make_pairs(self.sets, self.graph, cosine, queries, candidates)

    def training_pairs(self, queries: Rows, candidates: Rows) -> Pairs:
        """Put rows side by side, to learn."""
        cosine = self.folds.cosines(queries, candidates)
        return make_pairs(self.sets, self.graph, cosine, queries, candidates)


def rarity(bags: TokenBags) -> dict[str, Floats]:
    """Tell how rare each word, author... is: log(papers / papers with it), divided by the mean."""
    found = {}
    for name in (WORDS, *METADATA_FIELDS):
        sets = distinct_words(bags) if name == WORDS else distinct(bags.of(name))
        size = bags.sizes["title" if name == WORDS else name]
        counts = np.bincount(sets.values, minlength=size)
        rare = np.log(max(len(bags), 1) / np.maximum(counts, 1))
        found[name] = (rare / max(rare.sum() / max(size, 1), _LEAST)).astype(np.float32)
    return found


@dataclass(frozen=True, slots=True)
class RankBatch:
    """Tensors of p pairs.

    queries, candidates: field -> bags of the distinct papers on each side; where both sides are
    embedded alike, the same bags. query, candidate: (p,) int64, their places there. shared: field
    -> bags of shared words, one a pair. numbers: (p, 2).
    """

    queries: Mapping[str, Bags]
    candidates: Mapping[str, Bags]
    query: "torch.Tensor"
    candidate: "torch.Tensor"
    shared: Mapping[str, Bags]
    numbers: "torch.Tensor"


@dataclass(frozen=True, slots=True)
class Batcher:
    """Cuts batches for networks of one shape. dropout: share of the words left out."""

    data: RankData
    shape: RankShape
    dropout: float = 0.0
    device: str = "cpu"

    def batch(self, queries: Rows, candidates: Rows, rng: np.random.Generator) -> RankBatch:
        """Make the tensors of (p,) pairs of rows; `rng` chooses the words left out."""
        import torch

        pairs = self.data.training_pairs(queries, candidates)
        if self.shape.separate:
            ours, query = np.unique(queries, return_inverse=True)
            theirs, candidate = np.unique(candidates, return_inverse=True)
            sides = self._bags(ours, rng), self._bags(theirs, rng)
        else:
            rows, place = np.unique([queries, candidates], return_inverse=True)
            query, candidate = place.reshape(2, -1)
            sides = (self._bags(rows, rng),) * 2
        return RankBatch(
            *sides,
            torch.from_numpy(query.astype(np.int64)).to(self.device),
            torch.from_numpy(candidate.astype(np.int64)).to(self.device),
            {field: to_torch(pairs.shared[field], self.device) for field in self.shape.intersected},
            torch.from_numpy(pairs.numbers).to(self.device),
        )

    def _bags(self, rows: Rows, rng: np.random.Generator) -> dict[str, Bags]:
        return {
            field: to_torch(
                drop_words(rows_of(self.data.bags.of(field), rows), self.dropout, rng), self.device
            )
            for field in self.shape.fields
        }


@dataclass(frozen=True, slots=True)
class RankSize:
    """How wide things are, and how they start.

    words, metadata: width of the vectors of words; of authors, venues and keyphrases. penalty: of
    those vectors and of the weights of shared words. inertia: how long vectors are at the start;
    since only their direction counts, they turn so many times more slowly than a unit vector.
    shared: what sharing a word adds at the start, on average. by_rarity: whether rare ones weigh
    more at the start.
    """

    words: int = 75
    metadata: int = 25
    hidden: int = 20
    penalty: Penalty = field(default_factory=Penalty)
    inertia: float = 10.0
    shared: float = 0.1
    by_rarity: bool = True


class SharedWords(nn.Module):
    """Sums a learned weight of each word that two papers share. Sparse gradients."""

    def __init__(self, start: Tensor) -> None:
        super().__init__()
        self.weights = nn.Parameter(start)  # (size, 1)

    def forward(self, bags: Bags, l1: float) -> tuple[Tensor, Tensor]:
        """Sum over (values, offsets) of p pairs: (p,), and l1 * |weights read| / p, a scalar."""
        values, offsets = bags
        codes, place = codes_of(values, len(self.weights))
        table = embedding(codes, self.weights, sparse=True)
        sums = embedding_bag(place, table, offsets, mode="sum", include_last_offset=True)
        read = table.abs().squeeze(1) @ torch.bincount(place, minlength=len(codes)).to(table)
        return sums.squeeze(1), l1 * read / max(len(offsets) - 1, 1)


class RankNet(nn.Module):
    """Scores pairs of papers in (0, 1)."""

    def __init__(
        self,
        shape: RankShape,
        size: RankSize,
        rarity: Mapping[str, Floats],
        generator: torch.Generator,
    ) -> None:
        """Draw the initial weights.

        Args:
            shape: which inputs there are.
            size: how wide things are.
            rarity: words, authors... -> (v,) float32, how rare each of them is, 1 on average.
            generator: of everything random.
        """
        super().__init__()
        self.shape, self.size = shape, size
        rare = {
            name: torch.from_numpy(each if size.by_rarity else np.ones_like(each))[:, None]
            for name, each in rarity.items()
        }
        self.tables = nn.ModuleDict(
            {name: _table(rare, name, size, generator) for name in shape.tables}
        )
        self.shared = nn.ModuleDict(
            {name: SharedWords(size.shared * rare[WORDS]) for name in shape.intersected}
        )
        widths = (len(shape.inputs), size.hidden, size.hidden, 1)
        self.layers = nn.ModuleList(map(nn.Linear, widths[:-1], widths[1:]))
        self._start_layers(generator)

    def _start_layers(self, generator: torch.Generator) -> None:
        *inner, last = self._linear()
        for layer in inner:
            nn.init.xavier_uniform_(layer.weight, generator=generator)
            nn.init.zeros_(layer.bias)
        nn.init.ones_(last.weight)
        nn.init.zeros_(last.bias)

    def forward(self, batch: RankBatch) -> tuple[Tensor, Tensor]:
        """Score the pairs: (p,), and the penalty, a scalar."""
        hidden, penalty = self.inputs(batch)
        *inner, last = self._linear()
        for layer in inner:
            hidden = elu(layer(hidden))
        return torch.sigmoid(last(hidden).squeeze(1)), penalty

    def inputs(self, batch: RankBatch) -> tuple[Tensor, Tensor]:
        """Compute the inputs in the order of `shape.inputs`: (p, i), and the penalty."""
        columns, penalties = {}, [batch.numbers.new_zeros(())]
        for name in self.shape.fields:
            columns[f"cos({name})"], penalty = self._cosine(batch, name)
            penalties.append(penalty)
        for name in self.shape.intersected:
            column, penalty = self._words(name)(batch.shared[name], self.size.penalty.l1)
            columns[f"shared words ({name})"] = column
            penalties.append(penalty)
        columns |= dict(zip(NUMBERS, batch.numbers.unbind(1), strict=True))
        inputs = torch.stack([columns[name] for name in self.shape.inputs], dim=1)
        return inputs, torch.stack(penalties).sum()

    def _cosine(self, batch: RankBatch, name: str) -> tuple[Tensor, Tensor]:
        ours, penalty = self._embed(batch.queries[name], self.shape.table(name, candidate=False))
        theirs = ours
        if batch.candidates is not batch.queries:
            theirs, more = self._embed(
                batch.candidates[name], self.shape.table(name, candidate=True)
            )
            penalty = penalty + more
        return (ours[batch.query] * theirs[batch.candidate]).sum(dim=1), penalty

    def _embed(self, bags: Bags, table: str) -> tuple[Tensor, Tensor]:
        sums, penalty = self._table(table).penalised(*bags, self.size.penalty)
        return normalize(sums, dim=1, eps=LEAST), penalty

    def export(self) -> NNRank:
        """Copy what was learned into the model that answers."""
        return NNRank(
            self.shape,
            {name: _array(self._table(name).table()) for name in self.tables},
            {name: _array(self._words(name).weights[:, 0]) for name in self.shared},
            tuple((_array(layer.weight), _array(layer.bias)) for layer in self._linear()),
        )

    # What torch keeps in lists and dictionaries has lost its type.
    def _table(self, name: str) -> MagDirBag:
        return cast(MagDirBag, self.tables[name])

    def _words(self, name: str) -> SharedWords:
        return cast(SharedWords, self.shared[name])

    def _linear(self) -> list[nn.Linear]:
        return cast(list[nn.Linear], list(self.layers))


def _table(
    rare: Mapping[str, Tensor], name: str, size: RankSize, generator: torch.Generator
) -> MagDirBag:
    """Start a table of vectors."""
    magnitudes = rare[WORDS if name == CANDIDATE_WORDS else name]
    width = size.metadata if name in METADATA_FIELDS else size.words
    table = MagDirBag(len(magnitudes), width, generator)
    with torch.no_grad():
        table.directions.mul_(size.inertia)
        table.magnitudes.copy_(magnitudes * size.inertia)
    return table


def _array(tensor: Tensor) -> Floats:
    array: Floats = tensor.detach().cpu().float().numpy().copy()
    return array


# NNRank as something to train: triplets, their loss, and F1 on dev over NNSelect's candidates.

CUTOFF = 20
DEV_MEASURE = f"F1@{CUTOFF}"


@dataclass(frozen=True, slots=True)
class RankOptions:
    """The model and how it learns; the defaults were chosen on dev queries of visualization papers.

    dropout: share of words left out in training. mining: None learns without neighbours as
    negatives; here the filter by common words does harm (F1@20 0.238 instead of 0.248 on dev of
    visualization research), so all neighbours that the query does not cite are taken. neighbours:
    how many nearest papers NNSelect takes for the dev queries.
    """

    shape: RankShape = field(default_factory=RankShape)
    size: RankSize = field(default_factory=RankSize)
    dropout: float = 0.5
    margins: Margins = field(default_factory=Margins)
    mining: Mining | None = field(default_factory=lambda: Mining(percentile=100))
    sampling: Sampling = field(default_factory=Sampling)
    neighbours: int = NEIGHBOURS


@dataclass(frozen=True, slots=True)
class Shortlists:
    """NNSelect's candidates of several queries, one query after the other.

    pairs: each query beside each of its candidates. counts: (q,) candidates a query. relevant:
    (p,) bool, whether the candidate is gold. gold: (q,) gold papers, proposed or not.
    """

    pairs: Pairs
    counts: Rows
    relevant: np.typing.NDArray[np.bool_]
    gold: Rows

    @classmethod
    def of(cls, collection: Collection, data: RankData, dev: Dev, neighbours: int) -> "Shortlists":
        """Select for each query."""
        parts, counts, relevant = [], [], []
        for row, query, right in zip(dev.rows.tolist(), dev.queries, dev.gold, strict=True):
            vector = data.vectors[row]
            rows = np.sort(select(collection.graph, data.vectors, query, vector, neighbours)[0])
            parts.append(data.pairs(np.full(len(rows), row, np.int32), rows))
            counts.append(len(rows))
            relevant.append(np.isin(rows, right))
        return cls(
            stacked(parts),
            np.array(counts, np.int32),
            np.concatenate(relevant),
            np.array([len(right) for right in dev.gold], np.int32),
        )

    def judge(self, scores: Floats) -> list[Judged]:
        """Order each query's candidates by (p,) scores and compare them with its gold papers."""
        judged, ends = [], np.cumsum(self.counts)
        for end, count, gold in zip(ends, self.counts, self.gold, strict=True):
            flags = self.relevant[end - count : end]
            order = top_k(scores[end - count : end], count)
            judged.append(Judged(flags[order], int(gold), int(count), int(flags.sum())))
        return judged


@dataclass(frozen=True)
class RankTask:
    """Implements `training.Task`. neighbours: place of the query -> negatives near it."""

    network: RankNet
    data: RankData
    sampler: TripletSampler
    neighbours: Ragged | None
    dev: Shortlists
    options: RankOptions

    @classmethod
    def build(
        cls,
        collection: Collection,
        data: RankData,
        queries: tuple[Rows, Rows],
        options: RankOptions,
        *,
        seed: int,
    ) -> "RankTask":
        """Lay everything out; queries: rows of train and dev."""
        sampler = TripletSampler.build(collection, queries[0], options.sampling)
        near = None
        if options.mining is not None and Kind.NEIGHBOUR in options.sampling.kinds:
            near = _mine(sampler, data, options.mining)
        generator = torch.Generator().manual_seed(seed)
        network = RankNet(options.shape, options.size, rarity(data.bags), generator)
        dev = Dev.of(collection, queries[1])
        shortlists = Shortlists.of(collection, data, dev, options.neighbours)
        return cls(network, data, sampler, near, shortlists, options)

    def triplets(self, rng: np.random.Generator) -> Triplets:
        """Draw an epoch."""
        return self.sampler.epoch(rng, self.neighbours)

    def loss(self, triplets: Triplets, rng: np.random.Generator) -> Tensor:
        """Score both papers of each triplet beside the query, and compare."""
        batch = self._batcher.batch(
            np.concatenate([triplets.query, triplets.query]),
            np.concatenate([triplets.positive, triplets.negative]),
            rng,
        )
        scores: Tensor
        penalty: Tensor
        scores, penalty = self.network(batch)
        margins = triplets.margins(self.data.graph, self.options.margins)
        s_pos, s_neg = scores.chunk(2)
        return triplet_loss(s_pos, s_neg, torch.from_numpy(margins).to(scores.device)) + penalty

    @cached_property
    def _batcher(self) -> Batcher:
        device = next(self.network.parameters()).device.type
        return Batcher(self.data, self.options.shape, self.options.dropout, device)

    def measure(self) -> float:
        """Compute F1@20 of the dev queries."""
        return self.figures()[DEV_MEASURE]

    def figures(self) -> dict[str, float]:
        """Compute every measure on dev."""
        judged = self.dev.judge(score_all(self.network.export(), self.data.bags, self.dev.pairs))
        figures = summarise(judged, rng=np.random.default_rng(0), samples=1)
        return {name: interval.value for name, interval in figures.items()}


def _mine(sampler: TripletSampler, data: RankData, options: Mining) -> Ragged:
    """Find the negatives near each query by vectors that have not learned from it."""
    words, size = distinct_words(data.bags), data.bags.sizes["title"]
    miner = Miner.build(sampler, words, size, options)
    found = [miner.neighbours(vectors) for vectors in data.folds.vectors]
    folds = data.folds.folds[sampler.queries].tolist()
    return ragged([found[fold][place] for place, fold in enumerate(folds)])


def score_all(model: NNRank, bags: TokenBags, pairs: Pairs) -> Floats:
    """Score pairs of rows of the corpus: (p,) float32."""
    fields = {name: bags.of(name) for name in model.shape.fields}
    queries = model.embed(fields, candidate=False)
    candidates = model.embed(fields, candidate=True) if model.shape.separate else queries
    return model.score(queries, candidates, pairs)


def facts_of(options: RankOptions) -> Mapping[str, object]:
    """Write the options as JSON holds them."""
    facts = asdict(options)
    facts["sampling"]["kinds"] = [kind.name.lower() for kind in options.sampling.kinds]
    return facts


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
