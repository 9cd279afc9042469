"""NNRank in torch: the network, its training on an index's own papers, and how it is stored.

`recsys.models.nnrank` answers with what it learns. The paper leaves open how weights start. Here a
word, author... starts as important as it is rare: so the network ranks well on what it never saw in
training, and learns the rest. The ELU layers start by Glorot, the last one with ones, as in the
original code. Batches of pairs are not padded, and each paper's words are read once a batch.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import elu, embedding, embedding_bag, normalize

from recsys.eval.measures import means
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
from recsys.pipelines.jobs.index_writer import writing
from recsys.pipelines.jobs.tensor_file import TensorFile
from recsys.pipelines.ranking.training_table import TrainingTable, judge
from recsys.pipelines.studies.citeomatic.cross_fit import FoldVectors, fold_vectors
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
    facts_of,
    known_by,
    read_bags,
    rows_of,
    to_torch,
    train_and_dev,
)
from recsys.protocols import Progress, silent
from recsys.store.arrays import Floats, Ragged, Rows
from recsys.store.artifacts import MANIFEST, NNSELECT, fingerprint, nnrank_folder, seal, sha256
from recsys.store.collection import Collection
from recsys.store.generations import content_key, in_force, root_of
from recsys.store.graph import CitationGraph

CUTOFF = 20
DEV_MEASURE = f"F1@{CUTOFF}"
VOCABULARY = "vocabulary"
"""Folder of the words, authors... that have numbers."""
_LEAST = 1e-6
_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""

Bags: TypeAlias = tuple[Tensor, Tensor]
"""(values, offsets) of several bags."""


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
        sets = {name: distinct(bags.of(name)) for name in INTERSECTED}
        return cls(bags, sets, graph, vectors, folds)

    def training_pairs(self, queries: Rows, candidates: Rows) -> Pairs:
        """Put rows side by side, to learn."""
        cosine = self.folds.cosines(queries, candidates)
        return make_pairs(self.sets, self.graph, cosine, queries, candidates)


def rarity(bags: TokenBags) -> dict[str, Floats]:
    """Tell how rare each word, author... is: log(papers / papers with it), divided by the mean."""
    rarities = {}
    for name in (WORDS, *METADATA_FIELDS):
        sets = distinct_words(bags) if name == WORDS else distinct(bags.of(name))
        size = bags.sizes["title" if name == WORDS else name]
        counts = np.bincount(sets.values, minlength=size)
        rare = np.log(max(len(bags), 1) / np.maximum(counts, 1))
        rarities[name] = (rare / max(rare.sum() / max(size, 1), _LEAST)).astype(np.float32)
    return rarities


@dataclass(frozen=True, slots=True)
class RankBatch:
    """Tensors of p pairs.

    queries, candidates: field -> bags of the distinct papers on each side; where both sides are
    embedded alike, the same bags. query, candidate: (p,) int64, their places there. shared: field
    -> bags of shared words, one a pair. numbers: (p, 2).
    """

    queries: Mapping[str, Bags]
    candidates: Mapping[str, Bags]
    query: Tensor
    candidate: Tensor
    shared: Mapping[str, Bags]
    numbers: Tensor


def cut_batch(
    data: RankData,
    shape: RankShape,
    queries: Rows,
    candidates: Rows,
    rng: np.random.Generator,
    *,
    dropout: float = 0.0,
    device: str = "cpu",
) -> RankBatch:
    """Make the tensors of (p,) pairs of rows; `rng` chooses the share of words left out."""

    def bags_of(rows: Rows) -> dict[str, Bags]:
        return {
            name: to_torch(drop_words(rows_of(data.bags.of(name), rows), dropout, rng), device)
            for name in shape.fields
        }

    pairs = data.training_pairs(queries, candidates)
    if shape.separate:
        ours, query = np.unique(queries, return_inverse=True)
        theirs, candidate = np.unique(candidates, return_inverse=True)
        sides = bags_of(ours), bags_of(theirs)
    else:
        rows, place = np.unique([queries, candidates], return_inverse=True)
        query, candidate = place.reshape(2, -1)
        sides = (bags_of(rows),) * 2
    return RankBatch(
        *sides,
        torch.from_numpy(query.astype(np.int64)).to(device),
        torch.from_numpy(candidate.astype(np.int64)).to(device),
        {name: to_torch(pairs.shared[name], device) for name in shape.intersected},
        torch.from_numpy(pairs.numbers).to(device),
    )


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

    sparse = True

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
        # What torch keeps in lists and dictionaries has lost its type.
        self.tables: Any = nn.ModuleDict()
        for name in shape.tables:
            magnitudes = rare[WORDS if name == CANDIDATE_WORDS else name]
            width = size.metadata if name in METADATA_FIELDS else size.words
            table = MagDirBag(len(magnitudes), width, generator)
            with torch.no_grad():
                table.directions.mul_(size.inertia)
                table.magnitudes.copy_(magnitudes * size.inertia)
            self.tables[name] = table
        self.shared: Any = nn.ModuleDict(
            {name: SharedWords(size.shared * rare[WORDS]) for name in shape.intersected}
        )
        widths = (len(shape.inputs), size.hidden, size.hidden, 1)
        *inner, last = layers = [nn.Linear(*pair) for pair in pairwise(widths)]
        for layer in layers:
            nn.init.zeros_(layer.bias)
        for layer in inner:
            nn.init.xavier_uniform_(layer.weight, generator=generator)
        nn.init.ones_(last.weight)
        self.layers: Any = nn.ModuleList(layers)

    def forward(self, batch: RankBatch) -> tuple[Tensor, Tensor]:
        """Score the pairs: (p,), and the penalty, a scalar."""
        hidden, penalty = self.inputs(batch)
        for layer in self.layers[:-1]:
            hidden = elu(layer(hidden))
        return torch.sigmoid(self.layers[-1](hidden).squeeze(1)), penalty

    def inputs(self, batch: RankBatch) -> tuple[Tensor, Tensor]:
        """Compute the inputs in the order of `shape.inputs`: (p, i), and the penalty."""
        columns, penalties = {}, [batch.numbers.new_zeros(())]

        def embed(bags: Bags, name: str, *, candidate: bool) -> tuple[Tensor, Tensor]:
            table = self.tables[self.shape.table(name, candidate=candidate)]
            sums, penalty = table(*bags, self.size.penalty)
            return normalize(sums, dim=1, eps=LEAST), penalty

        for name in self.shape.fields:
            ours, penalty = embed(batch.queries[name], name, candidate=False)
            theirs = ours
            if batch.candidates is not batch.queries:
                theirs, more = embed(batch.candidates[name], name, candidate=True)
                penalty = penalty + more
            columns[f"cos({name})"] = (ours[batch.query] * theirs[batch.candidate]).sum(dim=1)
            penalties.append(penalty)
        for name in self.shape.intersected:
            column, penalty = self.shared[name](batch.shared[name], self.size.penalty.l1)
            columns[f"shared words ({name})"] = column
            penalties.append(penalty)
        columns |= dict(zip(NUMBERS, batch.numbers.unbind(1), strict=True))
        inputs = torch.stack([columns[name] for name in self.shape.inputs], dim=1)
        return inputs, torch.stack(penalties).sum()

    def export(self) -> NNRank:
        """Copy what was learned into the model that answers."""

        def array(tensor: Tensor) -> Floats:
            copied: Floats = tensor.detach().cpu().float().numpy().copy()
            return copied

        return NNRank(
            self.shape,
            {name: array(table.table()) for name, table in self.tables.items()},
            {name: array(words.weights[:, 0]) for name, words in self.shared.items()},
            tuple((array(layer.weight), array(layer.bias)) for layer in self.layers),
        )


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

    pairs: each query beside each of its candidates. table: which of them are gold; it has no
    features.
    """

    pairs: Pairs
    table: TrainingTable

    @classmethod
    def of(cls, collection: Collection, data: RankData, dev: Dev, neighbours: int) -> "Shortlists":
        """Select for each query."""
        parts, counts, relevant = [], [], []
        for row, query, right in zip(dev.rows.tolist(), dev.queries, dev.gold, strict=True):
            vector = data.vectors[row]
            rows = np.sort(select(collection.graph, data.vectors, query, vector, neighbours)[0])
            query_rows = np.full(len(rows), row, np.int32)
            cosine = cosines(data.vectors, data.vectors, query_rows, rows)
            parts.append(make_pairs(data.sets, data.graph, cosine, query_rows, rows))
            counts.append(len(rows))
            relevant.append(np.isin(rows, right))
        flags = np.concatenate(relevant).astype(np.int8)
        golds = np.array([len(right) for right in dev.gold], np.int32)
        nothing = np.empty((len(flags), 0), np.float32)
        table = TrainingTable(nothing, flags, np.array(counts, np.int32), golds)
        return cls(stacked(parts), table)


