"""A world to simulate clicks in: queries whose papers have a known relevance."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.store.arrays import Rows


@dataclass(frozen=True, slots=True)
class World:
    """q queries, each with a pool of p papers that can be shown for it.

    queries, papers: names. pool: (q, p) int32, places in `papers`. relevance: (q, p) float64 in
    [0, 1], the chance that somebody who examines the paper clicks it. rankings: name of a ranker
    -> (q, p) int64, for every query the columns of its pool in display order.

    Raises:
        InputError: there is nothing to show or nobody to order it, the shapes do not agree, a pool
            repeats a paper, a relevance is not in [0, 1], or a ranking does not hold every column.
    """

    queries: tuple[str, ...]
    papers: tuple[str, ...]
    pool: Rows
    relevance: Doubles
    rankings: Mapping[str, NDArray[np.int64]]

    def __post_init__(self) -> None:
        if not (self.pool.size and self.rankings):
            raise InputError(
                "The world is empty.", "Give queries, a pool of papers for each, and a ranker."
            )
        expected = (len(self.queries), self.pool.shape[-1])
        shapes = {"pool": self.pool.shape, "relevance": self.relevance.shape}
        shapes |= {name: order.shape for name, order in self.rankings.items()}
        for name, shape in shapes.items():
            if shape != expected:
                raise InputError(
                    f"{name!r} has the shape {shape}, not {expected}.",
                    "Every query has a row, and every paper of its pool a column.",
                )
        self._check_values()

    def _check_values(self) -> None:
        ascending = np.sort(self.pool, axis=1)
        if ascending.min() < 0 or ascending.max() >= len(self.papers):
            raise InputError("A pool names a paper that does not exist.", "Count from 0.")
        if (ascending[:, 1:] == ascending[:, :-1]).any():
            raise InputError("A pool holds a paper twice.", "Name each paper once.")
        if not ((self.relevance >= 0) & (self.relevance <= 1)).all():
            raise InputError("A relevance is not in [0, 1].", "It is the chance of a click.")
        columns = np.arange(self.pool.shape[1])
        for name, order in self.rankings.items():
            if (np.sort(order, axis=1) != columns).any():
                raise InputError(
                    f"The ranking {name!r} does not hold every column of the pool once.",
                    "Give the columns in display order.",
                )
