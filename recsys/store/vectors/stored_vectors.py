"""The vectors of an index, in whichever way they lie on disk."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Floats, Longs, Mask, Rows, load_array
from recsys.store.kernels import fastest
from recsys.store.kernels.split_in_numpy import Split
from recsys.store.layout import VECTOR_FILE

# Vectors in 24 bits, in two files: what searches them reads only the first, of 8 bits.
#
# Beside each other lie `codes.npy` (n, d) int8, `rests.npy` (n, d) int16 and `scales.npy` (n,)
# float32; see `kernels.split_in_numpy.Split`. Where vectors that are near each other lie
# together, `places.npy` (n,) int32 tells where each row is.

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


StoredVectors: TypeAlias = Floats | SplitVectors
"""(n, d) float32, L2-normalised rows: an array, or what is read as one, by row."""


def load_vectors(folder: Path) -> StoredVectors:
    """Memory-map the vectors in a folder: the whole ones, or those in two parts."""
    if (folder / RESTS_FILE).exists():
        return SplitVectors.load(folder)
    vectors: Floats = load_array(folder / VECTOR_FILE)
    return vectors


def vector_files(folder: Path) -> list[str]:
    """Name the files that `load_vectors` reads in a folder."""
    names = (CODES_FILE, RESTS_FILE, SCALES_FILE, PLACES_FILE)
    split = [name for name in names if (folder / name).exists()]
    return split if RESTS_FILE in split else [VECTOR_FILE]


def row_dots(vectors: StoredVectors, rows: Rows, queries: Floats) -> Floats:
    """Multiply some rows with a (d,) query or (q, d) queries: (m,) or (q, m) float32."""
    if isinstance(vectors, np.ndarray):
        return fastest.dots(vectors, rows, queries)
    return vectors.dots(rows, queries)


def own_row_dots(vectors: StoredVectors, rows: Sequence[Rows], queries: Floats) -> Floats:
    """Multiply some rows with the query that each are of: one query after the other, float32."""
    if isinstance(vectors, np.ndarray):
        return fastest.own_dots(vectors, rows, queries)
    return vectors.own_dots(rows, queries)


# Split vectors into two parts: 8 bits that are enough to search, and 16 more that make them
# exact.
#
# A number becomes a whole one of 24 bits times a step of its row. Cosines of unit vectors of 384
# numbers move by some 1e-8, a tenth of what summing them up in float32 does.

HIGHEST = 127 << 16
"""What the largest number of a row becomes, nearly: its first 8 bits are 127."""
OFF = 3
"""Steps that no number is moved by."""
_LEAST = 2.0**-100
"""Rows without a larger number are as good as zero: steps of them would have too few bits."""
_UNIT = 1 << 41
"""Of a float64 as a whole number: the last of the twelve bits that a step has."""


def split(vectors: Floats) -> Split:
    """Split (m, d) vectors: row by row, each by its largest number.

    What was split and joined splits into the same parts again: vectors can be taken over from one
    index to the next for ever. Steps have twelve bits for that, so that `HIGHEST` steps are a
    number in float32, and no number is rounded up to where the next step would begin.
    """
    highest = np.abs(vectors).max(axis=1, initial=0).astype(np.float64)
    bits = np.where(highest >= _LEAST, highest / HIGHEST, 1.0).view(np.int64) & -_UNIT
    steps, next_steps = bits.view(np.float64), (bits + _UNIT).view(np.float64)
    most = np.ceil(HIGHEST * next_steps / steps) - 2
    whole = vectors / steps[:, None]
    np.rint(whole, out=whole)
    np.clip(whole, -most[:, None], most[:, None], out=whole)
    numbers = whole.astype(np.int32)
    codes = (numbers + (1 << 15)) >> 16
    numbers -= codes << 16
    scales = (steps * 65536).astype(np.float32)
    return Split(codes.astype(np.int8), numbers.astype(np.int16), scales)
