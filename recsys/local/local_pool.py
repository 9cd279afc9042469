"""Candidates of a passage: its own, the draft's, those that it names or that are cited so.

sentence ── stage one ──► the most promising ─┐
draft ──── its ranking ─► the best of it ─────┼─► pool ── prior of the sentence ──► candidates
names ──── resolved ────► those that fit ─────┤
contexts ─ like it ─────► papers they cite ───┘
"""

from dataclasses import dataclass, field

import numpy as np

from recsys.local.passage import PassageQuery, rows_of
from recsys.retrieval.nearness import add_nearness
from recsys.retrieval.pool import Candidates, Pool
from recsys.retrieval.propose import prior, propose
from recsys.retrieval.settings import SourceQuery, StageOne
from recsys.store.arrays import Rows
from recsys.store.collection import Collection
from recsys.store.lookup import distinct


@dataclass(frozen=True, slots=True)
class LocalPool:
    """How many candidates come from where.

    sentence: how stage one looks for the sentence. of_draft: so many of the draft's best papers.
    named: at most so many that the sentence names, each with at least the score least_named.
    contexts: so many of the nearest citing sentences propose what they cite, and so many BM25 hits.
    """

    sentence: StageOne = field(default_factory=lambda: StageOne(candidates=250))
    of_draft: int = 200
    named: int = 20
    least_named: float = 0.2
    contexts: int = 50


USUAL_POOL = LocalPool()


def gather(
    collection: Collection, asked: PassageQuery, options: LocalPool = USUAL_POOL
) -> Candidates:
    """Select the candidates of a passage, rows ascending.

    All of them have the sentence's prior: the one that stage one gave, or would have given.
    """
    query = asked.query
    found = propose(collection, query, options.sentence, whole=True)
    more = [
        found.rows,
        asked.draft.best(options.of_draft),
        rows_of(asked.named, least=options.least_named, most=options.named),
    ]
    if asked.contexts is not None:
        more.append(asked.contexts.proposed(options.contexts))
    rows = distinct(np.concatenate(more).astype(np.int32))
    rows = rows[query.wanted[rows]]
    pool = found.pool.joined(
        _unheard(SourceQuery(collection, query, options.sentence), found, rows)
    )
    chosen = pool.take(np.searchsorted(pool.rows, rows).astype(np.int32))
    return found.choose(chosen, pool)


def _unheard(asked: SourceQuery, found: Candidates, rows: Rows) -> Pool:
    """Judge the papers that stage one has not considered beside those that it has."""
    pool = found.pool
    new = rows[~np.isin(rows, pool.rows)]
    every = np.concatenate([pool.rows, new])
    cosines = asked.cosines(every)
    said = prior(asked, found.found, found.found, every, cosines)
    hopes = add_nearness(asked, every, said)
    nowhere = np.zeros(len(new), pool.sources.dtype)
    before = len(pool.rows)
    return Pool(new, nowhere, cosines[before:], hopes[before:])
