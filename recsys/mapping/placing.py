"""Where everything stands on a map: x is the year, y the topic.

Nothing is found by iteration: groups lie one below the other, papers within them in the order of
one direction of their vectors, spread evenly. So one paper more moves the others by little.
"""

from dataclasses import dataclass

import numpy as np

from recsys.mapping.grouping import Reals
from recsys.store.arrays import Longs
from recsys.store.graph import UNKNOWN_YEAR, Years

WIDTH = 1000.0
MARGIN, DRAFT_WIDTH = 14.0, 72.0
TOP, BOTTOM = 30.0, 34.0
LABEL, GAP = 24.0, 8.0
"""Above the papers of a group stands its label, below them nothing."""
BAND = 90.0
"""Height of a group, large or small: a paper that changes its group moves no third group."""
RADIUS = 4.5
NARROW = 46.0
"""Least width of a column that is named by more than a year."""
APART = 40.0
"""Least distance of the names of two columns."""
TAIL = 0.05
"""Share of the oldest papers that stands in one column, or their years would take half the map."""
ROUND = 5
"""The first year is a multiple: one paper more seldom changes it."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A column of the map that is named: a year, or where papers without one stand."""

    label: str
    x: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Places: x, y of each paper, top and bottom of each group, from above, and the columns' names.

    x, y: (m,) float64. tops, bottoms: of each group.
    """

    width: float
    height: float
    x: Reals
    y: Reals
    tops: Reals
    bottoms: Reals
    ticks: tuple[Tick, ...]
    draft_x: float


def lay_out(topic: Reals, years: Years, groups: Longs, last: int) -> Layout:
    """Place papers.

    Args:
        topic: (m,) where each paper lies along one direction.
        years: (m,), UNKNOWN_YEAR where unknown.
        groups: (m,) group of each paper, numbered from the top.
        last: the year of the draft; no paper is newer.
    """
    count = int(groups.max()) + 1 if len(groups) else 0
    columns = _Columns.of(years, last)
    x, y = columns.middles(years), np.zeros(len(years))
    tops, bottoms, top = np.zeros(count), np.zeros(count), TOP
    for group in range(count):
        members = np.flatnonzero(groups == group)
        members = members[np.lexsort((members, topic[members]))]
        shares = (np.arange(len(members)) + 0.5) / len(members)
        y[members] = top + LABEL + BAND * shares
        tops[group], bottoms[group] = top, top + LABEL + BAND + GAP
        top = bottoms[group]
        x[members] = _dodged(x[members], y[members], columns.width)
    ticks, draft_x = columns.ticks(), WIDTH - DRAFT_WIDTH / 2
    return Layout(WIDTH, top + BOTTOM, x, y, tops, bottoms, ticks, draft_x)


@dataclass(frozen=True, slots=True)
class _Columns:
    """One column a year, and before them one for older papers and one for those without a year.

    first, last: years with a column of their own. width: of each.
    """

    first: int
    last: int
    older: bool
    undated: bool

    @classmethod
    def of(cls, years: Years, last: int) -> "_Columns":
        known = np.sort(years[years != UNKNOWN_YEAR].astype(np.int64))
        if len(known) == 0:
            return cls(last, last, False, bool(len(years)))
        first = int(known[int(TAIL * len(known))]) // ROUND * ROUND
        last = max(last, int(known[-1]))
        return cls(first, last, int(known[0]) < first, len(known) < len(years))

    @property
    def begin(self) -> float:
        """Where the first year's column begins."""
        return MARGIN + (self.older + self.undated) * NARROW

    @property
    def width(self) -> float:
        return (WIDTH - DRAFT_WIDTH - self.begin) / (self.last - self.first + 1)

    def middles(self, years: Years) -> Reals:
        """Return the middle of each paper's column: (m,) float64."""
        dated = self.begin + (years.astype(np.float64) - self.first + 0.5) * self.width
        x = np.where(years < self.first, self.begin - NARROW / 2, dated)
        return np.where(years == UNKNOWN_YEAR, MARGIN + NARROW / 2, x)

    def ticks(self) -> tuple[Tick, ...]:
        """Name the columns: every year if there is room, else every fifth or tenth."""
        ticks = [Tick("no year", MARGIN + NARROW / 2)] if self.undated else []
        if self.older:
            ticks.append(Tick(f"<{self.first}", self.begin - NARROW / 2))
        step = next((each for each in (1, 2, 5, 10, 20, 50) if each * self.width >= APART), 100)
        for year in range(self.first, self.last + 1):
            x = self.begin + (year - self.first + 0.5) * self.width
            free = not ticks or x - ticks[-1].x >= APART
            if free and (year % step == 0 or self.first == self.last):
                ticks.append(Tick(str(year), x))
        return tuple(ticks)


def _dodged(x: Reals, y: Reals, width: float) -> Reals:
    """Move papers aside that would cover one above them, within their column."""
    apart = 2 * RADIUS + 1
    most = max(width / 2 - RADIUS, apart)
    steps = [0.0] + [sign * k * apart for k in range(1, int(most / apart) + 1) for sign in (1, -1)]
    placed: list[tuple[float, float]] = []
    for middle, height in zip(x.tolist(), y.tolist(), strict=True):
        close = [at for at in placed if height - at[1] < apart]
        places = [middle + step for step in steps]
        rooms = [
            min((float(np.hypot(place - a, height - b)) for a, b in close), default=np.inf)
            for place in places
        ]
        free = next((i for i, room in enumerate(rooms) if room >= apart), None)
        best = free if free is not None else int(np.argmax(rooms))
        placed.append((places[best], height))
    return np.array([at[0] for at in placed])
