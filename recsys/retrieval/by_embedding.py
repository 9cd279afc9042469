"""Candidates by embedding: the papers whose vectors are nearest to the draft's."""

import numpy as np

from recsys.retrieval.sources import SourceQuery
from recsys.retrieval.voters import Voters
from recsys.store.arrays import Floats, Mask, Rows


def find(asked: SourceQuery, allowed: Mask) -> Voters:
    """Search for the nearest papers; a paper weighs its cosine."""
    rows, cosines = asked.collection.vector_index.search(
        asked.query.vector, asked.options.neighbours, allowed=allowed
    )
    return Voters(rows, np.maximum(cosines, 0))


def prior(asked: SourceQuery, found: Voters, rows: Rows, cosines: Floats) -> Floats:
    """Return the cosine of each row, twice: no other single sign is as good."""
    nearness: Floats = 2 * cosines
    return nearness
