"""Candidates of a passage: its own, the draft's, and those that it names, in one pool.

sentence ── stage one ──► the most promising ─┐
draft ──── its ranking ─► the best of it ─────┼─► pool ── prior of the sentence ──► candidates
names ──── resolved ────► those that fit ─────┘
"""

from dataclasses import dataclass, field

import numpy as np

from recsys.local.passage import PassageQuery, rows_of
from recsys.stage_one.pool import Candidates, Pool
from recsys.stage_one.propose import prior, propose
from recsys.stage_one.settings import SourceQuery, StageOne
from recsys.store.collection import Collection
from recsys.store.lookup import distinct, dots


@dataclass(frozen=True, slots=True)
class LocalPool:
    """How many candidates come from where.

    sentence: how stage one looks for the sentence. of_draft: so many of the draft's best papers.
    named: at most so many that the sentence names, each with at least the score least_named.
    """

    sentence: StageOne = field(default_factory=lambda: StageOne(candidates=250))
    of_draft: int = 200
    named: int = 20
    least_named: float = 0.2


USUAL_POOL = LocalPool()


def gather(
    collection: Collection, asked: PassageQuery, options: LocalPool = USUAL_POOL
) -> Candidates:
    """Select the candidates of a passage, rows ascending; all of them have the sentence's prior."""
    query = asked.query
    found = propose(collection, query, options.sentence)
    more = [
        found.rows,
        asked.draft.best(options.of_draft),
        rows_of(asked.named, least=options.least_named, most=options.named),
    ]
    rows = distinct(np.concatenate(more).astype(np.int32))
    rows = rows[query.wanted[rows]]
    added = rows[~np.isin(rows, found.rows)]
    cosines = dots(collection.vectors, added, query.vector)
    source = SourceQuery(collection, query, options.sentence)
    hopes = prior(source, found.found, found.found, added, cosines)
    nowhere = np.zeros(len(added), found.sources.dtype)
    pool = found.chosen.joined(Pool(added, nowhere, cosines, hopes))
    return found.choose(pool, pool)
