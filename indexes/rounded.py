"""Vectors in 8 bits: a quarter of the bytes to read, and how far each is from what it was.

They are the first part of vectors that are split, see `recsys.store.vectors`: a code times its
scale is the vector, nearly.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recsys.errors import ArtifactCorrupt
from recsys.indexes.row_blocks import blocks, release
from recsys.store.arrays import Floats, Longs, Mask, Rows, load_array
from recsys.store.contexts import Codes, quantised
from recsys.store.kernels import fastest
from recsys.store.kernels.codes_in_numpy import Coded
from recsys.store.kernels.split_in_numpy import Split
from recsys.store.vectors.split_vectors import CODES_FILE, PLACES_FILE, RESTS_FILE, SCALES_FILE
from recsys.store.vectors.splitting import OFF, split
from recsys.store.vectors.stored_vectors import StoredVectors

AT_ONCE = 1 << 14
"""Rows that are rounded in memory, before the next ones."""
LONGEST = 1.0001
"""No unit vector in float32 is longer."""
_SPLIT_AT_ONCE = 2048
"""Rows that are split before the next ones."""


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

    @classmethod
    def of(cls, vectors: Floats) -> tuple["Rounded", Floats]:
        """Round (n, d) vectors in memory; tell how far each is off, no less: (n,) float32."""
        starts = range(0, len(vectors), AT_ONCE)
        parts = [fastest.rounded(vectors[begin : begin + AT_ONCE]) for begin in starts]
        if not parts:
            none = np.empty(0, np.float32)
            return cls(np.empty(vectors.shape, np.int8), none), none
        codes, scales, errors = (np.concatenate(each) for each in zip(*parts, strict=True))
        return cls(codes, scales), _rounded_up(errors)

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

        See `recsys.store.kernels.codes_in_numpy.closest`; rows: of the places, if they are others.
        """
        coded = Coded(self.codes, self.scales, rows)
        return fastest.closest(coded, ranges, (queries.codes, queries.scales), allowed, k)

    def near(self, queries: "RoundedQueries", begins: Longs, ends: Longs) -> Floats:
        """Multiply the rows begin:end of each range with q queries: (q, sum of the lengths)."""
        near = fastest.scan(self.codes, begins, ends, queries.codes).astype(np.float32)
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


def write_split(vectors: Floats, folder: Path, *, places: Rows | None = None) -> Floats:
    """Split (n, d) vectors into a folder, in one pass; tell how far their first parts are off.

    places: (n,) int32, where each row goes; None: where it is.

    Returns: (n,) float32, by row, no less than the length of what is missing of each.
    """
    codes = np.lib.format.open_memmap(folder / CODES_FILE, "w+", np.int8, vectors.shape)
    rests = np.lib.format.open_memmap(folder / RESTS_FILE, "w+", np.int16, vectors.shape)
    scales, errors = (np.empty(len(vectors), np.float32) for _ in range(2))
    for begin, block in blocks(vectors):
        for at in range(begin, begin + len(block), _SPLIT_AT_ONCE):
            some = slice(at, min(at + _SPLIT_AT_ONCE, begin + len(block)))
            rows = np.arange(some.start, some.stop) if places is None else places[some]
            parts = split(block[at - begin :][: len(rows)])
            codes[rows], rests[rows], scales[rows] = parts.codes, parts.rests, parts.scales
            errors[some] = _off(parts)
        release(codes)
        release(rests)
    np.save(folder / SCALES_FILE, scales)
    if places is not None:
        np.save(folder / PLACES_FILE, places)
    return errors


def _off(parts: Split) -> Floats:
    """Bound how far codes are from vectors, and from what splitting made of these: (m,) float32."""
    lengths = np.linalg.norm(parts.rests.astype(np.float32), axis=1)
    lengths += np.float32(OFF * np.sqrt(parts.rests.shape[1]))
    lengths *= parts.scales / np.float32(65536)
    return _rounded_up(lengths)


def _rounded_up(errors: Floats) -> Floats:
    """An error that is told smaller than it is would lose a row; sums are off by some steps."""
    told: Floats = np.nextafter(errors * np.float32(1 + 1e-5), np.float32(2))
    return told
