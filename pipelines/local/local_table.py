"""Examples for the local ranker: the candidates of many passages, their features, and the gold."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipelines.local.local_queries import KNOWN, LocalQueries, LocalQuery, lots, pose_query
from recsys.local.context_view import ContextUse
from recsys.local.local_features import compute_local
from recsys.local.rank_passages import PassageReader
from recsys.store.arrays import Floats, Rows
from recsys.store.blas import one_thread
from recsys.store.products import remembered_products

RAW = 0.3
"""So many of the train queries keep names and years: what they say is a signal, where there is one."""

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


@dataclass(frozen=True, slots=True)
class Example:
    """The candidates of one query. features: (m, f) float32. relevant: (m,) int8. rows: (m,) int32."""

    query: LocalQuery
    way: Way
    features: Floats
    relevant: NDArray[np.int8]
    rows: Rows


def drawn_way(query: LocalQuery, *, seed: int, contexts: bool = False) -> Way:
    """Draw how a query is posed, so that one ranker learns all ways.

    contexts: whether the corpus has any; half of the queries then read them.
    """
    chance = lots(seed, f"{query.citing} {query.text}")
    known, masked = KNOWN[int(chance.integers(len(KNOWN)))], bool(chance.random() >= RAW)
    read = contexts and bool(chance.random() < READ)
    return Way(known, masked, ContextUse.ONLY if read else ContextUse.HIDDEN)


def example(reader: PassageReader, query: LocalQuery, way: Way, names: tuple[str, ...]) -> Example:
    """Pose a query and compute the features of its candidates."""
    with one_thread(), remembered_products():
        posed = pose_query(
            reader.collection,
            reader.works,
            query,
            way.known,
            masked=way.masked,
            contexts=way.contexts,
        )
        view = reader.view(posed.draft, posed.passage)
        facts = reader.facts(view, posed.passage, reader.encode([posed.passage])[0])
        relevant = np.isin(facts.rows, query.gold).astype(np.int8)
        return Example(query, way, compute_local(facts, names), relevant, facts.rows)
