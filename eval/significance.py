"""Is a difference between two systems more than chance? Paired tests over the same queries.

`one` and `other` hold a measure of each query, in the same order: (n,) float64, n >= 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsys.eval.measures import POOLED, Doubles, Interval, draw, f1, interval

FLIPS = 10_000
_CHUNK = 4_000_000
"""Signs held in memory at a time."""
_EQUAL = 1e-12
"""Sums that differ by rounding only are equal."""


@dataclass(frozen=True, slots=True)
class Effect:
    """How large a difference is.

    cohen_d: mean difference in units of its standard deviation; None when every query differs by
    the same amount, other than 0. won, lost: share of the queries where the first system is
    better, worse.
    """

    cohen_d: float | None
    won: float
    lost: float


def bootstrap_difference(
    one: Doubles, other: Doubles, *, rng: np.random.Generator, samples: int = 1000
) -> Interval:
    """Return mean(one) - mean(other) with its percentile interval: queries are drawn in pairs."""
    drawn = draw(len(one), rng=rng, samples=samples)
    return interval(drawn @ (one - other) / len(one))


def pooled_f1_gain(
    one: Mapping[str, Doubles], other: Mapping[str, Doubles], drawn: Doubles, name: str = "F1@20"
) -> Interval:
    """Return the difference of two pooled F1 over draws of the queries (`measures.draw`).

    one, other: measure -> (n,), as `per_query` gives them.
    """
    n, (p, r) = drawn.shape[1], POOLED[name]
    first, second = (f1(drawn @ each[p] / n, drawn @ each[r] / n) for each in (one, other))
    return interval(first - second)


def randomisation_test(
    one: Doubles, other: Doubles, *, rng: np.random.Generator, flips: int = FLIPS
) -> float:
    """Return the two-sided p of the mean difference, were it a coin toss which system is which."""
    return float(sign_flip_tests((one - other)[:, None], rng=rng, flips=flips)[0])


def sign_flip_tests(
    differences: Doubles, *, rng: np.random.Generator, flips: int = FLIPS
) -> Doubles:
    """Test many mean differences with the same coin tosses: (n, c) -> (c,) two-sided p in (0, 1].

    p = (c + 1) / (flips + 1), c of the flips being at least as far from 0 as what was observed
    (Smucker, Allan and Carterette 2007; the 1 is the observed assignment itself). A column is
    tested exactly, over all assignments, when its differences other than 0 have at most `flips`.
    """
    p = np.empty(differences.shape[1])
    exact = np.count_nonzero(differences, axis=0) <= np.log2(flips)
    for column in np.flatnonzero(exact):
        gaps = differences[differences[:, column] != 0, column]
        assignments = np.arange(2 ** len(gaps))[:, None] >> np.arange(len(gaps)) & 1
        p[column] = np.mean(_reaches((1 - 2 * assignments) @ gaps, gaps.sum()))
    rest = differences[:, ~exact]
    if not rest.size:
        return p
    # Flips whose sums are as far from 0 as the observed ones.
    n, observed, counts = len(rest), rest.sum(0), np.zeros(rest.shape[1], np.int64)
    step = max(_CHUNK // n, 1)
    for begin in range(0, flips, step):
        heads = rng.integers(2, size=(min(step, flips - begin), n), dtype=np.int8)
        # A sign is 1 - 2 * heads: the sum of all, less twice those turned.
        counts += _reaches(observed - 2 * (heads.astype(np.float64) @ rest), observed).sum(0)
    p[~exact] = (counts + 1) / (flips + 1)
    return p


def _reaches(sums: Doubles, observed: Doubles | float) -> NDArray[np.bool_]:
    return np.asarray(np.abs(sums) >= np.abs(observed) - _EQUAL)


def holm(p: Doubles) -> Doubles:
    """Adjust the p of a family of tests, so that all hold together (Holm 1979): (m,), in order."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    return adjusted


def effect_size(one: Doubles, other: Doubles) -> Effect:
    """Tell how large the difference is, beside how sure."""
    differences = one - other
    won, lost = float((differences > 0).mean()), float((differences < 0).mean())
    if np.ptp(differences) <= _EQUAL:
        return Effect(0.0 if abs(differences[0]) <= _EQUAL else None, won, lost)
    return Effect(float(differences.mean() / differences.std(ddof=1)), won, lost)


# Calibration: are probabilities as high as the share of times that they come true?

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


# Of many predictions, only sums by their size are kept: so finely that errors hardly change.

_EDGES = np.geomspace(1e-6, 1, 481)[1:-1]
"""Between sizes, each 2.9 % above the one before: finer than calibration is told apart."""


def sums_by_size(probabilities: Probabilities, outcomes: Outcomes) -> list[tuple[int, int, float]]:
    """Add predictions up by their size: (count, came true, sum of probabilities) of each."""
    sizes = np.searchsorted(_EDGES, probabilities, side="right")
    n = len(_EDGES) + 1
    counts = np.bincount(sizes, minlength=n)
    hits = np.bincount(sizes, np.asarray(outcomes, np.float64), minlength=n).astype(int)
    sums = np.bincount(sizes, np.asarray(probabilities, np.float64), minlength=n)
    return list(zip(counts.tolist(), hits.tolist(), sums.tolist(), strict=True))


def error_of_sums(sums: Sequence[Sequence[float]], *, bins: int = 10) -> float:
    """Compute the expected calibration error of what `sums_by_size` added up."""
    counts, hits, predicted = np.array(sums, np.float64).T
    n = counts.sum()
    group = np.minimum((counts.cumsum() - counts / 2) * bins // n, bins - 1).astype(np.int64)
    gaps = np.bincount(group, predicted - hits)
    return float(np.abs(gaps).sum() / n)
