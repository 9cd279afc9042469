"""Say which rows are allowed in few words, so that an engine can leave the others out by itself.

Nearly every mask of an answer is "no newer than the draft", less the draft itself.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.errors import ArtifactCorrupt
from recsys.store.arrays import Longs, Mask, Rows, load_array
from recsys.store.graph import UNKNOWN_YEAR, Years

YEARS_FILE = "engine.years.npy"
"""The years of the papers, beside what an engine stores: as it was told them."""
MOST_EXCEPTIONS = 64
"""Rows that a condition names one by one at most: each costs an engine a comparison a row."""
_NO_ROWS = np.empty(0, np.int32)


@dataclass(frozen=True, slots=True)
class Condition:
    """Rows of a year up to the newest, and of none if undated; less and more some single ones.

    newest: UNKNOWN_YEAR where no dated row is meant. excluded, included: ascending; each of them is
    an exception from the rest.
    """

    newest: int
    undated: bool
    excluded: Rows
    included: Rows


@dataclass(frozen=True, slots=True)
class RowConditions:
    """The years of n rows, in an order in which masks are quickly told.

    order: (n,) int32, the rows by ascending year. found: (y,) their distinct years, ascending;
    UNKNOWN_YEAR is the first if there. starts: (y,) where each begins in order.
    """

    order: Rows
    found: Longs
    starts: Longs

    @classmethod
    def of(cls, years: Years) -> "RowConditions":
        """Sort (n,) years."""
        order = np.argsort(years, kind="stable").astype(np.int32)
        found, starts = np.unique(years[order], return_index=True)
        return cls(order, found.astype(np.int64), starts.astype(np.int64))

    def of_mask(self, allowed: Mask | None) -> Condition | None:
        """Say a (n,) mask with the fewest exceptions; None where these are too many.

        None allows all rows: a condition that every row meets. O(n), hardly more than a count.
        """
        if not len(self.order):
            return Condition(UNKNOWN_YEAR, True, _NO_ROWS, _NO_ROWS)
        newest = int(self.found[-1])
        if allowed is None:
            return Condition(newest, True, _NO_ROWS, _NO_ROWS)
        mask = allowed[self.order]
        inside = np.add.reduceat(mask, self.starts, dtype=np.int64)
        outside = np.diff(self.starts, append=len(self.order)) - inside
        undated, newest = self._fewest(inside, outside)
        meant = (self.found <= newest) & (self.found != UNKNOWN_YEAR)
        meant |= undated & (self.found == UNKNOWN_YEAR)
        wrong = np.where(meant, outside, inside)
        if wrong.sum() > MOST_EXCEPTIONS:
            return None
        excluded, included = [_NO_ROWS], [_NO_ROWS]
        for year in np.flatnonzero(wrong).tolist():
            begin, end = self.starts[year], (*self.starts, len(mask))[year + 1]
            (at,) = np.nonzero(mask[begin:end] != meant[year])
            (excluded if meant[year] else included).append(self.order[begin + at])
        exceptions = (np.sort(np.concatenate(rows)) for rows in (excluded, included))
        return Condition(newest, undated, *exceptions)

    def _fewest(self, inside: Longs, outside: Longs) -> tuple[bool, int]:
        """Choose the years that make the fewest exceptions: (whether undated ones, the newest).

        inside, outside: (y,) of each year, how many rows are allowed and how many are not.
        """
        first = int(self.found[0] == UNKNOWN_YEAR)
        undated = bool(first == 0 or inside[0] > outside[0])
        before = np.concatenate([[0], np.cumsum(outside[first:])])
        after = np.concatenate([np.cumsum(inside[first:][::-1])[::-1], [0]])
        years = np.concatenate([[UNKNOWN_YEAR], self.found[first:]])
        last = len(years) - 1 - np.argmin((before + after)[::-1])  # Of equals, the fewest included.
        return undated, int(years[last])


def write_years(folder: Path, years: Years | None, n: int) -> Years:
    """Store what an engine is told of n papers; all are undated where nobody knows."""
    told = np.full(n, UNKNOWN_YEAR, np.int16) if years is None else np.asarray(years, np.int16)
    np.save(folder / YEARS_FILE, told)
    return told


def load_years(folder: Path, n: int) -> Years:
    """Read what `write_years` wrote.

    Raises:
        ArtifactCorrupt: it is not of n papers.
    """
    years = load_array(folder / YEARS_FILE)
    if years.dtype != np.int16 or years.shape != (n,):
        raise ArtifactCorrupt(
            f"{folder / YEARS_FILE} does not hold the years of {n:,} papers.",
            "Build the index again with --force.",
        )
    return years
