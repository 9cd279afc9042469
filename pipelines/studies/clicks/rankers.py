"""Rankers of related papers: two that learn from weighted clicks, and those that learn nothing.

Feed-forward, SciDocs' ranker (Cohan et al. 2020): a pair of a clicked and another paper costs
weight * max(0, margin - (s(clicked) - s(other))). The published configuration (sizes, margin,
learning rate) is not public: the defaults are ours.

Boosted trees, by LightGBM: a pair of a clicked and another paper costs weight * log(1 +
exp(-(s(clicked) - s(other)))), as in RankNet (Burges 2010, section 2), with the weights of inverse
propensities (Joachims et al. 2017). With `swaps` a pair also counts by how much the click's 1 /
log2(1 + rank) would change, were the two papers to change places: LambdaMART (Burges 2010, section
7) with the weights that Hu et al. 2019 give it, but for known propensities.

The others: display order, chance, and each feature alone.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from recsys.errors import need
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_evaluation import DISPLAY, display_order
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.pipelines.studies.clicks.click_features import FEATURES, Pairs
from recsys.store.arrays import Floats, Longs

if TYPE_CHECKING:
    import lightgbm
    from torch import nn


@dataclass(frozen=True, slots=True)
class FeedForwardOptions:
    """How the network is built and trained.

    hidden: units of each hidden layer. margin: by how much a clicked paper should win. rate: of
    Adam (Kingma & Ba 2015). batch: pairs. patience: epochs without a lower validation loss
    after which training stops; `epochs` at most.
    """

    hidden: tuple[int, ...] = (50,)
    margin: float = 1.0
    rate: float = 0.003
    batch: int = 512
    epochs: int = 60
    patience: int = 8


@dataclass(frozen=True, slots=True)
class FeedForward:
    """A trained network: standardise, layers of ELU, one linear output.

    mean, spread: (f,) float64 of the training rows; a feature that was constant has an infinite
    spread, and so no influence.
    """

    mean: Doubles
    spread: Doubles
    network: "nn.Module"

    def score(self, features: Floats) -> Doubles:
        """Score (..., f) features: (...) float64, higher is better."""
        import torch

        with torch.no_grad():
            values = self.network(torch.from_numpy(self.standardise(features)))
        return np.asarray(values.squeeze(-1).numpy())

    def standardise(self, features: Floats) -> Doubles:
        """Shift and scale features as those of training."""
        return np.asarray((features - self.mean) / self.spread)


def fit_feedforward(
    train: Pairs,
    validation: Pairs,
    options: FeedForwardOptions = FeedForwardOptions(),
    *,
    rng: np.random.Generator,
) -> FeedForward:
    """Train on weighted pairs; keep the epoch with the lowest weighted loss on validation.

    Both sets of pairs should be weighted alike: a ranker that is tuned on better weights than it is
    trained on would know what a click-naive one cannot. The same `rng` gives the same network.
    """
    need("torch", "The feed-forward ranker")
    import torch
    from torch import nn

    from recsys.pipelines.studies.citeomatic.network_training import one_thread

    layers: list[nn.Module] = []
    for inputs, units in pairwise([train.features.shape[1], *options.hidden, 1]):
        layer, bound = nn.Linear(inputs, units, dtype=torch.float64), np.sqrt(6 / (inputs + units))
        # Glorot & Bengio 2010, eq. 16.
        layer.weight.data = torch.from_numpy(rng.uniform(-bound, bound, (inputs, units)).T)
        nn.init.zeros_(layer.bias)
        layers += [layer, nn.ELU()]
    network = nn.Sequential(*layers[:-1])
    exact = train.features.astype(np.float64)  # So the spread of a constant is 0, not about 0.
    mean, spread = exact.mean(axis=0), exact.std(axis=0)
    kept = FeedForward(mean, np.where(spread > 0, spread, np.inf), deepcopy(network))
    features = torch.from_numpy(kept.standardise(train.features))
    clicked, other, weight = map(torch.from_numpy, (train.clicked, train.other, train.weight))
    optimiser = torch.optim.Adam(network.parameters(), options.rate)
    best, since = np.inf, 0
    with one_thread():
        for _ in range(options.epochs):
            order = torch.from_numpy(rng.permutation(len(train)))
            for begin in range(0, len(train), options.batch):
                batch = order[begin : begin + options.batch]
                scores = network(features[torch.cat([clicked[batch], other[batch]])])
                winner, loser = scores.squeeze(1).chunk(2)
                losses = weight[batch] * torch.relu(options.margin - (winner - loser))
                optimiser.zero_grad()
                torch.autograd.backward(losses.mean())
                optimiser.step()
            net = replace(kept, network=deepcopy(network))
            loss = margin_loss(net.score(validation.features), validation, options.margin)
            since = 0 if loss < best else since + 1
            if since == 0:
                kept, best = net, loss
            if since >= options.patience:
                break
    return kept


def margin_loss(scores: Doubles, pairs: Pairs, margin: float) -> float:
    """Average the weighted losses of the pairs of (r,) scored rows."""
    return float(np.mean(pairs.weight * np.maximum(margin - pairs.gaps(scores), 0)))


_LOSS = "weighted loss"


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
    *,
    rng: np.random.Generator,
    swaps: bool = True,
    trees: int = 400,
) -> Boosted:
    """Train on weighted pairs; stop early by the weighted loss on validation.

    Both sets of pairs should be weighted alike. The same `rng` gives the same trees. swaps: count
    each pair by the change in discounted gain. trees: at most.
    """
    import lightgbm

    data = lightgbm.Dataset(train.features, np.zeros(len(train.features)))
    held_out = lightgbm.Dataset(
        validation.features, np.zeros(len(validation.features)), reference=data
    )
    booster = lightgbm.train(
        {
            "objective": lambda scores, _: gradients(scores, train, swaps=swaps),
            "metric": "None",
            "learning_rate": 0.05,
            "num_leaves": 15,
            "min_data_in_leaf": 100,
            "bagging_fraction": 0.8,
            "bagging_freq": 1,
            "feature_fraction_bynode": 0.5,
            "lambda_l2": 1.0,
            "seed": int(rng.integers(2**31)),
            "deterministic": True,
            "force_row_wise": True,
            "num_threads": 1,
            "verbosity": -1,
        },
        data,
        trees,
        [held_out],
        feval=lambda scores, _: (_LOSS, logistic_loss(scores, validation), False),
        callbacks=[lightgbm.early_stopping(40, verbose=False)],
    )
    return Boosted(booster)


def logistic_loss(scores: Doubles, pairs: Pairs) -> float:
    """Average the weighted losses of the pairs of (r,) scored rows."""
    return float(np.mean(pairs.weight * np.logaddexp(0, -pairs.gaps(scores))))


def gradients(scores: Doubles, pairs: Pairs, *, swaps: bool) -> tuple[Doubles, Doubles]:
    """Differentiate the summed loss of all pairs by the (r,) scores: gradient and curvature.

    The curvature is the diagonal of the Hessian. The changes in gain count as constants.
    """
    weight = pairs.weight
    if swaps:  # By how much the click's gain changes if the papers of a pair change places.
        gain = 1 / np.log2(1 + ranks(scores, pairs))
        weight = weight * np.abs(gain[pairs.clicked] - gain[pairs.other])
    wrong = 1 / (1 + np.exp(np.clip(pairs.gaps(scores), -500, 500)))
    slope, curve = weight * wrong, weight * wrong * (1 - wrong)
    count = len(scores)
    lost, won = np.bincount(pairs.other, slope, count), np.bincount(pairs.clicked, slope, count)
    curved = np.bincount(pairs.other, curve, count) + np.bincount(pairs.clicked, curve, count)
    return np.asarray(lost - won, np.float64), np.asarray(curved, np.float64)


def ranks(scores: Doubles, pairs: Pairs) -> Longs:
    """Rank the rows of each list by score, from 1; ties break by ascending paper id: (r,)."""
    order = np.lexsort((pairs.paper, -scores, pairs.impression))
    starts = np.searchsorted(pairs.impression, pairs.impression)
    found = np.empty(len(scores), np.int64)
    found[order] = np.arange(1, len(scores) + 1)
    return found - starts


LEARNERS: Mapping[str, Callable[..., FeedForward | Boosted]] = {
    "feed-forward": fit_feedforward,
    "LightGBM": fit_boosted,
}
"""Name -> `fit(train: Pairs, validation: Pairs, *, rng)`."""

BASELINES = (DISPLAY, "random", *FEATURES)
"""The cosine of embeddings and the count of citations are among the single features."""


def baseline(name: str, log: ClickLog, features: Floats, rng: np.random.Generator) -> Doubles:
    """Score lists as they were shown, by chance, or by one of the (n, m, 10) features: (n, m)."""
    if name == DISPLAY:
        return display_order(log)
    if name == "random":
        return rng.random(log.shown.shape)
    return features[..., FEATURES.index(name)].astype(np.float64)
