"""Exact search without any preparation: for several queries, vectors are rounded when first needed.

One query is multiplied with all vectors: most of an answer needs these products. Of those with
the seeds it needs only the best, which a scan in 8 bits finds in a third of the time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recsys.indexes.backends import Former
from recsys.indexes.exact import ExactIndex
from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.graph import Years
from recsys.store.kernels import fastest
from recsys.store.vectors.stored_vectors import StoredVectors

if TYPE_CHECKING:
    from recsys.indexes.int8_index import Int8Index


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
        if fastest.COMPILED:
            return self._rounded.search_many(queries, k, allowed=allowed)
        return ExactIndex(self.vectors).search_many(queries, k, allowed=allowed)

    @cached_property
    def _rounded(self) -> "Int8Index":
        """The same search in 8 bits: only drafts with references come here."""
        from recsys.indexes.int8_index import Int8Index
        from recsys.indexes.rounded import Rounded

        return Int8Index(self.vectors, *Rounded.of(self.vectors[:]))


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
