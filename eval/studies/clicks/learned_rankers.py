"""What rankers learned from clicks, where the truth is known: their nDCG, and what weights add."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from recsys.eval.measures import Doubles, Interval, draw, interval
from recsys.eval.significance import bootstrap_difference, effect_size, holm, sign_flip_tests
from recsys.store.arrays import Rows

NAIVE = "none"
"""The weights of a ranker that takes clicks for what they seem."""


@dataclass(frozen=True, slots=True)
class System:
    """What ranks.

    weights: where those of its clicks come from; empty if it did not learn from clicks. eta: how
    strongly position biased them, None if it did not.
    """

    ranker: str
    weights: str = ""
    eta: float | None = None


@dataclass(frozen=True, slots=True)
class Learned:
    """How well a system ranks.

    ndcg: mean over queries and seeds; for its interval queries are drawn again. by_seed: the mean
    over queries, seed by seed.
    """

    system: System
    ndcg: Interval
    by_seed: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Gain:
    """What a system's weights add to its nDCG: the click-naive one learned from the same clicks.

    difference: mean over queries and seeds, with its interval over queries; by_seed: seed by seed.
    p: two-sided, by the randomisation test of each query's difference averaged over seeds,
    Holm-corrected over all gains at this eta. won, lost: shares of the queries.
    """

    system: System
    difference: Interval
    by_seed: tuple[float, ...]
    p: float
    won: float
    lost: float


@dataclass(frozen=True, slots=True)
class LearningStudy:
    """What a study found.

    cut: year that divides the corpus. queries: how many each part of the world has. impressions:
    lists that rankers learn from. trials: lists of each experiment that gives propensities.
    """

    cut: int
    queries: Mapping[str, int]
    impressions: int
    trials: int
    learned: tuple[Learned, ...]
    gains: tuple[Gain, ...]


def graded_ndcg(scores: Doubles, relevance: Doubles, papers: Rows, k: int) -> Doubles:
    """Divide the discounted relevance of the k best-scored papers by the best possible: (q,).

    The gain is the relevance itself, the discount 1 / log2(1 + rank) (Järvelin & Kekäläinen 2002).

    Args:
        scores: (q, m) float64.
        relevance: (q, m) float64 >= 0, above 0 somewhere in each row.
        papers: (q, m) int32; ties break by the lower number.
        k: ranks that count.
    """
    order = np.lexsort((papers, -scores))[:, :k]
    discounts = 1 / np.log2(np.arange(2, order.shape[1] + 2))
    best = -np.sort(-relevance, axis=1)[:, :k] @ discounts
    return np.asarray(np.take_along_axis(relevance, order, axis=1) @ discounts / best)


def learned(values: Mapping[System, Doubles], *, rng: np.random.Generator) -> tuple[Learned, ...]:
    """Average the nDCG of each system: (seeds, q) float64."""
    queries = next(iter(values.values())).shape[1]
    drawn = draw(queries, rng=rng, samples=1000)
    return tuple(
        Learned(system, interval(drawn @ each.mean(0) / queries), _by_seed(each))
        for system, each in values.items()
    )


def gains(values: Mapping[System, Doubles], *, rng: np.random.Generator) -> tuple[Gain, ...]:
    """Compare each system that weighs its clicks with the click-naive one: (seeds, q) float64."""
    found: list[Gain] = []
    for eta in dict.fromkeys(system.eta for system in values if system.eta is not None):
        pairs = {
            system: (each, values[System(system.ranker, NAIVE, eta)])
            for system, each in values.items()
            if system.eta == eta and system.weights != NAIVE
        }
        if not pairs:
            continue
        gaps = np.stack([(one - other).mean(0) for one, other in pairs.values()], axis=1)
        p = holm(sign_flip_tests(gaps, rng=rng)).tolist()
        found += (
            _gain(system, *pair, p=each, rng=rng)
            for (system, pair), each in zip(pairs.items(), p, strict=True)
        )
    return tuple(found)


def _gain(
    system: System, one: Doubles, other: Doubles, *, p: float, rng: np.random.Generator
) -> Gain:
    means = one.mean(0), other.mean(0)
    effect = effect_size(*means)
    return Gain(
        system,
        bootstrap_difference(*means, rng=rng),
        _by_seed(one - other),
        p,
        effect.won,
        effect.lost,
    )


def _by_seed(values: Doubles) -> tuple[float, ...]:
    return tuple(values.mean(axis=1).tolist())
