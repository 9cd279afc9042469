"""Examples for the ranker: the candidates of many queries, their features, and which are gold.

Queries are corpus papers posed as the drafts they once were, through the code that also answers
live drafts: what serving cannot see, training does not see.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pipelines.evaluation.seeded_queries import training_poses
from recsys.progress import Progress
from recsys.stage_one.propose import propose
from recsys.stage_one.settings import StageOne
from recsys.stage_two.facts import Facts
from recsys.stage_two.features import BY_NAME, compute
from recsys.store.arrays import Floats, Rows
from recsys.store.collection import Collection


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


@dataclass(frozen=True, slots=True)
class Posing:
    """How queries are posed.

    seeded: some a second time, with seeds: see `seeded_queries.training_poses`. stage_one: how
    candidates are found. view: the collection as the query in a row may see it, when it must not
    meet models that have learned from it; None: as it is.
    """

    seeded: bool = False
    stage_one: StageOne = field(default_factory=StageOne)
    view: Callable[[int], Collection] | None = None


PLAIN = Posing()


def collect(
    collection: Collection,
    queries: Rows,
    names: tuple[str, ...],
    *,
    progress: Progress,
    stage: str,
    posing: Posing = PLAIN,
) -> TrainingTable:
    """Compute the named features for the candidates of the query rows.

    Args:
        collection: holds the queries.
        queries: rows.
        names: of features.
        progress: told after every query.
        stage: the name of the work, for `progress`.
        posing: how the queries are posed.
    """
    metadata = any(BY_NAME[name].metadata for name in names)
    features, relevant, wanted = [], [], []
    for done, row in enumerate(queries.tolist()):
        progress(stage, done, len(queries))
        seen = collection if posing.view is None else posing.view(row)
        poses = training_poses(seen, row, metadata=metadata)
        for posed in islice(poses, None if posing.seeded else 1):
            candidates = propose(seen, posed.query, posing.stage_one)
            features.append(compute(Facts.of(seen, posed.query, candidates), names))
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
