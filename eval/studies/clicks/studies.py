"""What studies of clicks find, where the truth is known.

Recovery: do the methods find the propensities that truly made the clicks?

Coverage: do the intervals of the estimators hold the truth as often as they say? The truth is that
of the population which the logs are drawn from: queries drawn uniformly, and the lists that a
policy shows for them. It is the mean of a measure over the papers shown, weighted by their
relevance, computed exactly from the world; for estimators per impression, the mean over lists of
the sum of relevance * measure, where readers always look at position 1. Percentile intervals hold
it a little less often than they say as long as few clicks carry most of the weight: see
`Estimates.effective`.

Learning: what rankers learned from clicks, their nDCG, and what weights add to it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from recsys.eval.measures import Doubles, Interval, draw, interval
from recsys.eval.significance import bootstrap_difference, effect_size, holm, sign_flip_tests
from recsys.eval.studies.clicks.estimators import (
    MEASURES,
    PER_IMPRESSION,
    USUAL,
    Estimates,
    Options,
    estimate_all,
    standing,
)
from recsys.eval.studies.clicks.propensities import Method, Propensities, estimate
from recsys.eval.studies.clicks.simulation import (
    ANY_RANKER,
    ClickModel,
    Policy,
    World,
    simulate,
    swap,
    true_propensities,
)
from recsys.protocols import Progress, silent, tracked
from recsys.store.arrays import Rows


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a method found in clicks of a model, both by name; truth: (m,) float64, the first 1."""

    model: str
    method: str
    truth: Doubles
    estimate: Propensities

    @property
    def errors(self) -> Doubles:
        """Divide how far off each position is by its truth: (m - 1,), position 1 left out."""
        return np.asarray(np.abs(self.estimate.values / self.truth - 1)[1:])

    @property
    def covered(self) -> float:
        """Return the share of the positions after the first with the truth in their interval."""
        low, high = self.estimate.low, self.estimate.high
        if low is None or high is None:
            return 0.0
        return float(((low <= self.truth) & (self.truth <= high))[1:].mean())


def recover(
    world: World,
    models: Mapping[str, ClickModel],
    methods: Mapping[str, Method],
    *,
    rng: np.random.Generator,
    impressions: int = 100_000,
    samples: int = 200,
    policy: Policy = ANY_RANKER,
) -> tuple[Recovered, ...]:
    """Simulate a log for every click model and method, estimate, and compare with the truth.

    Args:
        world: what is shown.
        models: how readers click, by name.
        methods: how propensities are estimated, by name.
        rng: draws logs and bootstrap samples.
        impressions: of each log.
        samples: bootstrap samples of each interval.
        policy: what is shown; a method that needs a swap experiment gets one, the others do not.

    Raises:
        InputError: a method cannot do with its log, such as one without clicks at some position.
    """
    truths = {name: true_propensities(world, model, policy) for name, model in models.items()}
    recovered = []
    for (model_name, model), (name, method) in product(models.items(), methods.items()):
        served = replace(policy, swaps=method.swaps)
        log = simulate(world, model, impressions, rng=rng, policy=served)
        estimated = estimate(log, method, rng=rng, samples=samples)
        recovered.append(Recovered(model_name, name, truths[model_name], estimated))
    return tuple(recovered)


NOISE = 0.3
"""Standard deviation of what is added to the relevance to make a mediocre ranking function."""


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """A measure of a ranking function, estimated from log after log.

    function: its name. intervals: one for each log that tells the measure, in order.
    """

    function: str
    estimator: str
    measure: str
    truth: float
    intervals: tuple[Interval, ...]

    @property
    def covered(self) -> float:
        """Return the share of the intervals that hold the truth."""
        return float(np.mean([each.low <= self.truth <= each.high for each in self.intervals]))

    @property
    def bias(self) -> float:
        """Return the mean of estimate - truth."""
        return float(self._errors.mean())

    @property
    def rmse(self) -> float:
        """Return the root of the mean squared error."""
        return float(np.sqrt(np.square(self._errors).mean()))

    @property
    def width(self) -> float:
        """Return the mean width of the intervals."""
        return float(np.mean([each.high - each.low for each in self.intervals]))

    @property
    def _errors(self) -> Doubles:
        return np.array([each.value for each in self.intervals]) - self.truth


