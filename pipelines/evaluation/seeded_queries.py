"""Queries posed with some of their references given: those are seeds, the others are to be found.

Which references are given depends on the query's id (and the seed of a study) alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from recsys.pipelines.evaluation.splits import gold
from recsys.pipelines.evaluation.systems import query_rng
from recsys.query.query import Query, draft_of, make_query
from recsys.records import Draft
from recsys.store.arrays import Rows
from recsys.store.collection import Collection

NOTHING: Rows = np.empty(0, np.int32)
SEEDED, LISTS = 0.5, 0.125
"""Shares of the queries that a ranker learns from once more with seeds, and as a mere list."""


@dataclass(frozen=True, slots=True)
class Posed:
    """A query, and the rows that are right answers to it."""

    query: Query
    right: Rows


def pose(
    collection: Collection, row: int, *, given: Rows = NOTHING, metadata: bool = True
) -> Posed:
    """Pose a paper as the draft it once was; `given` of its gold papers become seeds."""
    draft = draft_of(collection.corpus.full_papers([row])[0])
    draft = replace(draft, references=_ids(collection, given))
    vector, second = collection.vectors[row], collection.nnselect_vector(row)
    query = make_query(collection, draft, vector, nnselect=second, metadata=metadata)
    return Posed(query, np.setdiff1d(gold(collection, row), given))


def pose_list(collection: Collection, row: int, given: Rows) -> Posed:
    """Pose nothing but a list of given references, at the paper's moment."""
    corpus = collection.corpus
    draft = Draft(
        references=_ids(collection, given), as_of=corpus.year(row), paper_id=corpus.ids[row]
    )
    return Posed(make_query(collection, draft, None), np.setdiff1d(gold(collection, row), given))


def training_poses(collection: Collection, row: int, *, metadata: bool) -> Iterator[Posed]:
    """Pose a paper without seeds; some also with a random share of their references as seeds."""
    yield pose(collection, row, metadata=metadata)
    rng = query_rng(0, collection.corpus.ids[row])
    chance, shuffled = rng.random(), rng.permutation(gold(collection, row))
    if chance >= SEEDED + LISTS or len(shuffled) < 2:
        return
    given = np.sort(shuffled[: rng.integers(1, len(shuffled))])
    if chance < SEEDED:
        yield pose(collection, row, given=given, metadata=metadata)
    else:
        yield pose_list(collection, row, given)


def _ids(collection: Collection, rows: Rows) -> tuple[str, ...]:
    return tuple(collection.corpus.ids[row] for row in rows.tolist())
