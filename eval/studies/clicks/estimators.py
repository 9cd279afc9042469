"""How good a ranking function is, estimated from clicks on lists that others ordered.

Every measure by every estimator. Cohan et al. 2020 compare a clicked paper with all other papers of
its list: above and below count those that score higher and lower; one that ties with it counts one
half in each. The bootstrap draws impressions or queries of a log.

A reader who looks at position k with propensity p_k (relative to position 1) clicks there, in the
position-based model, with chance p_k * relevance. So a click of weight w_k = 1 / p_k has the
relevance as its mean. The estimators weigh the measure m of each paper (`MEASURES`):

    naive          sum m / clicks                 the mean of m over what is clicked
    SNIPS          sum w m / sum w                the mean of m over relevant papers
    clipped SNIPS  the same, w = min(w, cap)      something between the two, of less variance
    IPS            sum w m / impressions          what the relevant papers of a list add up to in m
    clipped IPS    the same, w = min(w, cap)      less than that, with less variance
    doubly robust  sum r m / sum r                the mean of m over relevant papers

Sums run over clicks, in the last one over all papers shown. "The mean over relevant papers" counts
every paper as often as it is relevant, over the queries and lists that the log has. SNIPS is what
SciDocs calls adjusted (Cohan et al. 2020): inverse propensity scores, self-normalised (Swaminathan
and Joachims 2015). IPS: Joachims, Swaminathan and Schnabel 2017. Doubly robust: see
below.

Accuracy has a denominator of its own, which takes the place of 1 in the sums below the line. IPS
has no such sum: it estimates the number of pairs in the right order.

A log that only holds lists with a click, as those of SciDocs do, does not tell how many were shown.
Sums over clicks divided by sums over clicks are identified: a list without clicks adds nothing to
either. What is divided by impressions, or uses that a paper was not clicked, is not. So only naive,
SNIPS and clipped SNIPS are known if every list has a click.

The doubly robust estimator: Oosterhuis 2023 (Doubly robust estimation for correcting position bias
in click feedback for unbiased learning to rank) estimates the relevance of a paper for a query,
here without trust, as

    r + mean(c - p * r) / mean(p)

where r is the relevance that a model predicts, and the means run over the impressions that show the
paper for this query: c is the click, p the propensity of the position. Whether a reader examined
the paper is unknown; so it is the expected examination p that is multiplied with r.

A model must know more about a paper than the clicks on it; here is none, nor a cap on the weights
that it would have to make up for. So r cancels out and sum c / sum p is left, which on lists that
never change is the inverse propensity estimate itself. The gain over that one: a paper that was
shown at several positions is weighted by its mean propensity, which varies less.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import Doubles, Interval, draw, interval
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.store.arrays import Longs, Mask

Unit: TypeAlias = Literal["impression", "query"]
SAMPLES = 1000
_CHUNK = 4_000_000
"""Draws of a unit held in memory at a time."""


def resample(columns: Doubles, *, rng: np.random.Generator, samples: int = SAMPLES) -> Doubles:
    """Add up the rows of n units, and of samples of n units drawn with replacement.

    Args:
        columns: (n, k), what each unit adds to k sums.
        rng: draws the units, the same ones for every sum.
        samples: how often they are drawn.

    Returns:
        (1 + samples, k), the sums over all units first.
    """
    step = max(_CHUNK // len(columns), 1)
    parts = [columns.sum(0, keepdims=True)]
    for begin in range(0, samples, step):
        drawn = draw(len(columns), rng=rng, samples=min(step, samples - begin))
        parts.append(drawn[1:] @ columns)
    return np.concatenate(parts)


Measure: TypeAlias = Callable[[Doubles, Doubles], tuple[Doubles, Doubles]]

MEASURES: Mapping[str, Measure] = {
    "nDCG": lambda above, below: (1 / np.log2(2 + above), np.ones_like(above)),
    "MRR": lambda above, below: (1 / (1 + above), np.ones_like(above)),
    "P@1": lambda above, below: ((above == 0).astype(np.float64), np.ones_like(above)),
    "accuracy": lambda above, below: (below, above + below),
}
"""Name -> from above and below to numerator and denominator of each paper, in the same shape.

