"""Approximate search: a graph of near neighbours (HNSW of usearch), memory-mapped from one file.

Malkov and Yashunin, 2020. The graph holds the vectors in 8 bits; what it finds is compared in full.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from usearch.index import Index

from recsys.errors import ArtifactCorrupt
from recsys.indexes.backends import Facts, Former
from recsys.indexes.exact import (
    BUILD_AGAIN,
    Carried,
    blocks,
    check_unchanged,
    least_effort,
    load_items,
    recall,
    sampled,
    search_allowed,
)
from recsys.retrieval.propose import StageOne
from recsys.store.arrays import Floats, Mask, Rows, load_array, top_k
from recsys.store.graph import Years
from recsys.store.vectors import StoredVectors, quantised, row_dots

GRAPH_FILE, ITEMS_FILE = "graph.usearch", "graph.items.npy"
LINKS = 16
"""Links of a vector in a layer."""
SPARE = 16
"""Rows that are asked for beside one and a half times those that are wanted."""
FEW = 4
"""Where more than one in so many allowed rows would be asked for, all are compared instead."""
MOST_DEAD = 0.2
"""Share of what the graph knows that is gone above which another one is made."""


@dataclass(frozen=True, slots=True)
class HnswIndex:
    """Cosine search over vectors: (n, d) float32, L2-normalised rows.

    items: the rows that the graph knows; all of today's are among them.
    """

    vectors: StoredVectors
    graph: Index = field(repr=False)
    items: Carried

    def search(self, query: Floats, k: int, *, allowed: Mask | None = None) -> tuple[Rows, Floats]:
        """Return up to k (rows, exact cosines), best first.

        The fewer rows are allowed, the more are asked for.
        """
        n = len(self.vectors)
        inside = n if allowed is None else int(np.count_nonzero(allowed))
        wanted = min(k, inside)
        count = (wanted + wanted // 2 + SPARE) * len(self.items.rows) / max(inside, 1)
        while wanted > 0 and FEW * count < inside:
            rows = self._known(query, int(count), allowed)
            if len(rows) >= wanted:
                cosines = row_dots(self.vectors, rows, query)
                kept = top_k(cosines, wanted)
                return rows[kept], cosines[kept]
            count *= 2
        return search_allowed(self.vectors, query[None], k, allowed)[0]

    def search_many(
        self, queries: Floats, k: int, *, allowed: Mask | None = None
    ) -> list[tuple[Rows, Floats]]:
        """Search for each of (q, d) queries."""
        return [self.search(query, k, allowed=allowed) for query in queries]

    def _known(self, query: Floats, count: int, allowed: Mask | None) -> Rows:
        """Ask the graph for so many items: the allowed rows among them, ascending."""
        found = self.graph.search(quantised(query[None])[0][0], count, threads=1)
        rows = np.sort(self.items.found(np.asarray(found.keys).astype(np.int64)))
        return rows if allowed is None else rows[allowed[rows]]


def build(vectors: Floats, folder: Path, *, years: Years | None = None) -> Facts:
    """Make a graph of all vectors, and measure how far it is searched."""
    graph = Index(ndim=vectors.shape[1], metric="cos", dtype="i8", connectivity=LINKS)
    for begin, block in blocks(vectors):
        _add(graph, begin, block)
    return _written(vectors, folder, graph, np.arange(len(vectors), dtype=np.int32))


def carry(vectors: Floats, folder: Path, former: Former, *, years: Years | None = None) -> Facts:
    """Add what is new to the graph; make another one where much of it is gone."""
    items = load_array(former.folder / ITEMS_FILE)
    carried = Carried.over(items, former.rows, len(vectors))
    if carried.gone > MOST_DEAD * len(vectors):
        return build(vectors, folder)
    graph = _restored(former.folder / GRAPH_FILE, view=False)
    _add(graph, len(items), vectors[carried.unknown])
    return _written(vectors, folder, graph, np.concatenate([carried.rows, carried.unknown]))


def _add(graph: Index, begin: int, vectors: Floats) -> None:
    """Number vectors from `begin` on. More than one thread would not be reproducible."""
    if len(vectors):
        keys = np.arange(begin, begin + len(vectors), dtype=np.uint64)
        graph.add(keys, quantised(vectors)[0], threads=1)


def _written(vectors: Floats, folder: Path, graph: Index, rows: Rows) -> Facts:
    graph.save(str(folder / GRAPH_FILE))
    np.save(folder / ITEMS_FILE, rows)
    index = HnswIndex(vectors, graph, Carried.of(rows, len(vectors)))
    k = StageOne().neighbours
    return {"k": k, **choose_expansion(index, k=k, rng=np.random.default_rng(0))}


def open_index(vectors: StoredVectors, folder: Path, facts: Mapping[str, Any]) -> HnswIndex:
    """Map what `build` or `carry` wrote.

    Raises:
        ArtifactCorrupt: it was changed, or does not fit the vectors.
    """
    path, rows = folder / GRAPH_FILE, load_items(folder / ITEMS_FILE, len(vectors))
    check_unchanged(path, facts)
    graph = _restored(path, view=True)
    if len(rows) != len(graph) or graph.ndim != vectors.shape[1]:
        raise _damaged(path, f"does not fit the {len(vectors):,} vectors")
    _look(graph, int(facts["expansion"]))
    return HnswIndex(vectors, graph, Carried.of(rows, len(vectors)))


def _restored(path: Path, *, view: bool) -> Index:
    try:
        graph = Index.restore(str(path), view=view)
    except (OSError, RuntimeError, ValueError) as error:
        raise _damaged(path, f"cannot be read as a graph of usearch ({error})") from error
    if graph is None:
        raise _damaged(path, "cannot be read as a graph of usearch")
    return graph


def _look(graph: Index, expansion: int) -> None:
    """Let every search follow so many of the nearest at once."""
    setattr(graph, "expansion_search", expansion)  # noqa: B010 - usearch types it as read-only.


def _damaged(path: Path, what: str) -> ArtifactCorrupt:
    return ArtifactCorrupt(f"{path} {what}.", BUILD_AGAIN)


def summary(facts: Mapping[str, Any], papers: int) -> str:
    """Say how the vectors are searched."""
    return (
        f"A graph of neighbours (HNSW), expansion {facts['expansion']:,}, finds "
        f"{facts['recall']:.1%} of the {facts['k']} nearest."
    )


def choose_expansion(
    index: HnswIndex, *, k: int, target: float = 0.99, sample: int = 100, rng: np.random.Generator
) -> Facts:
    """Find the first expansion of a ladder whose recall@k reaches the target: it, and the recall.

    Sampled rows are the queries, and a row finding itself does not count.
    """
    queries, near = sampled(index.vectors, sample, k, rng)

    def recall_with(expansion: int) -> float:
        _look(index.graph, expansion)
        return recall(index.search_many(queries, k + 1), near)

    expansion, share = least_effort(k, max(len(index.vectors), k), target, recall_with)
    return {"expansion": expansion, "recall": share}
