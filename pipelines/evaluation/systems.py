"""What ranks the papers of an index for a query: the systems that `system_table` names."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from recsys.errors import ArtifactError
from recsys.indexes.whoosh_index import KIND, SCHEMA, WhooshIndex
from recsys.models.nnrank import NNRankCorpus
from recsys.models.nnselect import NEIGHBOURS, NNSelectModel, select
from recsys.pipelines.evaluation.splits import gold, query_rng
from recsys.pipelines.evaluation.system_table import WHOOSH, needs_of
from recsys.protocols import Progress, silent
from recsys.query.query import Query
from recsys.retrieval.propose import propose
from recsys.store.arrays import Floats, Rows, top_k
from recsys.store.artifacts import NNRANK, NNSELECT, load_manifest, nnrank_folder, sha256
from recsys.store.collection import Collection
from recsys.store.corpus import PAPERS

if TYPE_CHECKING:
    from recsys.recommend import Recommender

MODELS: Mapping[str, Callable[[Path, int], object]] = {
    NNSELECT: NNSelectModel.load,
    NNRANK: NNRankCorpus.load,
}
"""Models trained on an index: what loads it from its folder for so many papers."""


@dataclass(frozen=True, slots=True)
class SystemContext:
    """What systems answer from. work: where extra indexes lie. seed: of everything random."""

    recommender: "Recommender"
    work: Path
    seed: int = 0

    @property
    def collection(self) -> Collection:
        """Corpus, graph and search structures."""
        return self.recommender.collection

    @property
    def index(self) -> Path:
        """The folder that holds the corpus, and the models trained on it."""
        return self.collection.folder


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a system answers: rows best first and their scores.

    candidates: rows it chose from, if it says so. probabilities: (len(candidates),) float32, the
    calibrated chances of the candidates, if it has any.
    """

    rows: Rows
    scores: Floats
    candidates: Rows | None = None
    probabilities: Floats | None = None


Rank = Callable[[Query, int, int], Ranked]
"""Ranks papers for (the query, its row, the number of papers wanted)."""


def shuffled(context: SystemContext) -> Rank:
    """Shuffle; a query's order depends on the seed and its id alone."""

    def rank(query: Query, row: int, k: int) -> Ranked:
        rng = query_rng(context.seed, context.collection.corpus.ids[row])
        return _in_order(rng.permutation(np.flatnonzero(query.wanted))[:k].astype(np.int32))

    return rank


def by_citations(context: SystemContext) -> Rank:
    """Order by the citations from papers older than the query."""
    graph = context.collection.graph

    def rank(query: Query, row: int, k: int) -> Ranked:
        rows = np.flatnonzero(query.wanted).astype(np.int32)
        counts = graph.in_counts(rows, query.before).astype(np.float32)
        top = top_k(counts, k)
        return Ranked(rows[top], counts[top])

    return rank


def bm25_whoosh(context: SystemContext) -> Rank:
    """Ask the Whoosh index, the named baseline."""
    index = WhooshIndex.load(whoosh_folder(context.collection, context.work))
    return lambda query, row, k: Ranked(*index.search(query.text, k, allowed=query.wanted))


def bm25(context: SystemContext) -> Rank:
    """Ask for every word of title and abstract."""
    index = context.collection.text_index
    return lambda query, row, k: Ranked(*index.search(query.text, k, allowed=query.wanted))


def embedding(context: SystemContext) -> Rank:
    """Order by the cosine with the draft's vector."""
    index = context.collection.vector_index
    return lambda query, row, k: Ranked(*index.search(query.vector, k, allowed=query.wanted))


def nnselect(context: SystemContext, *, neighbours: int = NEIGHBOURS) -> Rank:
    """Order the neighbours by Citeomatic's own vectors, and what they cite, by cosine."""
    collection = context.collection
    vectors = NNSelectModel.load(context.index / NNSELECT, len(collection.corpus)).vectors

    def rank(query: Query, row: int, k: int) -> Ranked:
        rows, cosines = select(collection.graph, vectors, query, vectors[row], neighbours)
        return Ranked(rows[:k], cosines[:k], rows)

    return rank


