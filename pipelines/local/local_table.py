"""Examples for the local ranker: the candidates of many passages, their features, and the gold."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipelines.local.local_queries import KNOWN, LocalQueries, LocalQuery, lots, pose_query
from recsys.local.local_features import compute_local
from recsys.local.rank_passages import PassageReader
from recsys.progress import Progress
from recsys.store.arrays import Floats, Rows
from recsys.store.blas import one_thread
from recsys.store.products import remembered_products

RAW = 0.3
"""So many of the train queries keep names and years: what they say is a signal, where there is one."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a query is posed: what is known beside the sentence, and whether names are taken out."""

    known: str
    masked: bool


@dataclass(frozen=True, slots=True)
class Example:
    """The candidates of one query. features: (m, f) float32. relevant: (m,) int8. rows: (m,) int32."""

    query: LocalQuery
    way: Way
    features: Floats
    relevant: NDArray[np.int8]
    rows: Rows


def drawn_way(query: LocalQuery, *, seed: int) -> Way:
    """Draw how a query is posed, so that one ranker learns all ways."""
    chance = lots(seed, f"{query.citing} {query.text}")
    return Way(KNOWN[int(chance.integers(len(KNOWN)))], bool(chance.random() >= RAW))


def example(
    reader: PassageReader, query: LocalQuery, way: Way, names: tuple[str, ...]
) -> Example:
    """Pose a query and compute the features of its candidates."""
    with one_thread(), remembered_products():
        posed = pose_query(
            reader.collection, reader.works, query, way.known, masked=way.masked
        )
        view = reader.view(posed.draft, posed.passage)
        facts = reader.facts(view, posed.passage, reader.encode([posed.passage])[0])
        relevant = np.isin(facts.rows, query.gold).astype(np.int8)
        return Example(query, way, compute_local(facts, names), relevant, facts.rows)
