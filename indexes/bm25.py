"""BM25 over an inverted copy of the term store: the answering path's text index."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.store.arrays import Floats, Longs, Mask, Rows, load_array, load_offsets
from recsys.store.terms import QueryText, TermStore
from recsys.store.top_k import top_k


@dataclass(frozen=True, slots=True)
class Bm25Index:
    """Postings with precomputed impacts, so that a search is one weighted count.

    starts: (v + 1,) int64; rows: (nnz,) int32 and impacts: (nnz,) float32, grouped by term.
    """

    store: TermStore
    starts: Longs
    rows: Rows
    impacts: Floats

    def search(
        self, query: QueryText, k: int, *, allowed: Mask | None = None
    ) -> tuple[Rows, Floats]:
        """Return up to k (rows, scores > 0), best first. O(sum of the terms' document counts)."""
        scores = self.scores(query)
        if allowed is not None:
            scores = np.where(allowed, scores, np.float32(0))
        # Ranking is slow where most scores are 0, as they are for a title.
        matched = np.flatnonzero(scores > 0).astype(np.int32)
        rows = matched[top_k(scores[matched], k)]
        return rows, scores[rows]

    def scores(self, query: QueryText) -> Floats:
        """Score every row: (n,) float32, 0 where no term is shared."""
        n = len(self.store.terms)
        if len(query.codes) == 0:
            return np.zeros(n, np.float32)
        begins, ends = self.starts[query.codes], self.starts[query.codes + 1]
        # Few long slices are put together quicker than their places are counted out.
        parts = [slice(*part) for part in zip(begins.tolist(), ends.tolist(), strict=True)]
        rows = np.concatenate([self.rows[part] for part in parts])
        weights = np.concatenate([self.impacts[part] for part in parts])
        weights *= np.repeat(query.counts, ends - begins)
        return np.bincount(rows, weights, minlength=n).astype(np.float32)

    def save(self, folder: Path) -> None:
        """Write the postings (the store is saved by itself)."""
        np.save(folder / "postings.starts.npy", self.starts)
        np.save(folder / "postings.rows.npy", self.rows)
        np.save(folder / "postings.impacts.npy", self.impacts)

    @classmethod
    def load(cls, folder: Path, store: TermStore) -> "Bm25Index":
        """Memory-map what `save` wrote."""
        return cls(
            store,
            load_offsets(folder / "postings.starts.npy"),
            load_array(folder / "postings.rows.npy"),
            load_array(folder / "postings.impacts.npy"),
        )

    @classmethod
    def build(cls, store: TermStore) -> "Bm25Index":
        """Invert a term store, piece by piece: what is sorted on the way stays small."""
        starts = np.zeros(len(store.vocabulary) + 1, np.int64)
        np.cumsum(store.terms.occurrences(len(store.vocabulary)), out=starts[1:])
        rows = np.empty(len(store.terms.values), np.int32)
        impacts = np.empty(len(rows), np.float32)
        place = starts[:-1].copy()
        for piece, inside in store.terms.pieces():
            codes = store.terms.values[inside]
            order = np.argsort(codes, kind="stable")
            found, first, number = np.unique(codes[order], return_index=True, return_counts=True)
            at = np.repeat(place[found] - first, number) + np.arange(len(order))
            rows[at] = np.repeat(piece, store.terms.lengths(piece))[order]
            impacts[at] = store.impacts[inside][order]
            place[found] += number
        return cls(store, starts, rows, impacts)
