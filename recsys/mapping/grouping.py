"""Groups of papers that belong together, and how much two papers have to do with each other."""

import random
from collections.abc import MutableSequence, Sequence
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.errors import need
from recsys.store.arrays import Longs, Rows
from recsys.store.collection import Collection

Weights: TypeAlias = NDArray[np.float64]
"""One for each pair of m papers: (m, m)."""
Reals: TypeAlias = NDArray[np.float64]

# Groups by Louvain's method, made firm by a vote of many runs.
#
# One run decides what it could as well decide otherwise: with one paper more it may end elsewhere.
# So several runs vote, coarse and fine ones, and papers that are voted together with the same
# others are put together (Fred & Jain 2005, Combining multiple clusterings using evidence
# accumulation).

RESOLUTIONS = (1.0, 1.6)
RUNS = 6
"""Runs at each resolution."""
COSINE = 0.5
"""What the cosine of two papers counts for beside the share of runs."""
GROUPS = 7
"""On a full map. Always as many: one more or less would move all others."""
PAPERS = 8
"""A small map has one group for so many papers."""


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
    from scipy.cluster.hierarchy import fcluster, linkage

    runs = [
        _louvain(weights, names, resolution, n) for resolution in RESOLUTIONS for n in range(RUNS)
    ]
    together = np.mean([run[:, None] == run[None, :] for run in runs], axis=0)
    votes = np.round(together + COSINE * np.maximum(cosines, 0.0), 9)
    # Papers that are voted together with the same others, as long as it costs least: Ward's method.
    groups = fcluster(linkage(votes, "ward"), count, "maxclust")
    means = {
        number: round(float(topic[groups == number].mean()), 9) for number in set(groups.tolist())
    }
    first = {number: int(np.argmax(groups == number)) for number in means}
    order = sorted(means, key=lambda number: (means[number], first[number]))
    return np.array([order.index(number) for number in groups.tolist()], np.int64)


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
    communities = networkx.community.louvain_communities(
        graph, seed=_OwnOrder(names, run), resolution=resolution
    )
    groups = np.zeros(len(weights), np.int64)
    for number, members in enumerate(communities):
        groups[sorted(members)] = number
    return groups


# Resemblance: one weight for each pair.

CITED_TOGETHER, SHARED_REFERENCES, CITATION = 1.0, 0.5, 0.25
"""What co-citation, common references and a citation count for, beside the cosine's 1."""
LATEST_CITERS = 100
"""Of a much cited paper, this many of its latest citing papers are compared."""
NEIGHBOURS = 10
"""Each paper is tied to so many others at least: the rest is noise that hides the groups."""
DIGITS = 6
"""Weights are rounded, so that the last bit of a product decides nothing."""


def resemblance(collection: Collection, rows: Rows, before: int) -> Weights:
    """Weigh each pair of papers by text and citations: (m, m), symmetric, zero diagonal.

    Only papers with year < before count as citing. Text: the cosine of the vectors, what two papers
    of this map have in common anyway, the median, set to 0, and the best to 1. Citations: see
    `_overlap`.
    """
    cosines, citing = cosines_of(collection, rows), np.zeros((len(rows), len(rows)))
    text = np.zeros_like(cosines)
    if len(pairs := cosines[np.triu_indices(len(cosines), 1)]):
        middle, best = float(np.median(pairs)), float(pairs.max())
        text = np.clip((cosines - middle) / max(best - middle, 1e-9), 0.0, 1.0)
    owner, cited = _references(collection, rows, before)
    inside = np.isin(cited, rows)
    citing[owner[inside], np.searchsorted(rows, cited[inside])] = 1.0
    weights = (
        text
        + CITED_TOGETHER
        * _overlap(*collection.graph.citers(rows, before, most=LATEST_CITERS), len(rows))
        + SHARED_REFERENCES * _overlap(owner, cited, len(rows))
        + CITATION * np.maximum(citing, citing.T)
    )
    np.fill_diagonal(weights, 0.0)
    # A tie stays if it is among the strongest of one of its ends.
    strong = np.zeros(weights.shape, bool)
    for place, row in enumerate(np.round(weights, DIGITS)):
        strongest = np.lexsort((np.arange(len(row)), -row))[:NEIGHBOURS]
        strong[place, strongest] = row[strongest] > 0
    ties: Weights = np.where(strong | strong.T, weights, 0.0)
    return ties.round(DIGITS)


def cosines_of(collection: Collection, rows: Rows) -> Weights:
    """Multiply the vectors of each pair: (m, m)."""
    vectors = np.asarray(collection.vectors[rows], np.float64)
    return vectors @ vectors.T


def along_topics(collection: Collection, rows: Rows) -> Reals:
    """Project papers on the direction in which their vectors differ most: (m,), in 9 digits.

    Of the two signs it has the one by which its components sum up to more than 0.
    """
    centred = np.asarray(collection.vectors[rows], np.float64)
    centred = centred - centred.mean(axis=0, keepdims=True)
    if not centred.any():
        return np.zeros(len(rows))
    axis = np.linalg.svd(centred, full_matrices=False)[2][0]
    projected: Reals = np.round(centred @ axis * np.where(axis.sum() < 0, -1.0, 1.0), 9)
    return projected


def citations(collection: Collection, rows: Rows, before: int) -> list[list[int]]:
    """List for each paper which of the others it cites, as positions; as of the moment."""
    owner, cited = _references(collection, rows, before)
    inside = np.isin(cited, rows)
    positions: list[list[int]] = [[] for _ in rows]
    places = np.searchsorted(rows, cited[inside])
    for paper, place in zip(owner[inside].tolist(), places.tolist(), strict=True):
        positions[paper].append(place)
    return positions


def _references(collection: Collection, rows: Rows, before: int) -> tuple[Rows, Rows]:
    """List what papers with year < before cite: (positions of these, rows of the cited)."""
    older = np.flatnonzero(collection.graph.older(rows, before)).astype(np.int32)
    owner, cited = collection.graph.references(rows[older])
    return older[owner], cited


def _overlap(owner: Rows, other: Rows, m: int) -> Weights:
    """Share of the connected papers that each pair has in common: the cosine of their sets."""
    columns, place = np.unique(other, return_inverse=True)
    table = np.zeros((m, len(columns)))
    table[owner, place] = 1.0
    lengths = np.sqrt(np.maximum(table.sum(axis=1), 1.0))
    return (table @ table.T) / np.outer(lengths, lengths)
