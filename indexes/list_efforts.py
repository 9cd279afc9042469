"""How many rows of the nearest lists have to be scanned to find nearly all neighbours."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from recsys.indexes.inverted_lists import Lists
from recsys.indexes.row_blocks import nearest
from recsys.protocols import VectorIndex
from recsys.store.arrays import Floats, Longs, Rows
from recsys.store.vectors.stored_vectors import StoredVectors

FOUND_ALONE, FOUND_TOGETHER = 0.993, 0.99
"""Recalls that are aimed at. A draft is none of the papers, and misses a little more than those."""
ALONE, HEADS = 100, 10
"""Papers that are searched for alone, and those around which several are searched for together."""
TOGETHER = 20
"""Queries that are searched for together at most: as many as stage one takes of a draft's list."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How many rows are scanned to find k, and the recall that was measured, in [0, 1]."""

    k: int
    scanned: int
    recall: float

    def rows(self, k: int) -> int:
        """Return how many rows are scanned to find another number of them."""
        return self.scanned if k <= self.k else self.scanned * k // self.k


@dataclass(frozen=True, slots=True)
class Sample:
    """Papers as queries, in groups that are searched for together, and what is near each.

    k, target: how many neighbours are counted, and the share that shall be found. groups: (g, d)
    each. near: the exact k nearest (rows, cosines) of each query of each group, and before them
    itself, which does not count.
    """

    k: int
    target: float
    groups: Sequence[Floats]
    near: Sequence[Sequence[tuple[Rows, Floats]]]


def sample_alone(vectors: StoredVectors, k: int, rng: np.random.Generator) -> Sample:
    """Draw papers, each a group of its own."""
    n = len(vectors)
    queries = vectors[np.sort(rng.choice(n, min(ALONE, n), replace=False))]
    near = [[found] for found in nearest(vectors, queries, k + 1)]
    return Sample(k, FOUND_ALONE, list(queries[:, None]), near)


def sample_together(
    vectors: StoredVectors, k: int, heads: Sample, rng: np.random.Generator
) -> Sample:
    """Draw groups of papers that are near one paper, as those that a draft cites are."""
    chosen = [rng.permutation(near[0][0])[:TOGETHER] for near in heads.near[:HEADS]]
    ends = np.cumsum([len(rows) for rows in chosen])[:-1]
    queries = vectors[np.concatenate(chosen)]
    near = nearest(vectors, queries, k + 1)
    parts = [list(part) for part in np.split(np.arange(len(near)), ends)]
    groups = np.split(queries, ends)
    return Sample(k, FOUND_TOGETHER, groups, [[near[at] for at in part] for part in parts])


def choose_effort(lists: Lists, sample: Sample, trial: Callable[[Effort], VectorIndex]) -> Effort:
    """Find how many rows have to be scanned for each query so that the recall reaches the target.

    A neighbour is met once the lists before its own, seen from the query of the group that is
    nearest to it, hold too few rows. trial: makes the index that searches with an effort.
    """
    needed, n = _needed(lists, sample), len(lists.rows)
    scanned = int(np.quantile(needed, sample.target, method="higher"))
    while True:
        recall = _recall(trial(Effort(sample.k + 1, scanned, 0.0)), sample)
        if recall >= sample.target or scanned >= n:
            return Effort(sample.k, scanned, recall)
        scanned = min(scanned * 5 // 4 + 1, n)  # What rounding loses.


def _needed(lists: Lists, sample: Sample) -> Longs:
    """Count, for each neighbour, how many rows have to be scanned for a query to meet it."""
    of_rows, needed = lists.of_rows, [np.ones(1, np.int64)]
    for queries, near in zip(sample.groups, sample.near, strict=True):
        before = lists.before(queries).min(axis=0)
        needed += [before[of_rows[rows[1:]]] + 1 for rows, _ in near]
    return np.concatenate(needed)


def _recall(index: VectorIndex, sample: Sample) -> float:
    """Tell which share of the neighbours is found; which of equally near ones does not matter."""
    shares = []
    for queries, near in zip(sample.groups, sample.near, strict=True):
        found = index.search_many(queries, sample.k + 1)
        for (_, cosines), (_, best) in zip(found, near, strict=True):
            if len(best) > 1:
                others = np.count_nonzero(cosines >= best[-1] - 1e-6) - 1
                shares.append(others / (len(best) - 1))
    return float(np.mean(shares)) if shares else 1.0
