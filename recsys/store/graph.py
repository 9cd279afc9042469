"""The citation graph, both ways, read as of a year."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Longs, Mask, Ragged, Rows, find_rows, load_array, slices
from recsys.store.artifacts import YEARS
from recsys.store.kernels.dispatch import count_older

Years: TypeAlias = NDArray[np.int16]
UNKNOWN_YEAR = -1
"""Marks an unknown year in year columns; outside arrays an unknown year is None."""
LATE = 1 << 14
"""A citing paper of unknown year comes after every real year: it never counts as older."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class CitationGraph:
    """Who cites whom.

    cites: row -> rows it cites, ascending. cited_by: row -> rows citing it, by ascending citing
    year, so that "citations older than a year" is a prefix found by binary search.
    years: (n,) int16, UNKNOWN_YEAR where unknown.
    """

    cites: Ragged
    cited_by: Ragged
    years: Years
    _found: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, key: Hashable, work: Callable[[], _T]) -> _T:
        """Remember what some work on this graph finds, so that it is done once for a key."""
        if key not in self._found:
            self._found[key] = work()
        found: _T = self._found[key]
        return found

    def in_counts(self, rows: Rows, before: int) -> Longs:
        """Count the papers older than `before` (year < before) that cite each row: (len(rows),)."""
        return count_older(self.cited_by, self.years, rows, min(before, LATE))

    def citers(self, rows: Rows, before: int, *, most: int | None = None) -> tuple[Rows, Rows]:
        """Return (owner, citing row) of papers older than `before`, the latest `most` of each."""
        return self.latest(rows, self.in_counts(rows, before), most)

    def latest(self, rows: Rows, counts: Longs, most: int | None) -> tuple[Rows, Rows]:
        """Return (owner, citing row), the latest `most` of the first `counts` papers citing each.

        counts: (len(rows),), see `in_counts`.
        """
        kept = counts if most is None else np.minimum(counts, most)
        return slices(self.cited_by.starts[rows] + counts - kept, kept, self.cited_by.values)

    def references(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return (owner, cited row) for the given rows, owner = position in `rows`."""
        return self.cites.take(rows)

    def cited_among(self, citing: Rows, before: int, rows: Rows) -> tuple[Rows, Rows]:
        """Find which papers older than `before` cite which of distinct rows: positions of both."""
        older = np.flatnonzero(self.older(citing, before)).astype(np.int32)
        owner, cited = self.references(citing[older])
        at = find_rows(rows, cited)
        there = at >= 0
        return older[owner[there]], at[there]

    def edges(self) -> tuple[Rows, Rows]:
        """Return (citing row, cited row) of all citations, ascending: (e,) int32 each."""
        every = np.arange(len(self.years), dtype=np.int32)
        return np.repeat(every, np.diff(self.cites.starts)), self.cites.values

    def gold_counts(self) -> Longs:
        """Count each paper's references that are not newer than it: (n,).

        References of unknown year do not count, nor those of a paper of unknown year.
        """
        counts = np.zeros(len(self.years), np.int64)
        for rows, inside in self.cites.pieces():
            owner = np.repeat(np.arange(len(rows)), self.cites.lengths(rows))
            years = self.years[self.cites.values[inside]]
            counted = (years != UNKNOWN_YEAR) & (years <= self.years[rows[owner]])
            counts[rows] = np.bincount(owner[counted], minlength=len(rows))
        return counts

    def older(self, rows: Rows, before: int) -> Mask:
        """Tell which rows have a known year < before."""
        years = self.years[rows]
        older: Mask = (years != UNKNOWN_YEAR) & (years < before)
        return older

    def save(self, folder: Path) -> None:
        """Write both directions as .npy files."""
        self.cites.save(folder, "cites")
        self.cited_by.save(folder, "cited_by")
        np.save(folder / YEARS, self.years)

    @classmethod
    def load(cls, folder: Path) -> "CitationGraph":
        """Memory-map what `save` wrote."""
        return cls(
            Ragged.load(folder, "cites"),
            Ragged.load(folder, "cited_by"),
            load_array(folder / YEARS),
        )

    @classmethod
    def build(cls, citing: Rows, cited: Rows, years: Years) -> "CitationGraph":
        """Build from distinct (citing row, cited row) pairs without self-citations."""
        n = len(years)
        by_year = np.argsort(np.where(years == UNKNOWN_YEAR, LATE, years), kind="stable")
        place = np.empty(n, np.int64)
        place[by_year] = np.arange(n)
        cites = Ragged.of_pairs(citing, cited, n, n)
        cited_by = Ragged.of_pairs(cited, place[citing], n, n)
        values = by_year[cited_by.values].astype(np.int32)
        return cls(cites, Ragged(cited_by.starts, values), years)
