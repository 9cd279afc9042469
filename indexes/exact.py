"""Exact search: scan every vector. The oracle of every other vector index."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.lookup import dots
from recsys.store.top_k import top_k

BLOCK = 1 << 25
"""Bytes of vectors that are multiplied with several queries at once, so products stay small."""


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

    def search_many(
        self, queries: Floats, k: int, *, allowed: Mask | None = None
    ) -> list[tuple[Rows, Floats]]:
        """Return up to k (rows, cosines) for each of (q, d) queries, in one pass."""
        n = len(self.vectors)
        step = max(BLOCK // max(self.vectors[:1].nbytes, 1), 1)
        found: list[list[tuple[Rows, Floats]]] = [[] for _ in queries]
        for begin in range(0, n, step):
            block = self.vectors[begin : begin + step]
            inside = np.arange(len(block), dtype=np.int32)
            if allowed is not None:
                inside = np.flatnonzero(allowed[begin : begin + step]).astype(np.int32)
            cosines = np.ascontiguousarray((block @ queries.T).T)
            for line, parts in zip(cosines, found, strict=True):
                kept = inside[top_k(line[inside], k)]
                parts.append((kept + np.int32(begin), line[kept]))
        return [_best_of(parts, k) for parts in found]


def build(vectors: Floats, folder: Path, *, lasting: bool = True) -> dict[str, Any]:
    """Prepare nothing: the vectors are all that is scanned."""
    return {}


def open_index(vectors: Floats, folder: Path, facts: Mapping[str, Any]) -> ExactIndex:
    """Scan the vectors."""
    return ExactIndex(vectors)


def summary(facts: Mapping[str, Any], papers: int) -> str:
    """Say how the vectors are searched."""
    return "The vectors are scanned: exact, and quick below some hundred thousand papers."


def _best_of(parts: list[tuple[Rows, Floats]], k: int) -> tuple[Rows, Floats]:
    """Unite the best of consecutive blocks, each best first: ties by ascending row."""
    if not parts:
        return np.empty(0, np.int32), np.empty(0, np.float32)
    rows = np.concatenate([rows for rows, _ in parts])
    cosines = np.concatenate([cosines for _, cosines in parts])
    order = np.argsort(rows)  # Within a block, rows are in the order of their cosines.
    kept = order[top_k(cosines[order], k)]
    return rows[kept], cosines[kept]
