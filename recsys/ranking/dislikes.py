"""Negative examples: papers like those that somebody does not like sink."""

import numpy as np

from recsys.ranking.facts import Facts
from recsys.store.arrays import Floats

STRENGTH = 3.0
"""Standard deviations of the scores that a paper loses per unit of its excess."""
MARGIN = 0.2
"""So much closer to a disliked paper may a paper be without loss: papers on one topic are closer to
each other than any of them is to a draft."""


def sink(facts: Facts, scores: Floats) -> Floats:
    """Lower the (m,) scores of the candidates that are like a disliked paper.

    score - STRENGTH * standard deviation of the scores * max(0, excess - MARGIN), the excess being
    the candidate's closeness to the disliked paper nearest to it, less its cosine with the draft
    or its closeness to the nearest seed, whichever is higher. `Seeds.closeness` is high for papers
    of similar words and for papers that are cited together. Without disliked papers, all scores
    stay as they are.
    """
    if facts.disliked is None or len(scores) == 0:
        return scores
    attraction = facts.evidence.candidates.cosines
    if facts.seeds is not None:
        attraction = np.maximum(attraction, facts.seeds.closeness.max(axis=1))
    excess = facts.disliked.closeness.max(axis=1) - attraction
    lost: Floats = np.float32(STRENGTH) * scores.std() * np.maximum(excess - np.float32(MARGIN), 0)
    return scores - lost
