"""NNSelect: a corpus's papers as bags of words, the network, its training, and how it is stored.

Bhagavatula et al. 2018: a word has a magnitude and a direction. Nothing is padded: a batch is one
list of numbers with offsets. Words that a batch repeats are read from the tables once, and only
they get a gradient. A paper's vector is made of the words of its title and abstract. Training may
start from word vectors that somebody else has trained.
"""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, embedding_bag, normalize

from recsys.errors import InputError
from recsys.eval.measures import Judged, means
from recsys.indexes.opening import open_collection
from recsys.models.encoder import SeenQueries
from recsys.models.nnselect import (
    FIELDS,
    KIND,
    NEIGHBOURS,
    SCHEMA,
    Entries,
    NNSelectModel,
    Vocabulary,
    select,
)
from recsys.pipelines.evaluation.splits import gold, read_split
from recsys.pipelines.jobs.index_writer import writing
from recsys.pipelines.jobs.tensor_file import TensorFile
from recsys.pipelines.ranking.train_ranker import newest_year
from recsys.pipelines.studies.citeomatic.negatives import (
    Kind,
    Margins,
    Miner,
    Mining,
    Sampling,
    Triplets,
    TripletSampler,
    triplet_loss,
)
from recsys.pipelines.studies.citeomatic.network_training import (
    History,
    LoopOptions,
    device_of,
    train,
)
from recsys.protocols import Progress, silent
from recsys.query.query import Query, draft_of, make_query
from recsys.store.arrays import Floats, Mask, Ragged, Rows, SortedStrings
from recsys.store.artifacts import NNSELECT, UNTIL, fingerprint, seal, sha256
from recsys.store.collection import Collection
from recsys.store.generations import content_key, in_force, root_of
from recsys.store.graph import UNKNOWN_YEAR

LEAST = 1e-9
"""Added length below which a vector is left alone: an empty bag stays zero."""
CUTOFF = 20
DEV_MEASURE = f"R@{CUTOFF}"
SHOWN = (f"F1@{CUTOFF}", "MRR", DEV_MEASURE, "R@100")
BATCH = 2048
"""Triplets: four times as many as the loop's default take half the time, and learn as much."""
CHECKPOINT = "nnselect.partial.safetensors"
"""Of a training that is not finished."""
_PAPERS = 4096
"""Papers embedded at a time when no gradient is wanted."""
_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""
_FORMAT = "Give a text file with a word and its numbers in every line, as of GloVe or word2vec."


@dataclass(frozen=True, slots=True)
class TokenBags:
    """Each field of every paper: row -> numbers in order, words with multiplicity.

    sizes: how many different numbers a field has; title and abstract share theirs.
    """

    title: Ragged
    abstract: Ragged
    authors: Ragged
    venue: Ragged
    keyphrases: Ragged
    sizes: Mapping[str, int]

    def of(self, field: str) -> Ragged:
        """Return a field's bags."""
        bags: Ragged = getattr(self, field)
        return bags

    def __len__(self) -> int:
        """Count the papers."""
        return len(self.title)


def read_bags(collection: Collection, known: Mask) -> tuple[Vocabulary, TokenBags]:
    """Make the vocabulary of the known papers, and the bags of all papers by it."""
    papers = [Entries.of(paper) for paper in collection.corpus.full_papers(range(len(known)))]
    vocabulary = Vocabulary.build(papers[row] for row in np.flatnonzero(known))
    bags = {name: vocabulary.bags(papers, name) for name in FIELDS}
    sizes = {name: len(vocabulary.of(name)) for name in FIELDS}
    return vocabulary, TokenBags(**bags, sizes=sizes)


def known_by(collection: Collection, train: Rows) -> Mask:
    """Tell which papers are of a known year, and not newer than the newest train query: (n,)."""
    years = collection.graph.years
    known: Mask = (years != UNKNOWN_YEAR) & (years <= years[train].max(initial=0))
    return known


