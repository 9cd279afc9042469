"""Lists of rows, each around a centroid: which rows are in which."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.errors import ArtifactCorrupt
from recsys.store.arrays import Floats, Longs, Rows, load_array
from recsys.store.kernels import fastest
from recsys.store.lookup import distinct
from recsys.store.products import multiplied

ROWS_FILE, STARTS_FILE, CENTROIDS_FILE = "rows.npy", "starts.npy", "centroids.npy"


@dataclass(frozen=True, slots=True)
class Lists:
    """Which rows are in which list.

    rows: (n,) int32, each once, in the order of lists. starts: (lists + 1,) int64. centroids:
    (lists, d) float32.
    """

    rows: Rows
    starts: Longs
    centroids: Floats

    @classmethod
    def of(cls, lists: Rows, centroids: Floats) -> "Lists":
        """Group rows by their list: (n,) int32."""
        starts = np.zeros(len(centroids) + 1, np.int64)
        np.cumsum(np.bincount(lists, minlength=len(centroids)), out=starts[1:])
        return cls(np.argsort(lists, kind="stable").astype(np.int32), starts, centroids)

    @classmethod
    def load(cls, folder: Path, shape: tuple[int, ...]) -> "Lists":
        """Memory-map what `save` wrote of vectors of this shape.

        Raises:
            ArtifactCorrupt: it does not fit them.
        """
        names = ROWS_FILE, STARTS_FILE, CENTROIDS_FILE
        rows, starts, centroids = (load_array(folder / name) for name in names)
        kinds = [(rows.dtype, np.int32), (starts.dtype, np.int64), (centroids.dtype, np.float32)]
        shapes = [(rows.shape, shape[:1]), (centroids.shape, (len(starts) - 1, shape[1]))]
        if (
            any(found != wanted for found, wanted in [*kinds, *shapes])
            or (starts[0], starts[-1]) != (0, len(rows))
            or np.any(starts[1:] < starts[:-1])
            or (len(rows) and not (rows.min() >= 0 and rows.max() < len(rows)))
        ):
            raise ArtifactCorrupt(
                f"{folder / ROWS_FILE} and what lies beside it do not fit vectors of the shape "
                f"{shape}.",
                "Build the index again with --force.",
            )
        return cls(rows, starts, centroids)

    def save(self, folder: Path) -> None:
        """Write them beside the vectors."""
        for name, array in (
            (ROWS_FILE, self.rows),
            (STARTS_FILE, self.starts),
            (CENTROIDS_FILE, self.centroids),
        ):
            np.save(folder / name, array)

    @property
    def of_rows(self) -> Rows:
        """The list of each row: (n,) int32."""
        lists = np.empty(len(self.rows), np.int32)
        lists[self.rows] = np.repeat(np.arange(len(self.centroids)), np.diff(self.starts))
        return lists

    def nearest(self, queries: Floats, count: float) -> Rows:
        """Choose the lists nearest to any of (q, d) queries that hold so many rows for each."""
        close = self._close(queries)
        some = min(int(2 * count * len(self.centroids) / len(self.rows)) + 8, len(self.centroids))
        while True:
            lists, before = self._in_order(close, some)
            if some == len(self.centroids) or before[:, -1].min() >= count:
                return distinct(lists[before < count])
            some = min(2 * some, len(self.centroids))

    def before(self, queries: Floats) -> Longs:
        """Count the rows in lists that are nearer to a query: (q, lists), for (q, d) queries."""
        close = self._close(queries)
        lists, in_order = self._in_order(close, len(self.centroids))
        before = np.empty(close.shape, np.int64)
        np.put_along_axis(before, lists, in_order, axis=1)
        return before

    def _close(self, queries: Floats) -> Floats:
        """Multiply the centroids with (q, d) queries: (q, lists)."""
        if len(queries) == 1 or not fastest.COMPILED:
            return multiplied(self.centroids, queries)
        every = np.arange(len(self.centroids), dtype=np.int32)
        return fastest.dots(self.centroids, every, queries)

    def _in_order(self, close: Floats, some: int) -> tuple[Rows, Longs]:
        """Return some nearest lists of each query, and how many rows nearer ones hold."""
        every = np.arange(len(self.centroids), dtype=np.int32)
        found = fastest.best([every] * len(close), close.reshape(-1), some)
        lists = np.stack([nearest for nearest, _ in found])
        sizes = self.starts[lists + 1] - self.starts[lists]
        return lists, np.cumsum(sizes, axis=1) - sizes

    def inside(self, lists: Rows) -> Rows:
        """Return the rows of some lists."""
        ranges = zip(self.starts[lists].tolist(), self.starts[lists + 1].tolist(), strict=True)
        return np.concatenate([self.rows[begin:end] for begin, end in ranges])
