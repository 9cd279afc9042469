"""BM25 over an inverted copy of the term store: the answering path's text index."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import ArtifactCorrupt
from recsys.indexes.backends import Former
from recsys.indexes.postings import LEVELS, ROWS, STARTS, inverted, write_postings
from recsys.store.arrays import Floats, Mask, Rows, load_array, load_offsets
from recsys.store.graph import Years
from recsys.store.kernels import fastest
from recsys.store.kernels.fastest import PaperWords, Postings, Words
from recsys.store.soundness import check_postings
from recsys.store.terms import QueryText, TermStore


@dataclass(frozen=True, slots=True)
class Bm25Index:
    """The papers of each term; what a term weighs in a paper is computed when it is asked for."""

    store: TermStore
    postings: Postings

    def search(
        self, query: QueryText, k: int, *, allowed: Mask | None = None
    ) -> tuple[Rows, Floats]:
        """Return up to k (rows, scores > 0), best first. O(sum of the terms' document counts).

        Raises:
            ArtifactCorrupt: a term names papers that are not there.
        """
        words = Words(query.codes, self.store.idf[query.codes], query.counts)
        try:
            return fastest.matches(self.postings, words, allowed, k)
        except (IndexError, ValueError) as error:
            raise ArtifactCorrupt(
                f"The words of this index are damaged ({error}).",
                "Build the index again with --force.",
            ) from error

    def save(self, folder: Path) -> None:
        """Write the postings (the store is saved by itself)."""
        np.save(folder / STARTS, self.postings.starts)
        np.save(folder / ROWS, self.postings.rows)
        np.save(folder / LEVELS, self.postings.levels)

    @classmethod
    def load(cls, folder: Path, store: TermStore) -> "Bm25Index":
        """Memory-map what `save` wrote, or `recsys.indexes.postings.write_postings`."""
        starts = load_offsets(folder / STARTS)
        rows, levels = load_array(folder / ROWS), load_array(folder / LEVELS)
        return cls(store, Postings(starts, rows, levels, store.norms, _papers(store)))

    @classmethod
    def build(cls, store: TermStore) -> "Bm25Index":
        """Invert a term store in memory."""
        return cls(store, Postings(*inverted(store), store.norms, _papers(store)))


def _papers(store: TermStore) -> PaperWords:
    return PaperWords(store.terms, store.frequencies)


def build(store: TermStore, folder: Path, *, years: Years | None = None) -> dict[str, Any]:
    """Invert the terms that are saved in a folder, from file to file."""
    write_postings(folder)
    return {}


def carry(
    store: TermStore, folder: Path, former: Former, *, years: Years | None = None
) -> dict[str, Any]:
    """Invert all of them again: that is one pass."""
    return build(store, folder)


def open_index(store: TermStore, folder: Path) -> Bm25Index:
    """Memory-map the postings.

    Raises:
        ArtifactCorrupt: they do not fit the terms.
    """
    index = Bm25Index.load(folder, store)
    check_postings(folder, index.postings, store)
    return index


def summary(facts: Mapping[str, Any]) -> str:
    """Say how words are searched."""
    return "The words are searched by BM25, in files of the papers of each."
