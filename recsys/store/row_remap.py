"""Unite what is stored of a corpus with what is new, as if all of it had been written at once."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import (
    Longs,
    Mask,
    Ragged,
    Rows,
    SortedStrings,
    cuts_of,
    offsets,
    release,
)

Pieces: TypeAlias = tuple[Longs, NDArray[Any]]
"""Rows of any length: starts and values, as in `recsys.store.arrays.Ragged`."""
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
    def moved(self) -> Rows:
        """Tell the row of each old one that is still there, else GONE: (old,) int32."""
        moved = np.full(self.old, GONE, np.int32)
        places = np.flatnonzero(self.rows < self.old)
        moved[self.rows[places]] = places
        return moved

    def pick(self, old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
        """Gather a column: (n,) out of its (old,) and its new values."""
        return np.concatenate([old, new])[self.rows]

    def gather(self, old: Pieces, new: Pieces) -> Pieces:
        """Gather rows of any length."""
        (old_starts, old_values), (new_starts, new_values) = old, new
        starts = offsets([self.pick(np.diff(old_starts), np.diff(new_starts))])
        values = np.empty(starts[-1], np.promote_types(old_values.dtype, new_values.dtype))
        for begin, end, origin in self.runs():
            target = slice(starts[begin], starts[end])
            of_old = origin < self.old
            first = old_starts[origin] if of_old else new_starts[origin - self.old]
            found = old_values if of_old else new_values
            values[target] = found[first : first + target.stop - target.start]
        return starts, values

    def runs(self) -> Iterator[tuple[int, int, int]]:
        """Divide the rows into neighbours that were neighbours: (begin, end, first origin)."""
        breaks = np.flatnonzero((np.diff(self.rows) != 1) | (self.rows[1:] == self.old)) + 1
        edges = np.union1d(breaks, np.arange(0, len(self), _AT_ONCE))
        ends = np.append(edges[1:], len(self))[: len(edges)]
        yield from zip(
            edges.tolist(), ends.tolist(), self.rows[edges.astype(int)].tolist(), strict=True
        )


@dataclass(frozen=True, slots=True)
class Merged:
    """Old and new papers in the order of their ids.

    ids: of all. origins: where each row comes from. today: (old,) int32, the row that has the id of
    each old row now, be it replaced; GONE where there is none.
    """

    ids: SortedStrings
    origins: Origins
    today: Rows


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
    found = [*old.places(new[code] for code in range(len(new)))]
    places = np.array([at for at, _ in found], int)
    known = np.array([there for _, there in found], bool)
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


@dataclass(frozen=True, slots=True)
class MergedPiece:
    """Some lists of today, one behind the other.

    old: where they lay. kept: (old,) bool, which of that is still there. values: (kept,) of today.
    places: of those, before which others come. new: which these are.
    """

    old: slice
    kept: Mask
    values: Rows
    places: Longs
    new: slice


@dataclass(frozen=True, slots=True)
class MergedLists:
    """Lists of rows whose owners and entries have other numbers now, and to which others came.

    old: of the owners before. owners: (old,) int32, the number of today of each owner, ascending.
    today: of each entry; GONE, of either, where it is not there any more. new: the other entries,
    owner and value, ordered as the lists are: by owner, then by value, or what `rank` says of it.
    """

    old: Ragged
    owners: Rows
    today: Rows
    new: tuple[Rows, Rows]
    rank: Rows | None = None

    def pieces(self, size: int, counts: Longs) -> Iterator[MergedPiece]:
        """Merge them, about so many entries at a time; counts: how many each has."""
        owners, values = self.new
        np.add.at(counts, owners, 1)
        starts, begin = self.old.starts, 0
        for first, end in pairwise(cuts_of(starts, size)):
            inside, mine = slice(starts[first], starts[end]), self.owners[first:end]
            found = self.today[self.old.values[inside]]
            release(self.old.values)
            kept, lengths = found != GONE, np.diff(starts[first : end + 1])
            if not kept.all():
                found = found[kept]
                old = np.repeat(np.arange(end - first), lengths)[kept]
                lengths = np.bincount(old, minlength=end - first)
            there = mine != GONE
            counts[mine[there]] += lengths[there]
            after = len(owners)
            if end < len(self.owners):
                after = int(np.searchsorted(owners, mine.max(initial=GONE), "right"))
            new, begins = slice(begin, after), offsets([lengths[there]])
            places = self._places(found, begins, mine[there], owners[new], values[new])
            yield MergedPiece(inside, kept, found, places, new)
            begin = new.stop

    def _places(self, found: Rows, starts: Longs, mine: Rows, owners: Rows, values: Rows) -> Longs:
        """Find before which entries others come, by bisection in the list of their owner."""
        at = np.searchsorted(mine, owners)
        same = np.append(mine, GONE)[at] == owners
        low = starts[at]
        high = np.where(same, starts[np.minimum(at + 1, len(mine))], low)
        ranks = values if self.rank is None else self.rank[values]
        while np.any(searched := low < high):
            middle = np.where(searched, (low + high) // 2, 0)
            theirs = found[middle] if self.rank is None else self.rank[found[middle]]
            less = searched & (theirs < ranks)
            low = np.where(less, middle + 1, low)
            high = np.where(searched & ~less, middle, high)
        return low
