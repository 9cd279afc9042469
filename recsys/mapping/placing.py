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
    x, width, ticks = _columns(years, last)
    y = np.zeros(len(years))
    edges = TOP + (LABEL + BAND + GAP) * np.arange(count + 1, dtype=np.float64)
    for group in range(count):
        members = np.flatnonzero(groups == group)
        members = members[np.lexsort((members, topic[members]))]
        shares = (np.arange(len(members)) + 0.5) / len(members)
        y[members] = edges[group] + LABEL + BAND * shares
        x[members] = _dodged(x[members], y[members], width)
    height, draft_x = float(edges[-1]) + BOTTOM, WIDTH - DRAFT_WIDTH / 2
    return Layout(WIDTH, height, x, y, edges[:-1], edges[1:], ticks, draft_x)


def _columns(years: Years, last: int) -> tuple[Reals, float, tuple[Tick, ...]]:
    """Return the middle of each paper's column (m,), the width of a year's, and those with a name.

    One column a year, and before them one for those without a year and one for older papers. Every
    year is named if there is room, else every fifth or tenth.
    """
    known = np.sort(years[years != UNKNOWN_YEAR].astype(np.int64))
    first = int(known[int(TAIL * len(known))]) // ROUND * ROUND if len(known) else last
    last = max([last, *known[-1:].tolist()])
    undated, older = len(known) < len(years), bool(np.any(known < first))
    begin = MARGIN + (older + undated) * NARROW
    width = (WIDTH - DRAFT_WIDTH - begin) / (last - first + 1)
    x = begin + (years.astype(np.float64) - first + 0.5) * width
    x = np.where(years < first, begin - NARROW / 2, x)
    x = np.where(years == UNKNOWN_YEAR, MARGIN + NARROW / 2, x)
    ticks = [Tick("no year", MARGIN + NARROW / 2)] if undated else []
    ticks += [Tick(f"<{first}", begin - NARROW / 2)] if older else []
    step = next((each for each in (1, 2, 5, 10, 20, 50) if each * width >= APART), 100)
    for year in range(first, last + 1):
        middle = begin + (year - first + 0.5) * width
        free = not ticks or middle - ticks[-1].x >= APART
        if free and (year % step == 0 or first == last):
            ticks.append(Tick(str(year), middle))
    return x, width, tuple(ticks)


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
