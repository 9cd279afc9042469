"""Candidates by NNSelect: the nearest papers by vectors that learned from the citations."""

import numpy as np

from recsys.retrieval.sources import SourceQuery
from recsys.retrieval.voters import NOBODY, Voters
from recsys.store.arrays import Floats, Mask, Rows


def find(asked: SourceQuery, allowed: Mask) -> Voters:
    """Search NNSelect's space; a draft of which it knows nothing is near no paper."""
    if asked.collection.nnselect is None or asked.query.nnselect is None:
        return NOBODY
    rows, cosines = asked.collection.nnselect.index.search(
        asked.query.nnselect, asked.options.nnselect_neighbours, allowed=allowed
    )
    near = cosines > 0
    return Voters(rows[near], cosines[near])


def prior(asked: SourceQuery, found: Voters, rows: Rows, cosines: Floats) -> Floats:
    """Return NNSelect's cosine of each row, twice as that of the embedding."""
    if asked.collection.nnselect is None or asked.query.nnselect is None:
        return np.zeros(len(rows), np.float32)
    return 2 * asked.collection.nnselect.cosines(rows, asked.query.nnselect)