@dataclass(frozen=True, slots=True)
class RankTask:
    """Implements `network_training.Task`: triplets, their loss, and F1 over NNSelect's candidates.

    neighbours: place of the query -> negatives near it.
    """

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
            # Negatives near each query are found by vectors that have not learned from it.
            words, size = distinct_words(data.bags), data.bags.sizes["title"]
            miner = Miner.build(sampler, words, size, options.mining)
            mined = [miner.neighbours(vectors) for vectors in data.folds.vectors]
            folds = data.folds.folds[sampler.queries].tolist()
            near = ragged([mined[fold][place] for place, fold in enumerate(folds)])
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
        batch = cut_batch(
            self.data,
            self.options.shape,
            np.concatenate([triplets.query, triplets.query]),
            np.concatenate([triplets.positive, triplets.negative]),
            rng,
            dropout=self.options.dropout,
            device=next(self.network.parameters()).device.type,
        )
        scores: Tensor
        penalty: Tensor
        scores, penalty = self.network(batch)
        margins = triplets.margins(self.data.graph, self.options.margins)
        s_pos, s_neg = scores.chunk(2)
        return triplet_loss(s_pos, s_neg, torch.from_numpy(margins).to(scores.device)) + penalty

    def measure(self) -> float:
        """Compute F1@20 of the dev queries."""
        return self.figures()[DEV_MEASURE]

    def figures(self) -> dict[str, float]:
        """Compute every measure on dev."""
        scores = score_all(self.network.export(), self.data.bags, self.dev.pairs)
        return means(judge(scores, self.dev.table))


