"""Where a ranking function puts each clicked paper among the others shown, as SciDocs judges it.

Cohan et al. 2020 compare a clicked paper with all other papers of its list. above and below count
those that score higher and lower; one that ties with it counts one half in each.

The bootstrap draws impressions or queries of a log.
"""

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.errors import InputError
from recsys.eval.measures import Doubles, draw
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.store.arrays import Mask

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
