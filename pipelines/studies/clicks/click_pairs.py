"""What a ranker learns from clicks: a clicked paper should rank above the others of its list.

Papers near the top are clicked more often because they are seen more often. A pair weighted by
1 / p, p the propensity of the click's position, counts for all the readers who would have clicked
had they looked: the weighted sum of losses over clicks is then, on average, the sum over relevant
papers (Joachims, Swaminathan & Schnabel 2017, section 4).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from recsys.errors import InputError, near_miss
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.store.arrays import Floats, Longs, Mask

PER_POSITION, CONSTANT = "per-position", "constant"
ALL, FIRST_FIVE = "all", "first-5"

Columns: TypeAlias = NDArray[np.integer]
Chosen = TypeVar("Chosen")
WEIGHTINGS: Mapping[str, Callable[[Propensities, Columns], Doubles]] = {
    PER_POSITION: lambda propensities, columns: 1 / propensities.at(columns),
    CONSTANT: lambda propensities, columns: np.full(len(columns), 1 / propensities.values[-1]),
}
"""Weights of clicks by their columns: (c,) -> (c,), before they are scaled to a mean of 1.

`per-position` removes the bias. `constant` is what SciDocs' published code does: it divides the
loss of every pair by the last position's propensity, which removes nothing.
"""
NEGATIVES: Mapping[str, Callable[[ClickLog], Mask]] = {
    ALL: lambda log: log.present,
    FIRST_FIVE: lambda log: _first(log.present & ~log.clicked, 5),
}
"""Papers that a click is compared with, itself left out: (n, m) bool.

`all` is every other paper of the list, those clicked as well included, as the measures do it.
`first-5` is SciDocs' published choice: the first five in display order that were not clicked.
"""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The lists with a click, a row for each of their papers, and k pairs of rows.

    features: (r, f) float32. impression: (r,) int64, the list of each row, numbered from 0.
    paper: (r,) int64, the place of each paper's id among all ids in ascending order, for ties.
    clicked, other: (k,) int64 rows. weight: (k,) float64 above 0, their mean 1.
    """

    features: Floats
    impression: Longs
    paper: Longs
    clicked: Longs
    other: Longs
    weight: Doubles

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self.weight)

    def gaps(self, scores: Doubles) -> Doubles:
        """Subtract the other's score from the clicked paper's: (r,) scores, (k,) differences."""
        return np.asarray(scores[self.clicked] - scores[self.other])


def pairs(
    log: ClickLog,
    features: Floats,
    propensities: Propensities,
    *,
    weighting: str = PER_POSITION,
    negatives: str = ALL,
) -> Pairs:
    """Pair every click with other papers of its list. features: (n, m, f) float32.

    Raises:
        InputError: there is no such weighting or choice of negatives, nothing to learn from, or a
            click at a position without a propensity.
    """
    weigh = choice(WEIGHTINGS, weighting, "weighting")
    choose = choice(NEGATIVES, negatives, "choice of negatives")
    kept = np.asarray(log.clicked.any(axis=1))
    log, shown = log.take(kept), features[kept]
    present = log.present
    rows = np.cumsum(present).reshape(present.shape) - 1
    impression, column = np.nonzero(log.clicked)
    propensities.at(column)  # Every position has to be in the table, whatever the weighting.
    others = choose(log)[impression]
    others[np.arange(len(column)), column] = False
    click, other = np.nonzero(others)
    if len(click) == 0:
        raise InputError(
            f"None of the log's {len(kept)} lists has a click and another paper beside it.",
            "Learn from a log in which readers clicked.",
        )
    weight = weigh(propensities, column)[click]
    return Pairs(
        features=shown[present],
        impression=np.nonzero(present)[0],
        paper=np.argsort(np.argsort(np.array(log.papers)))[log.shown[present]],
        clicked=rows[impression[click], column[click]],
        other=rows[impression[click], other],
        weight=weight / weight.mean(),
    )


def _first(flags: Mask, count: int) -> Mask:
    return np.asarray(flags & (flags.cumsum(axis=1) <= count))


def choice(table: Mapping[str, Chosen], name: str, kind: str) -> Chosen:
    """Look up what a name stands for in WEIGHTINGS or NEGATIVES.

    Raises:
        InputError: it stands for nothing.
    """
    if name not in table:
        raise InputError(
            f"There is no {kind} {name!r}.{near_miss(name, table)}",
            f"Choose one of {', '.join(table)}.",
        )
    return table[name]
