"""Triplets for training: a query, a paper that it cites, a paper that it could cite and does not.

A candidate is a paper of known year, not newer than the query. Negatives are of three kinds (see
`Kind`): drawn from all candidates; near the query by the model as it is now (see `Miner`); and
cited by what the query cites.

The loss and its margins are those of Bhagavatula et al. 2018, appendix B.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from recsys.indexes.backends import build_index, open_built
from recsys.models.pairs import counts_as_of
from recsys.pipelines.evaluation.splits import gold
from recsys.store.arrays import Floats, Longs, Mask, Ragged, Rows
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph, Years

if TYPE_CHECKING:
    from torch import Tensor


class Kind(IntEnum):
    """Where a negative comes from."""

    RANDOM = 0
    NEIGHBOUR = 1
    CITED_BY_CITED = 2


ALPHA = (0.3, 0.2, 0.1)
"""Margin of a kind: the likelier a negative is a paper that should be cited, the smaller."""


@dataclass(frozen=True, slots=True)
class Margins:
    """How far a positive shall be above a negative.

    gamma: multiplies ALPHA. variable: without, every kind has the margin of a neighbour. boost: +1
    lets papers that are cited more often come out higher, as the paper says that its boost does and
    as its code computes; -1 is the formula as printed in appendix B, which does the opposite; 0 is
    no boost.
    """

    gamma: float = 1.0
    variable: bool = True
    boost: int = 1

    def of(self, kinds: NDArray[np.int8], positive: Longs, negative: Longs) -> Floats:
        """Compute gamma * alpha(kind) + boost * (B(positive) - B(negative)): (t,) float32.

        Args:
            kinds: (t,) the `Kind` of each negative.
            positive: (t,) citations of each positive, as of the query.
            negative: (t,) citations of each negative, as of the query.
        """
        alpha = np.array(ALPHA if self.variable else (ALPHA[Kind.NEIGHBOUR],) * len(ALPHA))
        lift = self.boost * (citation_boost(positive) - citation_boost(negative))
        return (self.gamma * alpha[kinds] + lift).astype(np.float32)


def citation_boost(counts: Longs) -> NDArray[np.float64]:
    """Compute B(d) = sigmoid(citations of d / 100) / 50."""
    return 0.02 / (1 + np.exp(-counts / 100))


def triplet_loss(s_pos: "Tensor", s_neg: "Tensor", margins: "Tensor") -> "Tensor":
    """Average max(margin + s_neg - s_pos, 0) over (t,) scores and margins."""
    return (margins + s_neg - s_pos).clamp(min=0).mean()


_REDRAWS = 50


@dataclass(frozen=True, slots=True)
class Triplets:
    """Rows of query, positive and negative: (t,) int32 each; kind: (t,) int8, the negative's."""

    query: Rows
    positive: Rows
    negative: Rows
    kind: NDArray[np.int8]

    def __len__(self) -> int:
        """Count the triplets."""
        return len(self.query)

    def take(self, places: slice | Longs | Mask) -> "Triplets":
        """Pick some."""
        return Triplets(
            self.query[places], self.positive[places], self.negative[places], self.kind[places]
        )

    def margins(self, graph: CitationGraph, margins: Margins) -> Floats:
        """Compute each triplet's margin; citations count as of the query's year."""
        before = graph.years[self.query]
        positive, negative = (
            counts_as_of(graph, rows, before) for rows in (self.positive, self.negative)
        )
        return margins.of(self.kind, positive, negative)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How triplets are drawn.

    kinds: of negatives. per_kind: negatives of each kind for a positive. most_positives: of a query
    in an epoch.
    """

    kinds: tuple[Kind, ...] = tuple(Kind)
    per_kind: int = 2
    most_positives: int = 100


@dataclass(frozen=True, slots=True)
class TripletSampler:
    """Draws triplets. A query's place is its number among `queries`.

    positives, cited_by_cited: place -> rows. taken: (m,) int64 ascending keys of the rows that are
    no negatives of a query: what it cites, and itself. by_year: rows of known year, oldest first;
    choices: place -> how many of them are not newer than the query.
    """

    queries: Rows
    options: Sampling
    positives: Ragged
    cited_by_cited: Ragged
    taken: Longs
    by_year: Rows
    choices: Longs

    @classmethod
    def build(
        cls, collection: Collection, queries: Rows, options: Sampling | None = None
    ) -> "TripletSampler":
        """Lay out what stays the same in every epoch; queries: rows of known year."""
        graph = collection.graph
        years = np.asarray(graph.years)
        by_year, _ = in_turn(graph.years)
        positives = ragged([gold(collection, row) for row in queries.tolist()])
        places = np.arange(len(queries), dtype=np.int32)
        owner, cited = graph.cites.take(queries)
        sampler = cls(
            queries=queries,
            options=options or Sampling(),
            positives=positives,
            cited_by_cited=positives,
            taken=np.sort(keys(np.append(owner, places), np.append(cited, queries))),
            by_year=by_year,
            choices=np.searchsorted(years[by_year], years[queries], side="right"),
        )
        first, cited = positives.take(places)
        second, rows = graph.cites.take(cited)
        pairs = np.unique(keys(first[second], rows))
        place, row = (pairs >> 32).astype(np.int32), (pairs & 0xFFFFFFFF).astype(np.int32)
        good = (years[row] != UNKNOWN_YEAR) & (years[row] <= years[queries[place]])
        good &= sampler.may_be_negative(place, row)
        second_hand = Ragged.from_pairs(place[good], row[good], len(queries))
        return replace(sampler, cited_by_cited=second_hand)

    def epoch(self, rng: np.random.Generator, neighbours: Ragged | None = None) -> Triplets:
        """Draw an epoch: queries in random order, the triplets of each one after another.

        Args:
            rng: decides everything.
            neighbours: place -> rows near the query that may be negatives; None: there are none.
        """
        place, rows = self.positives.take(np.arange(len(self.queries), dtype=np.int32))
        order = np.lexsort((rng.random(len(rows)), place))
        number = np.arange(len(rows)) - self.positives.starts[place]
        order = order[number < self.options.most_positives]
        places = np.repeat(place[order], self.options.per_kind)
        positives = np.repeat(rows[order], self.options.per_kind)
        drawn = []
        for kind in self.options.kinds:
            if kind == Kind.RANDOM:
                negative = self.unrelated(rng, places, redraws=_REDRAWS)
            else:
                pool = self.cited_by_cited if kind == Kind.CITED_BY_CITED else neighbours
                negative = np.full(len(places), -1, np.int32)
                if pool is not None:
                    lengths = pool.lengths(places)
                    at = pool.starts[places] + (rng.random(len(places)) * lengths).astype(np.int64)
                    negative[lengths > 0] = pool.values[at[lengths > 0]]
            there = negative >= 0
            kinds = np.full(there.sum(), kind, np.int8)
            drawn.append((places[there], positives[there], negative[there], kinds))
        place, positive, negative, kinds = map(np.concatenate, zip(*drawn, strict=True))
        turn = rng.permutation(len(self.queries))
        order = np.argsort(turn[place], kind="stable")
        return Triplets(self.queries[place], positive, negative, kinds).take(order)

    def may_be_negative(self, places: Rows, rows: Rows) -> Mask:
        """Tell of pairs whether the query neither cites the row nor is it; years are not asked."""
        pairs = keys(places, rows)
        at = np.minimum(np.searchsorted(self.taken, pairs), len(self.taken) - 1)
        return np.asarray(self.taken[at] != pairs)

    def unrelated(self, rng: np.random.Generator, places: Rows, *, redraws: int) -> Rows:
        """Draw a candidate that may be a negative for each place, -1 where none was met."""
        rows, left = np.full(len(places), -1, np.int32), np.arange(len(places))
        for _ in range(redraws):  # A query that cites nearly everything gets none.
            if len(left) == 0:
                break
            drawn = self.by_year[rng.integers(0, self.choices[places[left]])]
            good = self.may_be_negative(places[left], drawn)
            rows[left[good]] = drawn[good]
            left = left[~good]
        return rows


def in_turn(years: Years) -> tuple[Rows, Longs]:
    """Order the papers of known year, oldest first: (their rows, row -> place there).

    The place of a paper of unknown year is behind all others'.
    """
    known = np.flatnonzero(np.asarray(years) != UNKNOWN_YEAR).astype(np.int32)
    rows = known[np.argsort(np.asarray(years)[known], kind="stable")]
    turn = np.full(len(years), len(years))
    turn[rows] = np.arange(len(rows))
    return rows, turn


def keys(places: Rows, rows: Rows) -> Longs:
    """Write pairs as `TripletSampler.taken` holds them: (m,) int64."""
    joined: Longs = (places.astype(np.int64) << 32) | rows.astype(np.int64)
    return joined


def ragged(lists: Sequence[Rows]) -> Ragged:
    """Put lists of rows one after the other."""
    starts = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return Ragged(starts, np.concatenate([np.empty(0, np.int32), *lists]).astype(np.int32))


SCANNED = 50_000
"""Below so many papers, all of them are compared: that takes no longer than to make lists."""
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class Mining:
    """How neighbours become negatives.

    depth: nearest candidates that are looked at. percentile: those stay whose Jaccard similarity
    with the query is below this percentile of the positives'; 100 keeps all. The paper says 5; its
    code computes 0.05, nearly the minimum.
    """

    depth: int = 100
    percentile: float = 5.0


@dataclass(frozen=True, slots=True)
class Miner:
    """Finds them anew for every state of the model. words: row -> distinct words, ascending."""

    sampler: TripletSampler
    words: Ragged
    vocabulary: int
    depth: int
    cutoff: float

    @classmethod
    def build(
        cls, sampler: TripletSampler, words: Ragged, vocabulary: int, options: Mining
    ) -> "Miner":
        """Measure how many words the positives have in common with their queries."""
        similarities = jaccard(sampler.queries, sampler.positives, words, vocabulary)
        every = similarities if len(similarities) else np.zeros(1)
        cutoff = np.inf if options.percentile >= 100 else np.percentile(every, options.percentile)
        return cls(sampler, words, vocabulary, options.depth, float(cutoff))

    def neighbours(self, vectors: Floats) -> Ragged:
        """Find the negatives near each query: place -> rows; vectors: (n, d) float32, unit rows."""
        near = near_negatives(vectors, self.sampler, self.depth)
        if np.isinf(self.cutoff):
            return near
        owner, rows = near.take(np.arange(len(near), dtype=np.int32))
        kept = jaccard(self.sampler.queries, near, self.words, self.vocabulary) < self.cutoff
        return Ragged.from_pairs(owner[kept], rows[kept], len(near))


def near_negatives(vectors: Floats, sampler: TripletSampler, k: int) -> Ragged:
    """Find what may be a negative among the k rows nearest each query: place -> rows."""
    near = nearest(vectors, sampler, k)
    owner, rows = near.take(np.arange(len(near), dtype=np.int32))
    kept = sampler.may_be_negative(owner, rows)
    return Ragged.from_pairs(owner[kept], rows[kept], len(near))


def nearest(vectors: Floats, sampler: TripletSampler, k: int) -> Ragged:
    """Find up to k rows near each query and not newer: place -> rows in no particular order."""
    found: list[Rows] = [np.empty(0, np.int32)] * len(sampler.queries)
    if len(vectors) > SCANNED:
        rank = np.full(len(vectors), len(vectors))
        rank[sampler.by_year] = np.arange(len(sampler.by_year))
        with TemporaryDirectory() as folder:
            facts = build_index("ivf", vectors, Path(folder))
            index = open_built(vectors, Path(folder), facts)
            for place, row in enumerate(sampler.queries.tolist()):
                allowed = rank < sampler.choices[place]
                found[place] = index.search(vectors[row], k, allowed=allowed)[0]
        return ragged(found)
    # Blocks of queries are compared with all papers not newer than the newest of them.
    ordered = vectors[sampler.by_year]
    turn = np.argsort(sampler.choices, kind="stable")
    for begin in range(0, len(turn), _BLOCK):
        block = turn[begin : begin + _BLOCK]
        cosines = vectors[sampler.queries[block]] @ ordered[: sampler.choices[block[-1]]].T
        for place, line in zip(block.tolist(), cosines, strict=True):
            choices = int(sampler.choices[place])
            rest = choices - min(k, choices)
            top = np.argpartition(line[:choices], rest)[rest:]
            found[place] = sampler.by_year[top]
    return ragged(found)


def jaccard(queries: Rows, others: Ragged, words: Ragged, vocabulary: int) -> NDArray[np.float64]:
    """Compare the words of queries with those of other papers: one number per value of `others`.

    Args:
        queries: (q,) rows.
        others: place of the query -> rows.
        words: row -> distinct words.
        vocabulary: how many words there are.
    """
    shares = np.zeros(len(others.values))
    own = np.zeros(vocabulary, bool)
    for place, query in enumerate(queries.tolist()):
        rows = others[place]
        own[words[query]] = True
        owner, theirs = words.take(rows)
        shared = np.bincount(owner, own[theirs], minlength=len(rows))
        union = len(words[query]) + words.lengths(rows) - shared
        shares[others.starts[place] : others.starts[place + 1]] = shared / np.maximum(union, 1)
        own[words[query]] = False
    return shares