def train_and_dev(collection: Collection, split: Path) -> tuple[Rows, Rows]:
    """Read the rows of a split's train and dev queries.

    Raises:
        SplitError: the split does not fit the index, or its parts overlap.
    """
    parts = read_split(split, collection)
    train_rows, dev_rows = (collection.corpus.rows(parts.part(name)) for name in ("train", "dev"))
    return train_rows, dev_rows


def drop_words(bags: Ragged, share: float, rng: np.random.Generator) -> Ragged:
    """Leave out every entry with the given chance: the paper's word dropout.

    Nothing is scaled up in return, since sums are normalised.
    """
    if share <= 0:
        return bags
    kept = rng.random(len(bags.values), np.float32) >= share
    before = np.concatenate([[0], np.cumsum(kept)])
    return Ragged(before[bags.starts], bags.values[kept])


def rows_of(bags: Ragged, rows: Rows) -> Ragged:
    """Gather some rows."""
    starts = np.concatenate([[0], np.cumsum(bags.lengths(rows))])
    return Ragged(starts, bags.take(rows)[1])


def to_torch(bags: Ragged, device: str = "cpu") -> tuple[Tensor, Tensor]:
    """Give (values: (nnz,), offsets: (n + 1,)), both int64, as MagDirBag reads them."""
    return (
        torch.from_numpy(bags.values.astype(np.int64)).to(device),
        torch.from_numpy(bags.starts.astype(np.int64)).to(device),
    )


def distinct_words(bags: TokenBags) -> Ragged:
    """Put title and abstract together: row -> distinct words, ascending."""
    rows = np.arange(len(bags), dtype=np.int32)
    owners, words = (
        np.concatenate(parts)
        for parts in zip(bags.title.take(rows), bags.abstract.take(rows), strict=True)
    )
    pairs = np.unique(np.stack([owners, words]), axis=1)
    return Ragged.from_pairs(pairs[0], pairs[1], len(bags))


@dataclass(frozen=True, slots=True)
class Penalty:
    """Weights of the activity regularisers: l1 of magnitudes, l2 of directions."""

    l1: float = 0.0
    l2: float = 0.0


class MagDirBag(nn.Module):
    """Sums mag_t * dir_t / |dir_t| over the numbers t of each bag, with multiplicity.

    Initial magnitudes and directions come from `generator`. The gradients of both are sparse.
    """

    sparse = True

    def __init__(self, size: int, dim: int, generator: torch.Generator) -> None:
        super().__init__()
        self.directions = nn.Parameter(torch.randn(size, dim, generator=generator) / dim**0.5)
        self.magnitudes = nn.Parameter(0.5 + torch.rand(size, 1, generator=generator))

    def forward(
        self, values: Tensor, offsets: Tensor, penalty: Penalty = Penalty()
    ) -> tuple[Tensor, Tensor]:
        """Sum each bag, and penalise what was read.

        Args:
            values: (nnz,) int64, the numbers of all bags.
            offsets: (b + 1,) int64; bag i is `values[offsets[i]:offsets[i + 1]]`.
            penalty: of what is read.

        Returns:
            (b, d), not normalised, an empty bag is zero; and a scalar: the sum over all numbers t
            of l1 * |mag_t| + l2 * |dir_t|^2, divided by the number of bags.
        """
        codes, place = codes_of(values, len(self.directions))
        directions = embedding(codes, self.directions, sparse=True)
        magnitudes = embedding(codes, self.magnitudes, sparse=True)
        table = magnitudes * normalize(directions, dim=1, eps=LEAST)
        sums = embedding_bag(place, table, offsets, mode="sum", include_last_offset=True)
        if not (penalty.l1 or penalty.l2):
            return sums, sums.new_zeros(())
        each = penalty.l1 * magnitudes.abs().squeeze(1) + penalty.l2 * (directions**2).sum(dim=1)
        counts = torch.bincount(place, minlength=len(codes)).to(each.dtype)
        return sums, (each @ counts) / max(len(offsets) - 1, 1)

    def table(self) -> Tensor:
        """Multiply out mag * dir / |dir| for every number: (size, d)."""
        with torch.no_grad():
            return self.magnitudes * normalize(self.directions, dim=1, eps=LEAST)


