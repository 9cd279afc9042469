"""What features, dislikes and reasons read of a query's candidates: each part is computed once.

Edges are (owner, other) pairs: owner is the position of a candidate, other a row connected to it.
Everything is read as of the query's moment: only papers with year < `query.before` cite, so neither
the draft's own references nor anything later can show.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias
from weakref import proxy

import numpy as np
from numpy.typing import NDArray

from recsys.query.query import Query
from recsys.retrieval.propose import Candidates, CitationEdges
from recsys.store.arrays import Floats, Longs, Rows, find_rows, highest, look_up, number, totals
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph
from recsys.store.vectors import dots_of_any, row_dots

LATEST_CITERS = 100
"""Of a much cited candidate, this many of its latest citing papers are compared to the draft."""
MODEST = np.float32(3)
"""Added to citation counts in ratios, so that one lucky citation is no certainty."""
MOST_SEEDS = 100
"""Of a longer list, this many are compared with the candidates: those closest to the text."""


@dataclass(frozen=True)
class Edges:
    """Papers connected to the candidates.

    owner: (e,) position of the candidate, of m. rows: (e,) the connected paper. cosines: (e,)
    float32 between that paper and the draft.
    """

    owner: Rows
    rows: Rows
    cosines: Floats
    m: int

    @cached_property
    def counts(self) -> Floats:
        """How many papers each candidate is connected to: (m,) float32."""
        return self.total(None)

    def total(self, weights: Floats | None) -> Floats:
        """Sum weights, None: ones, by candidate: (m,) float32."""
        return totals(self.owner, weights, self.m)

    def mean(self, weights: Floats) -> Floats:
        """Average weights by candidate, 0 for those without any: (m,) float32."""
        return divide(self.total(weights), self.counts, least=1)

    def highest(self, weights: Floats) -> Floats:
        """Take the largest weight by candidate, at the least 0: (m,) float32."""
        return highest(self.owner, weights, self.m)

    def weigh(self, *lists: tuple[Rows, Floats]) -> list[Floats]:
        """Look up the paper of each edge in lists of rows and weights: (e,) float32 of each list.

        A paper that is several times in a list has the sum of its weights, one that is not has 0.
        """
        keys, numbers = number(np.concatenate([rows for rows, _ in lists]))
        ends = np.cumsum([len(rows) for rows, _ in lists])[:-1]
        sums = [
            totals(own, weights, len(keys))
            for own, (_, weights) in zip(np.split(numbers, ends), lists, strict=True)
        ]
        return list(look_up(keys, np.stack(sums), self.rows))


@dataclass(frozen=True)
class FeatureContext:
    """A query, its candidates, and what is known of them; arrays are (m,) float32."""

    collection: Collection
    query: Query
    candidates: Candidates

    @property
    def graph(self) -> CitationGraph:
        """The citation graph."""
        return self.collection.graph

    @property
    def rows(self) -> Rows:
        """Rows of the candidates, ascending: (m,) int32."""
        return self.candidates.rows

    def __len__(self) -> int:
        """Count the candidates."""
        return len(self.rows)

    @cached_property
    def cited(self) -> Longs:
        """How many older papers cite each candidate: (m,) int64."""
        return self.graph.in_counts(self.rows, self.query.before)

    @property
    def citations(self) -> Floats:
        """Citations by older papers."""
        return self.cited.astype(np.float32)

    @cached_property
    def _edges(self) -> tuple[Edges, Edges]:
        """Citers and references, and how close they are."""
        citing = self.graph.latest(self.rows, self.cited, LATEST_CITERS)
        older = np.flatnonzero(self.graph.older(self.rows, self.query.before)).astype(np.int32)
        owner, rows = self.graph.references(self.rows[older])
        seen = np.flatnonzero(self.query.allowed[rows])  # An older paper may cite a newer one.
        cited = older[owner[seen]], rows[seen]
        both = np.concatenate([citing[1], cited[1]])
        cosines = dots_of_any(self.collection.vectors, both, self.query.vector)
        middle, m = len(citing[1]), len(self)
        return Edges(*citing, cosines[:middle], m), Edges(*cited, cosines[middle:], m)

    @property
    def citers(self) -> Edges:
        """The latest older papers citing each candidate."""
        return self._edges[0]

    @property
    def references(self) -> Edges:
        """What each candidate cites; nothing for one that is not older than the query."""
        return self._edges[1]

    @property
    def links_around(self) -> float:
        """Links known around the query, for each candidate on average.

        These are the citations of the candidates by older papers, and their own references.
        """
        links = int(self.cited.sum()) + len(self.references.rows)
        return links / max(len(self), 1)

    def cited_by(self, papers: Rows) -> CitationEdges:
        """Find which of some papers that are older than the query cite which candidate."""
        return CitationEdges.of(self.graph, papers, self.query.before, self.rows)

    def citers_of(self, rows: Rows, weights: Floats) -> tuple[Rows, Floats]:
        """List the latest older papers that cite some papers, weighed as what they cite."""
        owner, citing = self.graph.citers(rows, self.query.before, most=LATEST_CITERS)
        return citing, weights[owner]

    @cached_property
    def seeds(self) -> "Seeds | None":
        """Papers that the draft cites already; None if there are none."""
        return self._seen_from(self.query.seeds)

    @cached_property
    def disliked(self) -> "Seeds | None":
        """Papers whose like shall sink; None if there are none."""
        return self._seen_from(self.query.disliked)

    def _seen_from(self, rows: Rows) -> "Seeds | None":
        return Seeds(proxy(self), rows[:MOST_SEEDS]) if len(rows) else None


@dataclass(frozen=True)
class Seeds:
    """Candidates seen from s >= 1 seeds. Arrays are (m,) float32, matrices (m, s) float32.

    context: not kept by this, or both would keep the index open until garbage is collected.
    rows: of the seeds, or of papers disliked.
    """

    context: FeatureContext
    rows: Rows

    @cached_property
    def cosines(self) -> Floats:
        """Cosine of each candidate with each seed, as a matrix."""
        vectors = self.context.collection.vectors
        return row_dots(vectors, self.context.rows, vectors[self.rows]).T

    @cached_property
    def citing(self) -> tuple[Rows, Rows]:
        """(seed, paper) for the latest older papers that cite each seed."""
        return self.context.graph.citers(self.rows, self.context.query.before, most=LATEST_CITERS)

    @cached_property
    def cocited(self) -> Floats:
        """Count the papers that cite both the candidate and the seed, as a matrix."""
        seed, citing = self.citing
        peers, numbers = number(citing)
        cites = np.zeros((len(peers), len(self.rows)), np.float32)
        cites[numbers, seed] = 1
        citers = self.context.citers
        at = find_rows(peers, citers.rows)
        there = np.flatnonzero(at >= 0)
        counts = np.zeros((len(self.context), len(self.rows)), np.float32)
        np.add.at(counts, citers.owner[there], cites[at[there]])
        return counts

    @property
    def company_share(self) -> Floats:
        """Share of the seeds that the candidate is cited together with."""
        share: Floats = (self.cocited > 0).mean(axis=1, dtype=np.float32)
        return share

    @cached_property
    def likeness(self) -> Floats:
        """Co-citations per geometric mean of both papers' citations, as a matrix."""
        seeds = self.context.graph.in_counts(self.rows, self.context.query.before)
        candidates = self.context.citations + MODEST
        means: Floats = np.sqrt(candidates[:, None] * (seeds.astype(np.float32) + MODEST))
        return self.cocited / means

    @property
    def closeness(self) -> Floats:
        """Cosine plus co-citation likeness of each candidate with each seed, as a matrix."""
        return self.cosines + self.likeness

    @cached_property
    def votes(self) -> Floats:
        """Share of the seeds that cite the candidate."""
        everyone = np.ones(len(self.rows), np.float32)
        return self.context.cited_by(self.rows).votes(everyone) / np.float32(len(self.rows))

    @cached_property
    def referred(self) -> tuple[Floats, Floats]:
        """What the candidates cite of the seeds, and of what the older seeds cite, per seed."""
        graph, references = self.context.graph, self.context.references
        older = self.rows[graph.older(self.rows, self.context.query.before)]
        lists = (self.rows, graph.references(older)[1])
        ones = ((rows, np.ones(len(rows), np.float32)) for rows in lists)
        seeds, theirs = (references.total(weights) for weights in references.weigh(*ones))
        return seeds / np.float32(len(self.rows)), theirs / np.float32(len(self.rows))


