"""Invented readers: relevance is one feature, the order of display another one."""

from dataclasses import dataclass

import numpy as np

from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.pipelines.studies.clicks.click_features import Pairs, pairs
from recsys.store.arrays import Floats

DEPTH = 10
PROPENSITIES = Propensities("known", 1 / np.arange(1, DEPTH + 1))


@dataclass(frozen=True, slots=True)
class Toy:
    """n lists of 10. features: (n, 10, 4) float32: relevance, what is shown first, two of noise.

    relevance: (n, 10) float64, the chance of a click on a paper that is looked at.
    """

    log: ClickLog
    features: Floats
    relevance: Doubles

    def pairs(self, weighting: str) -> Pairs:
        return pairs(self.log, self.features, PROPENSITIES, weighting=weighting)

    def true_ndcg(self, scores: Doubles) -> float:
        """Average 1 / log2(1 + rank) over relevant papers; ties take the mean rank."""
        other, own = scores[:, None, :], scores[:, :, None]
        above = (other > own).sum(2) + ((other == own).sum(2) - 1) / 2
        return float(np.average(1 / np.log2(2 + above), weights=self.relevance))


def toy(lists: int, rng: np.random.Generator) -> Toy:
    """Show papers about in the order of feature 1, to readers who look at every k-th position k."""
    features = rng.normal(size=(lists, DEPTH, 4)).astype(np.float32)
    order = np.argsort(-3 * features[..., 1] + rng.normal(size=(lists, DEPTH)), axis=1)
    features = np.take_along_axis(features, order[..., None], axis=1)
    relevance = 1 / (1 + np.exp(2 - 1.5 * features[..., 0].astype(np.float64)))
    clicked = rng.random((lists, DEPTH)) < relevance * PROPENSITIES.values
    shown = tuple(f"p{i}" for i in range(DEPTH))
    log = ClickLog.of(
        Impression(f"q{i}", shown, tuple(np.array(shown)[row].tolist()))
        for i, row in enumerate(clicked)
    )
    return Toy(log, features, relevance)
