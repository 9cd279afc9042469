"""What those who cite a paper say of it by their titles: the mean of their vectors."""

from dataclasses import dataclass, field

import numpy as np

from recsys.ranking.feature_context import FeatureContext
from recsys.store.arrays import Floats, Longs, Rows, distinct

MOST_CITERS = 30
"""Of a much cited paper, this many of its latest citers describe it, and so many sentences."""


@dataclass(slots=True)
class TitleMeans:
    """The mean vector of each paper's latest citers as of one moment, made when first asked for.

    Passages of a draft share most of their candidates. slots: (n,) int32, where `made` has a
    paper's mean, -1 where it has none yet. count: so many it has.
    """

    slots: Rows | None = None
    made: Floats = field(default_factory=lambda: np.empty((0, 0), np.float32))
    count: int = 0

    def of(self, context: FeatureContext) -> Floats:
        """Return the means of the candidates: (m, d) float32."""
        n, d = context.collection.vectors.shape
        if self.slots is None:
            self.slots, self.made = np.full(n, -1, np.int32), np.empty((0, d), np.float32)
        new = context.rows[self.slots[context.rows] < 0]
        if len(new):
            end = self.count + len(new)
            if end > len(self.made):
                room = np.empty((2 * end, d), np.float32)
                room[: self.count] = self.made[: self.count]
                self.made = room
            self.made[self.count : end] = _of_titles(context, new)
            self.slots[new] = np.arange(self.count, end, dtype=np.int32)
            self.count = end
        return self.made[self.slots[context.rows]]


def _of_titles(context: FeatureContext, rows: Rows) -> Floats:
    """Average the latest citers: (len(rows), d) float32."""
    owner, citing = context.graph.citers(rows, context.query.before, most=MOST_CITERS)
    once = distinct(citing)
    theirs = context.collection.vectors[once]
    return means_of(theirs, np.searchsorted(once, citing), owner, len(rows))


def means_of(vectors: Floats, places: Longs, owner: Rows, n: int) -> Floats:
    """Average the (u, d) vectors at some places by owner, 0 for owners without any: (n, d) float32.

    owner: ascending. A sparse product reads each vector where it stands; to copy them together and
    add them up by `np.add.reduceat` takes twenty times as long.
    """
    from scipy.sparse import csr_matrix

    number = np.bincount(owner, minlength=n)
    starts = np.concatenate([[0], np.cumsum(number)])
    weights = (1 / np.maximum(number, 1)).astype(np.float32)[owner]
    means: Floats = csr_matrix((weights, places, starts), shape=(n, len(vectors))) @ vectors
    return means
