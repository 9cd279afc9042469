"""Exact search: scan every vector. The oracle of every other vector index."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.store.arrays import Floats, Mask, Rows, load_array
from recsys.store.top_k import dots, top_k


@dataclass(frozen=True, slots=True)
class ExactIndex:
    """Cosine search over all of vectors: (n, d) float32, L2-normalised rows."""

    vectors: Floats

    def search(self, query: Floats, k: int, *, allowed: Mask | None = None) -> tuple[Rows, Floats]:
        """Return up to k (rows, cosines), best first. O(allowed rows * d)."""
        if allowed is None:
            cosines = self.vectors @ query
            rows = top_k(cosines, k)
            return rows, cosines[rows]
        inside = np.flatnonzero(allowed).astype(np.int32)
        cosines = dots(self.vectors, inside, query)
        kept = top_k(cosines, k)
        return inside[kept], cosines[kept]

    @classmethod
    def load(cls, path: Path) -> "ExactIndex":
        """Memory-map vectors.npy."""
        return cls(load_array(path))
