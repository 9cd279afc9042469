"""The profile of a paper: its own vector, pulled towards those who cite it.

profile(p) = v(p) + mean over older citers c of v(title of c), as of the query's moment; what is
said of a paper by others describes it in the words in which it is cited.
"""

import numpy as np

from recsys.stage_two.evidence import Evidence
from recsys.store.arrays import Floats
from recsys.store.lookup import distinct

MOST_CITERS = 30
"""Of a much cited paper, this many of its latest citers describe it."""


def profile_cosines(evidence: Evidence) -> Floats:
    """Multiply the query with the candidates' profiles: (m,) float32 cosines."""
    vectors, query, rows = evidence.collection.vectors, evidence.query, evidence.rows
    owner, citing = evidence.graph.citers(rows, query.before, most=MOST_CITERS)
    once = distinct(citing)
    theirs = vectors[once]
    number = np.bincount(owner, minlength=len(rows)).astype(np.float32)
    sums = np.zeros((len(rows), vectors.shape[1]), np.float32)
    cited = np.flatnonzero(number)
    if len(cited):
        first = np.flatnonzero(np.diff(owner, prepend=-1))
        sums[cited] = np.add.reduceat(theirs[np.searchsorted(once, citing)], first, axis=0)
    profiles = vectors[rows] + sums / np.maximum(number, 1)[:, None]
    length = np.maximum(np.linalg.norm(profiles, axis=1), np.float32(1e-9))
    cosines: Floats = (profiles @ query.vector) / length
    return cosines
