"""Look further when filters leave little: more candidates, beside the usual ones.

The usual candidates stay, wanted or not, for the features compare candidates with each other: what
a filter leaves keeps the score and the chance that it has without filters.
"""

from dataclasses import replace

import numpy as np

from recsys.asking.query import Query
from recsys.stage_one.candidates import ANN, BM25, Candidates, Proposed, StageOne
from recsys.store.arrays import Mask
from recsys.store.collection import Collection
from recsys.store.top_k import dots, top_k


def widen(
    collection: Collection, query: Query, usual: Candidates, keep: Mask, options: StageOne
) -> Candidates:
    """Add the `options.candidates` most promising papers that pass, as far as there are so many.

    keep: (n,) bool, papers that pass.
    """
    pool = _joined(usual.pool, _closest(collection, query, keep, options))
    passing = np.flatnonzero(keep[pool.rows])
    chosen = passing[top_k(pool.prior[passing], options.candidates)]
    positions = np.union1d(np.searchsorted(pool.rows, usual.rows), chosen)
    return replace(
        usual,
        rows=pool.rows[positions],
        sources=pool.sources[positions],
        cosines=pool.cosines[positions],
        prior=pool.prior[positions],
        pool=pool,
    )


def _closest(collection: Collection, query: Query, keep: Mask, options: StageOne) -> Proposed:
    """Search once more, among what passes and is wanted."""
    allowed = query.wanted & keep
    near, _ = collection.vector_index.search(query.vector, options.neighbours, allowed=allowed)
    hits, _ = collection.text_index.search(query.text, options.matches, allowed=allowed)
    rows = np.union1d(near, hits)
    sources = np.where(np.isin(rows, near), ANN, 0) | np.where(np.isin(rows, hits), BM25, 0)
    cosines = dots(collection.vectors, rows, query.vector)
    return Proposed(rows, sources.astype(np.uint8), cosines, 2 * cosines)


def _joined(pool: Proposed, more: Proposed) -> Proposed:
    """Put both together; what is in the pool already stays as it is."""
    new = np.flatnonzero(~np.isin(more.rows, pool.rows))
    rows = np.concatenate([pool.rows, more.rows[new]])
    order = np.argsort(rows)
    return Proposed(
        rows[order],
        np.concatenate([pool.sources, more.sources[new]])[order],
        np.concatenate([pool.cosines, more.cosines[new]])[order],
        np.concatenate([pool.prior, more.prior[new]])[order],
    )
