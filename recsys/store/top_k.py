"""Pick the best rows: higher score first, ties by ascending row."""

import numpy as np

from recsys.store.arrays import Floats, Rows


def top_k(scores: Floats, k: int) -> Rows:
    """Return the positions of the k highest scores, best first, ties by ascending position.

    O(n + k log k).
    """
    k = min(k, len(scores))
    if k <= 0:
        return np.empty(0, np.int32)
    if k == len(scores):
        return np.argsort(-scores, kind="stable").astype(np.int32)
    threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
    above = np.flatnonzero(scores > threshold)
    ties = np.flatnonzero(scores == threshold)[: k - len(above)]
    kept = np.concatenate([above, ties])
    return kept[np.lexsort((kept, -scores[kept]))].astype(np.int32)