def score_all(model: NNRank, bags: TokenBags, pairs: Pairs) -> Floats:
    """Score pairs of rows of the corpus: (p,) float32."""
    fields = {name: bags.of(name) for name in model.shape.fields}
    queries = model.embed(fields, candidate=False)
    candidates = model.embed(fields, candidate=True) if model.shape.separate else queries
    return model.score(queries, candidates, pairs)


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
        shown = ", ".join(f"{name} {self.dev[name]:.4f}" for name in ("MRR", "R@20", "R@100"))
        return [
            self.history.said(self.queries, "."),
            f"Inputs: {', '.join(self.inputs)}.",
            f"On dev: {DEV_MEASURE} {self.dev[DEV_MEASURE]:.4f} after epoch {self.history.best}, "
            f"{shown}, over NNSelect's {self.neighbours} neighbours and their citations.",
            *self.history.notes(),
            f"Saved in {root_of(self.folder.parent)}.",
        ]


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
        queries = train_and_dev(collection, split)
        progress("words", 0, 1)
        vocabulary, bags = read_bags(collection, known_by(collection, queries[0]))
        progress("words", 1, 1)
        folds = fold_vectors(index, collection, bags, queries, progress=progress)
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
        material = RankMaterial.read(writer.index, split, progress=progress)
        name = nnrank_folder(writer.index, metadata=options.metadata).name
        checkpoint = writer.unfinished / f"{name}.partial.safetensors"
        task, history = fit(material, options, checkpoint, progress=progress)
        figures, model = task.figures(), task.network.export()
        train_rows, dev_rows = material.queries
        config = {
            **model.config(),
            "nnselect": sha256(material.index / NNSELECT / MANIFEST),
            "options": facts_of(options.model),
            "loop": asdict(options.loop),
            "metadata": options.metadata,
            "left_out": options.left_out,
            "seen": options.seen,
            "history": {"measure": DEV_MEASURE, "dev": history.measures},
            "losses": history.losses,
            "dev": figures,
        }
        with writer.member(name) as folder:
            model.save(folder)
            for text in model.shape.fields:
                material.data.bags.of(text).save(folder, bags_file(text))
            (folder / VOCABULARY).mkdir()
            material.vocabulary.save(folder / VOCABULARY)
            SeenQueries.of(material.collection, train=train_rows, dev=dev_rows).save(folder)
            seal(folder, KIND, SCHEMA, config)
        checkpoint.unlink()
        inputs, neighbours = task.options.shape.inputs, options.model.neighbours
        place = in_force(writer.index) / name
        return NNRankReport(place, len(train_rows), neighbours, inputs, history, figures)


def fit(
    material: RankMaterial,
    options: NNRankOptions,
    checkpoint: Path,
    *,
    progress: Progress = silent,
) -> tuple[RankTask, History]:
    """Train a network, and leave it at its best; the checkpoint stays."""
    task = RankTask.build(
        material.collection,
        material.lesson(options),
        material.queries,
        replace(options.model, shape=material.shape(options)),
        seed=options.loop.seed,
    )
    device = device_of(options.loop.device)
    task.network.to(device)
    files = map(sha256, (material.index / NNSELECT / MANIFEST, material.split))
    key = fingerprint([_REVISION, content_key(material.index), *files, asdict(options)])
    file = TensorFile(checkpoint, fingerprint([key, device]))
    return task, train(task, options.loop, file, progress=progress)
