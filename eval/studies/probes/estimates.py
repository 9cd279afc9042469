"""Figures that are the mean of a value for each paper: with an interval, and paired with others."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from recsys.eval.measures import Doubles, Interval, draw, interval
from recsys.store.arrays import Mask


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure, its 95 % bootstrap interval over papers, and what each paper adds to it.

    values: (n,) float64; their mean is the figure.
    """

    interval: Interval
    values: Doubles

    @property
    def value(self) -> float:
        """Give the figure itself."""
        return self.interval.value


Estimator: TypeAlias = Callable[[Doubles | Mask], Estimate]


def estimator(n: int, *, rng: np.random.Generator, samples: int = 1000) -> Estimator:
    """Return what makes estimates of values of n papers, all of them by the same draws."""
    drawn = draw(n, rng=rng, samples=samples)

    def estimate(values: Doubles | Mask) -> Estimate:
        exact = values.astype(np.float64)
        return Estimate(interval(drawn @ exact / n), exact)

    return estimate