def cover(
    world: World,
    model: ClickModel,
    functions: Mapping[str, Doubles],
    *,
    rng: np.random.Generator,
    logs: int = 200,
    impressions: int = 5000,
    policy: Policy = ANY_RANKER,
    options: Options = USUAL,
    progress: Progress = silent,
) -> tuple[CoverageRow, ...]:
    """Estimate ranking functions from simulated logs, and set the intervals against the truth.

    Args:
        world: q queries with pools of p papers.
        model: how readers click.
        functions: name -> (q, p) float64, score of each paper of the pools, higher is better.
        rng: draws logs and bootstrap samples.
        logs: how many.
        impressions: of each log.
        policy: what is shown.
        options: how the functions are estimated.
        progress: is told of each log.
    """
    told = Propensities("truth", true_propensities(world, model, policy))
    estimates: list[dict[str, Estimates]] = []
    for _ in tracked(range(logs), "logs", progress):
        log = simulate(world, model, impressions, rng=rng, policy=policy)
        # The papers shown are these columns of the pools of their queries.
        pools = world.pool[log.query][:, None]
        shown = log.query[:, None], (pools == log.shown[:, :, None]).argmax(axis=2)
        scores = {name: each[shown] for name, each in functions.items()}
        estimates.append(estimate_all(log, scores, told, rng=rng, options=options))
    rows = []
    for name, function in functions.items():
        means, sums = population(world, function, policy)
        for estimator in estimates[0][name].figures:
            for measure, truth in (sums if estimator in PER_IMPRESSION else means).items():
                every = [each[name].figures[estimator][measure] for each in estimates]
                known = tuple(interval for interval in every if interval is not None)
                if known:
                    rows.append(CoverageRow(name, estimator, measure, truth, known))
    return tuple(rows)


def population(
    world: World, scores: Doubles, policy: Policy
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Compute the truth about a ranking function, (q, p) scores, on the lists of a policy.

    Returns:
        Measure -> its mean over relevant papers, NaN where there is none; and what they add up to
        in a list.
    """
    # Every list that the policy can show, each as likely: query (l,), columns (l, depth).
    columns = np.concatenate(list(policy.orders(world).values()))
    query = np.arange(len(columns)) % len(world.queries)
    if policy.swaps:
        depth = columns.shape[1]
        place = np.tile(np.arange(depth), len(columns))
        query, columns = np.repeat(query, depth), swap(np.repeat(columns, depth, axis=0), place)
    relevance = world.relevance[query[:, None], columns]
    above, below = standing(scores[query[:, None], columns], np.ones(columns.shape, np.bool_))
    means, sums = {}, {}
    for name, measure in MEASURES.items():
        top, bottom = measure(above, below)
        total, all_of = float((relevance * top).sum()), float((relevance * bottom).sum())
        means[name], sums[name] = total / (all_of or np.nan), total / len(query)
    return means, sums


def contrasting(world: World, *, rng: np.random.Generator) -> dict[str, Doubles]:
    """Give ranking functions from best to worst: name -> (q, p) scores.

    They are the relevance itself, the relevance with noise, the order of the world's first ranker,
    and that order reversed.
    """
    order = next(iter(world.rankings.values()))
    shown = -np.argsort(order, axis=1).astype(np.float64)
    noisy = world.relevance + rng.normal(0, NOISE, world.relevance.shape)
    return {"relevance": world.relevance, "noisy": noisy, "as shown": shown, "reversed": -shown}


UNWEIGHTED = "none"
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
        Learned(system, interval(drawn @ each.mean(0) / queries), tuple(each.mean(1).tolist()))
        for system, each in values.items()
    )


def gains(values: Mapping[System, Doubles], *, rng: np.random.Generator) -> tuple[Gain, ...]:
    """Compare each system that weighs its clicks with the click-naive one: (seeds, q) float64."""
    compared: list[Gain] = []
    for eta in dict.fromkeys(system.eta for system in values if system.eta is not None):
        weighing = [s for s in values if s.eta == eta and s.weights != UNWEIGHTED]
        if not weighing:
            continue
        pairs = [(values[s], values[System(s.ranker, UNWEIGHTED, eta)]) for s in weighing]
        gaps = np.stack([(one - other).mean(0) for one, other in pairs], axis=1)
        p_values = holm(sign_flip_tests(gaps, rng=rng)).tolist()
        for system, (one, other), p in zip(weighing, pairs, p_values, strict=True):
            means = one.mean(0), other.mean(0)
            effect = effect_size(*means)
            difference = bootstrap_difference(*means, rng=rng)
            by_seed = tuple((one - other).mean(1).tolist())
            compared.append(Gain(system, difference, by_seed, p, effect.won, effect.lost))
    return tuple(compared)
