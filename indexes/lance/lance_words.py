"""Full-text search by LanceDB, over our own terms: the year inside the engine.

A paper is written as its terms, each as often as it counts, with spaces between them: the engine
only splits at these. Its BM25 is the same formula; what it finds is weighed again by ours, so that
scores are those of `recsys.indexes.bm25` to the last bit, and rankers learn the same from both.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from recsys.indexes.backends import Facts, Former
from recsys.indexes.lance.lance_table import (
    Content,
    LanceTable,
    carried,
    create,
    met,
    open_lance,
    settle,
)
from recsys.indexes.row_conditions import Condition
from recsys.store.arrays import Floats, Mask, Rows, top_k
from recsys.store.graph import Years
from recsys.store.kernels.dispatch import QueryTerms, weigh
from recsys.store.terms import QueryText, TermStore

TABLE, COLUMN = "words", "terms"
MOST_COUNTED = 64
"""A draft's word is asked for so many times at most: its weight hardly changes the order then."""
_AS_IS: Mapping[str, Any] = {
    "base_tokenizer": "whitespace",
    "lower_case": False,
    "stem": False,
    "remove_stop_words": False,
    "ascii_folding": False,
    "max_token_length": None,
    "with_position": False,
}
"""The terms are ours already."""


@dataclass(frozen=True, slots=True)
class LanceWords:
    """BM25 over the terms of a store, found by an engine."""

    store: TermStore
    table: LanceTable = field(repr=False)

    def search(
        self, query: QueryText, k: int, *, allowed: Mask | None = None
    ) -> tuple[Rows, Floats]:
        """Return up to k (rows, scores > 0), best first."""
        n = len(self.store.terms)
        inside = n if allowed is None else int(np.count_nonzero(allowed))
        wanted = min(k, inside)
        if wanted <= 0 or not len(query.codes):
            return np.empty(0, np.int32), np.empty(0, np.float32)
        condition = self.table.conditions.of_mask(allowed)
        count = self.table.count(wanted, inside, condition)
        found = self._ask(query, count, condition)
        rows = met(found, condition, allowed)
        while condition is None and len(rows) < wanted and len(found) == count:
            count *= 4
            found = self._ask(query, count, None)
            rows = met(found, None, allowed)
        store = self.store
        terms = QueryTerms(query.codes, store.idf[query.codes], query.counts)
        scores = weigh(store.terms, store.frequencies, store.norms, terms, rows)
        rows, scores = rows[scores > 0], scores[scores > 0]
        best = top_k(scores, k)
        return rows[best], scores[best]

    def _ask(self, query: QueryText, count: int, condition: Condition | None) -> Rows:
        """Ask the engine for so many rows."""
        counts = np.minimum(query.counts, MOST_COUNTED).astype(int).tolist()
        told = (" ".join([word] * count) for word, count in zip(query.words, counts, strict=True))
        asked = self.table.table.search(" ".join(told), query_type="fts", fts_columns=COLUMN)
        asked = asked.select(["id", "_score"]).limit(count)
        return self.table.items.found(self.table.found(asked, condition)["id"].to_numpy())


def build(store: TermStore, folder: Path, *, years: Years | None = None) -> Facts:
    """Write the terms of all papers into a table."""
    from lancedb.index import FTS

    table = create(folder, _content(store), years, len(store.terms))
    table.table.create_index(COLUMN, config=FTS(**_AS_IS))
    return {}


def carry(store: TermStore, folder: Path, former: Former, *, years: Years | None = None) -> Facts:
    """Delete what is gone from a copy of the former table, and append what is new."""
    table = carried(folder, _content(store), former, years, len(store.terms))
    if table is None:
        return build(store, folder, years=years)
    settle(table.table)
    return {}


def open_index(store: TermStore, folder: Path, facts: Mapping[str, Any]) -> LanceWords:
    """Open the table that `build` or `carry` wrote, or the same on a store.

    Raises:
        ArtifactError: it is missing, damaged, or does not fit the terms.
        SourceUnreachable: the store does not answer.
    """
    return LanceWords(store, open_lance(folder, TABLE, len(store.terms)))


def summary(facts: Mapping[str, Any], papers: int) -> str:
    """Say how words are searched."""
    return "LanceDB searches the words, and what it finds is weighed by BM25 as ever."


def _content(store: TermStore) -> Content:
    """Write a paper as its terms, each as often as it counts."""

    def column(rows: Rows) -> pa.Array:
        texts = []
        for row in rows.tolist():
            part = slice(*store.terms.starts[row : row + 2].tolist())
            pairs = zip(store.terms.values[part], store.frequencies[part], strict=True)
            texts.append(" ".join(" ".join([store.vocabulary[c]] * int(n)) for c, n in pairs))
        return pa.array(texts, pa.large_string())

    return Content(TABLE, COLUMN, pa.large_string(), column)