def nnrank(context: SystemContext, *, neighbours: int = NEIGHBOURS) -> Rank:
    """Rerank what NNSelect selects by Citeomatic's network, with metadata or without."""
    collection = context.collection
    graph, papers = collection.graph, len(collection.corpus)
    vectors = NNSelectModel.load(context.index / NNSELECT, papers).vectors
    folder = nnrank_folder(context.index, metadata=context.recommender.metadata)
    network = NNRankCorpus.load(folder, papers)

    def rank(query: Query, row: int, k: int) -> Ranked:
        rows, cosines = select(graph, vectors, query, vectors[row], neighbours)
        order = np.argsort(rows)  # Ties break by ascending row.
        rows, cosines = rows[order], cosines[order]
        scores = network.score(graph, row, rows, cosines)
        top = top_k(scores, k)
        return Ranked(rows[top], scores[top], rows)

    return rank


def stage_one(context: SystemContext) -> Rank:
    """Order the candidates by their prior."""

    def rank(query: Query, row: int, k: int) -> Ranked:
        candidates = propose(context.collection, query, context.recommender.stage_one)
        top = top_k(candidates.prior, k)
        return Ranked(candidates.rows[top], candidates.prior[top], candidates.rows)

    return rank


def two_stage(context: SystemContext) -> Rank:
    """Order the candidates as `recommend` does."""

    def rank(query: Query, row: int, k: int) -> Ranked:
        ranking = context.recommender.rank(query)
        chances = context.recommender.ranker.probability(ranking.scores)
        return Ranked(ranking.rows[:k], ranking.scores[:k], ranking.rows, chances)

    return rank


def oracle(context: SystemContext) -> Rank:
    """Put the gold candidates first, else keep the order of stage one: no reranker is better."""

    def rank(query: Query, row: int, k: int) -> Ranked:
        candidates = propose(context.collection, query, context.recommender.stage_one)
        rows = candidates.rows[top_k(candidates.prior, len(candidates.rows))]
        right = np.isin(rows, gold(context.collection, row))
        ordered = np.concatenate([rows[right], rows[~right]])[:k]
        return Ranked(ordered, _in_order(ordered).scores, rows)

    return rank


def prepare(
    names: Iterable[str],
    collection: Collection,
    work: Path,
    *,
    metadata: bool = True,
    progress: Progress = silent,
) -> None:
    """Build the extra indexes that the systems need below `work`, unless they are there.

    Raises:
        ArtifactError: a model that one of them needs was never trained, or does not fit.
    """
    needs = needs_of(names)
    for model, load in MODELS.items():
        if model in needs:
            load(model_folder(collection, model, metadata), len(collection.corpus))
    if WHOOSH not in needs:
        return
    folder = whoosh_folder(collection, work)
    try:
        load_manifest(folder, KIND, SCHEMA)
    except ArtifactError:  # Not there, or damaged.
        texts = [
            (each["title"], each["abstract"]) for each in collection.corpus.texts().to_pylist()
        ]
        WhooshIndex.build(texts, folder, progress=progress)


def model_folder(collection: Collection, model: str, metadata: bool) -> Path:
    """Name the folder of one of MODELS."""
    if model == NNRANK:
        return nnrank_folder(collection.folder, metadata=metadata)
    return collection.folder / model


def whoosh_folder(collection: Collection, work: Path) -> Path:
    """Name the folder of a corpus's Whoosh index."""
    return work / f"whoosh-{sha256(collection.corpus.folder / PAPERS)[:16]}"


def _in_order(rows: NDArray[np.int32]) -> Ranked:
    """Score rows that are in order already: their number, down to 1."""
    return Ranked(rows, np.arange(len(rows), 0, -1, dtype=np.float32))
