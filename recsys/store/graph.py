"""The citation graph, both ways, read as of a year."""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Floats, Longs, Mask, Ragged, Rows, SortedStrings, load_array
from recsys.store.kernels import edges_in_numpy, fastest
from recsys.store.layout import YEARS
from recsys.store.products import known_part, known_products, products, remember_part
from recsys.store.vectors.stored_vectors import StoredVectors, row_dots

UNKNOWN_YEAR = -1
"""Marks an unknown year in year columns; outside arrays an unknown year is None."""
LATE = edges_in_numpy.LATE
Years: TypeAlias = edges_in_numpy.Years
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
        cited_by = self.cited_by
        return fastest.older(cited_by.starts, cited_by.values, self.years, rows, min(before, LATE))

    def citers(self, rows: Rows, before: int, *, most: int | None = None) -> tuple[Rows, Rows]:
        """Return (owner, citing row) of papers older than `before`, the latest `most` of each."""
        return self.latest(rows, self.in_counts(rows, before), most)

    def latest(self, rows: Rows, counts: Longs, most: int | None) -> tuple[Rows, Rows]:
        """Return (owner, citing row), the latest `most` of the first `counts` papers citing each.

        counts: (len(rows),), see `in_counts`.
        """
        kept = counts if most is None else np.minimum(counts, most)
        begins = self.cited_by.starts[rows] + counts - kept
        return fastest.slices(begins, kept, self.cited_by.values)

    def references(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return (owner, cited row) for the given rows, owner = position in `rows`."""
        return self.cites.take(rows)

    def ballots(self, voters: Rows, before: int, rows: Rows) -> tuple[Rows, Rows]:
        """Find which voters older than `before` cite which of distinct rows: positions of both."""
        citations = edges_in_numpy.Citations(self.cites.starts, self.cites.values, self.years)
        return fastest.ballots(citations, voters, before, rows)

    def edges(self) -> tuple[Rows, Rows]:
        """Return (citing row, cited row) of all citations, ascending: (e,) int32 each."""
        every = np.arange(len(self.years), dtype=np.int32)
        return np.repeat(every, np.diff(self.cites.starts)), self.cites.values

    def gold_counts(self) -> Longs:
        """Count each paper's references that are not newer than it: (n,).

        References of unknown year do not count, nor those of a paper of unknown year.
        """
        citing, cited = self.edges()
        years = self.years[cited]
        counted = (years != UNKNOWN_YEAR) & (years <= self.years[citing])
        return np.bincount(citing[counted], minlength=len(self.years))

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
        cites, cited_by = _grouped(citing, cited, n), _grouped(cited, place[citing], n)
        values = by_year[cited_by.values].astype(np.int32)
        return cls(cites, Ragged(cited_by.starts, values), years)


def _grouped(owners: Rows, values: Rows | Longs, n: int) -> Ragged:
    """Group distinct values below n by owner, ascending.

    Pairs that are one number each are sorted much quicker than two columns, and in less memory.
    """
    pairs = owners.astype(np.int64) * n
    pairs += values
    pairs.sort()
    pairs %= n
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(owners, minlength=n), out=starts[1:])
    return Ragged(starts, pairs.astype(np.int32))


# Unite what is stored of a corpus with what is new, as if all of it had been written at once.

Pieces: TypeAlias = tuple[Longs, NDArray[Any]]
"""Rows of any length: starts and values, as in `Ragged`."""
GONE = -1
"""Where an old row or code went that is no longer there."""
_AT_ONCE = 8192
"""Rows copied at a time at most: what is mapped on the way stays small."""


@dataclass(frozen=True, slots=True)
class Origins:
    """Where each row comes from.

    rows: (n,) int32; below `old`, a row of the old corpus; from there on, `old` + a row of the new
    papers.
    """

    rows: Rows
    old: int

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.rows)

    @property
    def kept(self) -> Mask:
        """Tell which old rows are still there: (old,) bool."""
        kept = np.zeros(self.old, bool)
        kept[self.rows[self.rows < self.old]] = True
        return kept

    def pick(self, old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
        """Gather a column: (n,) out of its (old,) and its new values."""
        return np.concatenate([old, new])[self.rows]

    def gather(self, old: Pieces, new: Pieces, codes: Rows | None = None) -> Pieces:
        """Gather rows of any length, of the type that holds both; `codes` translates the old."""
        (old_starts, old_values), (new_starts, new_values) = old, new
        starts = np.zeros(len(self) + 1, np.int64)
        np.cumsum(self.pick(np.diff(old_starts), np.diff(new_starts)), out=starts[1:])
        values = np.empty(starts[-1], np.promote_types(old_values.dtype, new_values.dtype))
        for begin, end, origin in self._runs():
            target = slice(starts[begin], starts[end])
            if origin >= self.old:
                first = new_starts[origin - self.old]
                values[target] = new_values[first : first + target.stop - target.start]
                continue
            first = old_starts[origin]
            found = old_values[first : first + target.stop - target.start]
            values[target] = found if codes is None else codes[found]
        return starts, values

    def ragged(self, old: Ragged, new: Ragged, codes: Rows | None = None) -> Ragged:
        """Gather rows of codes, see `gather`."""
        return Ragged(*self.gather((old.starts, old.values), (new.starts, new.values), codes=codes))

    def _runs(self) -> Iterator[tuple[int, int, int]]:
        """Divide the rows into neighbours that were neighbours: (begin, end, first origin)."""
        breaks = np.flatnonzero((np.diff(self.rows) != 1) | (self.rows[1:] == self.old)) + 1
        edges = np.union1d(breaks, np.arange(0, len(self), _AT_ONCE))
        ends = np.append(edges[1:], len(self))[: len(edges)]
        yield from zip(
            edges.tolist(), ends.tolist(), self.rows[edges.astype(int)].tolist(), strict=True
        )


@dataclass(frozen=True, slots=True)
class Union:
    """Sorted strings of old and new together.

    of_old: (old,) int32, the code of each old string, GONE where it is left out. of_new: (new,)
    int32, of each new one.
    """

    strings: SortedStrings
    of_old: Rows
    of_new: Rows


def unite(old: SortedStrings, kept: Mask, new: SortedStrings) -> Union:
    """Unite the old strings that are kept with the new ones. O(new * log old + old)."""
    places, known = _places(old, new)
    stay = kept.copy()
    stay[places[known]] = True
    alive, fresh = np.flatnonzero(stay), np.flatnonzero(~known)
    # A new string stands right before the old one whose place it takes.
    order = np.argsort(np.concatenate([2 * alive + 1, 2 * places[fresh]]), kind="stable")
    origins = Origins(np.concatenate([alive, len(old) + fresh])[order].astype(np.int32), len(old))
    code = np.full(len(old) + len(new), GONE, np.int32)
    code[origins.rows] = np.arange(len(origins), dtype=np.int32)
    code[len(old) + np.flatnonzero(known)] = code[places[known]]
    strings = SortedStrings(*origins.gather((old.starts, old.blob), (new.starts, new.blob)))
    return Union(strings, code[: len(old)], code[len(old) :])


def _places(old: SortedStrings, new: SortedStrings) -> tuple[Rows, Mask]:
    """Find where each new string stands among the old ones, and whether it is there already."""
    places, known = np.zeros(len(new), np.int32), np.zeros(len(new), bool)
    if not len(old):
        return places, known
    starts, blob = old.starts.data, old.blob.data

    def text(code: int) -> bytes:
        return bytes(blob[starts[code] : starts[code + 1]])

    at = 0
    for number in range(len(new)):
        wanted = new.blob[new.starts[number] : new.starts[number + 1]].tobytes()
        at = bisect_left(range(len(old)), wanted, lo=at, key=text)
        places[number], known[number] = at, at < len(old) and text(at) == wanted
    return places, known


# Multiply the vectors of some rows: out of products that were made before, or afresh.


def distinct(rows: Rows) -> Rows:
    """Return the rows without repetition, ascending."""
    return fastest.distinct(rows)


def dots(vectors: StoredVectors, rows: Rows, query: Floats) -> Floats:
    """Multiply the given rows of (n, d) vectors with a (d,) query: (len(rows),) float32.

    To fetch many scattered rows costs more than to read all of them in order.
    """
    if 2 * len(rows) > len(vectors):
        return products(vectors, query)[rows]
    known = known_products(vectors, query)
    return row_dots(vectors, rows, query) if known is None else known[rows]


def dots_of_any(vectors: StoredVectors, rows: Rows, query: Floats) -> Floats:
    """Multiply as `dots` does rows of which many come again: each is computed once."""
    if (known := known_products(vectors, query)) is not None:
        return known[rows]
    once, numbers = fastest.number(rows)
    return _dots_of_others(vectors, once, query)[numbers]


def remembered_dots(vectors: StoredVectors, rows: Rows, query: Floats) -> Floats:
    """Multiply as `dots` does distinct rows, some of which `dots_of_any` will be asked for."""
    product = dots(vectors, rows, query)
    remember_part(vectors, rows, query, product)
    return product


def _dots_of_others(vectors: StoredVectors, rows: Rows, query: Floats) -> Floats:
    """Multiply as `dots` does, but for rows whose product is remembered."""
    if (known := known_part(vectors, query)) is None:
        return dots(vectors, rows, query)
    at = fastest.places(known[0], rows)
    others = np.flatnonzero(at < 0)
    product = known[1][at]
    product[others] = dots(vectors, rows[others], query)
    return product


def dots_of_many(vectors: StoredVectors, rows: Rows, queries: Floats) -> Floats:
    """Multiply the given rows of (n, d) vectors with (q, d) queries: (q, len(rows)) float32."""
    known = known_products(vectors, queries)
    if known is not None:
        return np.take(known, rows, axis=1)
    return row_dots(vectors, rows, queries)
