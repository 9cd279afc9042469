"""Spherical k-means: unit vectors in lists, each around a centroid of length 1."""

import numpy as np

from recsys.indexes.row_blocks import blocks, release
from recsys.store.arrays import Floats, Rows

SAMPLE, ROUNDS = 32, 8
"""Vectors of each list that are looked at, and how often: more of either moves few rows."""
_AT_ONCE = 2048
"""Vectors that are compared with all centroids at once."""


def train(vectors: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Find centroids of (n, d) unit vectors, among a sample: (count, d) float32. n >= count."""
    chosen = np.sort(rng.choice(len(vectors), min(len(vectors), SAMPLE * count), replace=False))
    sample = vectors[chosen]
    release(vectors)
    centroids = sample[rng.choice(len(sample), count, replace=False)]
    for _ in range(ROUNDS):
        lists = assign(sample, centroids)
        order = np.argsort(lists, kind="stable")
        there, begins = np.unique(lists[order], return_index=True)
        sums = np.add.reduceat(sample[order], begins, axis=0)
        lengths = np.linalg.norm(sums, axis=1)
        moved = lengths > 0  # A list of nothing, or of opposites, stays where it is.
        centroids[there[moved]] = sums[moved] / lengths[moved, None]
    return centroids


def assign(vectors: Floats, centroids: Floats) -> Rows:
    """Find the nearest centroid of each of (n, d) vectors: (n,) int32."""
    lists, columns = np.empty(len(vectors), np.int32), np.ascontiguousarray(centroids.T)
    for begin, block in blocks(vectors):
        for at in range(0, len(block), _AT_ONCE):
            near = block[at : at + _AT_ONCE] @ columns
            lists[begin + at :][: len(near)] = near.argmax(axis=1)
    return lists
