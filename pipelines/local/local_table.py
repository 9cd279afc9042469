"""Examples for the local ranker: the candidates of many passages, their features, and the gold."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recsys.errors import DraftError
from recsys.indexes.opening import with_contexts
from recsys.local.context_view import ContextUse
from recsys.local.local_features import LOCAL_FEATURES, compute_local
from recsys.local.rank_passages import PassageReader
from recsys.pipelines.jobs.engines import ProcessPool, Stage
from recsys.pipelines.jobs.kept_results import OpenIndex
from recsys.pipelines.local.local_queries import (
    KNOWN,
    LocalQuery,
    beside,
    lots,
    pose_query,
    references_of,
)
from recsys.pipelines.ranking.training_table import TrainingTable
from recsys.progress import Progress
from recsys.store.arrays import Floats
from recsys.store.blas import one_thread
from recsys.store.products import remembered_products

RAW = 0.3
"""So many of the queries keep names and years: they tell most, where there are any."""

READ = 0.5
"""So many of them read contexts, where there are any."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a query is posed: what is known beside the sentence, and whether names are taken out.

    contexts: which citing sentences may be read; in examples never all, see `ContextUse`.
    """

    known: str
    masked: bool
    contexts: ContextUse = ContextUse.HIDDEN

    def __str__(self) -> str:
        """Name it, as in reports."""
        way = f"{self.known}, {'masked' if self.masked else 'as printed'}"
        return way if self.contexts is ContextUse.HIDDEN else f"{way}, with contexts"


@dataclass(frozen=True, slots=True)
class Example:
    """A query's candidates. features: (m, f) float32. relevant: (m,) int8. gold: how many."""

    way: Way
    features: Floats
    relevant: NDArray[np.int8]
    gold: int


def drawn_way(query: LocalQuery, *, seed: int, contexts: bool = False) -> Way:
    """Draw how a query is posed, so that one ranker learns all ways.

    contexts: whether the corpus has any; half of the queries then read them.
    """
    chance = lots(seed, f"{query.citing} {query.text}")
    known, masked = KNOWN[int(chance.integers(len(KNOWN)))], bool(chance.random() >= RAW)
    read = contexts and bool(chance.random() < READ)
    return Way(known, masked, ContextUse.ONLY if read else ContextUse.HIDDEN)


@dataclass(frozen=True, slots=True)
class Posing:
    """How queries are posed to an index. seed: of the ways that are drawn for them."""

    open_index: OpenIndex
    index: Path
    seed: int


def collect_examples(
    posing: Posing, queries: Sequence[LocalQuery], *, progress: Progress, stage: str
) -> list[Example]:
    """Pose each query in a way drawn for it, in parallel; the order is that of the queries."""
    work = Stage(stage, partial(_maker, posing))
    found: dict[int, Example | None] = {}
    progress(stage, 0, len(queries))
    for at, made in ProcessPool().map(work, queries):
        found[at] = made
        progress(stage, len(found), len(queries))
    return [made for at in range(len(queries)) if (made := found[at]) is not None]


def table_of(examples: Sequence[Example]) -> TrainingTable:
    """Put examples one after the other."""
    return TrainingTable(
        np.concatenate([each.features for each in examples]),
        np.concatenate([each.relevant for each in examples]),
        np.array([len(each.relevant) for each in examples], np.int32),
        np.array([each.gold for each in examples], np.int32),
    )


def _maker(posing: Posing) -> Callable[[LocalQuery], Example | None]:
    """Open the index in a worker; return what makes an example there."""
    recommender = posing.open_index(posing.index, metadata=True)
    collection = with_contexts(recommender.collection)
    reader = PassageReader(replace(recommender, collection=collection))
    draw = partial(drawn_way, seed=posing.seed, contexts=collection.contexts is not None)
    return lambda query: example(reader, query, draw(query))


def example(reader: PassageReader, query: LocalQuery, way: Way) -> Example | None:
    """Pose a query and compute the features of its candidates; None if nothing can be asked.

    What the same sentence cites besides the gold is neither right nor wrong: it is left out.
    """
    collection, works = reader.collection, reader.works
    posed = pose_query(
        collection, works, query, way.known, masked=way.masked, contexts=way.contexts
    )
    try:
        with one_thread(), remembered_products():
            view = reader.view(posed.draft, posed.passage)
            facts = reader.facts(view, posed.passage, reader.encode([posed.passage])[0])
            features = compute_local(facts, LOCAL_FEATURES)
    except DraftError:  # Nothing is left of a sentence that was all names.
        return None
    relevant = np.isin(facts.rows, query.gold).astype(np.int8)
    others = beside(collection, works, query, references_of(collection, query))
    kept = ~np.isin(facts.rows, collection.corpus.rows(others))
    if not kept.any():
        return None
    return Example(way, features[kept], relevant[kept], len(query.gold))
