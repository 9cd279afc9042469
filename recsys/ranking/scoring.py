"""Score candidates in one look or in two."""

import numpy as np

from recsys.protocols import Ranker
from recsys.ranking.facts import Facts
from recsys.ranking.features import compute
from recsys.ranking.second_look import look_again
from recsys.store.arrays import Floats


def score(ranker: Ranker, facts: Facts) -> Floats:
    """Score the candidates: (m,) float32, higher is better.

    A ranker that looks twice reads the features that its first one has read, and what the chances
    which that gives tell of each candidate.
    """
    first = ranker.first
    if first is None:
        return ranker.score(compute(facts, ranker.feature_names))
    features = compute(facts, first.feature_names)
    chances = first.probability(first.score(features))
    again = look_again(facts.evidence, chances)
    return ranker.score(np.concatenate([features, again], axis=1))
