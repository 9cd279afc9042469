"""Approximate search: a forest of random hyperplanes (Annoy), memory-mapped from one file.

Annoy compiles itself for the processor that installs it, so a forest built on one machine may
differ in a few splits from that of another; on one machine the same seed gives the same bytes.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import annoy
import numpy as np

from indexes.exact import ExactIndex
from recsys.errors import ArtifactCorrupt, ArtifactMismatch
from recsys.stage_one.settings import StageOne
from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.layout import FOREST_FILE
from recsys.store.top_k import top_k

MARGIN = 1.3
"""How many more rows are fetched than the allowed share asks for on average."""
TREES = 100
FEW_TREES = 10
"""For vectors that are searched for a while only: negatives of a model that goes on learning."""


@dataclass(frozen=True, slots=True)
class Effort:
    """A search_k and the recall that was measured with it, in [0, 1]."""

    search_k: int
    recall: float


@dataclass(frozen=True, slots=True)
class AnnoyIndex:
    """Cosine search over vectors: (n, d) float32, L2-normalised rows.

    forest: the loaded trees. search_k: how many tree entries a search over all rows looks at.
    """

    vectors: Floats
    forest: annoy.AnnoyIndex = field(repr=False)
    search_k: int

    def search(self, query: Floats, k: int, *, allowed: Mask | None = None) -> tuple[Rows, Floats]:
        """Return up to k (rows, exact cosines), best first.

        The fewer rows are allowed, the more entries are looked at. Once that is more work than to
        scan the allowed rows, they are scanned, and the answer is exact.
        """
        n = len(self.vectors)
        inside = n if allowed is None else int(np.count_nonzero(allowed))
        wanted = min(k, inside)
        effort = n / max(inside, 1)
        while wanted > 0 and self.search_k * effort < inside:
            rows, cosines = self.approximate(query, wanted, effort=effort, allowed=allowed)
            if len(rows) == wanted:
                return rows, cosines
            effort *= 2
        return ExactIndex(self.vectors).search(query, k, allowed=allowed)

    def search_many(
        self, queries: Floats, k: int, *, allowed: Mask | None = None
    ) -> list[tuple[Rows, Floats]]:
        """Search for each of (q, d) queries; where scanning is less work, in one scan for all."""
        n = len(self.vectors)
        inside = n if allowed is None else int(np.count_nonzero(allowed))
        if self.search_k * n < inside * inside:
            return [self.search(query, k, allowed=allowed) for query in queries]
        return ExactIndex(self.vectors).search_many(queries, k, allowed=allowed)

    def approximate(
        self, query: Floats, k: int, *, effort: float = 1.0, allowed: Mask | None = None
    ) -> tuple[Rows, Floats]:
        """Ask the forest once, for `effort` times the usual work; it may find fewer than k."""
        found = self.forest.get_nns_by_vector(
            query, int(np.ceil(k * effort * MARGIN)), search_k=int(self.search_k * effort)
        )
        rows = np.sort(np.array(found, np.int32))
        if allowed is not None:
            rows = rows[allowed[rows]]
        # Annoy's angular distances have lost digits where vectors are close: compute afresh.
        cosines = self.vectors[rows] @ query
        kept = top_k(cosines, k)
        return rows[kept], cosines[kept]

    @staticmethod
    def build(vectors: Floats, path: Path, *, trees: int = TREES, seed: int = 0) -> None:
        """Write a forest over the vectors. More than one thread would not be reproducible."""
        forest = annoy.AnnoyIndex(vectors.shape[1], "angular")
        forest.set_seed(seed)
        for row, vector in enumerate(vectors):
            forest.add_item(row, vector)
        forest.build(trees, n_jobs=1)
        forest.save(str(path))

    @classmethod
    def load(cls, path: Path, vectors: Floats, *, search_k: int) -> "AnnoyIndex":
        """Memory-map what `build` wrote over the same vectors.

        Raises:
            ArtifactCorrupt: the file is missing or cut short.
            ArtifactMismatch: it holds another number of vectors.
        """
        forest = annoy.AnnoyIndex(vectors.shape[1], "angular")
        try:
            forest.load(str(path))
        except OSError as error:
            raise ArtifactCorrupt(
                f"{path} cannot be read as an Annoy forest ({error}).", "Build the index again."
            ) from error
        if forest.get_n_items() != len(vectors):
            raise ArtifactMismatch(
                f"{path} holds {forest.get_n_items()} vectors, the index {len(vectors)}.",
                "Build the index again.",
            )
        return cls(vectors, forest, search_k)


def build(vectors: Floats, folder: Path, *, lasting: bool = True) -> dict[str, Any]:
    """Plant trees into a folder, and choose how hard they are searched.

    What lasts is searched so hard that it finds nearly all papers that stage one asks for.
    """
    k, trees = StageOne().neighbours, TREES if lasting else FEW_TREES
    AnnoyIndex.build(vectors, folder / FOREST_FILE, trees=trees)
    if not lasting:
        return {"trees": trees, "k": k, "search_k": k * trees}
    forest = AnnoyIndex.load(folder / FOREST_FILE, vectors, search_k=-1)
    effort = choose_search_k(forest, k=k, rng=np.random.default_rng(0))
    return {"trees": trees, "k": k, **asdict(effort)}


def open_index(vectors: Floats, folder: Path, facts: Mapping[str, Any]) -> AnnoyIndex:
    """Open what `build` wrote over the same vectors; see `AnnoyIndex.load` for what it raises."""
    return AnnoyIndex.load(folder / FOREST_FILE, vectors, search_k=facts["search_k"])


def summary(facts: Mapping[str, Any], papers: int) -> str:
    """Say how the vectors are searched."""
    found = f"finds {facts['recall']:.1%} of the {facts['k']} nearest"
    exact = facts["search_k"] >= papers
    rest = "; an exact scan is quicker here and is used." if exact else "."
    return f"Annoy, {facts['trees']} trees: search_k {facts['search_k']:,} {found}{rest}"


def choose_search_k(
    index: AnnoyIndex,
    *,
    k: int,
    target: float = 0.99,
    sample: int = 200,
    rng: np.random.Generator,
) -> Effort:
    """Find the smallest search_k of a ladder whose recall@k reaches the target.

    Sampled rows are the queries, and a row finding itself does not count. A found row is right when
    its cosine is no lower than that of the k-th exact neighbour, so ties do not matter.
    """
    n = len(index.vectors)
    queries = rng.choice(n, min(sample, n), replace=False).astype(np.int32)
    exact = ExactIndex(index.vectors)
    truth = [exact.search(index.vectors[row], k + 1)[1][1:] for row in queries]
    most = n * index.forest.get_n_trees()
    search_k = min(max(k * index.forest.get_n_trees() // 4, 1), most)
    while True:
        trial = replace(index, search_k=search_k)
        recall = _recall(trial, queries, truth)
        if recall >= target or search_k >= most:
            return Effort(search_k, recall)
        search_k = min(search_k * 5 // 4 + 1, most)


def _recall(index: AnnoyIndex, queries: Rows, truth: list[Floats]) -> float:
    shares = []
    for row, cosines in zip(queries, truth, strict=True):
        if len(cosines):
            found = index.approximate(index.vectors[row], len(cosines) + 1)[1][1:]
            shares.append(np.count_nonzero(found >= cosines[-1] - 1e-6) / len(cosines))
    return float(np.mean(shares)) if shares else 1.0
