"""Pick the best rows (higher score first, ties by ascending row), and look rows up."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Floats, Rows

T = TypeVar("T", bound=np.generic)


def top_k(scores: Floats, k: int) -> Rows:
    """Return the positions of the k highest scores, best first, ties by ascending position.

    O(n + k log k).
    """
    k = min(k, len(scores))
    if k <= 0:
        return np.empty(0, np.int32)
    threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
    above = np.flatnonzero(scores > threshold)
    ties = np.flatnonzero(scores == threshold)[: k - len(above)]
    kept = np.concatenate([above, ties])
    return kept[np.lexsort((kept, -scores[kept]))].astype(np.int32)


def dots(vectors: Floats, rows: Rows, query: Floats) -> Floats:
    """Multiply the given rows of (n, d) vectors with a (d,) query: (len(rows),) float32.

    Copying many scattered rows costs more than to read all of them in order.
    """
    if 4 * len(rows) > len(vectors):
        products: Floats = (vectors @ query)[rows]
        return products
    return vectors[rows] @ query


def spread(rows: Rows, values: NDArray[T], n: int) -> NDArray[T]:
    """Lay values out over n rows, 0 elsewhere: what to index with other rows.

    np.zeros touches no memory, so this costs O(len(rows)) whatever n is.
    """
    table = np.zeros(n, values.dtype)
    table[rows] = values
    return table
