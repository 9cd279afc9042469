"""Fit the network that answers beside a ranker's trees.

It learns from whole lists: of what it scores in one, the share of what is cited shall be high (the
top-one loss of ListNet, Cao et al. 2007). Adam with decoupled weight decay (Loshchilov & Hutter
2019) takes a fixed number of rounds whose steps become smaller, so nothing held out is looked at.
In numpy, because nothing else here would need more to train a ranker.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.pipelines.ranking.training_table import TrainingTable
from recsys.protocols import Progress, silent
from recsys.ranking.ranker import Network, Scale, mean_and_spread, rectified, standing
from recsys.store.arrays import Floats, Longs, Mask

UNITS = 128, 64
"""Of the hidden layers."""
FEWER_UNITS = 64, 32
"""Of networks that shall be small and quick; beside trees they say nearly as much."""
MEMBERS = 4
"""Networks whose mean answers where there are no folds: as many as there are folds otherwise."""
WEIGHT = 2
"""How much the network counts beside the trees, in standard deviations of both."""
ROUNDS = 15
LISTS_AT_ONCE = 16
RATE, DECAY = 1e-3, 1e-2
"""Of Adam: the first steps, and the share of a weight that each of them takes away."""
TUNING_RATE = 2e-3
"""The first steps of a network that learns on from few lists, which take few steps."""
FADE, FADE_OF_SQUARES, TINY = 0.1, 0.001, 1e-8
"""Of Adam, as usual: what a gradient counts in the running means; what is added to a divisor."""
DROPPED = 0.3
"""Share of hidden units that are left out at each step."""
SHOWN = 0.3
"""Of what is not cited, each round is shown another share."""
KNOTS = 100
"""At most so many of each feature."""
MOST_VALUES = 100_000
"""Of a feature, so many are enough to see what is common."""
NETWORKS = "training networks"
"""The stage of the work, for `progress`."""

_WEIGHTS = ("first", "first_bias", "second", "second_bias", "last", "bias")
Weights: TypeAlias = list[Floats]
"""Of one network, in the order of the fields of `Network`, without the axis of networks."""


def scale_of(features: Floats) -> Scale:
    """Read the scale off (n, f) features: quantiles, equal values in the middle of theirs."""
    from scipy.special import ndtri

    some = features[:: len(features) // MOST_VALUES + 1]
    shape, least = (some.shape[1], KNOTS), 1 / (2 * KNOTS)
    knots, quantiles = np.empty(shape, np.float32), np.empty(shape, np.float32)
    for column in range(some.shape[1]):
        values = np.sort(some[:, column])
        common = np.unique(values[np.linspace(0, len(values) - 1, KNOTS).astype(int)])
        left, right = (np.searchsorted(values, common, side) for side in ("left", "right"))
        middles = ndtri(np.clip((left + right) / 2 / len(values), least, 1 - least))
        free = 0, KNOTS - len(common)
        knots[column], quantiles[column] = (
            np.pad(common, free, "edge"),
            np.pad(middles, free, "edge"),
        )
    return Scale(knots, quantiles)


@dataclass(frozen=True, slots=True)
class Batch:
    """Some lists one after the other, b candidates in all.

    inputs: (b, 2 * f) float32. beside: (b,) float32, see `Lists`. cited: (b,) float32, 1 or 0.
    starts, sizes: of each list, int64.
    """

    inputs: Floats
    beside: Floats
    cited: Floats
    starts: Longs
    sizes: Longs


@dataclass(frozen=True, slots=True)
class Lists:
    """Lists of candidates as networks read them.

    read: (n, f) float16, features on the scale. means, spreads: (q, f) float32 of each list.
    beside: (n,) float32, what is added to the scores that they learn to give.
    """

    table: TrainingTable
    scale: Scale
    read: NDArray[np.float16]
    means: Floats
    spreads: Floats
    beside: Floats

    @classmethod
    def of(
        cls, table: TrainingTable, scale: Scale | None = None, beside: Floats | None = None
    ) -> "Lists":
        """Read a table, list by list; by default on its own scale, and nothing is beside."""
        scale = scale_of(table.features) if scale is None else scale
        beside = np.zeros(len(table.features), np.float32) if beside is None else beside
        read = np.empty(table.features.shape, np.float16)
        means, spreads = np.empty((2, len(table.groups), table.features.shape[1]), np.float32)
        for at, rows in enumerate(table.lists()):
            if table.groups[at]:
                read[rows] = scale.read(table.features[rows])
                means[at], spreads[at] = mean_and_spread(table.features[rows])
        return cls(table, scale, read, means, spreads, beside)

    def teaching(self) -> Mask:
        """Which lists have both what is cited and what is not: (q,) bool."""
        lists = np.repeat(np.arange(len(self.table.groups)), self.table.groups)
        cited = np.bincount(lists[self.table.relevant > 0], minlength=len(self.table.groups))
        return (cited > 0) & (cited < self.table.groups)

    def batches(self, learned: Longs, count: int, rng: np.random.Generator) -> Iterator[Batch]:
        """Go through lists in a drawn order, with all that is cited and some of the others."""
        groups, relevant = self.table.groups, self.table.relevant
        starts = np.cumsum(groups) - groups
        for lists in np.array_split(rng.permutation(learned), count):
            rows = np.concatenate([np.arange(starts[at], starts[at] + groups[at]) for at in lists])
            owner = np.repeat(np.arange(len(lists)), groups[lists])
            shown = (relevant[rows] > 0) | (rng.random(len(rows)) < SHOWN)
            rows, owner = rows[shown], owner[shown]
            sizes = np.bincount(owner, minlength=len(lists))
            means, spreads = self.means[lists[owner]], self.spreads[lists[owner]]
            theirs = standing(self.table.features[rows], means, spreads)
            yield Batch(
                np.concatenate([self.read[rows].astype(np.float32), theirs], axis=1),
                self.beside[rows],
                relevant[rows].astype(np.float32),
                np.cumsum(sizes) - sizes,
                sizes,
            )


class MLPTrainer:
    """A network of two hidden layers that learns. rng: draws the order and what is left out."""

    def __init__(self, weights: Weights, rng: np.random.Generator) -> None:
        """Begin with weights as they are, and with Adam's running means at zero."""
        self.weights, self.rng, self.steps = weights, rng, 0
        self.means = [np.zeros_like(each) for each in weights]
        self.squares = [np.zeros_like(each) for each in weights]

    @classmethod
    def drawn(cls, layers: Sequence[int], rng: np.random.Generator) -> "MLPTrainer":
        """Draw weights that are the smaller, the more of them are added up. layers: their units."""
        weights: Weights = []
        for inputs, outputs in pairwise(layers):
            drawn = rng.uniform(-1, 1, (inputs, outputs)) / np.sqrt(inputs)
            weights += [drawn.astype(np.float32), np.zeros((1, outputs), np.float32)]
        return cls(weights, rng)

    def fit(
        self, lists: Lists, learned: Longs, rate: float, finished: Callable[[int], None]
    ) -> None:
        """Learn from some of the lists, by steps of a falling rate; told: the rounds finished."""
        count = max(len(learned) // LISTS_AT_ONCE, 1)
        for number in range(ROUNDS):
            for batch in lists.batches(learned, count, self.rng):
                turn = np.pi * self.steps / (ROUNDS * count)
                self.update(self.gradients(batch), rate * (0.5 + 0.5 * np.cos(turn)))
            finished(number + 1)

    def gradients(self, batch: Batch) -> Weights:
        """Differentiate the loss of a batch by each array of weights.

        A list's loss is the sum of -log softmax(scores) over the c papers that are cited, divided
        by the square root of c: a long list teaches more than a short one, but not c times more.
        """
        first, first_bias, second, second_bias, last, bias = self.weights
        lower = rectified(batch.inputs @ first, first_bias)
        lower *= (lower_kept := self._kept(lower))
        upper = rectified(lower @ second, second_bias)
        upper *= (upper_kept := self._kept(upper))
        scores = (upper @ last + bias)[:, 0] + batch.beside
        highest = np.maximum.reduceat(scores, batch.starts)
        raised = np.exp(scores - np.repeat(highest, batch.sizes))
        softmax = raised / np.repeat(np.add.reduceat(raised, batch.starts), batch.sizes)
        cited = np.repeat(np.add.reduceat(batch.cited, batch.starts), batch.sizes)
        slopes = (softmax * cited - batch.cited) / np.sqrt(cited) / len(batch.starts)
        by_score = slopes.astype(np.float32)[:, None]
        by_upper = by_score @ last.T * (upper_kept * (upper > 0))
        by_lower = by_upper @ second.T * (lower_kept * (lower > 0))
        return [
            batch.inputs.T @ by_lower,
            by_lower.sum(axis=0, keepdims=True),
            lower.T @ by_upper,
            by_upper.sum(axis=0, keepdims=True),
            upper.T @ by_score,
            by_score.sum(axis=0, keepdims=True),
        ]

    def _kept(self, units: Floats) -> Floats:
        """Draw which units are left out; the others make up for them."""
        kept: Floats = (self.rng.random(units.shape, np.float32) >= DROPPED).astype(np.float32)
        kept /= np.float32(1 - DROPPED)
        return kept

    def update(self, gradients: Weights, rate: float) -> None:
        """Change the weights against the slopes of the loss, as Adam does."""
        self.steps += 1
        for weights, mean, square, gradient in zip(
            self.weights, self.means, self.squares, gradients, strict=True
        ):
            mean += np.float32(FADE) * (gradient - mean)
            square += np.float32(FADE_OF_SQUARES) * (gradient * gradient - square)
            by_now = mean / np.float32(1 - (1 - FADE) ** self.steps)
            size = np.sqrt(square / np.float32(1 - (1 - FADE_OF_SQUARES) ** self.steps))
            weights *= np.float32(1 - rate * DECAY)
            weights -= np.float32(rate) * (by_now / (size + np.float32(TINY)))


def fit_networks(
    lists: Lists,
    parts: Sequence[Mask],
    *,
    seed: int,
    units: tuple[int, int] = UNITS,
    start: Network | None = None,
    progress: Progress = silent,
) -> Network | None:
    """Fit one network to each part of the lists; None where no list says what is better.

    Args:
        lists: of candidates; on the scale of `start`.
        parts: (q,) bool each, the lists that a network learns from.
        seed: of the first weights, the order of the lists and what is left out.
        units: of the hidden layers.
        start: whose members learn on; None: they begin with weights that are drawn.
        progress: told after each round.
    """
    teaching = lists.teaching()
    learned = [np.flatnonzero(teaching & part) for part in parts]
    if not all(map(len, learned)):
        return None
    finished, trainers = 0, []

    def told(rounds: int) -> None:
        progress(NETWORKS, finished + rounds, ROUNDS * len(parts))

    for at, own in enumerate(learned):
        rng = np.random.default_rng((seed, at))
        if start is None:
            trainer = MLPTrainer.drawn((2 * lists.table.features.shape[1], *units, 1), rng)
        else:
            arrays = (getattr(start, name) for name in _WEIGHTS)
            trainer = MLPTrainer([each[at % len(start.first)].copy() for each in arrays], rng)
        trainer.fit(lists, own, RATE if start is None else TUNING_RATE, told)
        trainers.append(trainer)
        finished += ROUNDS
    weights = zip(*(trainer.weights for trainer in trainers), strict=True)
    return Network(lists.scale, *(np.stack(each) for each in weights)).rounded()


def held_out_scores(network: Network, table: TrainingTable, folds: Sequence[Mask]) -> Floats:
    """Score each list by the network that has not learned from it: (n,) float32.

    folds: (q,) bool each, what the network of the same number has not learned from.
    """
    scores = np.empty(len(table.features), np.float32)
    lists = list(table.lists())
    for at, fold in enumerate(folds):
        arrays = {name: getattr(network, name)[at : at + 1] for name in _WEIGHTS}
        member = replace(network, **arrays)
        for place in np.flatnonzero(fold).tolist():
            scores[lists[place]] = member.score(table.features[lists[place]])
    return scores


def weight_beside(trees: Floats, network: Floats) -> float:
    """Say what scores of a network are multiplied with to count WEIGHT times as much as trees.

    Where trees tell nothing apart, as from a handful of queries, the network answers alone.
    """
    spread = float(trees.std())
    return WEIGHT * spread / max(float(network.std()), TINY) if spread > 0 else 1.0


def multiplied(network: Network, weight: float) -> Network:
    """Return a network whose scores are so many times those of another."""
    by = np.float32(weight)
    return replace(network, last=network.last * by, bias=network.bias * by)