def divide(values: Floats, by: Floats, *, least: float) -> Floats:
    """Divide elementwise, by `least` at the least."""
    return np.divide(values, np.maximum(by, np.float32(least)))


# What the papers of a corpus cite: how old it is, and how often it was cited before.
#
# A ranker that has never seen a corpus reads here what the corpus's own would have learned by
# heart: whether people there cite what is new or what is classic, what is famous or what nobody has
# cited.

MOST = 5000
"""At most so many papers' references are read, and compared with at most so many papers."""
FEWEST = 10
"""From fewer citations no habit is read."""
AGES = np.array([0, 1, 2, 3, 4, 6, 9, 13, 21])
COUNTS = np.array([1, 2, 3, 5, 10, 20, 50])
"""Where bins of years between two papers, and of citations, begin; what is less is the first."""
DOUBT = 5.0
"""Citations that are added to those made and to those by chance, so that few say little."""

_Bins: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CitingHabits:
    """How likely papers are cited, by bins: 1/2 for as likely as by chance, towards 0 and 1.

    That is c / (c + e) for c citations where chance would make e. Chance takes, for each citation,
    any paper that is not newer than the one that cites.

    ages: (len(AGES) + 1,) float32, by the years between both papers. counts: (len(COUNTS) + 1,)
    float32, by the citations until then. fresh: share of the citations that were the first.
    """

    ages: Floats
    counts: Floats
    fresh: float

    @classmethod
    def of(cls, graph: CitationGraph, before: int) -> "CitingHabits | None":
        """Read the latest papers older than `before`; None if they make too few citations.

        What is cited is seen as of the year of the paper that cites.
        """
        years = graph.years
        older = np.flatnonzero((years != UNKNOWN_YEAR) & (years < before)).astype(np.int32)
        latest = older
        if len(older) > MOST:  # Whole years, the latest ones, until there are MOST rows.
            least = len(older) - MOST
            latest = older[years[older] >= np.partition(years[older], least)[least]]
        citing = _spread(latest)
        owner, cited = graph.references(citing)
        when = years[citing[owner]]
        kept = (years[cited] != UNKNOWN_YEAR) & (years[cited] <= when)
        if kept.sum() < FEWEST:
            return None
        cited, when, anybody = cited[kept], when[kept], _spread(older)
        made, chance = (np.zeros(len(AGES) + 1) for _ in range(2))
        made_counts, chance_counts = (np.zeros(len(COUNTS) + 1) for _ in range(2))
        ascending = np.sort(when)  # Without `np.unique`, which imports a lot for it.
        for year in ascending[np.flatnonzero(np.diff(ascending, append=before))].tolist():
            now, there = cited[when == year], anybody[years[anybody] <= year]
            ages, counts = _binned(graph, now, year)
            made, made_counts = made + ages, made_counts + counts
            ages, counts = _binned(graph, there, year)
            weight = len(now) / max(len(there), 1)
            chance, chance_counts = chance + weight * ages, chance_counts + weight * counts
        first = float(made_counts[0] / len(cited))
        return cls(_likely(made, chance), _likely(made_counts, chance_counts), first)

    def by_age(self, ages: Floats) -> Floats:
        """Tell how likely papers of some ages in years are cited: (m,) float32."""
        return self.ages[np.digitize(ages, AGES)]

    def by_citations(self, citations: Floats) -> Floats:
        """Tell how likely papers with so many citations are cited: (m,) float32."""
        return self.counts[np.digitize(citations, COUNTS)]


