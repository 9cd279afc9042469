"""Groups of papers that belong together, by Louvain's method, made firm by a vote of many runs.

One run decides what it could as well decide otherwise: with one paper more it may end elsewhere.
So several runs vote, coarse and fine ones, and papers that are voted together with the same others
are put together (Fred & Jain 2005, Combining multiple clusterings using evidence accumulation).
"""

import random
from collections.abc import MutableSequence, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from recsys.extras import need
from recsys.mapping.resemblance import Reals, Weights
from recsys.store.arrays import Longs

RESOLUTIONS = (1.0, 1.6)
RUNS = 6
"""Runs at each resolution."""
COSINE = 0.5
"""What the cosine of two papers counts for beside the share of runs."""
GROUPS = 7
"""On a full map. Always as many: one more or less would move all others."""
PAPERS = 8
"""A small map has one group for so many papers."""
DIGITS = 9


def groups_of(weights: Weights, cosines: Weights, names: Sequence[str], topic: Reals) -> Longs:
    """Group papers: (m,) group of each, numbered from the lowest mean of `topic`.

    Args:
        weights: of each pair.
        cosines: of each pair.
        names: of the papers, distinct; they decide the order in which Louvain visits the papers.
        topic: (m,) where each paper lies along one direction.

    Raises:
        MissingExtraError: networkx is not installed.
    """
    need("networkx", "A map")
    count = min(GROUPS, len(weights) // PAPERS)
    if count < 2:
        return np.zeros(len(weights), np.int64)
    votes = _votes(weights, names) + COSINE * np.maximum(cosines, 0.0)
    return _ordered(_united(np.round(votes, DIGITS), count), topic)


def _votes(weights: Weights, names: Sequence[str]) -> Weights:
    """Return the share of runs that put each pair into one group."""
    runs = [
        _louvain(weights, names, resolution, run)
        for resolution in RESOLUTIONS
        for run in range(RUNS)
    ]
    together: Weights = np.mean([run[:, None] == run[None, :] for run in runs], axis=0)
    return together


class _OwnOrder(random.Random):
    """Stands for a source of chance where Louvain shuffles: every paper has a rank of its own.

    One paper more leaves the order of the others as it was.
    """

    def __init__(self, names: Sequence[str], run: int) -> None:
        super().__init__(0)
        self.ranks = [blake2b(f"{run} {name}".encode()).digest() for name in names]

    def shuffle(self, x: MutableSequence[Any]) -> None:
        """Order the numbers of papers, or of groups, by these ranks."""
        x[:] = sorted(x, key=self.ranks.__getitem__)


def _louvain(weights: Weights, names: Sequence[str], resolution: float, run: int) -> Longs:
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(range(len(weights)))
    left, right = np.nonzero(np.triu(weights, 1))
    values = weights[left, right].tolist()
    graph.add_weighted_edges_from(zip(left.tolist(), right.tolist(), values, strict=True))
    order = _OwnOrder(names, run)
    found = networkx.community.louvain_communities(graph, seed=order, resolution=resolution)
    groups = np.zeros(len(weights), np.int64)
    for number, members in enumerate(found):
        groups[sorted(members)] = number
    return groups


def _united(votes: Weights, count: int) -> Longs:
    """Put papers together that are voted together with the same others, as long as it costs least.

    That is Ward's method on the rows of the votes.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    found: Longs = fcluster(linkage(votes, "ward"), count, "maxclust").astype(np.int64) - 1
    return found


def _ordered(groups: Longs, topic: Reals) -> Longs:
    """Number groups by where their papers lie on average, ties by the first paper."""
    numbers = np.unique(groups).tolist()
    means = {number: round(float(topic[groups == number].mean()), 9) for number in numbers}
    first = {number: int(np.argmax(groups == number)) for number in numbers}
    order = sorted(numbers, key=lambda number: (means[number], first[number]))
    place = {number: at for at, number in enumerate(order)}
    return np.array([place[number] for number in groups.tolist()], np.int64)
