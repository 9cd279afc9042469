"""BM25F through Whoosh with key terms: the text baseline of Citeomatic, as its authors ran it.

Two fields, title and abstract. A query is the three terms of its title and the five of its abstract
that say most about it (Bo1: Amati and van Rijsbergen 2002), any of them in any field. There is one
difference: papers that may not be seen are left out; the original filters by no year.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from recsys.errors import need
from recsys.protocols import Progress, silent, tracked
from recsys.store.arrays import Floats, Mask, Rows, top_k
from recsys.store.artifacts import load_manifest, replacing, seal
from recsys.store.terms import QueryText

if TYPE_CHECKING:
    from whoosh.searching import Searcher

KIND, SCHEMA = "whoosh index", 1
TITLE, ABSTRACT = "title", "abstract"
TITLE_TERMS, ABSTRACT_TERMS = 3, 5
MEMORY = 256
"""Megabytes that Whoosh may fill before it writes; a run of them is merged at the end."""


@dataclass(frozen=True, slots=True)
class WhooshIndex:
    """A Whoosh index whose document numbers are rows."""

    searcher: "Searcher"

    def search(
        self, query: QueryText, k: int, *, allowed: Mask | None = None
    ) -> tuple[Rows, Floats]:
        """Return up to k (rows, scores > 0), best first, ties by ascending row."""
        from whoosh.qparser import MultifieldParser, OrGroup

        parser = MultifieldParser([TITLE, ABSTRACT], self.searcher.schema, group=OrGroup)
        parsed = parser.parse(" ".join(self.key_terms(query)))
        found = self.searcher.search(parsed, limit=None).top_n
        rows = np.array([row for _, row in found], np.int32)
        scores = np.array([score for score, _ in found], np.float32)
        seen = np.flatnonzero(scores > 0 if allowed is None else (scores > 0) & allowed[rows])
        seen = seen[np.argsort(rows[seen])]
        kept = seen[top_k(scores[seen], k)]
        return rows[kept], scores[kept]

    def key_terms(self, query: QueryText) -> list[str]:
        """Choose the terms to search for; one may be a key term of title and abstract, too."""
        pairs = ((TITLE, query.title, TITLE_TERMS), (ABSTRACT, query.abstract, ABSTRACT_TERMS))
        return [
            term
            for field, text, number in pairs
            for term, _ in self.searcher.key_terms_from_text(field, text or "", numterms=number)
        ]

    @staticmethod
    def build(
        texts: Iterable[tuple[str, str | None]], folder: Path, *, progress: Progress = silent
    ) -> None:
        """Write an index of (title, abstract) pairs, one per row, as an artifact."""
        need("whoosh", "The baseline bm25-whoosh")
        from whoosh.analysis import StandardAnalyzer
        from whoosh.fields import TEXT, Schema
        from whoosh.index import create_in

        pairs = list(texts)
        fields = {name: TEXT(analyzer=StandardAnalyzer()) for name in (TITLE, ABSTRACT)}
        with replacing(folder) as partial:
            # One commit makes one segment: so document numbers are rows.
            with create_in(str(partial), Schema(**fields)).writer(limitmb=MEMORY) as writer:
                for title, abstract in tracked(pairs, "indexing for Whoosh", progress):
                    writer.add_document(title=title, abstract=abstract or "")
            seal(partial, KIND, SCHEMA, {"papers": len(pairs)})

    @classmethod
    def load(cls, folder: Path) -> "WhooshIndex":
        """Open what `build` wrote.

        Raises:
            ArtifactError: it is missing, unfinished or damaged.
        """
        from whoosh.index import open_dir

        load_manifest(folder, KIND, SCHEMA)
        return cls(open_dir(str(folder), readonly=True).searcher())