A measure is the sum of the numerators over the sum of the denominators, both weighted alike. That
is the mean over clicks, but for accuracy: the share of all pairs of a clicked and another paper
that are in the right order. A paper that ties for the first place has a P@1 of 0.
"""


def standing(scores: Doubles, present: Mask) -> tuple[Doubles, Doubles]:
    """Count those above and below each paper shown: (n, m) each, 0 where nothing is."""
    higher, tied = places(scores, present)
    above = higher + tied / 2
    others = present.sum(1, keepdims=True) - 1
    return above, np.where(present, others - above, 0)


def places(scores: Doubles, present: Mask) -> tuple[Doubles, Doubles]:
    """Count the others that score higher, and as high: (n, m) float64 each, 0 where nothing is."""
    filled = np.where(present, scores, np.nan)  # NaN is not above, below or equal to anything.
    higher, equal = np.zeros(scores.shape), np.ones(scores.shape)
    for column in range(scores.shape[1]):
        own = filled[:, [column]]
        higher[:, column] = (filled > own).sum(1)
        equal[:, column] = (filled == own).sum(1)  # Each is equal to itself.
    return higher, np.where(present, equal - 1, 0)


def check_scores(log: ClickLog, scores: Doubles) -> Doubles:
    """Return the scores of a log, once they are known to be usable.

    Raises:
        InputError: the shapes differ, or a paper that was shown has no score.
    """
    if scores.shape != log.shown.shape:
        raise InputError(
            f"The scores have the shape {scores.shape}, the log {log.shown.shape}.",
            "Give one score for every paper of every list.",
        )
    missing = np.argwhere(np.isnan(scores) & log.present)
    if missing.size:
        row, column = missing[0]
        paper, query = log.papers[log.shown[row, column]], log.queries[log.query[row]]
        raise InputError(
            f"Paper {paper!r} at position {column + 1} of impression {row + 1} (query {query!r}) "
            "has no score.",
            "Score every paper that was shown; the lowest score stands for not recommended.",
        )
    return scores


@dataclass(frozen=True, slots=True)
class Relevance:
    """Estimated relevance of what each impression shows.

    relevance: (n, m), 0 where nothing is shown. pair, influence: (n, m) each, where an impression
    moves the estimates of others: int64, number of the (query, paper), and how much `relevance`
    rises when the impression counts once more. None: each impression tells by itself.
    """

    relevance: Doubles
    pair: Longs | None = None
    influence: Doubles | None = None

    def total(self, values: Doubles) -> Doubles:
        """Add up relevance * value, as far as each impression is its cause: (n, m) -> (n,).

        The sum over impressions is that of relevance * value. An impression may also move the
        estimate of its papers in all others: this is counted where it comes from (infinitesimal
        jackknife, Jaeckel 1972), so that a bootstrap over impressions need not estimate again.
        """
        products = self.relevance * values
        if self.pair is not None and self.influence is not None:
            products = products + self.influence * _sum(values, self.pair)
        return np.asarray(products.sum(1))


def doubly_robust(log: ClickLog, propensities: Doubles) -> Relevance:
    """Estimate the relevance of every paper that was shown: its clicks by its examinations.

    propensities: (m,) of the positions, relative to the first.
    """
    present, clicked = log.present, log.clicked.astype(np.float64)
    # Number the (query, paper) pairs: (n, m), one number for nothing.
    numbers = np.unique(np.where(present, log.pairs, -1), return_inverse=True)[1]
    pair = np.asarray(numbers.reshape(present.shape), np.int64)
    examined = np.where(present, propensities, 0)
    exposure = np.where(present, _sum(examined, pair), 1)
    relevance = _sum(clicked, pair) / exposure
    return Relevance(relevance, pair, (clicked - examined * relevance) / exposure)


def _sum(values: Doubles, pair: Longs) -> Doubles:
    """Add up over all impressions of each pair: (n, m) -> (n, m)."""
    return np.asarray(np.bincount(pair.ravel(), values.ravel())[pair], np.float64)


NAIVE, SNIPS, CLIPPED_SNIPS = "naive", "SNIPS", "clipped SNIPS"
IPS, CLIPPED_IPS = "IPS", "clipped IPS"
DOUBLY_ROBUST = "doubly robust"
WEIGHING = (NAIVE, SNIPS, CLIPPED_SNIPS, IPS, CLIPPED_IPS)
"""These are weighted sums over clicks."""
PER_IMPRESSION = frozenset({IPS, CLIPPED_IPS})
"""These divide by the number of impressions: their figures may be above 1."""
CAP = 10.0
"""A click weighs at most as much as this many at position 1, where weights are clipped."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to estimate.

    cap: the highest weight of a click for clipped SNIPS and clipped IPS. samples: how often the
    bootstrap draws the units of the log again. unit: "query" if the log should stand for other
    queries than its own, or if clicks for the same query depend on each other.

    Raises:
        InputError: the cap is not above 0, or there is no bootstrap sample.
    """

    cap: float = CAP
    samples: int = SAMPLES
    unit: Unit = "impression"

    def __post_init__(self) -> None:
        if not self.cap > 0:
            raise InputError(f"The cap of the weights is {self.cap}.", "Give a number above 0.")
        if self.samples < 1:
            raise InputError(f"{self.samples} bootstrap samples were asked for.", "Take 1000.")


USUAL = Options()


def relevances(
    log: ClickLog, propensities: Propensities, options: Options
) -> dict[str, Relevance | None]:
    """Estimate the relevance of what was shown in every way, None where the log does not tell it.

    Raises:
        InputError: there is no click, or a position has no propensity.
    """
    if not log.clicked.any():
        raise InputError(
            f"None of the {len(log)} impressions has a click.",
            "Nothing can be learnt without clicks: give a longer log.",
        )
    weights = inverse(log, propensities)
    full = Relevance(log.clicked * weights)
    clipped = Relevance(log.clicked * weights.clip(max=options.cap))
    estimates: dict[str, Relevance | None] = {
        NAIVE: Relevance(log.clicked.astype(np.float64)),
        SNIPS: full,
        CLIPPED_SNIPS: clipped,
    }
    if only_clicked(log):
        return {**estimates, **dict.fromkeys((IPS, CLIPPED_IPS, DOUBLY_ROBUST))}
    robust = doubly_robust(log, 1 / weights)
    return {**estimates, IPS: full, CLIPPED_IPS: clipped, DOUBLY_ROBUST: robust}


def only_clicked(log: ClickLog) -> bool:
    """Tell whether every impression has a click: then those without were probably left out."""
    return bool(log.clicked.any(axis=1).all())


def inverse(log: ClickLog, propensities: Propensities) -> Doubles:
    """Return the weights p_1 / p_k: (m,), 1 beyond the longest list.

    Raises:
        InputError: a position that was shown has no propensity.
    """
    longest = np.arange(log.present.sum(axis=1).max(initial=0))
    weights = np.ones(log.shown.shape[1])
    weights[longest] = propensities.values[0] / propensities.at(longest)
    return weights


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
    options: Options = USUAL,
) -> Estimates:
    """Estimate every measure of a ranking function in every way, with bootstrap intervals.

    Args:
        log: n impressions of at most m papers.
        scores: (n, m) float64 of the papers shown, higher is better, anything where nothing is.
        propensities: of every position that was shown; their scale does not matter.
        rng: draws the bootstrap samples.
        options: how to estimate.

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
    options: Options = USUAL,
) -> dict[str, Estimates]:
    """Estimate several ranking functions from the same samples of the log: see `estimate`."""
    estimates = relevances(log, propensities, options)
    figures = _figures(log, list(scores.values()), estimates, options, rng)
    return {
        name: _summary(log, estimates, each) for name, each in zip(scores, figures, strict=True)
    }


