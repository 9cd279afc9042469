"""Search of vectors by LanceDB: lists of vectors in 8 bits, the year inside the engine.

What the engine finds is compared in full with the vectors of the index: cosines are exact, and
ties break by row. What cannot be asked for in few words, or would make the engine look at nearly
all lists, is compared with all allowed vectors here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from recsys.indexes.backends import Facts, Former
from recsys.indexes.exact import (
    compared_in_full,
    least_effort,
    recall,
    sampled,
    search_allowed,
)
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
from recsys.retrieval.propose import StageOne
from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.graph import Years
from recsys.store.vectors import StoredVectors

TABLE, COLUMN = "papers", "vector"
METRIC: Final = "l2"
"""Orders unit vectors as their product does, which would gather most of them in few lists."""
AFAR = 3.0
"""Length of what is stored for a vector of zeros: farther from all others than these can be."""
LEAST = 5_000
"""Papers from which on an index is made: the engine scans fewer in the time of some lists."""
IN_A_LIST, MOST_LISTS = 300, 4096
"""Papers of a list: half of it makes each question dearer, twice of it the search."""
FEW = 4
"""Where more than one in so many allowed rows would be asked for, all are compared instead."""
FOUND = 0.995
"""Recall that is aimed at. A draft is none of the papers, and misses a little more than those."""
SAMPLE = 100
"""Papers as queries, by which the effort is chosen."""
MOST_NEW = 0.25
"""Share of the rows that no list was made for above which the lists are made anew."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How many of its lists the engine looks at to find k rows; without any, at all vectors."""

    lists: int
    probes: int
    k: int

    def probed(self, count: int, thinned: float) -> int:
        """Return how many lists are looked at to find so many rows, if one in `thinned` counts."""
        return ceil(self.probes * max(count, self.k) / self.k * thinned)


@dataclass(frozen=True, slots=True)
class LanceIndex:
    """Cosine search over vectors: (n, d) float32, L2-normalised rows."""

    vectors: StoredVectors
    table: LanceTable = field(repr=False)
    effort: Effort

    def search(self, query: Floats, k: int, *, allowed: Mask | None = None) -> tuple[Rows, Floats]:
        """Return up to k (rows, exact cosines), best first."""
        return self.search_many(query[None], k, allowed=allowed)[0]

    def search_many(
        self, queries: Floats, k: int, *, allowed: Mask | None = None
    ) -> list[tuple[Rows, Floats]]:
        """Return up to k (rows, exact cosines) for each of (q, d) queries."""
        n = len(self.vectors)
        inside = n if allowed is None else int(np.count_nonzero(allowed))
        wanted = min(k, inside)
        condition = self.table.conditions.of_mask(allowed) if wanted > 0 else None
        probes = self.effort.probed(wanted, n / max(inside, 1))
        count = self.table.count(wanted, inside, condition)
        scanning = probes >= self.effort.lists > 0
        if wanted <= 0 or not len(queries) or scanning or FEW * count >= inside:
            return search_allowed(self.vectors, queries, k, allowed)
        found = [
            met(rows, condition, allowed) for rows in self._ask(queries, count, probes, condition)
        ]
        if any(len(rows) < wanted for rows in found):
            return search_allowed(self.vectors, queries, k, allowed)
        return compared_in_full(self.vectors, queries, found, k)

    def _ask(
        self, queries: Floats, count: int, probes: int, condition: Condition | None
    ) -> list[Rows]:
        """Ask the engine for so many rows near each query."""
        asked = self.table.table.search(queries, vector_column_name=COLUMN)
        asked = asked.distance_type(METRIC).select(["id", "_distance"]).limit(count)
        if self.effort.lists:
            asked = asked.nprobes(probes)
        found = self.table.found(asked, condition)
        ids = found["id"].to_numpy()
        if "query_index" not in found.column_names:  # A single one is not numbered.
            return [self.table.items.found(ids)]
        numbers = found["query_index"].to_numpy()
        return [self.table.items.found(ids[numbers == at]) for at in range(len(queries))]


def build(vectors: Floats, folder: Path, *, years: Years | None = None) -> Facts:
    """Write all vectors into a table, and put them into lists."""
    n = len(vectors)
    table = create(folder, _content(vectors), years, n)
    if lists := _lists(n):
        from lancedb.index import IvfSq

        # Told their number, the engine would go back to few large ones when it is settled.
        kind = IvfSq(
            distance_type=METRIC,
            target_partition_size=n // lists,
            max_iterations=15,
            sample_rate=64,
        )
        table.table.create_index(COLUMN, config=kind)
    return {"trained": n, **_measured(vectors, table, lists)}


def carry(vectors: Floats, folder: Path, former: Former, *, years: Years | None = None) -> Facts:
    """Delete what is gone from a copy of the former table, and append what is new."""
    trained, n = former.facts["trained"], len(vectors)
    lists, table = _lists(n), None
    if bool(lists) == bool(former.facts["lists"]):
        table = carried(folder, _content(vectors), former, years, n)
    if table is None or (lists and len(table.items.rows) - trained > MOST_NEW * n):
        return build(vectors, folder, years=years)
    settle(table.table)
    return {"trained": trained, **_measured(vectors, table, lists)}


def open_index(vectors: StoredVectors, folder: Path, facts: Mapping[str, Any]) -> LanceIndex:
    """Open the table that `build` or `carry` wrote, or the same on a store.

    Raises:
        ArtifactError: it is missing, damaged, or does not fit the vectors.
        SourceUnreachable: the store does not answer.
    """
    effort = Effort(int(facts["lists"]), int(facts["probes"]), int(facts["k"]))
    return LanceIndex(vectors, open_lance(folder, TABLE, len(vectors)), effort)


def summary(facts: Mapping[str, Any], papers: int) -> str:
    """Say how the vectors are searched."""
    if not facts["lists"]:
        return "LanceDB scans the vectors, and the nearest are compared in full: exact."
    return (
        f"LanceDB has the vectors in {facts['lists']:,} lists; to look at {facts['probes']:,} of "
        f"them finds {facts['recall']:.1%} of the {facts['k']} nearest."
    )


def _lists(n: int) -> int:
    return min(n // IN_A_LIST, MOST_LISTS) if n >= LEAST else 0


def _content(vectors: StoredVectors) -> Content:
    """Store vectors in 16 bits: what is found is compared in full anyway."""
    d = vectors.shape[1]

    def column(rows: Rows) -> pa.Array:
        found = np.array(vectors[rows], np.float16)
        found[~found.any(axis=1)] = AFAR / np.sqrt(d)
        return pa.FixedSizeListArray.from_arrays(pa.array(found.reshape(-1)), d)

    return Content(TABLE, COLUMN, pa.list_(pa.float16(), d), column)


def _measured(vectors: Floats, table: LanceTable, lists: int) -> Facts:
    """Find how many lists reach FOUND, on a ladder; that a row finds itself does not count."""
    k = StageOne().neighbours
    if not lists:
        return {"lists": 0, "probes": 0, "k": k, "recall": 1.0}
    queries, near = sampled(vectors, SAMPLE, k, np.random.default_rng(0))

    def recall_with(probes: int) -> float:
        index = LanceIndex(vectors, table, Effort(lists, probes, k + 1))
        return recall(index.search_many(queries, k + 1), near)

    probes, share = least_effort(max(lists // 10, 1), lists, FOUND, recall_with)
    return {"lists": lists, "probes": probes, "k": k, "recall": share}
