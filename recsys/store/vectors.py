"""The vectors of an index, in whichever way they lie on disk, and their products with queries."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import (
    Floats,
    Longs,
    Mask,
    Rows,
    find_rows,
    load_array,
    number,
    release,
)
from recsys.store.artifacts import VECTOR_FILE
from recsys.store.kernels import dispatch
from recsys.store.kernels.dispatch import Codes, Split, split_dots, unsplit

# Vectors in 24 bits, in two files: what searches them reads only the first, of 8 bits.
#
# Beside each other lie `codes.npy` (n, d) int8, `rests.npy` (n, d) int16 and `scales.npy` (n,)
# float32; see `kernels.dispatch.Split`. Where vectors that are near each other lie
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
        """Memory-map them; see `recsys.store.collection` for what checks them."""
        parts = (load_array(folder / name) for name in (CODES_FILE, RESTS_FILE, SCALES_FILE))
        places = folder / PLACES_FILE
        return cls(Split(*parts), load_array(places) if places.exists() else None)

    @property
    def shape(self) -> tuple[int, int]:
        """Return (n, d)."""
        n, d = self.parts.codes.shape
        return n, d

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
            return unsplit(self.parts, self.places_of(np.arange(*key.indices(len(self)))))
        rows = np.asarray(key)
        if rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
        found = unsplit(self.parts, self.places_of(rows.reshape(-1)))
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
            product[begin : begin + _AT_ONCE] = split_dots(self.parts, self.places_of(rows), query)
        return product

    def __array__(self, *_: object, **__: object) -> NDArray[np.float32]:
        """Refuse to become an array unasked: they were split because there are many."""
        raise TypeError("Stored vectors are no array: say which rows, [:] for all of them.")

    def dots(self, rows: Rows, queries: Floats) -> Floats:
        """Multiply (m,) rows with a (d,) query or (q, d) queries: (m,) or (q, m) float32."""
        return split_dots(self.parts, self.places_of(rows), queries)

    def places_of(self, rows: Rows | Longs) -> Rows:
        """Tell where rows lie: int32."""
        if self.places is None:
            return rows.astype(np.int32, copy=False)
        return self.places.take(rows)


StoredVectors: TypeAlias = Floats | SplitVectors
"""(n, d) float32, L2-normalised rows: an array, or what is read as one, by row."""


@dataclass(frozen=True, slots=True)
class JoinedVectors:
    """Vectors of n rows, most of which an older index holds, read as an (n, d) float32 array is.

    old: (m, d). rows: (n,) int32, where each row lies among these; below 0, nowhere: then it is
    fresh[~row]. fresh: (f, d) float32.
    """

    old: StoredVectors
    rows: Rows
    fresh: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """Return (n, d)."""
        return len(self.rows), self.fresh.shape[1]

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.rows)

    def __getitem__(self, key: Key) -> Floats:
        """Copy a row, or several, as `SplitVectors` does."""
        rows = np.asarray(self.rows[key])
        flat = rows.reshape(-1)
        found = np.empty((len(flat), self.shape[1]), np.float32)
        there = flat >= 0
        found[there] = self.old[flat[there]]
        found[~there] = self.fresh[~flat[~there]]
        return found.reshape(*rows.shape, self.shape[1])

    def __setitem__(self, rows: Rows, values: Floats) -> None:
        """Write some of the fresh ones."""
        self.fresh[~self.rows[rows]] = values


GivenVectors: TypeAlias = StoredVectors | JoinedVectors
"""What an index is made of: (n, d) float32, L2-normalised rows."""


def load_vectors(folder: Path) -> StoredVectors:
    """Memory-map the vectors in a folder: the whole ones, or those in two parts."""
    if (folder / RESTS_FILE).exists():
        return SplitVectors.load(folder)
    return load_array(folder / VECTOR_FILE)


def let_go(vectors: GivenVectors) -> None:
    """Let go what is mapped of vectors, see `recsys.store.arrays.release`."""
    if isinstance(vectors, JoinedVectors):
        let_go(vectors.old)
        vectors = vectors.fresh
    if isinstance(vectors, np.ndarray):
        release(vectors)
    else:
        release(vectors.parts.codes)
        release(vectors.parts.rests)


def vector_files(folder: Path) -> list[str]:
    """Name the files that `load_vectors` reads in a folder."""
    names = (CODES_FILE, RESTS_FILE, SCALES_FILE, PLACES_FILE)
    split = [name for name in names if (folder / name).exists()]
    return split if RESTS_FILE in split else [VECTOR_FILE]


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


def split_rows(vectors: GivenVectors, rows: Rows) -> Split:
    """Split (m,) rows of vectors; what is stored in two parts is copied."""
    if isinstance(vectors, np.ndarray):
        return split(vectors[rows])
    if isinstance(vectors, SplitVectors):
        places, parts = vectors.places_of(rows), vectors.parts
        return Split(parts.codes[places], parts.rests[places], parts.scales[places])
    lies = vectors.rows[rows]
    fresh = np.flatnonzero(lies < 0)
    found, others = split_rows(vectors.old, np.maximum(lies, 0)), split(vectors.fresh[~lies[fresh]])
    found.codes[fresh], found.rests[fresh] = others.codes, others.rests
    found.scales[fresh] = others.scales
    return found


def quantised(vectors: Floats) -> tuple[Codes, Floats]:
    """Return (m, d) int8 and (m,) float32 whose product are the vectors, nearly."""
    steps = np.abs(vectors).max(axis=1, initial=0) / 127
    tiny = np.finfo(np.float32).tiny  # Below it, numbers are too coarse to divide by.
    scales = np.asarray(np.where(steps >= tiny, steps, 1), np.float32)
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales


# Products of vectors with queries: in an answer, each product of all vectors is made once.
#
# To read all vectors is most of what a product costs, and several steps of an answer compare the
# same query with most papers. What is made inside `dot_cache` is kept until its end.

SMALL = 1_000_000
"""Multiplications at once: OpenBLAS does so many without copying both sides into its own order."""

_Key: TypeAlias = tuple[int, tuple[int, ...], bytes]


@dataclass(slots=True)
class _Cache:
    """Products by identity of the vectors, which are kept alive, and value of the queries.

    whole: of all vectors. parts: of some rows, the last that were asked for.
    """

    whole: dict[_Key, tuple[StoredVectors, Floats]] = field(default_factory=dict)
    parts: dict[_Key, tuple[StoredVectors, Rows, Floats]] = field(default_factory=dict)


_cache: ContextVar[_Cache | None] = ContextVar("products", default=None)


@contextmanager
def dot_cache() -> Iterator[None]:
    """Make no product of all vectors twice inside a `with` block."""
    token = _cache.set(_Cache())
    try:
        yield
    finally:
        _cache.reset(token)


def products(vectors: StoredVectors, queries: Floats) -> Floats:
    """Multiply as `multiplied` does, or return what was made before.

    The result is read-only: others may be given the same.
    """
    if (known := known_products(vectors, queries)) is not None:
        return known
    product = multiplied(vectors, queries)
    product.setflags(write=False)
    if (cache := _cache.get()) is not None:
        cache.whole[_key(vectors, queries)] = vectors, product
    return product


def multiplied(vectors: StoredVectors, queries: Floats) -> Floats:
    """Multiply (n, d) vectors with a (d,) query: (n,), or with (q, d) queries: (q, n) float32."""
    if queries.ndim == 1:
        return vectors @ queries
    columns = np.ascontiguousarray(queries.T)  # Multiplied a third quicker than a view.
    made = np.empty((len(queries), len(vectors)), np.float32)
    step = max(SMALL // max(queries.size, 1), 16)
    for begin in range(0, len(vectors), step):
        made[:, begin : begin + step] = (vectors[begin : begin + step] @ columns).T
    return made


def known_products(vectors: StoredVectors, queries: Floats) -> Floats | None:
    """Return a product of all vectors that is kept, else None."""
    cache = _cache.get()
    if cache is None or not cache.whole:
        return None
    _, product = cache.whole.get(_key(vectors, queries), (None, None))
    return product


def row_dots(vectors: StoredVectors, rows: Rows, queries: Floats) -> Floats:
    """Multiply some rows with a (d,) query or (q, d) queries: (m,) or (q, m) float32."""
    if isinstance(vectors, np.ndarray):
        return dispatch.dots(vectors, rows, queries)
    return vectors.dots(rows, queries)


def dots(vectors: StoredVectors, rows: Rows, query: Floats) -> Floats:
    """Multiply the given rows of (n, d) vectors with a (d,) query: (len(rows),) float32.

    To fetch many scattered rows costs more than to read all of them in order.
    """
    if 2 * len(rows) > len(vectors):
        return products(vectors, query)[rows]
    known = known_products(vectors, query)
    return row_dots(vectors, rows, query) if known is None else known[rows]


def remembered_dots(vectors: StoredVectors, rows: Rows, query: Floats) -> Floats:
    """Multiply as `dots` does distinct rows, some of which `dots_of_any` will be asked for."""
    product = dots(vectors, rows, query)
    if (cache := _cache.get()) is not None and len(rows):
        cache.parts[_key(vectors, query)] = vectors, rows, product
    return product


def dots_of_any(vectors: StoredVectors, rows: Rows, query: Floats) -> Floats:
    """Multiply as `dots` does rows of which many come again: each is computed once."""
    if (known := known_products(vectors, query)) is not None:
        return known[rows]
    once, numbers = number(rows)
    cache = _cache.get()
    part = None if cache is None else cache.parts.get(_key(vectors, query))
    if part is None:
        return dots(vectors, once, query)[numbers]
    at = find_rows(part[1], once)
    product, others = part[2][at], np.flatnonzero(at < 0)
    product[others] = dots(vectors, once[others], query)
    return product[numbers]


def _key(vectors: StoredVectors, queries: Floats) -> _Key:
    return id(vectors), queries.shape, queries.tobytes()  # One query may be a list of one.
