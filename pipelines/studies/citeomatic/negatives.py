"""Triplets for training: a query, a paper that it cites, a paper that it could cite and does not.

A candidate is a paper of known year, not newer than the query. Negatives are of three kinds (see
`Kind`): drawn from all candidates; near the query by the model as it is now (see `mining`); and
cited by what the query cites.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from recsys.models.pairs import counts_as_of
from recsys.pipelines.evaluation.splits import gold
from recsys.pipelines.studies.citeomatic.margin_loss import Kind, Margins
from recsys.store.arrays import Floats, Longs, Mask, Ragged, Rows
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph

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
        dated = np.flatnonzero(years != UNKNOWN_YEAR).astype(np.int32)
        by_year = dated[np.argsort(years[dated], kind="stable")]
        positives = ragged([gold(collection, row) for row in queries.tolist()])
        owner, cited = graph.cites.take(queries)
        itself = np.arange(len(queries), dtype=np.int32)
        sampler = cls(
            queries=queries,
            options=options or Sampling(),
            positives=positives,
            cited_by_cited=positives,
            taken=np.sort(_keys(np.append(owner, itself), np.append(cited, queries))),
            by_year=by_year,
            choices=np.searchsorted(years[by_year], years[queries], side="right"),
        )
        return sampler._with_cited_by_cited(graph)

    def epoch(self, rng: np.random.Generator, neighbours: Ragged | None = None) -> Triplets:
        """Draw an epoch: queries in random order, the triplets of each one after another.

        Args:
            rng: decides everything.
            neighbours: place -> rows near the query that may be negatives; None: there are none.
        """
        place, positive = self._some_positives(rng)
        per_kind, drawn = self.options.per_kind, []
        places, positives = np.repeat(place, per_kind), np.repeat(positive, per_kind)
        for kind in self.options.kinds:
            negative = self._draw(rng, kind, places, neighbours)
            there = negative >= 0
            drawn.append((places[there], positives[there], negative[there], kind))
        turn = rng.permutation(len(self.queries))
        places = np.concatenate([each[0] for each in drawn])
        order = np.argsort(turn[places], kind="stable")
        return Triplets(
            self.queries[places],
            np.concatenate([each[1] for each in drawn]),
            np.concatenate([each[2] for each in drawn]),
            np.concatenate([np.full(len(each[0]), each[3], np.int8) for each in drawn]),
        ).take(order)

    def may_be_negative(self, places: Rows, rows: Rows) -> Mask:
        """Tell of pairs whether the query neither cites the row nor is it; years are not asked."""
        keys = _keys(places, rows)
        at = np.minimum(np.searchsorted(self.taken, keys), len(self.taken) - 1)
        return np.asarray(self.taken[at] != keys)

    def _some_positives(self, rng: np.random.Generator) -> tuple[Rows, Rows]:
        """Give (place, row) of the positives, at most `most_positives` of a query."""
        place, rows = self.positives.take(np.arange(len(self.queries), dtype=np.int32))
        order = np.lexsort((rng.random(len(rows)), place))
        number = np.arange(len(rows)) - self.positives.starts[place]
        kept = order[number < self.options.most_positives]
        return place[kept], rows[kept]

    def _draw(
        self, rng: np.random.Generator, kind: Kind, places: Rows, neighbours: Ragged | None
    ) -> Rows:
        """Draw a negative for each place, -1 where there is none."""
        if kind == Kind.RANDOM:
            return self._random(rng, places)
        pool = self.cited_by_cited if kind == Kind.CITED_BY_CITED else neighbours
        if pool is None:
            return np.full(len(places), -1, np.int32)
        return _one_of_each(rng, pool, places)

    def _random(self, rng: np.random.Generator, places: Rows) -> Rows:
        rows = np.full(len(places), -1, np.int32)
        left = np.arange(len(places))
        for _ in range(_REDRAWS):  # A query that cites nearly everything gets none.
            drawn = self.by_year[rng.integers(0, self.choices[places[left]])]
            good = self.may_be_negative(places[left], drawn)
            rows[left[good]] = drawn[good]
            left = left[~good]
            if len(left) == 0:
                break
        return rows

    def _with_cited_by_cited(self, graph: CitationGraph) -> "TripletSampler":
        places = np.arange(len(self.queries), dtype=np.int32)
        first, cited = self.positives.take(places)
        second, rows = graph.cites.take(cited)
        keys = np.unique(_keys(first[second], rows))
        place, row = (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)
        years = graph.years
        good = (years[row] != UNKNOWN_YEAR) & (years[row] <= years[self.queries[place]])
        good &= self.may_be_negative(place, row)
        return replace(
            self, cited_by_cited=Ragged.from_pairs(place[good], row[good], len(self.queries))
        )


def ragged(lists: Sequence[Rows]) -> Ragged:
    """Put lists of rows one after the other."""
    starts = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return Ragged(starts, np.concatenate([np.empty(0, np.int32), *lists]).astype(np.int32))


def _one_of_each(rng: np.random.Generator, pool: Ragged, places: Rows) -> Rows:
    lengths = pool.lengths(places)
    at = pool.starts[places] + (rng.random(len(places)) * lengths).astype(np.int64)
    found = np.full(len(places), -1, np.int32)
    found[lengths > 0] = pool.values[at[lengths > 0]]
    return found


def _keys(places: Rows, rows: Rows) -> Longs:
    keys: Longs = (places.astype(np.int64) << 32) | rows.astype(np.int64)
    return keys