def _spread(rows: Rows, most: int = MOST) -> Rows:
    """Take at most so many rows, evenly spread."""
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(int)]


def _binned(graph: CitationGraph, rows: Rows, year: int) -> tuple[Longs, Longs]:
    """Count papers as of a year: how many fall into each bin of ages, and of citations."""
    ages, counts = year - graph.years[rows].astype(np.int64), graph.in_counts(rows, year)
    both = ((ages, AGES), (counts, COUNTS))
    made = [np.bincount(np.digitize(x, bins), minlength=len(bins) + 1) for x, bins in both]
    return made[0], made[1]


def _likely(made: _Bins, chance: _Bins) -> Floats:
    """Compare citations with those that chance would make: (bins,) float32."""
    return ((made + DOUBT) / (made + chance + 2 * DOUBT)).astype(np.float32)


LATELY, MOST_LATELY = 3, 100_000
"""Years before a draft whose papers tell how much of a corpus its drafts cite, so many of them."""


def references_lately(graph: CitationGraph, before: int) -> float | None:
    """Return how many papers of the corpus one cites, on average over those that cite any.

    It reads papers of the last LATELY years before `before`; None: fewer than FEWEST of them cite.
    """
    years = graph.years
    lately = (years != UNKNOWN_YEAR) & (years < before) & (years >= before - LATELY)
    citing = _spread(np.flatnonzero(lately).astype(np.int32), MOST_LATELY)
    owner, cited = graph.references(citing)
    counts = np.bincount(owner[years[cited] <= years[citing[owner]]])
    any_cited = counts[counts > 0]
    return float(any_cited.mean()) if len(any_cited) >= FEWEST else None
