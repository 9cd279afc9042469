"""Candidates by the draft's authors: what they wrote before, and what they cited there."""

import numpy as np

from recsys.retrieval.sources import SourceQuery
from recsys.retrieval.voters import Voters
from recsys.store.arrays import Floats, Mask, Rows


def find(asked: SourceQuery, allowed: Mask) -> Voters:
    """Return the papers of the draft's authors, equal in weight."""
    return Voters.equal(asked.query.own_papers[allowed[asked.query.own_papers]])


def prior(asked: SourceQuery, found: Voters, rows: Rows, cosines: Floats) -> Floats:
    """Add nothing: the votes of the authors' papers say it."""
    return np.zeros(len(rows), np.float32)
