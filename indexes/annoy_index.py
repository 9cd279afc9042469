"""Approximate search: a forest of random hyperplanes (Annoy), memory-mapped from one file.

Annoy compiles itself for the processor that installs it, so a forest built on one machine may
differ in a few splits from that of another; on one machine the same seed gives the same bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import annoy
import numpy as np

from recsys.errors import ArtifactCorrupt, ArtifactMismatch
from recsys.indexes.backends import Facts, Former
from recsys.indexes.exact import (
    BUILD_AGAIN,
    Carried,
    ExactIndex,
    blocks,
    check_unchanged,
    least_effort,
    load_items,
    recall,
    sampled,
)
from recsys.retrieval.propose import StageOne
from recsys.store.arrays import Floats, Mask, Rows, top_k
from recsys.store.artifacts import FOREST_FILE, link_or_copy
from recsys.store.graph import Years
from recsys.store.vectors import StoredVectors

MARGIN = 1.3
"""How many more rows are fetched than the allowed share asks for on average."""
MOST_UNKNOWN, MOST_DEAD = 0.1, 0.2
"""Shares of the rows, of those that a forest does not know and of its items that are gone, above
which another forest is planted: until then, a search costs little more than over a new one."""
ITEMS_FILE = "forest.items.npy"
TREES = 100


@dataclass(frozen=True, slots=True)
class AnnoyIndex:
    """Cosine search over vectors: (n, d) float32, L2-normalised rows.

    forest: the loaded trees. search_k: how many tree entries a search over all rows looks at.
    carried: rows that the forest does not know are looked at by every search.
    """

    vectors: StoredVectors
    forest: annoy.AnnoyIndex = field(repr=False)
    search_k: int
    carried: Carried

    def search(self, query: Floats, k: int, *, allowed: Mask | None = None) -> tuple[Rows, Floats]:
        """Return up to k (rows, exact cosines), best first.

        The fewer rows are allowed, the more entries are looked at. Once that is more work than to
        scan the allowed rows, they are scanned, and the answer is exact.
        """
        n = len(self.vectors)
        inside = n if allowed is None else int(np.count_nonzero(allowed))
        wanted = min(k, inside)
        effort = n / max(inside, 1)
        while wanted > 0 and self._entries(effort) < inside:
            known = self._known(query, wanted, effort, allowed)
            if len(known) >= wanted:  # Whatever rows are scanned beside them.
                return self._best(query, known, wanted, allowed)
            effort *= 2
        return ExactIndex(self.vectors).search(query, k, allowed=allowed)

    def search_many(
        self, queries: Floats, k: int, *, allowed: Mask | None = None
    ) -> list[tuple[Rows, Floats]]:
        """Search for each of (q, d) queries; where scanning is less work, in one scan for all."""
        n = len(self.vectors)
        inside = n if allowed is None else int(np.count_nonzero(allowed))
        if self._entries(n / max(inside, 1)) < inside:
            return [self.search(query, k, allowed=allowed) for query in queries]
        return ExactIndex(self.vectors).search_many(queries, k, allowed=allowed)

    def approximate(
        self, query: Floats, k: int, *, effort: float = 1.0, allowed: Mask | None = None
    ) -> tuple[Rows, Floats]:
        """Ask the forest once, for `effort` times the usual work; it may find fewer than k."""
        return self._best(query, self._known(query, k, effort, allowed), k, allowed)

    def _known(self, query: Floats, k: int, effort: float, allowed: Mask | None) -> Rows:
        """Ask the forest for allowed rows that it knows."""
        effort *= self.carried.share
        items = np.array(
            self.forest.get_nns_by_vector(
                query, int(np.ceil(k * effort * MARGIN)), search_k=int(self.search_k * effort)
            ),
            np.int32,
        )
        rows = self.carried.found(items)
        return rows if allowed is None else rows[allowed[rows]]

    def _best(
        self, query: Floats, known: Rows, k: int, allowed: Mask | None
    ) -> tuple[Rows, Floats]:
        """Pick the best of rows, and of those that the forest does not know."""
        unknown = self.carried.unknown
        unknown = unknown if allowed is None else unknown[allowed[unknown]]
        rows = np.sort(np.concatenate([known, unknown]))
        # Annoy's angular distances have lost digits where vectors are close: compute afresh.
        cosines = self.vectors[rows] @ query
        kept = top_k(cosines, k)
        return rows[kept], cosines[kept]

    def _entries(self, effort: float) -> float:
        """Count what a search with such an effort looks at."""
        return self.search_k * effort * self.carried.share + len(self.carried.unknown)

    @staticmethod
    def build(vectors: Floats, path: Path, *, trees: int = TREES, seed: int = 0) -> None:
        """Write a forest over the vectors. More than one thread would not be reproducible."""
        forest = annoy.AnnoyIndex(vectors.shape[1], "angular")
        forest.set_seed(seed)
        for begin, block in blocks(vectors):  # A row of a map takes four times as long.
            for at, vector in enumerate(block):
                forest.add_item(begin + at, vector)
        forest.build(trees, n_jobs=1)
        forest.save(str(path))

    @classmethod
    def load(
        cls, path: Path, vectors: StoredVectors, *, search_k: int, items: Rows | None = None
    ) -> "AnnoyIndex":
        """Memory-map what `build` wrote over the same vectors, or over others.

        items: (m,) int32, the row of each of m others among the vectors, GONE where it is not;
        None: they are the same.

        Raises:
            ArtifactCorrupt: the file is missing or cut short.
            ArtifactMismatch: it holds another number of vectors.
        """
        forest = annoy.AnnoyIndex(vectors.shape[1], "angular")
        try:
            forest.load(str(path))
        except OSError as error:
            raise ArtifactCorrupt(
                f"{path} cannot be read as an Annoy forest ({error}).", BUILD_AGAIN
            ) from error
        items = np.arange(len(vectors), dtype=np.int32) if items is None else items
        if forest.get_n_items() != len(items):
            raise ArtifactMismatch(
                f"{path} holds {forest.get_n_items()} vectors, the index {len(items)}.", BUILD_AGAIN
            )
        return cls(vectors, forest, search_k, Carried.of(items, len(vectors)))


def build(vectors: Floats, folder: Path, *, years: Years | None = None) -> Facts:
    """Plant trees into a folder, and choose how hard they are searched.

    That is so hard that nearly all papers that stage one asks for are found.
    """
    k = StageOne().neighbours
    AnnoyIndex.build(vectors, folder / FOREST_FILE)
    forest = AnnoyIndex.load(folder / FOREST_FILE, vectors, search_k=-1)
    effort = choose_search_k(forest, k=k, rng=np.random.default_rng(0))
    return {"trees": TREES, "k": k, **effort}


def carry(vectors: Floats, folder: Path, former: Former, *, years: Years | None = None) -> Facts:
    """Keep a forest that still knows most rows; plant another one otherwise."""
    items = _items(former.folder, len(former.rows))
    carried = Carried.over(items, former.rows, len(vectors))
    unknown, dead = len(carried.unknown), carried.gone
    if unknown > MOST_UNKNOWN * len(vectors) or dead > MOST_DEAD * len(vectors):
        return build(vectors, folder)
    link_or_copy(former.folder / FOREST_FILE, folder / FOREST_FILE)
    np.save(folder / ITEMS_FILE, carried.rows)
    return {**former.facts, "unknown": unknown, "dead": dead}


def open_index(
    vectors: StoredVectors, folder: Path, facts: Mapping[str, Any]
) -> AnnoyIndex | ExactIndex:
    """Open what `build` or `carry` wrote; see `AnnoyIndex.load` for what it raises.

    Where a scan is always less work, the forest is left alone.
    """
    search_k, path = int(facts["search_k"]), folder / FOREST_FILE
    if search_k >= len(vectors):
        return ExactIndex(vectors)
    check_unchanged(path, facts)
    items = _items(folder, len(vectors))
    return AnnoyIndex.load(path, vectors, search_k=search_k, items=items)


def _items(folder: Path, n: int) -> Rows:
    """Read the row of each item of a forest; one that was not carried has them in order."""
    path = folder / ITEMS_FILE
    return load_items(path, n) if path.exists() else np.arange(n, dtype=np.int32)


def summary(facts: Mapping[str, Any], papers: int) -> str:
    """Say how the vectors are searched."""
    found = f"finds {facts['recall']:.1%} of the {facts['k']} nearest"
    exact = facts["search_k"] >= papers
    unknown = facts.get("unknown", 0)
    rest = "; an exact scan is quicker here and is used." if exact else "."
    if unknown and not exact:
        rest = f"; {unknown:,} newer papers are scanned."
    return f"Annoy, {facts['trees']} trees: search_k {facts['search_k']:,} {found}{rest}"


def choose_search_k(
    index: AnnoyIndex,
    *,
    k: int,
    target: float = 0.99,
    sample: int = 200,
    rng: "np.random.Generator",  # Not looked up before it is needed: it takes its time.
) -> Facts:
    """Find the smallest search_k of a ladder whose recall@k reaches the target: it, and the recall.

    Sampled rows are the queries, and a row finding itself does not count. A found row is right when
    its cosine is no lower than that of the k-th exact neighbour, so ties do not matter.
    """
    queries, near = sampled(index.vectors, sample, k, rng)
    trees = index.forest.get_n_trees()

    def recall_with(search_k: int) -> float:
        trial = replace(index, search_k=search_k)
        return recall((trial.approximate(query, k + 1) for query in queries), near)

    start, most = max(k * trees // 4, 1), len(index.vectors) * trees
    search_k, share = least_effort(start, most, target, recall_with)
    return {"search_k": search_k, "recall": share}
