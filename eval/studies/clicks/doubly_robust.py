"""The doubly robust estimator of relevance: clicks, corrected for position, on top of a model.

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

import numpy as np

from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog
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
