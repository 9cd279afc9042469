"""Look further when filters leave little: more candidates, beside the usual ones.

The usual candidates stay, wanted or not, for the features compare candidates with each other: what
a filter leaves keeps the score and the chance that it has without filters.
"""

import numpy as np

from recsys.query.query import Query
from recsys.retrieval.pool import Candidates, Gathering, Pool
from recsys.retrieval.propose import add_nearness, prior
from recsys.retrieval.sources import SourceQuery, StageOne, asked_of, bit
from recsys.store.arrays import Mask, top_k
from recsys.store.collection import Collection


def widen(
    collection: Collection, query: Query, usual: Candidates, keep: Mask, options: StageOne
) -> Candidates:
    """Add the `options.candidates` most promising papers that pass, as far as there are so many.

    usual: with the prior of its whole pool. keep: (n,) bool, papers that pass.
    """
    asked = SourceQuery(collection, query, options)
    pool = usual.pool.joined(_passing(asked, usual, query.wanted & keep))
    passing = np.flatnonzero(keep[pool.rows])
    chosen = passing[top_k(pool.prior[passing], options.candidates)]
    positions = np.union1d(np.searchsorted(pool.rows, usual.rows), chosen)
    return usual.choose(pool.take(positions.astype(np.int32)), pool)


def _passing(asked: SourceQuery, usual: Candidates, allowed: Mask) -> Pool:
    """Ask the searches once more, among what passes; the prior is made as that of the usual pool.

    Those who vote are the usual ones: a filter takes away papers, not their voice.
    """
    searches = [each for each in asked_of(asked.options.searches) if each.search]
    found = dict(usual.found)
    gathering = Gathering()
    for source in searches:
        more = source.finder.find(asked, allowed)
        found[source.key] = more.on_scale_of(usual.found[source.key])
        gathering.add(more.rows, bit(source.name))
    rows, bits = gathering.merge()
    cosines = asked.cosines(rows)
    said = prior(asked, usual.found, found, rows, cosines)
    return Pool(rows, bits, cosines, add_nearness(asked, rows, said))
