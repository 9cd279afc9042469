"""Clicks counted by cell, once for every weighting, and the propensities that explain them best."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.store.arrays import Longs, Mask

Fit: TypeAlias = Callable[[Doubles], Doubles]
"""Estimates propensities when impression i counts weights[i] times: (n,) float64 -> (m,) float64.

The first is 1. One is 0 where nothing was clicked, and NaN where it cannot be compared with the
first: a bootstrap sample may lack what the whole log has.
"""


@dataclass(frozen=True, slots=True)
class Tally:
    """Places of a log, each in a cell, to be counted again and again.

    cells: how many there are. cell: (e,) int64 of each place where a paper was shown; impression:
    (e,) its row of the log. clicked_cell, clicked_impression: the same of the clicked ones.
    """

    cells: int
    cell: Longs
    impression: Longs
    clicked_cell: Longs
    clicked_impression: Longs

    @classmethod
    def of(cls, log: ClickLog, places: tuple[Longs, Longs], cell: Longs, cells: int) -> "Tally":
        """Note the cells of some places of a log: (impression, column), both (e,)."""
        clicked = log.clicked[places]
        return cls(cells, cell, places[0], cell[clicked], places[0][clicked])

    def count(self, weights: Doubles) -> tuple[Doubles, Doubles]:
        """Add up the weights of what was shown and of what was clicked: (cells,) each."""
        return (
            add_up(self.cell, weights[self.impression], self.cells),
            add_up(self.clicked_cell, weights[self.clicked_impression], self.cells),
        )


@dataclass(frozen=True, slots=True)
class Pairs:
    """The (query, paper) pairs of a log, counted by the position at which they were shown.

    query, paper: (g,) int64, ascending pairs. pair, column: (c,) int64 of each cell: which pair at
    which position - 1; ascending in both. tally: counts the cells.
    """

    query: Longs
    paper: Longs
    pair: Longs
    column: Longs
    tally: Tally

    @classmethod
    def of(cls, log: ClickLog) -> "Pairs":
        """Find the pairs of a log."""
        impression, column = np.nonzero(log.present)
        depth, papers = log.shown.shape[1], len(log.papers)
        name = log.query[impression].astype(np.int64) * papers + log.shown[impression, column]
        keys, cell = np.unique(name * depth + column, return_inverse=True)
        names, pair = np.unique(keys // depth, return_inverse=True)
        tally = Tally.of(log, (impression, column), cell, len(keys))
        return cls(names // papers, names % papers, pair, keys % depth, tally)

    def moved(self) -> Mask:
        """Tell which pairs were shown at several positions: (g,) bool."""
        return np.asarray(np.bincount(self.pair, minlength=len(self.query)) > 1)

    def clicked(self) -> Mask:
        """Tell which pairs were ever clicked: (g,) bool."""
        found = np.zeros(len(self.query), np.bool_)
        found[self.pair[self.tally.clicked_cell]] = True
        return found

    def take(self, kept: Mask) -> "Pairs":
        """Keep some of the pairs: (g,) bool."""
        cells = kept[self.pair]
        entries, clicks = cells[self.tally.cell], cells[self.tally.clicked_cell]
        number = np.cumsum(cells) - 1
        tally = Tally(
            int(cells.sum()),
            number[self.tally.cell[entries]],
            self.tally.impression[entries],
            number[self.tally.clicked_cell[clicks]],
            self.tally.clicked_impression[clicks],
        )
        pair = (np.cumsum(kept) - 1)[self.pair[cells]]
        return Pairs(self.query[kept], self.paper[kept], pair, self.column[cells], tally)


def add_up(cell: Longs, values: Doubles, cells: int) -> Doubles:
    """Add up the values of each cell: (e,) and (e,) -> (cells,)."""
    return np.asarray(np.bincount(cell, values, cells), np.float64)


def varied_rankers(log: ClickLog) -> bool:
    """Tell whether papers change places for a reason that has nothing to do with their readers.

    Either several rankers served, or a swap experiment was run.
    """
    return len(np.unique(log.ranker)) > 1 or bool((log.swapped > 0).any())


_ROUNDS = 100
_ENOUGH = 1e-12
"""Stop when a step adds a smaller share than this to the log-likelihood."""
_TINY = 1e-6
"""Skips added where everything was clicked: a chance of a click stays below 1."""


def likeliest(shown: Doubles, clicked: Doubles) -> Doubles:
    """Maximise the likelihood of clicked ~ Binomial(shown, p_k * r_g) over all p and r.

    With a_k = log p_k and b_g = log r_g it is concave, so Fisher scoring with shorter steps where
    needed finds the one maximum. The r are eliminated: a step costs O(g * m^2).

    Args:
        shown: (g, m) float64, how often papers of group g were shown at position k. The papers of a
            group must be the same, or alike, at all its positions.
        clicked: (g, m) float64 <= shown.

    Returns:
        (m,) float64 relative to the first: 0 where nothing was clicked, NaN where no chain of
        groups with clicks leads to the first position.
    """
    found = np.where(clicked.sum(0) > 0, np.nan, 0.0)
    columns = connected(clicked > 0)
    groups = clicked[:, columns].sum(1) > 0
    if groups.any():
        found[columns] = np.exp(_score(shown[groups][:, columns], clicked[groups][:, columns]))
    return found


def connected(clicked: Mask) -> Mask:
    """Tell which positions share a group, or a chain of groups, with the first: (m,) bool."""
    reached = np.arange(clicked.shape[1]) == 0
    for _ in range(clicked.shape[1]):
        reached = clicked[clicked[:, reached].any(1)].any(0)
    return np.asarray(reached)


def _score(shown: Doubles, clicked: Doubles) -> Doubles:
    """Return log p, its first 0: (m,)."""
    skipped = np.where(shown > 0, np.maximum(shown - clicked, _TINY), 0)
    a, b = np.zeros(shown.shape[1]), np.log(clicked.sum(1) / (shown.sum(1) + 1))
    value = _value(clicked, skipped, a, b)
    for _ in range(_ROUNDS):
        step_a, step_b = _step(clicked, skipped, a, b)
        size, before = 1.0, value
        value = _value(clicked, skipped, a + step_a, b + step_b)
        while value < before and size > _TINY:
            size /= 2
            value = _value(clicked, skipped, a + size * step_a, b + size * step_b)
        if value >= before:
            a, b = a + size * step_a, b + size * step_b
        if value <= before + _ENOUGH * abs(before):
            break
    return np.asarray(a)


def _value(clicked: Doubles, skipped: Doubles, a: Doubles, b: Doubles) -> float:
    """Compute the log-likelihood; minus infinity where a chance would be 1 or more."""
    logs = np.where(skipped > 0, a + b[:, None], -1)
    if logs.max() >= 0:
        return -np.inf
    return float((clicked * logs + skipped * np.log1p(-np.exp(logs))).sum())


def _step(clicked: Doubles, skipped: Doubles, a: Doubles, b: Doubles) -> tuple[Doubles, Doubles]:
    """Divide the slope by the expected curvature, a_1 held at 0."""
    odds = np.where(skipped > 0, 1 / np.expm1(-np.minimum(a + b[:, None], -_TINY)), 0)
    slope, curvature = clicked - skipped * odds, (clicked + skipped) * odds
    of_groups, others = curvature.sum(1), curvature[:, 1:]
    shares = others.T / of_groups
    matrix = np.diag(others.sum(0)) - shares @ others
    step_a = np.zeros(len(a))
    step_a[1:] = np.linalg.solve(matrix, slope[:, 1:].sum(0) - shares @ slope.sum(1))
    return step_a, (slope.sum(1) - curvature @ step_a) / of_groups
