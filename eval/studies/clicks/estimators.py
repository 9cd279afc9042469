"""How good a ranking function is, estimated from clicks on lists that others ordered.

Every measure of `clicked_places` by every estimator of `weighting`; what each of them estimates,
and when a log cannot tell it, is written there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from recsys.eval.measures import Doubles, Interval, interval
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.clicked_places import (
    MEASURES,
    check_scores,
    group,
    resample,
    standing,
)
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.weighting import (
    PER_IMPRESSION,
    WEIGHING,
    Options,
    Relevance,
    relevances,
)


@dataclass(frozen=True, slots=True)
class Estimates:
    """What a log tells of a ranking function, or of the difference between two.

    figures: estimator -> measure -> figure with its 95 % interval, None where the log does not
    tell it. effective: estimator that weighs clicks -> their effective number (`effective_size`).
    """

    impressions: int
    clicks: int
    effective: Mapping[str, float]
    figures: Mapping[str, Mapping[str, Interval | None]]


def estimate(
    log: ClickLog,
    scores: Doubles,
    propensities: Propensities,
    *,
    rng: np.random.Generator,
    options: Options | None = None,
) -> Estimates:
    """Estimate every measure of a ranking function in every way, with bootstrap intervals.

    Args:
        log: n impressions of at most m papers.
        scores: (n, m) float64 of the papers shown, higher is better, anything where nothing is.
        propensities: of every position that was shown; their scale does not matter.
        rng: draws the bootstrap samples.
        options: None takes the defaults.

    Raises:
        InputError: the log has no click, a shown paper no score, or a position no propensity.
    """
    return estimate_all(log, {"": scores}, propensities, rng=rng, options=options)[""]


def estimate_all(
    log: ClickLog,
    scores: Mapping[str, Doubles],
    propensities: Propensities,
    *,
    rng: np.random.Generator,
    options: Options | None = None,
) -> dict[str, Estimates]:
    """Estimate several ranking functions from the same samples of the log: see `estimate`."""
    chosen = options or Options()
    found = relevances(log, propensities, chosen)
    figures = _figures(log, list(scores.values()), found, chosen, rng)
    return {name: _summary(log, found, each) for name, each in zip(scores, figures, strict=True)}


def drawn_figures(
    log: ClickLog,
    scores: Doubles,
    propensities: Propensities,
    *,
    rng: np.random.Generator,
    estimator: str,
    options: Options | None = None,
) -> dict[str, Doubles]:
    """Estimate every measure in one way, and once more in each bootstrap sample: see `estimate`.

    Returns:
        Measure -> (1 + samples,) float64, the figure itself first; without those that the log does
        not tell. A sample that tells nothing counts as the figure itself.
    """
    chosen = options or Options()
    found = {estimator: relevances(log, propensities, chosen)[estimator]}
    [figures] = _figures(log, [scores], found, chosen, rng)
    columns = {measure: figures[:, 0, place] for place, measure in enumerate(MEASURES)}
    return {name: _told(each) for name, each in columns.items() if not np.isnan(each[0])}


def compare(
    log: ClickLog,
    one: Doubles,
    other: Doubles,
    propensities: Propensities,
    *,
    rng: np.random.Generator,
    options: Options | None = None,
) -> Estimates:
    """Estimate the differences one - other from the same samples for both: see `estimate`."""
    chosen = options or Options()
    found = relevances(log, propensities, chosen)
    figures = _figures(log, [one, other], found, chosen, rng)
    return _summary(log, found, figures[0] - figures[1])


def effective_size(weights: Doubles) -> float:
    """Return how many equal weights would vary as little: (sum w)^2 / sum w^2 (Kish 1965)."""
    return float(weights.sum() ** 2 / np.square(weights).sum())


def _figures(
    log: ClickLog,
    scores: Sequence[Doubles],
    found: Mapping[str, Relevance | None],
    options: Options,
    rng: np.random.Generator,
) -> Doubles:
    """Compute figures of each function and sample: (functions, 1 + samples, estimators, measures).

    One is NaN where there is nothing to divide by, or the log does not tell it.
    """
    terms = np.stack([_terms(log, each, found) for each in scores])
    rows = terms.swapaxes(0, 1).reshape(len(log), -1)
    if options.unit == "query":
        rows = group(rows, log.query)
    sums = resample(rows, rng=rng, samples=options.samples)
    top, bottom = sums.reshape(-1, len(scores), 2, *terms.shape[3:]).transpose(2, 1, 0, 3, 4)
    figures: Doubles = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0)
    return figures


def _terms(log: ClickLog, scores: Doubles, found: Mapping[str, Relevance | None]) -> Doubles:
    """Compute what each impression adds above and below the line: (n, 2, estimators, measures)."""
    above, below = standing(check_scores(log, scores), log.present)
    terms = np.zeros((len(log), 2, len(found), len(MEASURES)))
    for place, measure in enumerate(MEASURES.values()):
        top, bottom = measure(above, below)
        for row, (name, relevance) in enumerate(found.items()):
            if relevance is not None:
                terms[:, 0, row, place] = relevance.total(top)
                terms[:, 1, row, place] = 1 if name in PER_IMPRESSION else relevance.total(bottom)
    return terms


def _summary(log: ClickLog, found: Mapping[str, Relevance | None], figures: Doubles) -> Estimates:
    intervals = {
        name: {measure: _interval(figures[:, row, place]) for place, measure in enumerate(MEASURES)}
        for row, name in enumerate(found)
    }
    effective = {
        name: effective_size(each.relevance)
        for name, each in found.items()
        if each is not None and name in WEIGHING
    }
    return Estimates(len(log), int(log.clicked.sum()), effective, intervals)


def _interval(figures: Doubles) -> Interval | None:
    return None if np.isnan(figures[0]) else interval(_told(figures))


def _told(figures: Doubles) -> Doubles:
    """Count a sample that tells nothing as the figure itself, which is the first."""
    return np.where(np.isnan(figures), figures[0], figures)
