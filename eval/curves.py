"""Curves of a system over the depth of its ranking, with bootstrap bands over queries.

`flags` (queries, depth) bool and `gold` (queries,) are stacked rankings (see `measures.stack`),
`drawn` (1 + samples, queries) says how often each query is drawn (`measures.draw`).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recsys.eval.measures import DEPTH, Doubles, Judged, stack
from recsys.eval.run_figures import Band, Curves, Reliability
from recsys.eval.significance import (
    Outcomes,
    Probabilities,
    expected_calibration_error,
    reliability,
)
from recsys.store.arrays import Mask

GRID = (1, 2, 5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1000)
"""Numbers of candidates at which recall is shown."""
LEVELS = np.arange(11) / 10
"""Recall levels of the interpolated curve."""


def curves(judged: Sequence[Judged], drawn: Doubles) -> Curves:
    """Compute every curve of a system, to a depth of 100; recall as deep as its run reaches."""
    flags, gold = stack(judged)
    first, _ = stack(judged, depth=DEPTH)
    found, ks = first.cumsum(1), np.arange(1, DEPTH + 1)
    depths = tuple(c for c in GRID if c <= flags.shape[1]) or (1,)
    deep, _ = stack(judged, depth=max(depths))
    reached = deep.cumsum(1)[:, np.array(depths) - 1]
    return Curves(
        precision_macro=macro(found / ks, drawn),
        recall_macro=macro(found / gold[:, None], drawn),
        eleven_point=macro(interpolated_precision(first, gold), drawn),
        depths=depths,
        recall_at=macro(reached / gold[:, None], drawn),
    )


def interpolated_precision(flags: Mask, gold: NDArray[np.int64]) -> Doubles:
    """Return the highest precision at or beyond each of 11 levels of recall: (queries, 11).

    A level is reached with floor(level * gold + 0.9) gold papers, as trec_eval counts; one that is
    never reached has precision 0.
    """
    found = flags.cumsum(1)
    at = found / np.arange(1, flags.shape[1] + 1)
    best_beyond = np.maximum.accumulate(at[:, ::-1], axis=1)[:, ::-1]
    padded = np.pad(best_beyond, ((0, 0), (0, 1)))
    needed = (LEVELS * gold[:, None] + 0.9).astype(np.int64)
    places = np.stack([(found < column[:, None]).sum(1) for column in needed.T], axis=1)
    return np.take_along_axis(padded, places, axis=1)


def macro(values: Doubles, drawn: Doubles) -> Band:
    """Average the curves of queries, (queries, points), with a band."""
    return band(drawn @ values / drawn.shape[1])


def shares(hits: Doubles, totals: Doubles) -> Doubles:
    """Divide, with 0 / 0 = 0."""
    return np.asarray(hits / np.where(totals > 0, totals, 1))


def band(figures: Doubles, *, level: float = 0.95) -> Band:
    """Take the percentile band of curves: (1 + samples, points), the curve itself first."""
    tail = (1 - level) / 2
    low, high = np.quantile(figures[1:], [tail, 1 - tail], axis=0)
    return Band(tuple(figures[0].tolist()), tuple(low.tolist()), tuple(high.tolist()))


def reliability_of(probabilities: Probabilities, outcomes: Outcomes) -> Reliability:
    """Tell how often predictions of each size came true, and how far off they are on average.

    The bins hold an equal share of the probability, the error is over bins of equal counts.
    """
    bins = reliability(probabilities, outcomes, by_hits=True)
    return Reliability(tuple(bins), expected_calibration_error(probabilities, outcomes))
