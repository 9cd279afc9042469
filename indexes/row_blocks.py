"""Read vectors in blocks: as real arrays, and without keeping what was mapped on the way."""

import mmap
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys.indexes.exact import best_of_pieces
from recsys.store.arrays import Floats, Rows
from recsys.store.products import multiplied
from recsys.store.vectors.stored_vectors import StoredVectors

AT_ONCE = 1 << 25
"""Bytes of vectors in a block."""
_SHARED = ("r", "r+", "w+")
"""Modes of maps whose pages are those of the file: nothing is lost when they are let go."""


def blocks(vectors: StoredVectors) -> Iterator[tuple[int, Floats]]:
    """Copy (n, d) vectors block by block: (the first row, its vectors)."""
    step = max(AT_ONCE // max(vectors[:1].nbytes, 1), 1)
    for begin in range(0, len(vectors), step):
        yield begin, np.array(vectors[begin : begin + step])
        for part in mapped_parts(vectors):
            release(part)


def mapped_parts(vectors: StoredVectors) -> tuple[NDArray[Any], ...]:
    """Return the large arrays that vectors lie in."""
    if isinstance(vectors, np.ndarray):
        return (vectors,)
    return vectors.parts.codes, vectors.parts.rests


def release(array: NDArray[Any]) -> None:
    """Let go what is mapped of a file; it stays in the cache of the machine, and can be read again.

    What a process has mapped counts as its memory, page by page, for as long as there is room.
    """
    held: Any = array
    while isinstance(held, np.ndarray):
        if isinstance(held, np.memmap) and held.mode not in _SHARED:
            return
        held = held.base
    if isinstance(held, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        held.madvise(mmap.MADV_DONTNEED)


def nearest(vectors: StoredVectors, queries: Floats, k: int) -> list[tuple[Rows, Floats]]:
    """Find the k nearest rows of each of (q, d) queries exactly, best first, in one pass."""
    pieces = (
        (np.arange(begin, begin + len(block), dtype=np.int32), multiplied(block, queries))
        for begin, block in blocks(vectors)
    )
    return best_of_pieces(pieces, len(queries), k)
