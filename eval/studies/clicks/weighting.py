"""Estimators of relevance from clicks, as weights of the measures of what was shown.

A reader who looks at position k with propensity p_k (relative to position 1) clicks there, in the
position-based model, with chance p_k * relevance. So a click of weight w_k = 1 / p_k has the
relevance as its mean. The estimators weigh the measure m of each paper (`clicked_places`):

    naive          sum m / clicks                 the mean of m over what is clicked
    SNIPS          sum w m / sum w                the mean of m over relevant papers
    clipped SNIPS  the same, w = min(w, cap)      something between the two, of less variance
    IPS            sum w m / impressions          what the relevant papers of a list add up to in m
    clipped IPS    the same, w = min(w, cap)      less than that, with less variance
    doubly robust  sum r m / sum r                the mean of m over relevant papers
    affine         sum r m / sum r                the mean of m over relevant papers

Sums run over clicks, in the last two over all papers shown. "The mean over relevant papers" counts
every paper as often as it is relevant, over the queries and lists that the log has. SNIPS is what
SciDocs calls adjusted (Cohan et al. 2020): inverse propensity scores, self-normalised (Swaminathan
and Joachims 2015). IPS: Joachims, Swaminathan and Schnabel 2017. Doubly robust: see
below. Affine: r = (click - offset_k) / slope_k (Vardasbi, Oosterhuis and de
Rijke 2020), for readers who trust the order they are shown.

Accuracy has a denominator of its own, which takes the place of 1 in the sums below the line. IPS
has no such sum: it estimates the number of pairs in the right order.

A log that only holds lists with a click, as those of SciDocs do, does not tell how many were shown.
Sums over clicks divided by sums over clicks are identified: a list without clicks adds nothing to
either. What is divided by impressions, or uses that a paper was not clicked, is not. So only naive,
SNIPS and clipped SNIPS are known if every list has a click.

The doubly robust estimator: clicks, corrected for position, on top of a model.

Oosterhuis 2023 (Doubly robust estimation for correcting position bias in click feedback for
unbiased learning to rank) estimates the relevance of a paper for a query, here without trust, as

    r + w * mean(c - p * r)        w = min(1 / mean(p), cap)

where r is the relevance that a model predicts, and the means run over the impressions that show the
paper for this query: c is the click, p the propensity of the position. Whether a reader examined
the paper is unknown; so it is the expected examination p that is multiplied with r.

If the propensities are right and w is not capped, the correction removes every error of the model.
If the model is right, the correction is 0 on average, whatever the cap. Both need the right p: not
"either propensities or model", as elsewhere. Without a cap r cancels out and sum c / sum p is left,
which on lists that never change is the inverse propensity estimate itself. So the gain over that
one comes from two things: a paper that was shown at several positions is weighted by its mean
propensity, which varies less; and the variance that a cap removes costs no bias where the model is
right, and a share of the model's error where it is not.

A model must know more about a paper than the clicks on it, from features or from other logs. Those
very clicks, shrunken towards an average, add nothing where w is not capped, and only bias where it
is. So without a model there is no cap.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.clicked_places import SAMPLES, Unit, check_scores
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.store.arrays import Longs


@dataclass(frozen=True, slots=True)
class DoublyRobust:
    """Estimated relevance of what each impression shows: (n, m) each, 0 where nothing is.

    relevance: the estimate above. pair: int64, number of the (query, paper). influence: how
    much `relevance` rises when the impression counts once more.
    """

    relevance: Doubles
    pair: Longs
    influence: Doubles

    def total(self, values: Doubles) -> Doubles:
        """Add up relevance * value, as far as each impression is its cause: (n, m) -> (n,).

        The sum over impressions is that of relevance * value. An impression also moves the
        estimate of its papers in all others: this is counted where it comes from (infinitesimal
        jackknife, Jaeckel 1972), so that a bootstrap over impressions need not estimate again.
        """
        elsewhere = self.influence * _sum(values, self.pair)
        total: Doubles = (self.relevance * values + elsewhere).sum(1)
        return total


def doubly_robust(
    log: ClickLog, propensities: Doubles, *, model: Doubles | None = None, cap: float = np.inf
) -> DoublyRobust:
    """Estimate the relevance of every paper that was shown.

    Args:
        log: n impressions of at most m papers.
        propensities: (m,) of the positions, relative to the first.
        model: (n, m) float64, relevance of the papers shown by a model that has not seen the clicks
            of this log. None: clicks / examinations.
        cap: the highest weight of a click, for a model.
    """
    present = log.present
    pair = _pairs(log)
    examined = np.where(present, propensities, 0)
    floor = np.where(present, 0 if model is None else 1 / cap, 0)
    modelled = np.where(present, 0 if model is None else model, 0)
    residual = log.clicked - examined * modelled
    exposure, least = _sum(examined, pair), _sum(floor, pair)
    # w * mean(residual) = sum(residual) / max(sum(p), impressions / cap)
    divisor = np.where(present, np.maximum(exposure, least), 1)
    correction = _sum(residual, pair) / divisor
    share = np.where(exposure >= least, examined, floor)
    return DoublyRobust(modelled + correction, pair, (residual - share * correction) / divisor)


def _pairs(log: ClickLog) -> Longs:
    """Number the (query, paper) pairs of a log: (n, m) int64, one number for nothing."""
    names = log.query[:, None].astype(np.int64) * len(log.papers) + log.shown
    _, pair = np.unique(np.where(log.present, names, -1), return_inverse=True)
    return np.asarray(pair.reshape(log.shown.shape), np.int64)


def _sum(values: Doubles, pair: Longs) -> Doubles:
    """Add up over all impressions of each pair: (n, m) -> (n, m)."""
    return np.asarray(np.bincount(pair.ravel(), values.ravel())[pair], np.float64)


NAIVE, SNIPS, CLIPPED_SNIPS = "naive", "SNIPS", "clipped SNIPS"
IPS, CLIPPED_IPS = "IPS", "clipped IPS"
DOUBLY_ROBUST, AFFINE = "doubly robust", "affine"
WEIGHING = (NAIVE, SNIPS, CLIPPED_SNIPS, IPS, CLIPPED_IPS)
"""These are weighted sums over clicks."""
PER_IMPRESSION = frozenset({IPS, CLIPPED_IPS})
"""These divide by the number of impressions: their figures may be above 1."""
CAP = 10.0
"""A click weighs at most as much as this many at position 1, where weights are clipped."""


@dataclass(frozen=True, slots=True)
class Trust:
    """Readers who trust the order: P(click) = slope_k * relevance + offset_k, (m,) float64 each."""

    slope: Doubles
    offset: Doubles


@dataclass(frozen=True, slots=True)
class Options:
    """How to estimate.

    cap: the highest weight of a click for clipped SNIPS, clipped IPS, and doubly robust with a
    model. model: (n, m) float64, relevance of the papers shown by a model that has not seen these
    clicks, for doubly robust; None leaves it without one. trust: adds the estimator "affine".
    samples: how often the bootstrap draws the units of the log again. unit: "query" if the log
    should stand for other queries than its own, or if clicks for the same query depend on each
    other.

    Raises:
        InputError: the cap is not above 0, or there is no bootstrap sample.
    """

    cap: float = CAP
    model: Doubles | None = None
    trust: Trust | None = None
    samples: int = SAMPLES
    unit: Unit = "impression"

    def __post_init__(self) -> None:
        if not self.cap > 0:
            raise InputError(f"The cap of the weights is {self.cap}.", "Give a number above 0.")
        if self.samples < 1:
            raise InputError(f"{self.samples} bootstrap samples were asked for.", "Take 1000.")


class Relevance(Protocol):
    """The estimated relevance of all papers shown."""

    @property
    def relevance(self) -> Doubles:
        """Return it: (n, m) float64, 0 where nothing is shown."""
        ...

    def total(self, values: Doubles) -> Doubles:
        """Add up relevance * value over the papers of each impression: (n, m) -> (n,)."""
        ...


@dataclass(frozen=True, slots=True)
class Independent:
    """Relevance that each impression tells by itself: (n, m) float64, 0 where nothing is shown."""

    relevance: Doubles

    def total(self, values: Doubles) -> Doubles:
        """Add up relevance * value over the papers of each impression: (n, m) -> (n,)."""
        total: Doubles = (self.relevance * values).sum(1)
        return total


def relevances(
    log: ClickLog, propensities: Propensities, options: Options
) -> dict[str, Relevance | None]:
    """Estimate the relevance of what was shown in every way, None where the log does not tell it.

    Raises:
        InputError: there is no click, a position has no propensity, or the model or the trust does
            not fit the log.
    """
    if not log.clicked.any():
        raise InputError(
            f"None of the {len(log)} impressions has a click.",
            "Nothing can be learnt without clicks: give a longer log.",
        )
    weights = inverse(log, propensities)
    full, clipped = (
        Independent(log.clicked * each) for each in (weights, weights.clip(max=options.cap))
    )
    whole = not only_clicked(log)
    found: dict[str, Relevance | None] = {
        NAIVE: Independent(log.clicked.astype(np.float64)),
        SNIPS: full,
        CLIPPED_SNIPS: clipped,
        IPS: full if whole else None,
        CLIPPED_IPS: clipped if whole else None,
        DOUBLY_ROBUST: _robust(log, 1 / weights, options) if whole else None,
    }
    if options.trust is not None:
        found[AFFINE] = _affine(log, options.trust) if whole else None
    return found


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


def _robust(log: ClickLog, propensities: Doubles, options: Options) -> DoublyRobust:
    model = None if options.model is None else check_scores(log, options.model)
    return doubly_robust(log, propensities, model=model, cap=options.cap)


def _affine(log: ClickLog, trust: Trust) -> Independent:
    """Correct clicks for trust: the mean of (click - offset) / slope is the relevance."""
    m = log.shown.shape[1]
    if min(len(trust.slope), len(trust.offset)) < m or not (trust.slope[:m] > 0).all():
        raise InputError(
            f"The slope of the trust is {trust.slope} and its offset {trust.offset}.",
            f"Give both for all {m} positions, every slope above 0.",
        )
    corrected = (log.clicked - trust.offset[:m]) / trust.slope[:m]
    return Independent(np.where(log.present, corrected, 0))
