"""Calibration: are probabilities as high as the share of times that they come true?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Probabilities = NDArray[np.floating]
Outcomes = NDArray[np.bool_] | NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Bin:
    """Some predictions of similar probability.

    low, high: the lowest and highest one. predicted: their mean. observed: the share that came
    true.
    """

    count: int
    low: float
    high: float
    predicted: float
    observed: float


def reliability(
    probabilities: Probabilities, outcomes: Outcomes, *, bins: int = 10, by_hits: bool = False
) -> list[Bin]:
    """Sort predictions into bins of equal mass, ascending; equal probabilities share a bin.

    Args:
        probabilities: (n,) in [0, 1], n >= 1.
        outcomes: (n,) bool, or 0 and 1.
        bins: how many at most; heavy ties leave fewer.
        by_hits: give bins an equal share of the probability instead of the predictions: where most
            predictions are near 0, the others stay apart.
    """
    order = np.argsort(probabilities, kind="stable")
    ascending = np.asarray(probabilities, np.float64)[order]
    n = len(ascending)
    wanted = np.arange(1, bins) * n // bins
    if by_hits:
        mass = ascending.cumsum()
        shares = np.arange(1, bins) / bins * mass[-1]
        wanted = np.minimum(np.searchsorted(mass, shares, side="right"), n - 1)
    # A cut inside a run of equal probabilities moves to the beginning of the run.
    cuts = np.unique(np.searchsorted(ascending, ascending[wanted], side="left"))
    inner = cuts[cuts > 0]
    groups = zip(
        np.split(ascending, inner), np.split(np.asarray(outcomes)[order], inner), strict=True
    )
    return [
        Bin(len(p), float(p[0]), float(p[-1]), float(p.mean()), float(hit.mean()))
        for p, hit in groups
    ]


def expected_calibration_error(
    probabilities: Probabilities, outcomes: Outcomes, *, bins: int = 10
) -> float:
    """Average |predicted - observed| over equal-mass bins, weighted by their counts: in [0, 1].

    Naeini, Cooper and Hauskrecht 2015, with bins of equal mass instead of equal width.
    """
    table = reliability(probabilities, outcomes, bins=bins)
    gaps = sum(each.count * abs(each.predicted - each.observed) for each in table)
    return gaps / len(probabilities)