def drawn_figures(
    log: ClickLog,
    scores: Doubles,
    propensities: Propensities,
    *,
    rng: np.random.Generator,
    estimator: str,
    options: Options = USUAL,
) -> dict[str, Doubles]:
    """Estimate every measure in one way, and once more in each bootstrap sample: see `estimate`.

    Returns:
        Measure -> (1 + samples,) float64, the figure itself first; without those that the log does
        not tell. A sample that tells nothing counts as the figure itself.
    """
    estimates = {estimator: relevances(log, propensities, options)[estimator]}
    [figures] = _figures(log, [scores], estimates, options, rng)
    columns = {measure: figures[:, 0, place] for place, measure in enumerate(MEASURES)}
    return {name: _fill(each) for name, each in columns.items() if not np.isnan(each[0])}


def compare(
    log: ClickLog,
    one: Doubles,
    other: Doubles,
    propensities: Propensities,
    *,
    rng: np.random.Generator,
    options: Options = USUAL,
) -> Estimates:
    """Estimate the differences one - other from the same samples for both: see `estimate`."""
    estimates = relevances(log, propensities, options)
    figures = _figures(log, [one, other], estimates, options, rng)
    return _summary(log, estimates, figures[0] - figures[1])


def effective_size(weights: Doubles) -> float:
    """Return how many equal weights would vary as little: (sum w)^2 / sum w^2 (Kish 1965)."""
    return float(weights.sum() ** 2 / np.square(weights).sum())


