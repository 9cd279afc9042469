"""Pick the best rows: higher score first, ties by ascending row."""

import numpy as np

from recsys.protocols import Floats, Rows


def best(scores: Floats, k: int) -> Rows:
    """Return the positions of the k highest scores, best first, ties by ascending position.

    O(n + k log k).
    """
    k = min(k, len(scores))
    if k == 0:
        return np.empty(0, np.int32)
    threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
    above = np.flatnonzero(scores > threshold)
    ties = np.flatnonzero(scores == threshold)[: k - len(above)]
    kept = np.concatenate([above, ties])
    return kept[np.lexsort((kept, -scores[kept]))].astype(np.int32)


def positions(values: Rows, ascending: Rows) -> tuple[Rows, np.typing.NDArray[np.bool_]]:
    """Find each value in an ascending array: (position, whether it is there)."""
    if len(ascending) == 0:
        return np.zeros(len(values), np.int32), np.zeros(len(values), bool)
    at = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1).astype(np.int32)
    return at, ascending[at] == values