def codes_of(values: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Return the distinct numbers, ascending, and the place of each value among them."""
    used = torch.zeros(size, dtype=torch.bool, device=values.device)
    used[values] = True
    codes = used.nonzero().squeeze(1)
    places = torch.zeros(size, dtype=torch.int64, device=values.device)
    places[codes] = torch.arange(len(codes), device=values.device)
    return codes, places[values]


class NNSelect(nn.Module):
    """Embeds papers: title and abstract by one table of words, each scaled by a weight of its own.

    e = normalise(scale_title * normalise(sum of title) + scale_abstract * normalise(sum of
    abstract)); the score of two papers is the cosine.
    """

    def __init__(self, size: int, dim: int, generator: torch.Generator) -> None:
        """Start with random vectors of length `dim` for `size` words."""
        super().__init__()
        self.words = MagDirBag(size, dim, generator)
        self.scales = nn.Parameter(torch.ones(2))

    @torch.no_grad()
    def start_from(self, codes: Tensor, vectors: Tensor) -> None:
        """Give the words of (m,) codes the directions of (m, d) vectors; magnitudes by length.

        Lengths are divided by their mean, since only ratios of magnitudes matter.
        """
        lengths = vectors.norm(dim=1, keepdim=True)
        self.words.directions[codes] = vectors / lengths
        self.words.magnitudes[codes] = lengths / lengths.mean()

    def forward(
        self, values: Tensor, offsets: Tensor, penalty: Penalty = Penalty()
    ) -> tuple[Tensor, Tensor]:
        """Embed papers, and penalise what was read of the table.

        Args:
            values: (nnz,) int64, the words of all titles, then of all abstracts.
            offsets: (2 b + 1,) int64.
            penalty: of what is read.

        Returns:
            (b, d), unit rows, a paper without known words is zero; and a scalar.
        """
        sums, cost = self.words(values, offsets, penalty)
        title, abstract = normalize(sums, dim=1, eps=LEAST).view(2, -1, sums.shape[1])
        both = self.scales[0] * title + self.scales[1] * abstract
        return normalize(both, dim=1, eps=LEAST), 2 * cost


def word_bags(bags: TokenBags, rows: Rows) -> Ragged:
    """Lay out papers for NNSelect: the words of their titles, then of their abstracts."""
    title, abstract = rows_of(bags.title, rows), rows_of(bags.abstract, rows)
    return Ragged(
        np.concatenate([title.starts, title.starts[-1] + abstract.starts[1:]]),
        np.concatenate([title.values, abstract.values]),
    )


def embed(network: NNSelect, bags: TokenBags) -> Floats:
    """Embed all papers without dropout: (n, d) float32."""
    rows = np.arange(len(bags), dtype=np.int32)
    device = network.scales.device.type
    parts = [np.empty((0, network.words.directions.shape[1]), np.float32)]
    with torch.no_grad():
        for begin in range(0, len(rows), _PAPERS):
            inputs = to_torch(word_bags(bags, rows[begin : begin + _PAPERS]), device)
            parts.append(network(*inputs)[0].float().cpu().numpy())
    return np.concatenate(parts)


@dataclass(frozen=True, slots=True)
class SelectOptions:
    """The model and how it learns; the defaults were chosen on dev queries of visualization papers.

    dim: length of a vector. dropout: share of words left out in training. mining: None learns
    without neighbours as negatives.
    """

    dim: int = 150
    dropout: float = 0.5
    penalty: Penalty = field(default_factory=Penalty)
    margins: Margins = field(default_factory=lambda: Margins(gamma=1.5))
    mining: Mining | None = field(default_factory=lambda: Mining(percentile=50))
    sampling: Sampling = field(default_factory=Sampling)

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> "SelectOptions":
        """Read options back from a manifest, where `facts_of` wrote them."""
        kinds = tuple(Kind[name.upper()] for name in facts["sampling"]["kinds"])
        nested: dict[str, Any] = {
            "penalty": Penalty(**facts["penalty"]),
            "margins": Margins(**facts["margins"]),
            "mining": None if facts["mining"] is None else Mining(**facts["mining"]),
            "sampling": Sampling(**{**facts["sampling"], "kinds": kinds}),
        }
        return cls(**{**facts, **nested})


def facts_of(options: Any) -> dict[str, Any]:  # noqa: ANN401 - of either model
    """Write the options of a model as JSON holds them."""
    facts = asdict(options)
    facts["sampling"]["kinds"] = [kind.name.lower() for kind in options.sampling.kinds]
    return facts


@dataclass(frozen=True, slots=True)
class Dev:
    """The dev queries: rows, what each may see, and its gold papers."""

    rows: Rows
    queries: list[Query]
    gold: list[Rows]

    @classmethod
    def of(cls, collection: Collection, rows: Rows) -> "Dev":
        """Pose the papers in these rows as queries."""
        papers = collection.corpus.full_papers(rows)
        queries = [
            make_query(collection, draft_of(paper), collection.vectors[row])
            for row, paper in zip(rows.tolist(), papers, strict=True)
        ]
        return cls(rows, queries, [gold(collection, row) for row in rows.tolist()])


@dataclass(frozen=True, slots=True)
class SelectTask:
    """Implements `network_training.Task`: mined triplets, their loss, and recall on dev."""

    network: NNSelect
    collection: Collection
    bags: TokenBags
    sampler: TripletSampler
    miner: Miner | None
    dev: Dev
    options: SelectOptions

    @classmethod
    def build(
        cls,
        collection: Collection,
        bags: TokenBags,
        queries: tuple[Rows, Rows],
        options: SelectOptions,
        seed: int,
    ) -> "SelectTask":
        """Lay everything out; queries: rows of train and dev."""
        sampler = TripletSampler.build(collection, queries[0], options.sampling)
        size, miner = bags.sizes["title"], None
        if options.mining is not None and Kind.NEIGHBOUR in options.sampling.kinds:
            miner = Miner.build(sampler, distinct_words(bags), size, options.mining)
        network = NNSelect(size, options.dim, torch.Generator().manual_seed(seed))
        dev = Dev.of(collection, queries[1])
        return cls(network, collection, bags, sampler, miner, dev, options)

    def triplets(self, rng: np.random.Generator) -> Triplets:
        """Draw an epoch; neighbours are those of the network as it is."""
        near = None
        if self.miner is not None:
            near = self.miner.neighbours(embed(self.network, self.bags))
        return self.sampler.epoch(rng, near)

    def loss(self, triplets: Triplets, rng: np.random.Generator) -> Tensor:
        """Embed each paper of the batch once, and compare."""
        device = self.network.scales.device.type
        three = np.stack([triplets.query, triplets.positive, triplets.negative])
        rows, places = np.unique(three, return_inverse=True)
        inputs = drop_words(word_bags(self.bags, rows), self.options.dropout, rng)
        vectors: Tensor
        cost: Tensor
        vectors, cost = self.network(*to_torch(inputs, device), self.options.penalty)
        query, positive, negative = vectors[torch.from_numpy(places.reshape(3, -1)).to(device)]
        margins = triplets.margins(self.collection.graph, self.options.margins)
        s_pos, s_neg = (query * positive).sum(dim=1), (query * negative).sum(dim=1)
        return triplet_loss(s_pos, s_neg, torch.from_numpy(margins).to(device)) + cost

    def measure(self) -> float:
        """Compute R@20 of the dev queries, selected as in evaluations."""
        return self.figures()[DEV_MEASURE]

    def figures(self) -> dict[str, float]:
        """Select for each dev query and compare with gold: the measures SHOWN -> mean."""
        vectors, dev, judged = embed(self.network, self.bags), self.dev, []
        for row, query, right in zip(dev.rows.tolist(), dev.queries, dev.gold, strict=True):
            rows, _ = select(self.collection.graph, vectors, query, vectors[row], NEIGHBOURS)
            judged.append(Judged(np.isin(rows, right), len(right)))
        figures = means(judged)
        return {name: figures[name] for name in SHOWN}


def read_word_vectors(path: Path, words: SortedStrings) -> tuple[Rows, Floats]:
    """Read the vectors of known words from a text file, plain or .gz; the first of a word counts.

    A first line of two numbers, as word2vec writes, is left out.

    Returns:
        Numbers of the words, (m,) int32, ascending; their vectors, (m, d) float32.

    Raises:
        InputError: no such file, a line that is of another length or no numbers, or no known word.
    """
    if not path.is_file():
        raise InputError(f"There is no file of word vectors at {path}.", "Check the path.")
    found: dict[int, Floats] = {}
    dim, opener = 0, gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                parts = line.split()
                if not parts or (number == 1 and len(parts) == 2):
                    continue
                dim = dim or len(parts) - 1
                code = words.find(parts[0])
                if code is None or code in found:
                    continue
                try:
                    vector = np.array(parts[1:], np.float32)
                except ValueError as error:
                    raise InputError(f"{path}, line {number}: {error}.", _FORMAT) from error
                if len(vector) != dim or not np.isfinite(vector).all() or not vector.any():
                    what = f"not a vector of {dim} finite numbers, one of them not 0."
                    raise InputError(f"{path}, line {number}: {what}", _FORMAT)
                found[code] = vector
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile) as error:
        raise InputError(f"{path} cannot be read ({error}).", _FORMAT) from error
    if not found:
        raise InputError(f"{path} has no vector of any of {len(words)} words.", _FORMAT)
    codes = sorted(found)
    return np.array(codes, np.int32), np.stack([found[code] for code in codes])


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
        shown = ", ".join(f"{name} {self.dev[name]:.4f}" for name in ("F1@20", "MRR", "R@100"))
        return [
            self.history.said(self.queries, f"; {self.words:,} words."),
            f"On dev: {DEV_MEASURE} {self.dev[DEV_MEASURE]:.4f} after epoch {self.history.best}, "
            f"{shown}, by {NEIGHBOURS} neighbours and their citations.",
            *self.history.notes(),
            f"Saved in {root_of(self.folder.parent)}.",
        ]


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
        collection = open_collection(writer.index)
        train_rows, dev_rows = train_and_dev(collection, split)
        progress("words", 0, 1)
        vocabulary, bags = read_bags(collection, known_by(collection, train_rows))
        progress("words", 1, 1)
        files, start = [sha256(split)], None
        if options.word_vectors is not None:
            files.append(sha256(options.word_vectors))
            start = read_word_vectors(options.word_vectors, vocabulary.words)
            options = replace(options, model=replace(options.model, dim=start[1].shape[1]))
        seed, device = options.loop.seed, device_of(options.loop.device)
        task = SelectTask.build(collection, bags, (train_rows, dev_rows), options.model, seed)
        network = task.network
        if start is not None:
            network.start_from(*map(torch.from_numpy, start))
        network.to(device)
        recipe = [_REVISION, content_key(collection.folder), files, asdict(options), device]
        file = TensorFile(writer.unfinished / CHECKPOINT, fingerprint(recipe))
        history = train(task, options.loop, file, progress=progress)
        table = network.words.table().float().cpu().numpy()
        scales = network.scales.detach().float().cpu().numpy()
        hashes = [hashlib.sha256(array.tobytes()).hexdigest() for array in (table, scales)]
        key = fingerprint([KIND, *hashes])
        model = NNSelectModel(vocabulary.words, table, scales, embed(network, bags), key)
        figures = task.figures()
        facts = {
            "fingerprint": model.fingerprint,
            "dim": model.dim,
            "words": len(model.table),
            "papers": len(model.vectors),
            "options": facts_of(options.model),
            "loop": asdict(options.loop),
            "word_vectors": None if options.word_vectors is None else options.word_vectors.name,
            "history": {DEV_MEASURE: history.measures, "loss": history.losses},
            "dev": figures,
            UNTIL: newest_year(collection, train_rows, dev_rows),
        }
        with writer.member(NNSELECT) as folder:
            model.save(folder)
            SeenQueries.of(collection, train=train_rows, dev=dev_rows).save(folder)
            seal(folder, KIND, SCHEMA, facts)
        file.path.unlink()
        place, words = in_force(writer.index) / NNSELECT, len(vocabulary.words)
        return NNSelectReport(place, len(train_rows), words, history, figures)
