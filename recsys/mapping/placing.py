"""Where everything stands on a map: x is the year, y the topic.

Nothing is found by iteration: groups lie one below the other, papers within them in the order of
one direction of their vectors, spread evenly. So one paper more moves the others by little.
"""

from dataclasses import dataclass

import numpy as np

from recsys.mapping.grouping import Reals
from recsys.store.arrays import Longs
from recsys.store.graph import UNKNOWN_YEAR, Years

MARGIN, BOTTOM, GAP = 10.0, 4.0, 8.0
LEAST_RADIUS, PER_CITATION, MOST_RADIUS = 3.0, 0.9, 8.0
"""A dot grows with the logarithm of its citations: the most cited paper covers no others."""
TAIL = 0.05
"""Share of the oldest papers that stands in one column, or their years would take half the map."""
ROUND = 5
"""The first year is a multiple: one paper more seldom changes it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """How large a map is, in CSS pixels.

    top: height of what stands above the groups: legend and years. label: height of the label of a
    group. band: height of its papers, many or few, so that one that changes its group moves no
    third group. draft: width at the right, where the draft stands. column: least width of a column
    that is named by more than a year. apart: least distance of the names of two columns.
    """

    width: float
    top: float
    label: float
    band: float
    draft: float
    column: float
    apart: float


WIDE = Frame(width=860.0, top=56.0, label=22.0, band=88.0, draft=74.0, column=46.0, apart=40.0)
SMALL = Frame(width=360.0, top=68.0, label=38.0, band=168.0, draft=34.0, column=36.0, apart=36.0)
"""For a phone that is held upright."""


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

    height: float
    x: Reals
    y: Reals
    tops: Reals
    bottoms: Reals
    ticks: tuple[Tick, ...]
    draft_x: float


def radii_of(citations: Longs) -> Reals:
    """Return the radius of each dot: LEAST_RADIUS without a citation, MOST_RADIUS at most."""
    radii: Reals = LEAST_RADIUS + PER_CITATION * np.log1p(citations.astype(np.float64))
    return np.minimum(radii, MOST_RADIUS)


def lay_out(
    topic: Reals, years: Years, groups: Longs, radii: Reals, last: int, *, frame: Frame = WIDE
) -> Layout:
    """Place papers.

    Args:
        topic: (m,) where each paper lies along one direction.
        years: (m,), UNKNOWN_YEAR where unknown.
        groups: (m,) group of each paper, numbered from the top.
        radii: (m,) of their dots.
        last: the year of the draft; no paper is newer.
        frame: how large the map is.
    """
    count = int(groups.max()) + 1 if len(groups) else 0
    x, width, ticks = _columns(years, last, frame)
    y = np.zeros(len(years))
    edges = frame.top + (frame.label + frame.band + GAP) * np.arange(count + 1, dtype=np.float64)
    for group in range(count):
        members = np.flatnonzero(groups == group)
        members = members[np.lexsort((members, topic[members]))]
        shares = (np.arange(len(members)) + 0.5) / len(members)
        y[members] = (
            edges[group] + frame.label + LEAST_RADIUS + (frame.band - LEAST_RADIUS) * shares
        )
        x[members] = _dodged(x[members], y[members], radii[members], width)
    height, draft_x = float(edges[-1]) + BOTTOM, frame.width - frame.draft / 2
    return Layout(height, x, y, edges[:-1], edges[1:], ticks, draft_x)


def _columns(years: Years, last: int, frame: Frame) -> tuple[Reals, float, tuple[Tick, ...]]:
    """Return the middle of each paper's column (m,), the width of a year's, and those with a name.

    One column a year, and before them one for those without a year and one for older papers. Every
    year is named if there is room, else every fifth or tenth.
    """
    known = np.sort(years[years != UNKNOWN_YEAR].astype(np.int64))
    first = int(known[int(TAIL * len(known))]) // ROUND * ROUND if len(known) else last
    last = max([last, *known[-1:].tolist()])
    undated, older = len(known) < len(years), bool(np.any(known < first))
    begin = MARGIN + (older + undated) * frame.column
    width = (frame.width - frame.draft - begin) / (last - first + 1)
    x = begin + (years.astype(np.float64) - first + 0.5) * width
    x = np.where(years < first, begin - frame.column / 2, x)
    x = np.where(years == UNKNOWN_YEAR, MARGIN + frame.column / 2, x)
    ticks = [Tick("no year", MARGIN + frame.column / 2)] if undated else []
    ticks += [Tick(f"<{first}", begin - frame.column / 2)] if older else []
    step = next((each for each in (1, 2, 5, 10, 20, 50) if each * width >= frame.apart), 100)
    for year in range(first, last + 1):
        middle = begin + (year - first + 0.5) * width
        free = not ticks or middle - ticks[-1].x >= frame.apart
        if free and (year % step == 0 or first == last):
            ticks.append(Tick(str(year), middle))
    return x, width, tuple(ticks)


def _dodged(x: Reals, y: Reals, radii: Reals, width: float) -> Reals:
    """Move papers aside that would cover one above them, within their column."""
    most = max(width / 2 - LEAST_RADIUS, 3 * LEAST_RADIUS)
    steps = [0.0] + [sign * k for k in range(4, int(most) + 1, 4) for sign in (1.0, -1.0)]
    placed = np.empty_like(x)
    for at in range(len(x)):
        above = slice(max(at - 60, 0), at)
        places = x[at] + np.array(steps)
        rooms = np.hypot(places[:, None] - placed[above], y[at] - y[above])
        room = np.min(rooms - radii[above] - radii[at], axis=1, initial=np.inf)
        free = np.flatnonzero(room >= 1)
        placed[at] = places[free[0] if len(free) else int(np.argmax(room))]
    return placed
