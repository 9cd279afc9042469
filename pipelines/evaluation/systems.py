"""What ranks the papers of an index for a query: the systems that `system_table` names."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
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
from recsys.pipelines.index.paper_rows import texts_in
from recsys.protocols import Progress, silent
from recsys.query.query import Query
from recsys.retrieval.propose import propose
from recsys.store.arrays import Floats, Rows, top_k
from recsys.store.artifacts import NNRANK, NNSELECT, load_manifest, nnrank_folder
from recsys.store.collection import Collection

if TYPE_CHECKING:
    from recsys.recommend import Recommender

MODELS: Mapping[str, Callable[[Path, int], object]] = {
    NNSELECT: NNSelectModel.load,
    NNRANK: NNRankCorpus.load,
}
"""Models trained on an index: what loads it from its folder for so many papers."""


@dataclass(frozen=True)
class SystemContext:
    """What systems answer from; what they load is loaded once.

    work: where extra indexes lie. seed: of everything random.
    """

    recommender: "Recommender"
    work: Path
    seed: int = 0

    @property
    def collection(self) -> Collection:
        """Corpus, graph and search structures."""
        return self.recommender.collection

    @cached_property
    def whoosh(self) -> WhooshIndex:
        """The named baseline."""
        return WhooshIndex.load(whoosh_folder(self.collection, self.work))

    @cached_property
    def nnselect(self) -> NNSelectModel:
        """Citeomatic's own vectors."""
        folder = model_folder(self.collection, NNSELECT, self.recommender.metadata)
        return NNSelectModel.load(folder, len(self.collection.corpus))

    @cached_property
    def nnrank(self) -> NNRankCorpus:
        """Citeomatic's network, with metadata or without."""
        folder = model_folder(self.collection, NNRANK, self.recommender.metadata)
        return NNRankCorpus.load(folder, len(self.collection.corpus))


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a system answers: rows best first and their scores.

    candidates: rows it chose from, if it says so. probabilities: float32, the calibrated chances of
    the rows, if it has any; of all candidates where these are in the order of the rows.
    """

    rows: Rows
    scores: Floats
    candidates: Rows | None = None
    probabilities: Floats | None = None


def shuffled(context: SystemContext, query: Query, row: int, k: int) -> Ranked:
    """Shuffle; a query's order depends on the seed and its id alone."""
    rng = query_rng(context.seed, context.collection.corpus.ids[row])
    return _in_order(rng.permutation(np.flatnonzero(query.wanted))[:k].astype(np.int32))


def by_citations(context: SystemContext, query: Query, row: int, k: int) -> Ranked:
    """Order by the citations from papers older than the query."""
    rows = np.flatnonzero(query.wanted).astype(np.int32)
    counts = context.collection.graph.in_counts(rows, query.before).astype(np.float32)
    top = top_k(counts, k)
    return Ranked(rows[top], counts[top])


def bm25_whoosh(context: SystemContext, query: Query, row: int, k: int) -> Ranked:
    """Ask the Whoosh index, the named baseline."""
    return Ranked(*context.whoosh.search(query.text, k, allowed=query.wanted))


def bm25(context: SystemContext, query: Query, row: int, k: int) -> Ranked:
    """Ask for every word of title and abstract."""
    return Ranked(*context.collection.text_index.search(query.text, k, allowed=query.wanted))


def embedding(context: SystemContext, query: Query, row: int, k: int) -> Ranked:
    """Order by the cosine with the draft's vector."""
    return Ranked(*context.collection.vector_index.search(query.vector, k, allowed=query.wanted))


def nnselect(
    context: SystemContext, query: Query, row: int, k: int, *, neighbours: int = NEIGHBOURS
) -> Ranked:
    """Order the neighbours by Citeomatic's own vectors, and what they cite, by cosine."""
    graph, vectors = context.collection.graph, context.nnselect.vectors
    rows, cosines = select(graph, vectors, query, vectors[row], neighbours)
    return Ranked(rows[:k], cosines[:k], rows)


def nnrank(
    context: SystemContext, query: Query, row: int, k: int, *, neighbours: int = NEIGHBOURS
) -> Ranked:
    """Rerank what NNSelect selects by Citeomatic's network, with metadata or without."""
    graph, vectors = context.collection.graph, context.nnselect.vectors
    rows, cosines = select(graph, vectors, query, vectors[row], neighbours)
    order = np.argsort(rows)  # Ties break by ascending row.
    rows, cosines = rows[order], cosines[order]
    scores = context.nnrank.score(graph, row, rows, cosines)
    top = top_k(scores, k)
    return Ranked(rows[top], scores[top], rows)


def stage_one(context: SystemContext, query: Query, row: int, k: int) -> Ranked:
    """Order the candidates by their prior."""
    candidates = propose(context.collection, query, context.recommender.stage_one)
    top = top_k(candidates.prior, k)
    return Ranked(candidates.rows[top], candidates.prior[top], candidates.rows)


def two_stage(context: SystemContext, query: Query, row: int, k: int) -> Ranked:
    """Order the candidates as `recommend` does."""
    ranking = context.recommender.rank(query)
    return Ranked(ranking.rows[:k], ranking.scores[:k], ranking.rows, ranking.probabilities)


def oracle(context: SystemContext, query: Query, row: int, k: int) -> Ranked:
    """Put the gold candidates first, else keep the order of stage one: no reranker is better."""
    candidates = propose(context.collection, query, context.recommender.stage_one)
    rows = candidates.rows[top_k(candidates.prior, len(candidates.rows))]
    right = np.isin(rows, gold(context.collection, row))
    ordered = np.concatenate([rows[right], rows[~right]])[:k]
    return Ranked(ordered, _in_order(ordered).scores, rows)


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
        WhooshIndex.build(texts_in(collection.corpus), folder, progress=progress)


def model_folder(collection: Collection, model: str, metadata: bool) -> Path:
    """Name the folder of one of MODELS."""
    if model == NNRANK:
        return nnrank_folder(collection.folder, metadata=metadata)
    return collection.folder / model


def whoosh_folder(collection: Collection, work: Path) -> Path:
    """Name the folder of a corpus's Whoosh index."""
    return work / f"whoosh-{collection.corpus.stored.sha256()[:16]}"


def _in_order(rows: NDArray[np.int32]) -> Ranked:
    """Score rows that are in order already: their number, down to 1."""
    return Ranked(rows, np.arange(len(rows), 0, -1, dtype=np.float32))
