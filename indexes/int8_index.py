"""Exact search through vectors in 8 bits: what may be among the best is multiplied in full.

The product of two rounded vectors is as far from their cosine as rounding took them apart, at most
(Cauchy and Schwarz): of all rows but some hundreds that is enough to know that they are worse.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import ArtifactCorrupt
from recsys.indexes.backends import Former
from recsys.indexes.exact import ExactIndex, compared_in_full, least_of_best, search_rows
from recsys.indexes.rounded import Rounded, RoundedQueries, write_split
from recsys.store.arrays import Floats, Mask, Rows, load_array
from recsys.store.graph import Years
from recsys.store.kernels import fastest
from recsys.store.top_k import top_k
from recsys.store.vectors.stored_vectors import StoredVectors, row_dots

BLOCK = 1 << 14
"""Rows that are compared with every query before the next ones: they stay in the cache."""
ERRORS_FILE = "errors.npy"
FEW = 8
"""Where fewer than one in so many rows is allowed, these alone are multiplied in full."""
MOST = 50
"""Up to so many neighbours, only the best by their codes are kept."""
SPARE = 54
"""Rows that are then multiplied in full beside those that are wanted: seldom does rounding hide one
of these behind more."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Some rows and bounds of their cosines: (b,) each."""

    rows: Rows
    lowers: Floats
    uppers: Floats


@dataclass(frozen=True, slots=True)
class Int8Index:
    """Cosine search over vectors: (n, d) float32, L2-normalised rows.

    rounded: of them, by row. errors: (n,) float32, no less than the length of the difference.
    """

    vectors: StoredVectors
    rounded: Rounded
    errors: Floats

    def search(self, query: Floats, k: int, *, allowed: Mask | None = None) -> tuple[Rows, Floats]:
        """Return up to k (rows, cosines), best first: those that `ExactIndex` finds."""
        return self.search_many(query[None], k, allowed=allowed)[0]

    def search_many(
        self, queries: Floats, k: int, *, allowed: Mask | None = None
    ) -> list[tuple[Rows, Floats]]:
        """Return up to k (rows, cosines) for each of (q, d) queries, in one pass."""
        n = len(self.vectors)
        if allowed is not None and FEW * np.count_nonzero(allowed) < n:
            inside = np.flatnonzero(allowed).astype(np.int32)
            return search_rows(self.vectors, inside, queries, k)
        if 0 < k <= MOST and fastest.COMPILED:
            return self._few(queries, k, allowed)
        return self._any(queries, k, allowed)

    def _few(self, queries: Floats, k: int, allowed: Mask | None) -> list[tuple[Rows, Floats]]:
        """Compare the k + SPARE best by codes in full; look at all where these may not suffice."""
        every, asked = (np.array([0]), np.array([len(self.vectors)])), RoundedQueries.of(queries)
        seen = self.rounded.closest(asked, every, allowed, k + SPARE)
        found = compared_in_full(self.vectors, queries, [rows for rows, _ in seen], k)
        off = asked.off(np.atleast_1d(self.errors.max(initial=0)))[:, 0]
        for at, (rows, near) in enumerate(seen):
            if len(rows) == k + SPARE and found[at][1][-1] <= near[-1] + off[at]:
                found[at] = self._any(queries[at : at + 1], k, allowed)[0]
        return found

    def _any(self, queries: Floats, k: int, allowed: Mask | None) -> list[tuple[Rows, Floats]]:
        """Look at all rows whose bounds reach those of the best."""
        n, asked = len(self.vectors), RoundedQueries.of(queries)
        least = np.full(len(queries), np.finfo(np.float32).min)
        parts: list[list[_Part]] = [[] for _ in queries]
        for begin in range(0, max(n, 1), BLOCK):
            near, off = self._look(asked, slice(begin, min(begin + BLOCK, n)), allowed)
            least = np.maximum(least, least_of_best(near - off, k))
            for at, found in enumerate(parts):
                (kept,) = np.nonzero(near[at] + off[at] >= least[at])
                bounds = near[at, kept] - off[at, kept], near[at, kept] + off[at, kept]
                found.append(_Part((kept + begin).astype(np.int32), *bounds))
        return [self._exact(query, found, k) for query, found in zip(queries, parts, strict=True)]

    def _look(
        self, asked: RoundedQueries, part: slice, allowed: Mask | None
    ) -> tuple[Floats, Floats]:
        """Multiply a part of the rows: (rounded products, how far off), both (q, b)."""
        near = self.rounded.near(asked, np.array([part.start]), np.array([part.stop]))
        if allowed is not None:
            near = np.where(allowed[part], near, np.float32(-np.inf))
        return near, asked.off(self.errors[part])

    def _exact(self, query: Floats, parts: list[_Part], k: int) -> tuple[Rows, Floats]:
        """Multiply in full the rows whose upper bound reaches the k-th best lower one."""
        rows = np.concatenate([part.rows for part in parts])
        if 0 < k < len(rows):
            lowers = np.concatenate([part.lowers for part in parts])
            least = np.partition(lowers, len(rows) - k)[len(rows) - k]
            rows = rows[np.concatenate([part.uppers for part in parts]) >= least]
        cosines = row_dots(self.vectors, rows, query)
        kept = top_k(cosines, k)
        return rows[kept], cosines[kept]


def build(
    vectors: Floats, folder: Path, *, years: Years | None = None, lasting: bool = True
) -> dict[str, Any]:
    """Split the vectors, and note how far their first parts are off."""
    np.save(folder / ERRORS_FILE, write_split(vectors, folder))
    return {}


def carry(
    vectors: Floats, folder: Path, former: Former, *, years: Years | None = None
) -> dict[str, Any]:
    """Split all of them again: that is one pass, and known ones give what they gave before."""
    return build(vectors, folder)


def open_index(
    vectors: StoredVectors, folder: Path, facts: Mapping[str, Any]
) -> Int8Index | ExactIndex:
    """Map the rounded vectors.

    Without compiled kernels whole ones are scanned: numpy multiplies floats quicker.

    Raises:
        ArtifactCorrupt: what was built does not fit the vectors.
    """
    rounded, errors = Rounded.stored(vectors, folder), load_array(folder / ERRORS_FILE)
    if errors.dtype != np.float32 or errors.shape != vectors.shape[:1]:
        raise ArtifactCorrupt(
            f"{folder / ERRORS_FILE} does not fit vectors of the shape {vectors.shape}.",
            "Build the index again with --force.",
        )
    if isinstance(vectors, np.ndarray) and not fastest.COMPILED:
        return ExactIndex(vectors)
    return Int8Index(vectors, rounded, errors)


def summary(facts: Mapping[str, Any], papers: int) -> str:
    """Say how the vectors are searched."""
    return "The vectors are scanned in 8 bits, and the nearest compared in full: exact."
