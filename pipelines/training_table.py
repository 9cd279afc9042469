"""Examples for the ranker: the candidates of many queries, their features, and which are gold.

Queries are corpus papers posed as the drafts they once were, through the code that also answers
live drafts: what serving cannot see, training does not see.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipelines.splits import gold
from recsys.arrays import Floats, Rows
from recsys.candidates import StageOne, propose
from recsys.collection import Collection
from recsys.features import compute, feature_names
from recsys.progress import Progress
from recsys.query import draft_of, make_query


@dataclass(frozen=True, slots=True)
class TrainingTable:
    """Candidates of several queries, one after the other.

    features: (n, f) float32. relevant: (n,) int8, 1 for gold. groups: (q,) int32, candidates per
    query. gold: (q,) int32, gold papers per query, whether proposed or not.
    """

    features: Floats
    relevant: NDArray[np.int8]
    groups: NDArray[np.int32]
    gold: NDArray[np.int32]


def collect(
    collection: Collection,
    queries: Rows,
    names: tuple[str, ...],
    *,
    progress: Progress,
    stage: str,
) -> TrainingTable:
    """Compute the named features for the candidates of the query rows."""
    metadata = set(names) > set(feature_names(metadata=False))
    features, relevant, wanted = [], [], []
    papers = collection.corpus.full_papers(queries)
    for done, (row, paper) in enumerate(zip(queries.tolist(), papers, strict=True)):
        progress(stage, done, len(queries))
        draft = draft_of(paper)
        query = make_query(collection, draft, collection.vectors[row], metadata=metadata)
        candidates = propose(collection, query, StageOne())
        right = gold(collection, row)
        features.append(compute(collection, query, candidates, names))
        relevant.append(np.isin(candidates.rows, right).astype(np.int8))
        wanted.append(len(right))
    progress(stage, len(queries), len(queries))
    return TrainingTable(
        np.concatenate(features),
        np.concatenate(relevant),
        np.array([len(part) for part in relevant], np.int32),
        np.array(wanted, np.int32),
    )


def concatenate(tables: Sequence[TrainingTable]) -> TrainingTable:
    """Put the queries of several corpora into one table."""
    return TrainingTable(
        np.concatenate([table.features for table in tables]),
        np.concatenate([table.relevant for table in tables]),
        np.concatenate([table.groups for table in tables]),
        np.concatenate([table.gold for table in tables]),
    )
