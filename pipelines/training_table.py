"""Examples for the ranker: the candidates of many queries, their features, and which are gold.

Queries are corpus papers posed as the drafts they once were, through the code that also answers
live drafts: what serving cannot see, training does not see.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pipelines.posing import training_poses
from recsys.arrays import Floats, Rows
from recsys.candidates import StageOne, propose
from recsys.collection import Collection
from recsys.features import compute, feature_names
from recsys.progress import Progress


@dataclass(frozen=True, slots=True)
class TrainingTable:
    """Candidates of several queries, one after the other; a query posed twice counts twice.

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
    seeded: bool = False,
) -> TrainingTable:
    """Compute the named features for the candidates of the query rows.

    Args:
        collection: holds the queries.
        queries: rows.
        names: of features.
        progress: told after every query.
        stage: the name of the work, for `progress`.
        seeded: pose some queries a second time, with seeds: see `posing.training_poses`.
    """
    metadata = set(names) > set(feature_names(metadata=False))
    features, relevant, wanted = [], [], []
    for done, row in enumerate(queries.tolist()):
        progress(stage, done, len(queries))
        poses = training_poses(collection, row, metadata=metadata)
        for posed in islice(poses, None if seeded else 1):
            candidates = propose(collection, posed.query, StageOne())
            features.append(compute(collection, posed.query, candidates, names))
            relevant.append(np.isin(candidates.rows, posed.right).astype(np.int8))
            wanted.append(len(posed.right))
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
