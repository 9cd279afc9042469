"""Clusters of papers, and the map by t-SNE that some of them are found on.

Are clusters of one class, and are the papers of a class in one cluster?
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from recsys.eval.measures import Doubles
from recsys.extras import need
from recsys.store.arrays import Floats, Longs, Mask

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


SIZES = (10, 20, 50, 100)
"""Numbers of clusters, as MIReAD's (Razdaibiedina and Brechalov 2023)."""
STARTS = 10
"""Times that k-means starts from other centres; the least sum of squares is kept."""
NEIGHBOURS = 10
"""Points within the radius that make one of them the core of a cluster, itself counted."""
CORES = 0.5
"""Share of the points that are cores."""


@dataclass(frozen=True, slots=True)
class Dense:
    """Clusters of a map where it is dense; the points outside of all count as one more cluster.

    homogeneity: 1 when each cluster is of one class. completeness: 1 when each class is in one
    cluster (Rosenberg and Hirschberg 2007). clusters: how many. outside: share of the points in
    none. radius: of the neighbourhoods, in units of the map. papers: on the map.
    """

    homogeneity: float
    completeness: float
    clusters: int
    outside: float
    radius: float
    papers: int


def majorities(
    vectors: Floats, labels: Longs, *, seed: int, sizes: Sequence[int] = SIZES
) -> Mapping[int, Mask]:
    """Cluster vectors by k-means, and tell for each number of clusters below n who is in majority.

    The mean of what `in_majority` tells is the purity. The vectors are taken as they are, by
    Euclidean distance. Only one thread computes: what several of them add up depends on their
    order.
    """
    need("sklearn", "Clustering")
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    found = {}
    with threadpool_limits(1), warnings.catch_warnings():
        # There may be fewer different vectors than clusters.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for size in sizes:
            if size < len(vectors):
                means = KMeans(size, n_init=STARTS, random_state=seed)
                found[size] = in_majority(means.fit_predict(vectors), labels)
    return found


def in_majority(clusters: Longs, labels: Longs) -> Mask:
    """Tell which papers are of the most frequent class of their cluster, the first of equal ones.

    Args:
        clusters: (n,) int64 from 0.
        labels: (n,) int64 from 0.

    Returns:
        (n,) bool; the mean is the purity.
    """
    counts = np.zeros((clusters.max() + 1, labels.max() + 1), np.int64)
    np.add.at(counts, (clusters, labels), 1)
    return np.asarray(counts.argmax(axis=1)[clusters] == labels)


def dense_clusters(points: Doubles, labels: Longs) -> Dense:
    """Cluster the points of a map by density (DBSCAN, Ester et al. 1996).

    Cohan et al. (2020, section 6) do so for SPECTER. Maps have no scale of their own: the radius
    is such that half of the points have nine others within it, and so make clusters.

    Args:
        points: (n, 2) float64.
        labels: (n,) int64 from 0.
    """
    need("sklearn", "Clustering")
    from sklearn.cluster import DBSCAN
    from sklearn.metrics import homogeneity_completeness_v_measure
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=min(NEIGHBOURS, len(points))).fit(points)
    distances, _ = near.kneighbors(points)
    radius = float(np.quantile(distances[:, -1], CORES)) or np.finfo(float).tiny
    found = DBSCAN(eps=radius, min_samples=NEIGHBOURS).fit_predict(points)
    homogeneity, completeness, _ = homogeneity_completeness_v_measure(labels, found)
    return Dense(
        float(homogeneity),
        float(completeness),
        clusters=int(found.max()) + 1,
        outside=float(np.mean(found < 0)),
        radius=radius,
        papers=len(points),
    )
