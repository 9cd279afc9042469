"""Clicks counted by cell, once for every weighting of the impressions."""

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
