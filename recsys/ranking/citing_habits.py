"""What the papers of a corpus cite: how old it is, and how often it was cited before.

A ranker that has never seen a corpus reads here what the corpus's own would have learned by heart:
whether people there cite what is new or what is classic, what is famous or what nobody has cited.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Floats, Rows
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph, Years

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
        citing = _spread(_latest(older, years))
        owner, cited = graph.references(citing)
        when = years[citing[owner]]
        kept = (years[cited] != UNKNOWN_YEAR) & (years[cited] <= when)
        if kept.sum() < FEWEST:
            return None
        cited, when, anybody = cited[kept], when[kept], _spread(older)
        made, chance = _Tally.empty(), _Tally.empty()
        ascending = np.sort(when)  # Without `np.unique`, which imports a lot for it.
        for year in ascending[np.flatnonzero(np.diff(ascending, append=before))].tolist():
            now, there = cited[when == year], anybody[years[anybody] <= year]
            made.add(graph, now, year, 1.0)
            chance.add(graph, there, year, len(now) / max(len(there), 1))
        first = made.counts[0] / len(cited)
        return cls(
            _likely(made.ages, chance.ages), _likely(made.counts, chance.counts), float(first)
        )

    def by_age(self, ages: Floats) -> Floats:
        """Tell how likely papers of some ages in years are cited: (m,) float32."""
        return self.ages[np.digitize(ages, AGES)]

    def by_citations(self, citations: Floats) -> Floats:
        """Tell how likely papers with so many citations are cited: (m,) float32."""
        return self.counts[np.digitize(citations, COUNTS)]


@dataclass(frozen=True, slots=True)
class _Tally:
    """How many papers fall into each bin of ages and of citations."""

    ages: _Bins
    counts: _Bins

    @classmethod
    def empty(cls) -> "_Tally":
        """Count nothing yet."""
        return cls(np.zeros(len(AGES) + 1), np.zeros(len(COUNTS) + 1))

    def add(self, graph: CitationGraph, rows: Rows, year: int, weight: float) -> None:
        """Count papers as of a year."""
        ages = np.digitize(year - graph.years[rows].astype(np.int64), AGES)
        counts = np.digitize(graph.in_counts(rows, year), COUNTS)
        self.ages[:] += weight * np.bincount(ages, minlength=len(self.ages))
        self.counts[:] += weight * np.bincount(counts, minlength=len(self.counts))


def _latest(rows: Rows, years: Years) -> Rows:
    """Keep whole years, the latest ones, until there are MOST rows."""
    if len(rows) <= MOST:
        return rows
    least = len(rows) - MOST
    latest: Rows = rows[years[rows] >= np.partition(years[rows], least)[least]]
    return latest


def _spread(rows: Rows) -> Rows:
    """Take at most MOST rows, evenly spread."""
    if len(rows) <= MOST:
        return rows
    return rows[np.linspace(0, len(rows) - 1, MOST).astype(np.int64)]


def _likely(made: _Bins, chance: _Bins) -> Floats:
    """Compare citations with those that chance would make: (bins,) float32."""
    likely: Floats = ((made + DOUBT) / (made + chance + 2 * DOUBT)).astype(np.float32)
    return likely
