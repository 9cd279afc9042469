"""What a structure that was built over other vectors still knows of those of today."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.errors import ArtifactCorrupt
from recsys.store.arrays import Rows, load_array
from recsys.store.row_remap import GONE


@dataclass(frozen=True, slots=True)
class Carried:
    """A structure that was built over other rows: what it still knows.

    rows: (items,) int32, the row of today of each of its items, GONE where there is none. unknown:
    ascending, the rows that it does not know.
    """

    rows: Rows
    unknown: Rows

    @property
    def gone(self) -> int:
        """Count the items that are no longer there."""
        return int(np.count_nonzero(self.rows == GONE))

    @property
    def share(self) -> float:
        """Return how many items are asked for each that is there."""
        return len(self.rows) / max(len(self.rows) - self.gone, 1)

    def found(self, items: Rows) -> Rows:
        """Return the rows of found items, those that are gone left out."""
        rows = self.rows[items]
        found: Rows = rows[rows != GONE]
        return found

    @classmethod
    def of(cls, rows: Rows, n: int) -> "Carried":
        """Find out what it does not know of n rows."""
        there = np.zeros(n, bool)
        there[rows[rows != GONE]] = True
        return cls(rows, np.flatnonzero(~there).astype(np.int32))

    @classmethod
    def over(cls, items: Rows, today: Rows, n: int) -> "Carried":
        """Carry items on to n rows of today: (old,) int32, that of each old row, GONE for none."""
        return cls.of(np.append(today, np.int32(GONE))[items], n)


def load_items(path: Path, n: int, *, hint: str = "Build the index again with --force.") -> Rows:
    """Read the row of each item: (items,) int32.

    Raises:
        ArtifactCorrupt: it names rows that are none of n.
    """
    rows: Rows = load_array(path)
    within = rows.dtype == np.int32 and rows.ndim == 1
    if not within or (len(rows) and not (rows.min() >= GONE and rows.max() < n)):
        raise ArtifactCorrupt(f"{path} names rows that are none of the {n:,} of the index.", hint)
    return rows
