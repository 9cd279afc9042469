"""Diversity: choose papers so that each adds something to those above it."""

import numpy as np

from recsys.errors import InputError
from recsys.store.arrays import Floats, Rows

POOL = 200
"""An answer is chosen from this many of the best papers, or from as many as are asked for."""


def check_diversity(diversity: float) -> None:
    """Refuse what is not in [0, 1].

    Raises:
        InputError: it is lower, higher or not a number.
    """
    if not 0 <= diversity <= 1:
        raise InputError(
            f"The diversity is {diversity}.",
            "Give --mmr a number from 0 (most relevant) to 1 (most different).",
        )


def diversify(relevance: Floats, vectors: Floats, k: int, diversity: float) -> Rows:
    """Choose k papers of a ranking by maximal marginal relevance: positions, in the new order.

    Each step takes the paper with the highest (1 - diversity) * relevance - diversity * similarity,
    similarity being the highest cosine with a paper taken before (Carbonell & Goldstein 1998, where
    1 - diversity is lambda). Ties go to the paper ranked higher. O(k m d).

    Relevance is meant to be the calibrated probability: it says the same in every answer, and on
    dev of vis it costs fewer right papers than the scaled score for answers as diverse.

    Args:
        relevance: (m,) float32 in [0, 1], descending.
        vectors: (m, d) float32, L2-normalised rows, of the same papers.
        k: how many to choose at most.
        diversity: 0 keeps the order, 1 looks at the cosines alone.
    """
    weighed = (1 - diversity) * relevance.astype(np.float64)
    margin = weighed.copy()  # Nothing is taken yet, so nothing is similar.
    similarity = np.full(len(relevance), -np.inf)
    taken = np.empty(min(k, len(relevance)), np.int32)
    for step in range(len(taken)):
        at = taken[step] = np.argmax(margin)
        similarity = np.maximum(similarity, vectors @ vectors[at])
        margin = weighed - diversity * similarity
        margin[taken[: step + 1]] = -np.inf
    return taken
