"""Rankings of related papers that learn nothing: display order, chance, and each feature alone."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_evaluation import DISPLAY, display_order
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.pipelines.studies.clicks.click_features import FEATURES
from recsys.store.arrays import Floats


@dataclass(frozen=True, slots=True)
class Baseline:
    """A ranking: `score(log, features, rng)` gives (n, m) float64 for (n, m, 10) features."""

    name: str
    meaning: str
    score: Callable[[ClickLog, Floats, np.random.Generator], Doubles]


def _random(log: ClickLog, features: Floats, rng: np.random.Generator) -> Doubles:
    return rng.random(log.shown.shape)


def _feature(column: int) -> Callable[[ClickLog, Floats, np.random.Generator], Doubles]:
    return lambda log, features, rng: features[..., column].astype(np.float64)


BASELINES: tuple[Baseline, ...] = (
    Baseline(DISPLAY, "as the list was shown", lambda log, features, rng: display_order(log)),
    Baseline("random", "in an order drawn by chance", _random),
    *(Baseline(each.name, each.meaning, _feature(i)) for i, each in enumerate(FEATURES)),
)
"""The cosine of embeddings and the count of citations are among the single features."""
