"""A world to simulate clicks in: queries whose papers have a known relevance."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval.measures import Doubles
from eval.studies.clicks.click_log import NOTHING
from recsys.errors import InputError
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

    def relevance_of(self, query: Rows, shown: Rows) -> Doubles:
        """Look up the relevance of shown papers: (n,) and (n, m) -> (n, m); 0 where nothing is.

        The numbers are places in this world's names, as they are in a log simulated here. A log
        that was read from a file numbers queries and papers in another way.

        Raises:
            InputError: a paper was shown that is not in the pool of its query.
        """
        width = len(self.papers)
        known = (np.arange(len(self.queries))[:, None] * width + self.pool).ravel()
        order = np.argsort(known)
        wanted = query[:, None].astype(np.int64) * width + shown
        places = order[np.searchsorted(known, wanted, sorter=order).clip(max=len(known) - 1)]
        strange = ((known[places] != wanted) | (shown >= width)) & (shown != NOTHING)
        if strange.any():
            row, column = np.argwhere(strange)[0]
            raise InputError(
                f"Paper {shown[row, column]} is not in the pool of query {query[row]}.",
                "Ask for a log that was simulated in this world.",
            )
        found: Doubles = np.where(shown == NOTHING, 0, self.relevance.ravel()[places])
        return found
