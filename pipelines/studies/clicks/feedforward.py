"""SciDocs' feed-forward ranker of related papers (Cohan et al. 2020), trained on weighted clicks.

A pair of a clicked and another paper costs weight * max(0, margin - (s(clicked) - s(other))). The
published configuration (sizes, margin, learning rate) is not public: the defaults are ours. torch
trains it; a trained network scores in numpy.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from recsys.eval.measures import Doubles
from recsys.extras import need
from recsys.pipelines.studies.clicks.click_pairs import Pairs
from recsys.store.arrays import Floats

if TYPE_CHECKING:
    from torch import Tensor

Layers: TypeAlias = tuple[tuple[Doubles, Doubles], ...]


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
    spread, and so no influence. layers: (weights (inputs, units), biases (units,)) float64 each.
    """

    mean: Doubles
    spread: Doubles
    layers: Layers

    def score(self, features: Floats) -> Doubles:
        """Score (..., f) features: (...) float64, higher is better."""
        values = self.standardise(features)
        for weights, biases in self.layers[:-1]:
            values = values @ weights + biases
            values = np.where(values > 0, values, np.expm1(np.minimum(values, 0)))
        weights, biases = self.layers[-1]
        return np.asarray((values @ weights + biases)[..., 0])

    def standardise(self, features: Floats) -> Doubles:
        """Shift and scale features as those of training."""
        return np.asarray((features - self.mean) / self.spread)


def fit_feedforward(
    train: Pairs,
    validation: Pairs,
    options: FeedForwardOptions | None = None,
    *,
    rng: np.random.Generator,
) -> FeedForward:
    """Train on weighted pairs; keep the epoch with the lowest weighted loss on validation.

    Both sets of pairs should be weighted alike: a ranker that is tuned on better weights than it is
    trained on would know what a click-naive one cannot. The same `rng` gives the same network.
    """
    need("torch", "The feed-forward ranker")
    from recsys.pipelines.studies.citeomatic.network_training import one_thread

    chosen = options or FeedForwardOptions()
    kept, best, since = _untrained(train.features, chosen.hidden, rng), np.inf, 0
    with one_thread():
        for net in _epochs(kept, train, chosen, rng):
            loss = margin_loss(net.score(validation.features), validation, chosen.margin)
            since = 0 if loss < best else since + 1
            if since == 0:
                kept, best = net, loss
            if since >= chosen.patience:
                break
    return kept


def _epochs(
    net: FeedForward, train: Pairs, options: FeedForwardOptions, rng: np.random.Generator
) -> Iterator[FeedForward]:
    """Train; give the network as it is after each epoch."""
    import torch

    inputs = torch.from_numpy(net.standardise(train.features))
    clicked, other, weight = map(torch.from_numpy, (train.clicked, train.other, train.weight))
    layers = [tuple(torch.tensor(a, requires_grad=True) for a in layer) for layer in net.layers]
    optimiser = torch.optim.Adam([each for layer in layers for each in layer], options.rate)
    for _ in range(options.epochs):
        order = torch.from_numpy(rng.permutation(len(train)))
        for begin in range(0, len(train), options.batch):
            batch = order[begin : begin + options.batch]
            rows = torch.cat([clicked[batch], other[batch]])
            winner, loser = _forward(inputs[rows], layers).chunk(2)
            losses = weight[batch] * torch.relu(options.margin - (winner - loser))
            optimiser.zero_grad()
            torch.autograd.backward(losses.mean())
            optimiser.step()
        yield FeedForward(net.mean, net.spread, _to_numpy(layers))


def margin_loss(scores: Doubles, pairs: Pairs, margin: float) -> float:
    """Average the weighted losses of the pairs of (r,) scored rows."""
    return float(np.mean(pairs.weight * np.maximum(margin - pairs.gaps(scores), 0)))


def _untrained(features: Floats, hidden: Sequence[int], rng: np.random.Generator) -> FeedForward:
    """Draw weights uniformly (Glorot & Bengio 2010, eq. 16)."""
    sizes = [features.shape[1], *hidden, 1]
    layers = []
    for inputs, units in pairwise(sizes):
        bound = np.sqrt(6 / (inputs + units))
        layers.append((rng.uniform(-bound, bound, (inputs, units)), np.zeros(units)))
    exact = features.astype(np.float64)  # So the spread of a constant is 0, not about 0.
    spread = exact.std(axis=0)
    return FeedForward(exact.mean(axis=0), np.where(spread > 0, spread, np.inf), tuple(layers))


def _forward(rows: "Tensor", layers: Sequence[tuple["Tensor", ...]]) -> "Tensor":
    from torch.nn.functional import elu

    for weights, biases in layers[:-1]:
        rows = elu(rows @ weights + biases)
    weights, biases = layers[-1]
    return (rows @ weights + biases).squeeze(1)


def _to_numpy(layers: Sequence[tuple["Tensor", ...]]) -> Layers:
    arrays = [[each.detach().numpy().copy() for each in layer] for layer in layers]
    return tuple((weights, biases) for weights, biases in arrays)
