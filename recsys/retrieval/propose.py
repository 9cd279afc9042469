"""Stage one: propose papers from several sources, keep the most promising.

nearest papers ─┬───────────────► pool ── prior ──► candidates
                └─ their citations ─┤
NNSelect's nearest ─┬───────────────┤
                └─ their citations ─┤
BM25 hits ──────┬───────────────────┤
                └─ their citations ─┤
papers by and cited by the authors ─┤
near, cited by and co-cited with seeds
"""

from collections.abc import Mapping

import numpy as np

from recsys.query.query import Query
from recsys.retrieval.nearness import add_decisive_nearness, add_nearness
from recsys.retrieval.pool import Bits, Candidates, Gathering, Pool
from recsys.retrieval.settings import SourceQuery, StageOne
from recsys.retrieval.sources import SOURCES, asked_of, bit
from recsys.retrieval.voters import Voters, share, votes
from recsys.store.arrays import Floats, Rows
from recsys.store.collection import Collection


def propose(
    collection: Collection, query: Query, options: StageOne, *, whole: bool = False
) -> Candidates:
    """Select at most `options.candidates` papers for a query.

    whole: whether the prior of all papers that are considered is wanted; else that of those who are
    not selected is the most that it could be.
    """
    asked = SourceQuery(collection, query, options)
    found = {each.key: each.finder.find(asked, query.allowed) for each in SOURCES}
    rows, bits = _considered(asked, found)
    cosines = asked.cosines(rows)
    said = prior(asked, found, found, rows, cosines)
    if whole:
        said = add_nearness(asked, rows, said)
    else:
        said = add_decisive_nearness(asked, found["seeds"], rows, said)
    pool = Pool(rows, bits, cosines, said)
    return Candidates(pool.most_promising(options.candidates), found, pool)


def _considered(asked: SourceQuery, found: Mapping[str, Voters]) -> tuple[Rows, Bits]:
    """Collect the papers to consider: what was found, and what the older of it cites."""
    graph, before = asked.collection.graph, asked.query.before
    gathering = Gathering()
    for source in asked_of(asked.options.searches):
        rows = found[source.key].rows
        gathering.add(rows, bit(source.name))
        if source.cites and asked.options.expand:
            cited = graph.references(rows[graph.older(rows, before)])[1]
            gathering.add(cited, bit(source.cites))
    rows, bits = gathering.merge()
    wanted = np.flatnonzero(asked.query.wanted[rows])
    return rows[wanted], bits[wanted]


def prior(
    asked: SourceQuery,
    voters: Mapping[str, Voters],
    found: Mapping[str, Voters],
    rows: Rows,
    cosines: Floats,
) -> Floats:
    """Mix what the sources that are asked say of some rows, but for `nearness`: (p,) float32.

    Args:
        asked: query, collection and options.
        voters: who votes, by the source's key.
        found: what each source found, and how it weighs that.
        rows: (p,) int32, distinct.
        cosines: (p,) float32, of the rows with the draft.
    """
    graph, before = asked.collection.graph, asked.query.before
    sources = asked_of(asked.options.searches)
    mixed = np.zeros(len(rows), np.float32)
    for source in sources:
        if source.cites:
            mixed += share(votes(graph, voters[source.key], before, rows))
    for source in sources:
        mixed += source.finder.prior(asked, found[source.key], rows, cosines)
    return mixed
