"""NNRank in torch: the network that is trained; `recsys.models.nnrank` answers with what it learns.

The paper leaves open how weights start. Here a word, author... starts as important as it is rare:
so the network ranks well on what it never saw in training, and learns the rest. The ELU layers
start by Glorot, the last one with ones, as in the original code.

Batches of pairs are not padded, and each paper's words are read once a batch.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import elu, embedding, embedding_bag, normalize

from recsys.models.nnrank import CANDIDATE_WORDS, METADATA_FIELDS, WORDS, NNRank, RankShape
from recsys.models.pairs import INTERSECTED, NUMBERS, Pairs, cosines, distinct, make_pairs
from recsys.pipelines.studies.citeomatic.bags import (
    TokenBags,
    distinct_words,
    drop_words,
    rows_of,
    to_torch,
)
from recsys.pipelines.studies.citeomatic.cross_fit import FoldVectors
from recsys.pipelines.studies.citeomatic.towers import LEAST, MagDirBag, Penalty, codes_of
from recsys.store.arrays import Floats, Ragged, Rows
from recsys.store.graph import CitationGraph

if TYPE_CHECKING:
    import torch

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
