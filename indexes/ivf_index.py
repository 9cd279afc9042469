"""Approximate search: vectors in lists around centroids, of which the nearest are scanned.

The vectors lie in two parts in the order of lists, see `recsys.store.vectors.split_vectors`; beside
them the lists, see `recsys.indexes.inverted_lists`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from recsys.indexes.backends import Former
from recsys.indexes.centroids import assign, train
from recsys.indexes.exact import compared_in_full, search_allowed
from recsys.indexes.inverted_lists import Lists
from recsys.indexes.list_efforts import (
    TOGETHER,
    Effort,
    choose_effort,
    sample_alone,
    sample_together,
)
from recsys.indexes.rounded import Rounded, RoundedQueries, write_split
from recsys.retrieval.settings import StageOne
from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.graph import Years
from recsys.store.unions import GONE
from recsys.store.vectors.stored_vectors import StoredVectors

LISTS, MOST_LISTS = 4.0, 8192
"""Lists for the square root of the number of rows, and at most: to compare a query with the
centroids then costs a tenth of a search, and to put all rows into lists grows no quicker than they.
"""
SPARE = 16
"""Rows that are multiplied in full beside one and a half times those that are wanted: rounding
changes the order of near ones."""
MOST_NEW = 0.25
"""Share of the rows that no centroid was trained with above which others are trained."""


@dataclass(frozen=True, slots=True)
class IvfIndex:
    """Cosine search over vectors: (n, d) float32, L2-normalised rows.

    rounded: of them, in the order of lists. alone, together: how much is scanned for one query, and
    for each of several that are near each other, with few neighbours each.
    """

    vectors: StoredVectors
    rounded: Rounded
    lists: Lists
    alone: Effort
    together: Effort

    def search(self, query: Floats, k: int, *, allowed: Mask | None = None) -> tuple[Rows, Floats]:
        """Return up to k (rows, exact cosines), best first."""
        return self.search_many(query[None], k, allowed=allowed)[0]

    def search_many(
        self, queries: Floats, k: int, *, allowed: Mask | None = None
    ) -> list[tuple[Rows, Floats]]:
        """Return up to k (rows, exact cosines) for each of (q, d) queries.

        What is scanned for one of them is compared with the others, too. As many allowed rows are
        scanned as all rows were when the effort was measured; where that is no less than all of
        them, the answer is exact.
        """
        inside = len(self.vectors) if allowed is None else int(np.count_nonzero(allowed))
        wanted = max(min(k, inside), 0)
        few = len(queries) > 1 and k <= self.together.k
        goal = max((self.together if few else self.alone).rows(k), wanted)
        if goal >= inside:
            return search_allowed(self.vectors, queries, k, allowed)
        found = []
        for begin in range(0, len(queries), TOGETHER):
            found += self._scan(queries[begin : begin + TOGETHER], wanted, goal, allowed)
        return found

    def _scan(
        self, queries: Floats, k: int, goal: int, allowed: Mask | None
    ) -> list[tuple[Rows, Floats]]:
        """Scan the nearest lists with so many allowed rows, and compare the best ones in full."""
        lists = self._opened(queries, goal, allowed)
        ranges = self.lists.starts[lists], self.lists.starts[lists + 1]
        most, asked = k + k // 2 + SPARE, RoundedQueries.of(queries)
        near = self.rounded.closest(asked, ranges, allowed, most, rows=self.lists.rows)
        return compared_in_full(self.vectors, queries, [rows for rows, _ in near], k)

    def _opened(self, queries: Floats, goal: int, allowed: Mask | None) -> Rows:
        """Choose the nearest lists; where few rows are allowed, more of them."""
        count = float(goal)
        if allowed is not None:
            count *= len(allowed) / np.count_nonzero(allowed)
        while True:
            lists = self.lists.nearest(queries, count)
            if allowed is None:
                return lists
            rows = self.lists.inside(lists)
            found = int(np.count_nonzero(allowed[rows]))
            if found >= goal or len(rows) == len(allowed):
                return lists
            count *= 1.1 * goal / max(found, 1)


def build(
    vectors: Floats, folder: Path, *, years: Years | None = None, lasting: bool = True
) -> dict[str, Any]:
    """Train centroids, put all rows into lists, and measure how many have to be scanned."""
    index = write_lists(vectors, folder, train_lists(vectors))
    return {"lists": len(index.lists.centroids), "new": 0, **_measured(index)}


def carry(
    vectors: Floats, folder: Path, former: Former, *, years: Years | None = None
) -> dict[str, Any]:
    """Keep the lists of known rows, and put new ones into them; build anew if there are many."""
    old = Lists.load(former.folder, (len(former.rows), vectors.shape[1]))
    of_rows, there = np.full(len(vectors), GONE, np.int32), former.rows != GONE
    of_rows[former.rows[there]] = old.of_rows[there]
    fresh = np.flatnonzero(of_rows == GONE)
    new = int(former.facts["new"]) + len(fresh)
    if new > MOST_NEW * len(vectors):
        return build(vectors, folder)
    centroids = np.array(old.centroids)
    of_rows[fresh] = assign(vectors[fresh], centroids)
    index = write_lists(vectors, folder, Lists.of(of_rows, centroids))
    return {"lists": len(centroids), "new": new, **_measured(index)}


def train_lists(vectors: Floats) -> Lists:
    """Put rows into lists around trained centroids."""
    n = len(vectors)
    count = int(np.clip(LISTS * np.sqrt(n), 1, min(MOST_LISTS, n)))
    centroids = train(vectors, count, np.random.default_rng(0))
    return Lists.of(assign(vectors, centroids), centroids)


def write_lists(vectors: Floats, folder: Path, lists: Lists) -> IvfIndex:
    """Write what a search needs; open it so that it scans everything."""
    places = np.empty(len(vectors), np.int32)
    places[lists.rows] = np.arange(len(vectors), dtype=np.int32)
    write_split(vectors, folder, places=places)
    lists.save(folder)
    options, n = StageOne(), len(vectors)
    alone, together = Effort(options.neighbours, n, 1.0), Effort(options.per_seed, n, 1.0)
    return IvfIndex(vectors, Rounded.stored(vectors, folder), lists, alone, together)


def _measured(index: IvfIndex) -> dict[str, Any]:
    """Find out how much has to be scanned."""
    rng = np.random.default_rng(0)
    one = sample_alone(index.vectors, index.alone.k, rng)
    several = sample_together(index.vectors, index.together.k, one, rng)
    alone = choose_effort(index.lists, one, lambda effort: replace(index, alone=effort))
    together = choose_effort(index.lists, several, lambda effort: replace(index, together=effort))
    return {"alone": asdict(alone), "together": asdict(together)}


def open_index(vectors: StoredVectors, folder: Path, facts: Mapping[str, Any]) -> IvfIndex:
    """Map what `build` or `carry` wrote.

    Raises:
        ArtifactCorrupt: it does not fit the vectors.
    """
    rounded, lists = Rounded.stored(vectors, folder), Lists.load(folder, vectors.shape)
    return IvfIndex(vectors, rounded, lists, Effort(**facts["alone"]), Effort(**facts["together"]))


def summary(facts: Mapping[str, Any], papers: int) -> str:
    """Say how the vectors are searched."""
    effort = Effort(**facts["alone"])
    if effort.scanned >= papers:
        return f"The vectors lie in {facts['lists']:,} lists; all of them are scanned: exact."
    return (
        f"The vectors lie in {facts['lists']:,} lists; to scan the nearest {effort.scanned:,} in 8 "
        f"bits finds {effort.recall:.1%} of the {effort.k} nearest."
    )
