"""SPECTER's triplets: a query, a paper related to it, and one that is less related or not at all.

Related papers have counts, higher is closer: 5 for what the query cites, 1 for what those papers
cite, or how often two papers were viewed together. Of the triplets of a query, some have a hard
negative, which is related to the query but much less than the positive; the others an easy one,
which is not related at all.

The rule is that of the published sampler (allenai/specter, triplet_sampling_parallel.py) with three
changes. A query whose related papers all have one count, or that has one or two of them, gives easy
triplets only, where the published sampler gives none. No triplet is drawn twice as long as there
are others. And what is drawn depends on the generator alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from recsys.pipelines.studies.citeomatic.negatives import Kind, Triplets, TripletSampler
from recsys.store.arrays import Longs, Mask, Ragged, Rows
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph, Years

CITED, CITED_BY_CITED = 5.0, 1.0
"""SPECTER's counts."""
MARGIN = 0.5
"""Share of a query's range of counts between a positive and its hard negative, at least."""
_REDRAWS = 20

Counts = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Draw:
    """How many triplets of which kind a query gives: the rest of `per_query` is easy.

    hard: negatives that are related a little. near: negatives near the query by the encoder as it
    is, which are found anew for each epoch.
    """

    per_query: int = 5
    hard: int = 2
    near: int = 0


@dataclass(frozen=True, slots=True)
class RelatedSampler:
    """Draws triplets. A query's place is its number among `base.queries`, which ascend.

    base: which papers may be compared with a query; those in its `taken` are no easy negatives.
    related: place -> rows by falling count. counts: (m,) float64, of `related.values`. turn: (n,)
    row -> its place in `base.by_year`, behind all others' if it is not there.
    """

    base: TripletSampler
    related: Ragged
    counts: Counts
    turn: Longs

    @classmethod
    def build(
        cls, base: TripletSampler, owner: Rows, rows: Rows, counts: Counts, turn: Longs
    ) -> "RelatedSampler":
        """Lay (m,) related papers out; owner: place of the query."""
        order = np.lexsort((rows, -counts, owner))
        taken = np.unique(np.concatenate([base.taken, keys(owner, rows)]))
        related = Ragged.from_pairs(owner[order], rows[order], len(base.queries))
        return cls(replace(base, taken=taken), related, counts[order], turn)

    @classmethod
    def of_citations(cls, collection: Collection, queries: Rows, hidden: Rows) -> "RelatedSampler":
        """Relate queries to what they cite, and to what those papers cite, as of their years.

        Args:
            collection: the corpus.
            queries: rows of known year, ascending.
            hidden: rows whose references are not looked at: the dev and test queries.
        """
        graph = without_references(collection.graph, hidden)
        base = TripletSampler.build(replace(collection, graph=graph), queries)
        places = np.arange(len(queries), dtype=np.int32)
        direct, second = (pool.take(places) for pool in (base.positives, base.cited_by_cited))
        owner, rows = (np.concatenate(each) for each in zip(direct, second, strict=True))
        counts = np.repeat([CITED, CITED_BY_CITED], [len(direct[1]), len(second[1])])
        return cls.build(base, owner, rows, counts, in_turn(graph.years)[1])

    def epoch(self, rng: np.random.Generator, draw: Draw, near: Ragged | None = None) -> Triplets:
        """Draw every query's triplets, query after query.

        A query without related papers gives none; nor do triplets whose easy negative would have
        to be related to the query.

        Args:
            rng: decides everything.
            draw: how many.
            near: place -> rows near the query that may be negatives.
        """
        drawn = [self._of_query(rng, place, draw, near) for place in range(len(self.base.queries))]
        places = np.repeat(np.arange(len(drawn)), [len(each) for each in drawn]).astype(np.int32)
        positive, negative, kind = np.concatenate([np.empty((0, 3), np.int32), *drawn]).T
        easy = kind == Kind.RANDOM
        negative[easy] = self._others(rng, places[easy])
        triplets = Triplets(self.base.queries[places], positive, negative, kind.astype(np.int8))
        return triplets.take(negative >= 0)

    def _of_query(
        self, rng: np.random.Generator, place: int, draw: Draw, near: Ragged | None
    ) -> Rows:
        """Draw (positive, negative, kind): (t, 3) int32, easy negatives left open."""
        rows = self.related[place]
        if len(rows) == 0:
            return np.empty((0, 3), np.int32)
        counts = self.counts[self.related.starts[place] : self.related.starts[place + 1]]
        margin = MARGIN * (counts[0] - counts[-1])
        far = np.flatnonzero(counts < counts[0] - margin)
        close = rows[: _above(counts, counts[-1] + margin)] if margin > 0 else rows
        weak, strong = _pairs(rng, _above(counts, counts[far] + margin), draw.hard)
        hard = _triplets(rows[strong], rows[far[weak]], Kind.CITED_BY_CITED)
        nearby = np.empty(0, np.int32) if near is None else near[place]
        weak, strong = _pairs(rng, np.full(len(nearby), len(close)), draw.near)
        mined = _triplets(close[strong], nearby[weak], Kind.NEIGHBOUR)
        left = draw.per_query - len(hard) - len(mined)
        easy = _triplets(np.resize(rng.permutation(close), left), np.full(left, -1), Kind.RANDOM)
        return np.concatenate([hard, mined, easy])

    def apart(self, queries: Rows, rows: Rows) -> Mask:
        """Tell which papers may be negatives of which queries: (queries, rows) bool."""
        places = np.searchsorted(self.base.queries, queries)
        older = self.turn[rows] < self.base.choices[places][:, None]
        return older & self._unrelated(places.astype(np.int32), rows)

    def _unrelated(self, places: Rows, rows: Rows) -> Mask:
        pairs = np.broadcast_arrays(places[:, None], rows)
        flat = self.base.may_be_negative(*(each.ravel() for each in pairs))
        return flat.reshape(len(places), len(rows))

    def _others(self, rng: np.random.Generator, places: Rows) -> Rows:
        """Draw an unrelated candidate for each place, -1 where there is none."""
        rows, base = np.full(len(places), -1, np.int32), self.base
        left = np.arange(len(places))
        for _ in range(_REDRAWS):
            drawn = base.by_year[rng.integers(0, base.choices[places[left]])]
            good = base.may_be_negative(places[left], drawn)
            rows[left[good]] = drawn[good]
            left = left[~good]
        for at in left.tolist():  # Nearly all candidates are related: look through them.
            candidates = base.by_year[: base.choices[places[at]]]
            free = candidates[self._unrelated(places[[at]], candidates)[0]]
            if len(free):
                rows[at] = rng.choice(free)
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


