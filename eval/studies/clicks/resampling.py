"""The bootstrap over the impressions or the queries of a click log."""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.eval.measures import Doubles, draw

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


def group(columns: Doubles, groups: NDArray[np.integer]) -> Doubles:
    """Add up the rows of each group that occurs: (n, k) and (n,) -> (groups, k)."""
    _, place = np.unique(groups, return_inverse=True)
    return np.stack([np.bincount(place, column) for column in columns.T], axis=1)
