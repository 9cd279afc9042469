"""Vectors in 24 bits, in two files: what searches them reads only the first, of 8 bits.

Beside each other lie `codes.npy` (n, d) int8, `rests.npy` (n, d) int16 and `scales.npy` (n,)
float32; see `kernels.split_in_numpy.Split`. Where vectors that are near each other lie together,
`places.npy` (n,) int32 tells where each row is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Floats, Longs, Mask, Rows, load_array
from recsys.store.kernels import fastest
from recsys.store.kernels.split_in_numpy import Split

CODES_FILE, RESTS_FILE, SCALES_FILE = "codes.npy", "rests.npy", "scales.npy"
PLACES_FILE = "places.npy"
Key: TypeAlias = int | np.integer[Any] | slice | Rows | Longs | Mask | list[int]
_AT_ONCE = 1024
"""Rows that are joined and multiplied before the next ones: they stay in the cache."""


@dataclass(frozen=True, slots=True)
class SplitVectors:
    """Vectors of n rows, read as an (n, d) float32 array is: what is asked for is joined.

    parts: by place. places: (n,) int32, of each row; None: where it is.
    """

    parts: Split
    places: Rows | None = None

    @classmethod
    def load(cls, folder: Path) -> "SplitVectors":
        """Memory-map them; see `recsys.store.soundness` for what checks them."""
        parts = (load_array(folder / name) for name in (CODES_FILE, RESTS_FILE, SCALES_FILE))
        places = folder / PLACES_FILE
        return cls(Split(*parts), load_array(places) if places.exists() else None)

    @property
    def shape(self) -> tuple[int, int]:
        """Return (n, d)."""
        n, d = self.parts.codes.shape
        return n, d

    @property
    def ndim(self) -> int:
        """Return 2: they are a matrix."""
        return 2

    @property
    def size(self) -> int:
        """Count the numbers."""
        return self.parts.codes.size

    @property
    def dtype(self) -> "np.dtype[np.float32]":
        """Return the type of what is read."""
        return np.dtype(np.float32)

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.parts.codes)

    def __getitem__(self, key: Key) -> Floats:
        """Join a row, or several that are named, cut out or set in a mask: a new float32 array."""
        if isinstance(key, slice):
            return fastest.unsplit(self.parts, self._places(np.arange(*key.indices(len(self)))))
        rows = np.asarray(key)
        if rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
        found = fastest.unsplit(self.parts, self._places(rows.reshape(-1)))
        return found.reshape(*rows.shape, self.shape[1])

    def __iter__(self) -> Iterator[Floats]:
        """Go through the rows."""
        for begin in range(0, len(self), _AT_ONCE):
            yield from self[begin : begin + _AT_ONCE]

    def __matmul__(self, query: Floats) -> Floats:
        """Multiply all rows with a (d,) query: (n,) float32."""
        product = np.empty(len(self), np.float32)
        for begin in range(0, len(self), _AT_ONCE):
            rows = np.arange(begin, min(begin + _AT_ONCE, len(self)))
            product[begin : begin + _AT_ONCE] = fastest.split_dots(
                self.parts, self._places(rows), query
            )
        return product

    def __array__(self, *_: object, **__: object) -> NDArray[np.float32]:
        """Refuse to become an array unasked: they were split because there are many."""
        raise TypeError("Stored vectors are no array: say which rows, [:] for all of them.")

    def dots(self, rows: Rows, queries: Floats) -> Floats:
        """Multiply (m,) rows with a (d,) query or (q, d) queries: (m,) or (q, m) float32."""
        return fastest.split_dots(self.parts, self._places(rows), queries)

    def own_dots(self, rows: Sequence[Rows], queries: Floats) -> Floats:
        """Multiply some rows with the query that each are of, see `in_numpy.own_dots`."""
        return fastest.split_own_dots(self.parts, [self._places(own) for own in rows], queries)

    def _places(self, rows: Rows | Longs) -> Rows:
        if self.places is None:
            return rows.astype(np.int32, copy=False)
        return self.places.take(rows)
