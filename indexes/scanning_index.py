"""Exact search without any preparation: for several queries, vectors are rounded when first needed.

One query is multiplied with all vectors: most of an answer needs these products. Of those with
the seeds it needs only the best, which a scan in 8 bits finds in a third of the time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from indexes.backends import Former
from indexes.exact import ExactIndex, compared_in_full
from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.graph import Years
from recsys.store.kernels import fastest
from recsys.store.vectors.stored_vectors import StoredVectors

if TYPE_CHECKING:
    from indexes.rounded import Rounded

MOST = 50
"""So many of the best are found in 8 bits at most."""
SPARE = 54
"""Rows that are multiplied in full beside those that are wanted: seldom does rounding hide one of
these behind more."""


@dataclass(frozen=True)
class ScanningIndex:
    """Cosine search over all of vectors: (n, d) float32, L2-normalised rows."""

    vectors: StoredVectors

    def search(self, query: Floats, k: int, *, allowed: Mask | None = None) -> tuple[Rows, Floats]:
        """Return up to k (rows, cosines), best first. O(allowed rows * d)."""
        return ExactIndex(self.vectors).search(query, k, allowed=allowed)

    def search_many(
        self, queries: Floats, k: int, *, allowed: Mask | None = None
    ) -> list[tuple[Rows, Floats]]:
        """Return up to k (rows, cosines) for each of (q, d) queries, in one pass."""
        if not 0 < k <= MOST or not fastest.COMPILED:
            return ExactIndex(self.vectors).search_many(queries, k, allowed=allowed)
        from indexes.rounded import RoundedQueries  # Only drafts with references come here.

        every = np.array([0]), np.array([len(self.vectors)])
        asked = RoundedQueries.of(queries)
        seen = self._rounded[0].closest(asked, every, allowed, k + SPARE)
        found = compared_in_full(self.vectors, queries, [rows for rows, _ in seen], k)
        off = asked.off(self._farthest)[:, 0]
        for at, (rows, near) in enumerate(seen):
            if len(rows) == k + SPARE and found[at][1][-1] <= near[-1] + off[at]:
                found[at] = self.search(queries[at], k, allowed=allowed)
        return found

    @cached_property
    def _rounded(self) -> "tuple[Rounded, Floats]":
        """The vectors in 8 bits, and how far each is off."""
        from indexes.rounded import Rounded

        return Rounded.of(self.vectors[:])

    @cached_property
    def _farthest(self) -> Floats:
        """How far rounding took any vector from where it was: (1,) float32."""
        return np.atleast_1d(self._rounded[1].max(initial=0))


def build(
    vectors: Floats, folder: Path, *, years: Years | None = None, lasting: bool = True
) -> dict[str, Any]:
    """Prepare nothing: the vectors are all that is scanned."""
    return {}


def carry(
    vectors: Floats, folder: Path, former: Former, *, years: Years | None = None
) -> dict[str, Any]:
    """Carry nothing, as nothing was prepared."""
    return {}


def open_index(vectors: StoredVectors, folder: Path, facts: Mapping[str, Any]) -> ScanningIndex:
    """Scan the vectors."""
    return ScanningIndex(vectors)


def summary(facts: Mapping[str, Any], papers: int) -> str:
    """Say how the vectors are searched."""
    return "The vectors are scanned: exact, and quick below some hundred thousand papers."
