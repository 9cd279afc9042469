"""Boosted trees that rank related papers, trained by LightGBM on weighted clicks.

A pair of a clicked and another paper costs weight * log(1 + exp(-(s(clicked) - s(other)))), as in
RankNet (Burges 2010, section 2), with the weights of inverse propensities (Joachims et al. 2017).
With `swaps` a pair also counts by how much the click's 1 / log2(1 + rank) would change, were the
two papers to change places: LambdaMART (Burges 2010, section 7) with the weights that Hu et al.
2019 give it, but for known propensities.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from recsys.eval.measures import Doubles
from recsys.pipelines.studies.clicks.click_pairs import Pairs
from recsys.store.arrays import Floats, Longs

if TYPE_CHECKING:
    import lightgbm

_LOSS = "weighted loss"


@dataclass(frozen=True, slots=True)
class BoostedOptions:
    """How the trees are grown.

    swaps: count each pair by the change in discounted gain. least: rows of a leaf. rows, columns:
    shares of the rows drawn for a tree and of the features drawn for a node. patience: trees
    without a lower validation loss after which training stops; `trees` at most.
    """

    swaps: bool = True
    rate: float = 0.05
    leaves: int = 15
    least: int = 100
    rows: float = 0.8
    columns: float = 0.5
    trees: int = 400
    patience: int = 40


@dataclass(frozen=True, slots=True)
class Boosted:
    """Trained trees."""

    booster: "lightgbm.Booster"

    def score(self, features: Floats) -> Doubles:
        """Score (..., f) features: (...) float64, higher is better."""
        flat = features.reshape(-1, features.shape[-1])
        return np.asarray(self.booster.predict(flat, num_threads=1)).reshape(features.shape[:-1])


def fit_boosted(
    train: Pairs,
    validation: Pairs,
    options: BoostedOptions | None = None,
    *,
    rng: np.random.Generator,
) -> Boosted:
    """Train on weighted pairs; stop early by the weighted loss on validation.

    Both sets of pairs should be weighted alike. The same `rng` gives the same trees.
    """
    import lightgbm

    chosen = options or BoostedOptions()
    data = lightgbm.Dataset(train.features, np.zeros(len(train.features)))
    held_out = lightgbm.Dataset(
        validation.features, np.zeros(len(validation.features)), reference=data
    )
    booster = lightgbm.train(
        {
            "objective": lambda scores, _: gradients(scores, train, swaps=chosen.swaps),
            "metric": "None",
            "learning_rate": chosen.rate,
            "num_leaves": chosen.leaves,
            "min_data_in_leaf": chosen.least,
            "bagging_fraction": chosen.rows,
            "bagging_freq": 1,
            "feature_fraction_bynode": chosen.columns,
            "lambda_l2": 1.0,
            "seed": int(rng.integers(2**31)),
            "deterministic": True,
            "force_row_wise": True,
            "num_threads": 1,
            "verbosity": -1,
        },
        data,
        chosen.trees,
        [held_out],
        feval=lambda scores, _: (_LOSS, logistic_loss(scores, validation), False),
        callbacks=[lightgbm.early_stopping(chosen.patience, verbose=False)],
    )
    return Boosted(booster)


def logistic_loss(scores: Doubles, pairs: Pairs) -> float:
    """Average the weighted losses of the pairs of (r,) scored rows."""
    return float(np.mean(pairs.weight * np.logaddexp(0, -pairs.gaps(scores))))


def gradients(scores: Doubles, pairs: Pairs, *, swaps: bool) -> tuple[Doubles, Doubles]:
    """Differentiate the summed loss of all pairs by the (r,) scores: gradient and curvature.

    The curvature is the diagonal of the Hessian. The changes in gain count as constants.
    """
    weight = pairs.weight * _changes(scores, pairs) if swaps else pairs.weight
    wrong = 1 / (1 + np.exp(np.clip(pairs.gaps(scores), -500, 500)))
    slope, curve = weight * wrong, weight * wrong * (1 - wrong)
    count = len(scores)
    lost, won = np.bincount(pairs.other, slope, count), np.bincount(pairs.clicked, slope, count)
    curved = np.bincount(pairs.other, curve, count) + np.bincount(pairs.clicked, curve, count)
    return np.asarray(lost - won, np.float64), np.asarray(curved, np.float64)


def _changes(scores: Doubles, pairs: Pairs) -> Doubles:
    """Tell by how much the click's gain changes if the papers of a pair change places: (k,)."""
    gain = 1 / np.log2(1 + ranks(scores, pairs))
    return np.asarray(np.abs(gain[pairs.clicked] - gain[pairs.other]))


def ranks(scores: Doubles, pairs: Pairs) -> Longs:
    """Rank the rows of each list by score, from 1; ties break by ascending paper id: (r,)."""
    order = np.lexsort((pairs.paper, -scores, pairs.impression))
    starts = np.searchsorted(pairs.impression, pairs.impression)
    found = np.empty(len(scores), np.int64)
    found[order] = np.arange(1, len(scores) + 1)
    return found - starts
