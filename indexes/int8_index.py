"""Exact search through vectors in 8 bits: what may be among the best is multiplied in full.

The product of two rounded vectors is as far from their cosine as rounding took them apart, at most
(Cauchy and Schwarz): of all rows but some hundreds that is enough to know that they are worse.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys.errors import ArtifactCorrupt
from recsys.indexes.backends import Facts
from recsys.indexes.exact import (
    ExactIndex,
    compared_in_full,
    least_of_best,
    search_rows,
)
from recsys.store.arrays import Floats, GrowingArray, Longs, Mask, Rows, load_array, top_k
from recsys.store.graph import Years
from recsys.store.kernels import dispatch, loops
from recsys.store.kernels.dispatch import Codes, Split
from recsys.store.vectors import (
    CODES_FILE,
    OFF,
    PLACES_FILE,
    RESTS_FILE,
    SCALES_FILE,
    GivenVectors,
    SplitVectors,
    StoredVectors,
    let_go,
    quantised,
    row_dots,
    split_rows,
)

# Vectors in 8 bits: a quarter of the bytes to read, and how far each is from what it was.
#
# They are the first part of vectors that are split, see `recsys.store.vectors`: a code times its
# scale is the vector, nearly.

LONGEST = 1.0001
"""No unit vector in float32 is longer."""
_SPLIT_AT_ONCE, _HELD = 2048, 1 << 20
"""Rows that are split before the next ones, and that are put in order in memory, in some 1.2 GB."""


@dataclass(frozen=True, slots=True)
class Rounded:
    """Rounded vectors, by place. codes: (n, d) int8. scales: (n,) float32."""

    codes: Codes
    scales: Floats

    @classmethod
    def stored(cls, vectors: StoredVectors, folder: Path) -> "Rounded":
        """Take the first part of split vectors, or what `write_split` wrote of whole ones.

        Raises:
            ArtifactCorrupt: it does not fit the vectors.
        """
        if not isinstance(vectors, np.ndarray):
            return cls(vectors.parts.codes, vectors.parts.scales)
        found = cls(load_array(folder / CODES_FILE), load_array(folder / SCALES_FILE))
        facts = [(each.dtype.str, each.shape) for each in (found.codes, found.scales)]
        if facts != [("|i1", vectors.shape), ("<f4", vectors.shape[:1])]:
            raise ArtifactCorrupt(
                f"{folder / CODES_FILE} and what lies beside it do not fit vectors of the shape "
                f"{vectors.shape}.",
                "Build the index again with --force.",
            )
        return found

    def closest(
        self,
        queries: "RoundedQueries",
        ranges: tuple[Longs, Longs],
        allowed: Mask | None,
        k: int,
        *,
        rows: Rows | None = None,
    ) -> list[tuple[Rows, Floats]]:
        """Find the k rows of the highest rounded product with each of q queries.

        See `recsys.store.kernels.dispatch.closest`; rows: of the places, if they are others.
        """
        asked = queries.codes, queries.scales
        return dispatch.closest(
            self.codes, self.scales, ranges, asked, k, allowed=allowed, rows=rows
        )

    def near(self, queries: "RoundedQueries", begins: Longs, ends: Longs) -> Floats:
        """Multiply the rows begin:end of each range with q queries: (q, sum of the lengths)."""
        near = dispatch.scan(self.codes, begins, ends, queries.codes).astype(np.float32)
        ranges = zip(begins.tolist(), ends.tolist(), strict=True)
        near *= np.concatenate([self.scales[:0], *(self.scales[a:b] for a, b in ranges)])
        near *= queries.scales[:, None]
        return near


@dataclass(frozen=True, slots=True)
class RoundedQueries:
    """Queries in 8 bits.

    codes: (q, d) int8, scales: (q,) float32. lengths: (q,) float64 of the queries; errors: (q,)
    float64 of rounding them.
    """

    codes: Codes
    scales: Floats
    lengths: NDArray[np.float64]
    errors: NDArray[np.float64]

    @classmethod
    def of(cls, queries: Floats) -> "RoundedQueries":
        """Round (q, d) queries."""
        codes, scales = quantised(queries)
        exact = queries.astype(np.float64)
        rest = exact - codes * scales[:, None].astype(np.float64)
        return cls(codes, scales, np.linalg.norm(exact, axis=1), np.linalg.norm(rest, axis=1))

    def off(self, errors: Floats) -> Floats:
        """Bound how far rounded products are from the cosines of (b,) unit vectors: (q, b) float32.

        With x = c + e and y = d + f, x @ y - c @ d = e @ y + c @ f, and c is no longer than x and e
        together (Cauchy and Schwarz). Sums of d terms in float32 are off by less than 2 * d of its
        steps.
        """
        steps = 2 * self.codes.shape[1] * float(np.finfo(np.float32).eps)
        slopes = (self.lengths + self.errors).astype(np.float32)
        least = (LONGEST * self.errors + steps * np.maximum(self.lengths, 1)).astype(np.float32)
        off: Floats = errors * slopes[:, None] + least[:, None]
        return off


def write_split(vectors: GivenVectors, folder: Path, *, order: Rows | None = None) -> None:
    """Split (n, d) vectors into a folder, in one pass.

    What lies in another order is gathered _HELD places at a time: to write each row where it goes
    would write most pages of the files many times. What an older index holds lies in the order of
    its lists.

    order: (n,) int32, the row of each place; None: the place is the row.
    """
    n, d = vectors.shape
    whole = isinstance(vectors, np.ndarray)
    held = _HELD if whole else _SPLIT_AT_ONCE
    with (
        GrowingArray(folder / CODES_FILE, np.int8, d) as codes,
        GrowingArray(folder / RESTS_FILE, np.int16, d) as rests,
        GrowingArray(folder / SCALES_FILE, np.float32) as scales,
    ):
        for begin in range(0, n, held):
            end = min(begin + held, n)
            rows = np.arange(begin, end, dtype=np.int32) if order is None else order[begin:end]
            parts = Split(
                np.empty((end - begin, d), np.int8),
                np.empty((end - begin, d), np.int16),
                np.empty(end - begin, np.float32),
            )
            lying = np.argsort(rows) if whole else np.arange(len(rows))
            for at in range(0, len(rows), _SPLIT_AT_ONCE):
                some = lying[at : at + _SPLIT_AT_ONCE]
                found = split_rows(vectors, rows[some])
                let_go(vectors)
                parts.codes[some], parts.rests[some] = found.codes, found.rests
                parts.scales[some] = found.scales
            codes.append(parts.codes)
            rests.append(parts.rests)
            scales.append(parts.scales)
    if order is not None:
        places = np.empty(n, np.int32)
        places[order] = np.arange(n, dtype=np.int32)
        np.save(folder / PLACES_FILE, places)


def errors_of(parts: Split) -> Floats:
    """Tell how far codes are from vectors at most: (n,) float32, no less than the lengths.

    From the vectors, and from what splitting made of these.
    """
    n, d = parts.codes.shape
    errors = np.empty(n, np.float32)
    for begin in range(0, n, _SPLIT_AT_ONCE):
        some = slice(begin, begin + _SPLIT_AT_ONCE)
        lengths = np.linalg.norm(parts.rests[some].astype(np.float32), axis=1)
        lengths += np.float32(OFF * np.sqrt(d))
        lengths *= parts.scales[some] / np.float32(65536)
        # An error told smaller than it is would lose a row; sums are off by some steps.
        errors[some] = np.nextafter(lengths * np.float32(1 + 1e-5), np.float32(2))
    return errors


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
        if 0 < k <= MOST and loops.COMPILED:
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
        """Look at all rows whose bounds reach those of the best, and multiply these in full."""
        n, asked = len(self.vectors), RoundedQueries.of(queries)
        least = np.full(len(queries), np.finfo(np.float32).min)
        # Of each query: rows that may be among the best, and the bounds of their cosines.
        parts: list[list[tuple[Rows, Floats, Floats]]] = [[] for _ in queries]
        for begin in range(0, max(n, 1), BLOCK):
            block = slice(begin, min(begin + BLOCK, n))
            near = self.rounded.near(asked, np.array([block.start]), np.array([block.stop]))
            if allowed is not None:
                near = np.where(allowed[block], near, np.float32(-np.inf))
            off = asked.off(self.errors[block])
            lowers, uppers = near - off, near + off
            least = np.maximum(least, least_of_best(lowers, k))
            for at, part in enumerate(parts):
                (high,) = np.nonzero(uppers[at] >= least[at])
                rows = (high + begin).astype(np.int32)
                part.append((rows, lowers[at, high], uppers[at, high]))
        best = []
        for query, part in zip(queries, parts, strict=True):
            rows, lower, upper = (np.concatenate(column) for column in zip(*part, strict=True))
            if 0 < k < len(rows):
                rows = rows[upper >= np.partition(lower, len(rows) - k)[len(rows) - k]]
            cosines = row_dots(self.vectors, rows, query)
            order = top_k(cosines, k)
            best.append((rows[order], cosines[order]))
        return best


def build(vectors: GivenVectors, folder: Path, *, years: Years | None = None) -> Facts:
    """Split the vectors, and note how far their first parts are off."""
    write_split(vectors, folder)
    np.save(folder / ERRORS_FILE, errors_of(SplitVectors.load(folder).parts))
    return {}


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
    if isinstance(vectors, np.ndarray) and not loops.COMPILED:
        return ExactIndex(vectors)
    return Int8Index(vectors, rounded, errors)


def summary(facts: Mapping[str, Any], papers: int) -> str:
    """Say how the vectors are searched."""
    return "The vectors are scanned in 8 bits, and the nearest compared in full: exact."
