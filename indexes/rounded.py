"""Vectors in 8 bits: a quarter of the bytes to read, and how far each is from what it was.

Beside (n, d) vectors lie `codes.npy` (n, d) int8, `scales.npy` and `errors.npy`, (n,) float32. A
code times its scale is the vector, nearly; its error is the length of the difference.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexes.row_blocks import blocks, release
from recsys.errors import ArtifactCorrupt
from recsys.store.arrays import Floats, Longs, Mask, Rows, load_array
from recsys.store.contexts import Codes, quantised
from recsys.store.kernels import fastest
from recsys.store.kernels.codes_in_numpy import Coded

CODES_FILE, SCALES_FILE, ERRORS_FILE = "codes.npy", "scales.npy", "errors.npy"
AT_ONCE = 1 << 14
"""Rows that are rounded in memory, before the next ones."""
LONGEST = 1.0001
"""No unit vector in float32 is longer."""


@dataclass(frozen=True, slots=True)
class Rounded:
    """Rounded vectors. codes: (n, d) int8. scales, errors: (n,) float32."""

    codes: Codes
    scales: Floats
    errors: Floats

    @classmethod
    def load(cls, folder: Path, shape: tuple[int, ...]) -> "Rounded":
        """Memory-map what `write_rounded` wrote of vectors of this shape.

        Raises:
            ArtifactCorrupt: they are of another shape or type.
        """
        found = cls(*(load_array(folder / name) for name in (CODES_FILE, SCALES_FILE, ERRORS_FILE)))
        fits = found.codes.dtype == np.int8 and found.codes.shape == shape
        kinds = {(each.dtype.str, each.shape) for each in (found.scales, found.errors)}
        if not fits or kinds != {("<f4", shape[:1])}:
            raise ArtifactCorrupt(
                f"{folder / CODES_FILE} and what lies beside it do not fit vectors of the shape "
                f"{shape}.",
                "Build the index again with --force.",
            )
        return found

    @classmethod
    def of(cls, vectors: Floats) -> "Rounded":
        """Round (n, d) vectors in memory."""
        starts = range(0, len(vectors), AT_ONCE)
        parts = [fastest.rounded(vectors[begin : begin + AT_ONCE]) for begin in starts]
        if not parts:
            return cls(np.empty(vectors.shape, np.int8), *np.empty((2, 0), np.float32))
        codes, scales, errors = (np.concatenate(each) for each in zip(*parts, strict=True))
        return cls(codes, scales, _rounded_up(errors))

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


def write_rounded(vectors: Floats, folder: Path, *, places: Rows | None = None) -> None:
    """Round (n, d) vectors into a folder, in one pass.

    places: (n,) int32, where each row goes; None: where it is.
    """
    codes = np.lib.format.open_memmap(folder / CODES_FILE, "w+", np.int8, vectors.shape)
    scales, errors = (np.empty(len(vectors), np.float32) for _ in range(2))
    for begin, block in blocks(vectors):
        rows = (
            np.arange(begin, begin + len(block)) if places is None else places[begin:][: len(block)]
        )
        codes[rows], scales[rows] = made, steps = quantised(block)
        block -= made * steps[:, None]
        errors[rows] = _rounded_up(np.linalg.norm(block, axis=1))
        release(codes)
    codes.flush()
    np.save(folder / SCALES_FILE, scales)
    np.save(folder / ERRORS_FILE, errors)


def _rounded_up(errors: Floats) -> Floats:
    """An error that is told smaller than it is would lose a row; sums are off by some steps."""
    told: Floats = np.nextafter(errors * np.float32(1 + 1e-5), np.float32(2))
    return told
