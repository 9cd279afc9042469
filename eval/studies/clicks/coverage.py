"""Do the intervals of the estimators hold the truth as often as they say? A study by simulation.

The truth is that of the population which the logs are drawn from: queries drawn uniformly, and the
lists that a policy shows for them. It is the mean of a measure over the papers shown, weighted by
their relevance, computed exactly from the world; for estimators per impression, the mean over lists
of the sum of relevance * measure, where readers always look at position 1.

Percentile intervals hold it a little less often than they say as long as few clicks carry most of
the weight: see `Estimates.effective`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from recsys.eval.measures import Doubles, Interval
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.clicked_places import MEASURES, standing
from recsys.eval.studies.clicks.estimators import Estimates, estimate_all
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.simulation import (
    ClickModel,
    Policy,
    World,
    simulate,
    true_propensities,
)
from recsys.eval.studies.clicks.weighting import PER_IMPRESSION, Options
from recsys.progress import Progress, silent
from recsys.store.arrays import Longs

NOISE = 0.3
"""Standard deviation of what is added to the relevance to make a mediocre ranking function."""


@dataclass(frozen=True, slots=True)
class Design:
    """What the study repeats: so many logs of so many impressions each.

    propensities: those that estimators are told; None tells the true ones. model: (q, p) relevance
    by the world's queries and pools, for "doubly robust".
    """

    logs: int = 200
    impressions: int = 5000
    policy: Policy = field(default_factory=Policy)
    options: Options = field(default_factory=Options)
    propensities: Propensities | None = None
    model: Doubles | None = None


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


def study(
    world: World,
    model: ClickModel,
    functions: Mapping[str, Doubles],
    *,
    rng: np.random.Generator,
    design: Design | None = None,
    progress: Progress = silent,
) -> tuple[CoverageRow, ...]:
    """Estimate ranking functions from simulated logs, and set the intervals against the truth.

    Args:
        world: q queries with pools of p papers.
        model: how readers click.
        functions: name -> (q, p) float64, score of each paper of the pools, higher is better.
        rng: draws logs and bootstrap samples.
        design: None takes the defaults.
        progress: is told of each log.
    """
    plan = design or Design()
    true = Propensities("truth", true_propensities(world, model, plan.policy))
    told = plan.propensities or true
    found: list[dict[str, Estimates]] = []
    for done in range(plan.logs):
        progress("logs", done, plan.logs)
        log = simulate(world, model, plan.impressions, rng=rng, policy=plan.policy)
        shown = log.query[:, None], _columns(world, log)
        scores = {name: each[shown] for name, each in functions.items()}
        predicted = None if plan.model is None else plan.model[shown]
        options = replace(plan.options, model=predicted)
        found.append(estimate_all(log, scores, told, rng=rng, options=options))
    progress("logs", plan.logs, plan.logs)
    return tuple(
        row
        for name, scores in functions.items()
        for row in _rows(name, population(world, scores, plan.policy), [f[name] for f in found])
    )


def population(
    world: World, scores: Doubles, policy: Policy
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Compute the truth about a ranking function, (q, p) scores, on the lists of a policy.

    Returns:
        Measure -> its mean over relevant papers, NaN where there is none; and what they add up to
        in a list.
    """
    query, columns = _lists(world, policy)
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


def _columns(world: World, log: ClickLog) -> Longs:
    """Find the papers shown in the pools of their queries: (n, m) columns."""
    pools = world.pool[log.query][:, None]
    return np.asarray((pools == log.shown[:, :, None]).argmax(axis=2), np.int64)


def _lists(world: World, policy: Policy) -> tuple[Longs, Longs]:
    """Show every list that the policy can show, each as likely: query (l,), columns (l, depth)."""
    orders = np.concatenate(list(policy.orders(world).values()))
    query = np.arange(len(orders)) % len(world.queries)
    if not policy.swaps:
        return query, orders
    depth = orders.shape[1]
    swapped = np.repeat(orders, depth, axis=0)
    rows, place = np.arange(len(swapped)), np.arange(len(swapped)) % depth
    swapped[rows, place] = swapped[:, 0]
    swapped[:, 0] = orders[rows // depth, place]
    return np.repeat(query, depth), swapped


def _rows(
    function: str,
    truth: tuple[Mapping[str, float], Mapping[str, float]],
    found: Sequence[Estimates],
) -> list[CoverageRow]:
    rows = []
    for estimator in found[0].figures:
        values = truth[1] if estimator in PER_IMPRESSION else truth[0]
        for measure, value in values.items():
            every = [each.figures[estimator][measure] for each in found]
            told = tuple(interval for interval in every if interval is not None)
            if told:
                rows.append(CoverageRow(function, estimator, measure, value, told))
    return rows
