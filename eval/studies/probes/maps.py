"""Maps of papers, coloured by class: SVG that fits light and dark pages, and PNG for either."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from recsys.eval.measures import Doubles
from recsys.eval.report.evaluation_pictures import INK, MARKERS, PALETTE, picture
from recsys.store.arrays import Longs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = 12
"""Classes with a colour and a number of their own, the most frequent ones; the others are grey."""
COLOURS = (*PALETTE[:-1], "#9b80e0", "#cf6679", "#ad7f4f", "#7ba33a", "#3fb8b0")
OTHERS = PALETTE[-1]
PAGES: Mapping[str, tuple[str, str]] = {
    "light": ("#24292f", "#ffffff"),
    "dark": ("#e6e6e6", "#14171b"),
}
"""name -> (colour of the text, colour of the page)"""
DOTS = 200
"""Of a PNG, to the inch."""
_NUMBER = "#101418"
"""Colour of the numbers on badges, near black: the badges are lighter, whatever the page."""
_LINE = 0.0745
"""Height of a line of the key, as a share of the picture's."""
_GAP = 0.055
"""Least distance of two badges, as a share of the map's longer side."""
_LONGEST = 34
"""Characters of a name in the key."""


@dataclass(frozen=True, slots=True)
class ClassMap:
    """Points of papers and their classes.

    points: (n, 2) float64. labels: (n,) int64, places of names.
    """

    title: str
    points: Doubles
    labels: Longs
    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Group:
    """Points that look alike, and what the key says of them. badge: text, empty without one."""

    points: Doubles
    text: str
    color: str
    marker: str
    badge: str = ""


def map_svg(found: ClassMap) -> str:
    """Draw a map; its text takes the colour of the page."""
    with picture(found.title) as (axes, written):
        _draw(axes, found, INK)
    return written()


def map_png(found: ClassMap, page: str) -> bytes:
    """Draw a map for one of PAGES."""
    ink, background = PAGES[page]
    target = BytesIO()
    with picture("") as (axes, _):
        _draw(axes, found, ink)
        axes.figure.canvas.print_figure(
            target, format="png", dpi=DOTS, facecolor=background, metadata={"Software": None}
        )
    return target.getvalue()


def densest(points: Doubles, taken: Doubles, gap: float) -> Doubles:
    """Return the point to which a quarter of the points is nearest: (n, 2) -> (2,).

    Points nearer than the gap to those taken, (k, 2), are passed over, unless all are.
    """
    distances = np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
    quarter = len(points) // 4
    reach = np.partition(distances, quarter, axis=1)[:, quarter]
    near = np.hypot(*(points[:, None] - taken).transpose(2, 0, 1)).min(axis=1, initial=np.inf)
    return np.asarray(points[np.lexsort([reach, near < gap])[0]])


def _draw(axes: "Axes", found: ClassMap, ink: str) -> None:
    axes.set_axis_off()
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_title(found.title, loc="left", color=ink, fontsize=10)
    groups = list(_groups(found))
    taken = np.empty((0, 2))
    gap = _GAP * np.ptp(found.points, axis=0).max()
    for place, group in enumerate(groups):
        _points(axes, group.points, group, size=3.6, alpha=0.8)
        height = 0.97 - place * _LINE
        beside: Any = {"transform": axes.transAxes, "clip_on": False}
        _points(axes, np.array([[1.03, height]]), group, size=5, **beside)
        axes.text(1.11, height, group.text, color=ink, va="center", fontsize=9, **beside)
        if group.badge:
            _badge(axes, np.array([1.075, height]), group, **beside)
            taken = np.vstack([taken, densest(group.points, taken, gap)])
            _badge(axes, taken[-1], group)


def _groups(found: ClassMap) -> Iterator[_Group]:
    counts = np.bincount(found.labels, minlength=len(found.names))
    shown = np.argsort(-counts, kind="stable")[:SHOWN].tolist()
    for place, label in enumerate(shown):
        text = f"{_short(found.names[label])} ({counts[label]:,})"
        points, marker = found.points[found.labels == label], MARKERS[place % len(MARKERS)]
        if len(points):
            yield _Group(points, text, COLOURS[place], marker, str(place + 1))
    others = ~np.isin(found.labels, shown)
    if others.any():
        text = f"{np.count_nonzero(counts) - len(shown):,} other classes ({others.sum():,})"
        yield _Group(found.points[others], text, OTHERS, ".")


def _points(axes: "Axes", points: Doubles, group: _Group, *, size: float, **look: Any) -> None:  # noqa: ANN401
    look |= {"ls": "", "mew": 0, "ms": size, "zorder": 2 if group.badge else 1}
    axes.plot(*points.T, marker=group.marker, color=group.color, **look)


def _badge(axes: "Axes", at: Doubles, group: _Group, **look: Any) -> None:  # noqa: ANN401
    """Write a group's number on a disc."""
    x, y = at.tolist()
    axes.plot([x], [y], ls="", marker="o", ms=12, mew=0, color=group.color, zorder=3, **look)
    text: Any = {"ha": "center", "va": "center_baseline", "fontsize": 8, "zorder": 4}
    axes.text(x, y, group.badge, color=_NUMBER, **text, **look)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1].rstrip()}…"