def _figures(
    log: ClickLog,
    scores: Sequence[Doubles],
    estimates: Mapping[str, Relevance | None],
    options: Options,
    rng: np.random.Generator,
) -> Doubles:
    """Compute figures of each function and sample: (functions, 1 + samples, estimators, measures).

    One is NaN where there is nothing to divide by, or the log does not tell it.
    """
    # What each impression adds above and below the line.
    terms = np.zeros((len(scores), len(log), 2, len(estimates), len(MEASURES)))
    for own, each in zip(terms, scores, strict=True):
        above, below = standing(check_scores(log, each), log.present)
        for place, measure in enumerate(MEASURES.values()):
            top, bottom = measure(above, below)
            for row, (name, relevance) in enumerate(estimates.items()):
                if relevance is not None:
                    own[:, 0, row, place] = relevance.total(top)
                    per_list = name in PER_IMPRESSION
                    own[:, 1, row, place] = 1 if per_list else relevance.total(bottom)
    rows = terms.swapaxes(0, 1).reshape(len(log), -1)
    if options.unit == "query":
        _, query = np.unique(log.query, return_inverse=True)
        rows = np.stack([np.bincount(query, column) for column in rows.T], axis=1)
    sums = resample(rows, rng=rng, samples=options.samples)
    top, bottom = sums.reshape(-1, len(scores), 2, *terms.shape[3:]).transpose(2, 1, 0, 3, 4)
    figures: Doubles = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0)
    return figures


def _summary(
    log: ClickLog, estimates: Mapping[str, Relevance | None], figures: Doubles
) -> Estimates:
    intervals = {
        name: {
            measure: None if np.isnan(column[0]) else interval(_fill(column))
            for measure, column in zip(MEASURES, figures[:, row].T, strict=True)
        }
        for row, name in enumerate(estimates)
    }
    effective = {
        name: effective_size(each.relevance)
        for name, each in estimates.items()
        if each is not None and name in WEIGHING
    }
    return Estimates(len(log), int(log.clicked.sum()), effective, intervals)


def _fill(figures: Doubles) -> Doubles:
    """Count a sample that tells nothing as the figure itself, which is the first."""
    return np.where(np.isnan(figures), figures[0], figures)
