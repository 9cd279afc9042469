"""Candidates by the seeds: near what the draft cites already, cited by it, citing or beside it."""

import numpy as np

from recsys.stage_one.settings import SourceQuery
from recsys.stage_one.voters import NOBODY, Voters, share, ties
from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.lookup import distinct

MOST_CITERS = 100
"""Of a much cited seed, this many of its latest citing papers are followed."""


def find(asked: SourceQuery, allowed: Mask) -> Voters:
    """Collect papers around the seeds; they weigh nothing, as `prior` says what the seeds say."""
    seeds, before = asked.seeds, asked.query.before
    if len(seeds) == 0:
        return NOBODY
    graph, vectors = asked.collection.graph, asked.collection.vectors
    searched = asked.collection.vector_index.search_many(
        vectors[asked.close_seeds], asked.options.per_seed, allowed=allowed
    )
    _, citing = graph.citers(seeds, before, most=MOST_CITERS)
    cited = graph.references(seeds[graph.older(seeds, before)])[1]
    cocited = graph.references(distinct(citing))[1]
    around = np.concatenate([*(near for near, _ in searched), citing, cited, cocited])
    rows = distinct(around[allowed[around]])
    return Voters(rows, np.zeros(len(rows), np.float32))


def prior(asked: SourceQuery, found: Voters, rows: Rows, compared: Floats) -> Floats:
    """Add what the seeds say: company, direct citations, cosine with the nearest close one."""
    if len(asked.seeds) == 0:
        return np.zeros(len(rows), np.float32)
    company, direct = ties(asked.collection.graph, asked.seeds, asked.query.before, rows)
    nearest: Floats = compared[1:].max(axis=0)
    return share(company) + share(direct) + nearest
