"""Candidates by the seeds: near what the draft cites already, cited by it, citing or beside it."""

from collections.abc import Sequence

import numpy as np

from recsys.retrieval.sources import SourceQuery
from recsys.retrieval.voters import NOBODY, Voters, share, ties
from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.graph import distinct

MOST_CITERS = 100
"""Of a much cited seed, this many of its latest citing papers are followed."""


def find(asked: SourceQuery, allowed: Mask) -> Voters:
    """Collect papers around the seeds; see `_most` for what they weigh."""
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
    return Voters(rows, _most(searched, rows))


def prior(asked: SourceQuery, found: Voters, rows: Rows, cosines: Floats) -> Floats:
    """Add what the seeds say, company and direct citations; how near they are is added later."""
    if len(asked.seeds) == 0:
        return np.zeros(len(rows), np.float32)
    company, direct = ties(asked.collection.graph, asked.seeds, asked.query.before, rows)
    return share(company) + share(direct)


def _most(searched: Sequence[tuple[Rows, Floats]], rows: Rows) -> Floats:
    """Bound the cosine of each of ascending rows with the nearest close seed from above: (v,).

    What the search of a seed has not found is no nearer to it than the last that it has.
    """
    least = max((float(cosines[-1]) for _, cosines in searched if len(cosines)), default=1.0)
    most = np.full(len(rows), least, np.float32)
    if searched:
        near, cosines = (np.concatenate(each) for each in zip(*searched, strict=True))
        np.maximum.at(most, np.searchsorted(rows, near), cosines)
    return most
