"""Batches of pairs for NNRank: without padding, each paper's words read once a batch."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from recsys.models.nnrank import METADATA_FIELDS, WORDS, RankShape
from recsys.models.pairs import INTERSECTED, Pairs, cosines, distinct, make_pairs
from recsys.pipelines.studies.citeomatic.bags import (
    TokenBags,
    distinct_words,
    drop_words,
    rows_of,
    to_torch,
)
from recsys.pipelines.studies.citeomatic.cross_fit import FoldVectors
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
