"""Lay papers out on a map by t-SNE."""

from dataclasses import dataclass

import numpy as np

from recsys.eval.measures import Doubles
from recsys.extras import need
from recsys.store.arrays import Floats, Longs

COMPONENTS = 50
"""Principal components that the distances are computed of."""
PERPLEXITY = 30
"""Neighbours that a point keeps near, about; a third of the other points where they are few."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Points of some papers. rows: (m,) int64, which papers. points: (m, 2) float64, no unit."""

    rows: Longs
    points: Doubles


def lay_out(vectors: Floats, *, seed: int) -> Doubles:
    """Place vectors on a plane so that neighbours stay near (van der Maaten and Hinton 2008).

    Args:
        vectors: (n, d) float32, not all alike; n >= 4.
        seed: of the principal components, which the map begins with. It is the same every time:
            only one thread computes it, because rounding depends on their number.

    Returns:
        (n, 2) float64.
    """
    need("sklearn", "A map")
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    n, dim = vectors.shape
    begin = "pca" if dim > 1 else "random"
    tsne = TSNE(init=begin, perplexity=min(PERPLEXITY, (n - 1) / 3), random_state=seed)
    with threadpool_limits(1):
        reduced = PCA(min(COMPONENTS, n, dim), random_state=seed).fit_transform(vectors)
        return np.asarray(tsne.fit_transform(reduced), np.float64)