def without_references(graph: CitationGraph, hidden: Rows) -> CitationGraph:
    """Forget what some papers cite."""
    kept = np.setdiff1d(np.arange(len(graph.years), dtype=np.int32), hidden)
    owner, cited = graph.cites.take(kept)
    return CitationGraph.build(kept[owner], cited, np.asarray(graph.years))


def keys(places: Rows, rows: Rows) -> Longs:
    """Write pairs as `TripletSampler.taken` holds them: (m,) int64."""
    joined: Longs = (places.astype(np.int64) << 32) | rows.astype(np.int64)
    return joined


def _above(counts: Counts, bound: Counts | float) -> Longs:
    """Count how many of falling counts are above each bound."""
    return np.asarray(np.searchsorted(-counts, -np.asarray(bound), side="left"))


def _pairs(rng: np.random.Generator, choices: Longs, wanted: int) -> tuple[Longs, Longs]:
    """Draw different pairs (i, j), j < choices[i], at most `wanted`, all equally likely."""
    ends = np.cumsum(choices)
    total = int(ends[-1]) if len(ends) else 0
    drawn = rng.choice(total, min(wanted, total), replace=False)
    first = np.searchsorted(ends, drawn, side="right")
    return first, drawn - (ends - choices)[first]


def _triplets(positives: Rows, negatives: Rows | Sequence[int], kind: Kind) -> Rows:
    return np.stack([positives, negatives, np.full(len(positives), kind)], axis=1).astype(np.int32)
