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
from recsys.retrieval.pool import Bits, Candidates, Gathering, Pool
from recsys.retrieval.sources import SOURCES, SourceQuery, StageOne, asked_of, bit
from recsys.retrieval.voters import Voters, share, votes
from recsys.store.arrays import Floats, Rows
from recsys.store.collection import Collection
from recsys.store.graph import dots_of_many
from recsys.store.kernels import fastest

# The cosine with the nearest close seed: a part of the prior, exact where it decides.
#
# To multiply a thousand papers with twenty seeds costs as much as all else that stage one does
# for them. But the search around the seeds knows how near its papers are, and that no other is
# nearer than the last ones it found: few of the others can come among the most promising.

ROUNDING = np.float32(1e-5)
"""Two ways to multiply the same vectors differ by less."""
FIRST = 3
"""So many times the papers wanted are put into order at first; as a rule, twice are asked."""


def nearness(asked: SourceQuery, rows: Rows) -> Floats:
    """Return the cosine of each row with the close seed nearest to it: (p,) float32."""
    vectors = asked.collection.vectors
    nearest: Floats = dots_of_many(vectors, rows, vectors[asked.close_seeds]).max(axis=0)
    return nearest


def add_nearness(asked: SourceQuery, rows: Rows, prior: Floats) -> Floats:
    """Add to the (p,) prior of each row how near it is to the close seeds, if there are any."""
    return prior + nearness(asked, rows) if len(asked.close_seeds) else prior


def add_decisive_nearness(asked: SourceQuery, found: Voters, rows: Rows, prior: Floats) -> Floats:
    """Do as `add_nearness` does for all that can be among the most promising rows.

    The others get the most that it could be, which leaves them below those.

    Args:
        asked: query, collection and options.
        found: by the seeds; a paper weighs at least its nearness, and no other's is above the least
            weight.
        rows: (p,) int32, distinct.
        prior: (p,) float32, what else is said of them.
    """
    k = asked.options.candidates
    if not len(asked.close_seeds) or not 1 < k < len(rows) or not len(found.rows):
        return add_nearness(asked, rows, prior)
    bound = np.maximum(fastest.look_up(found.rows, found.weights, rows), found.weights.min())
    most = prior + bound + ROUNDING
    said: Floats = most.copy()
    in_turn, told = _highest_first(most, FIRST * k), 0
    while told < len(rows):
        if told == len(in_turn):
            in_turn = _highest_first(most, len(most))
        here = in_turn[told : told + (k // 2 if told else k)]
        if told and most[here[0]] < np.partition(said[in_turn[:told]], told - k)[told - k]:
            break
        said[here] = add_nearness(asked, rows[here], prior[here])
        told += len(here)
    return said


def _highest_first(values: Floats, k: int) -> Rows:
    """Return the positions of the k highest values, highest first."""
    every = np.arange(len(values), dtype=np.int32)
    return fastest.best([every], values, k)[0][0]


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
