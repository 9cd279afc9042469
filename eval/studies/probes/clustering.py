"""Clusters of papers: are they of one class, and are the papers of a class in one cluster?"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from recsys.eval.measures import Doubles
from recsys.extras import need
from recsys.store.arrays import Floats, Longs, Mask

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
