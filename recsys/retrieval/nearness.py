"""The cosine with the nearest close seed: a part of the prior, exact where it decides.

To multiply a thousand papers with twenty seeds costs as much as all else that stage one does for
them. But the search around the seeds knows how near its papers are, and that no other is nearer
than the last ones it found: few of the others can come among the most promising.
"""

import numpy as np

from recsys.retrieval.settings import SourceQuery
from recsys.retrieval.voters import Voters
from recsys.store.arrays import Floats, Rows
from recsys.store.kernels import fastest
from recsys.store.lookup import dots_of_many

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
