"""The rankers that learn from pairs of a clicked and another paper."""

from collections.abc import Callable, Mapping
from typing import Protocol

from recsys.eval.measures import Doubles
from recsys.pipelines.studies.clicks.boosted import fit_boosted
from recsys.pipelines.studies.clicks.feedforward import fit_feedforward
from recsys.store.arrays import Floats


class Scorer(Protocol):
    """A trained ranker."""

    def score(self, features: Floats) -> Doubles:
        """Score (..., f) features: (...) float64, higher is better."""
        ...


LEARNERS: Mapping[str, Callable[..., Scorer]] = {
    "feed-forward": fit_feedforward,
    "LightGBM": fit_boosted,
}
"""Name -> `fit(train: Pairs, validation: Pairs, *, rng)`."""
