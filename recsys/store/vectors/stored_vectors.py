"""The vectors of an index, in whichever way they lie on disk."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from recsys.store.arrays import Floats, Rows, load_array
from recsys.store.kernels import fastest
from recsys.store.layout import VECTOR_FILE
from recsys.store.vectors.split_vectors import (
    CODES_FILE,
    PLACES_FILE,
    RESTS_FILE,
    SCALES_FILE,
    SplitVectors,
)

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
