"""The canvas of pictures: SVG that reads on light and on dark pages, and never differs.

Text and axes take the colour of the page (`currentColor`; where a picture stands alone, it follows
the reader's colour scheme), the background is transparent, and lines differ by colour (safe for
the colour-blind), dash and marker at once.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from io import StringIO
from itertools import cycle, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from recsys.extras import need

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#010203"
"""Stands for the colour of the page's text until the SVG is written."""
PALETTE = ("#2b83c6", "#e69f00", "#009e73", "#d55e00", "#7cc4ee", "#cc79a7", "#b3a100", "#8a8a8a")
"""Okabe and Ito's, its blues lighter, without black and yellow: they vanish on one of the pages."""
DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1)), (0, (5, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_GAP = 0.075
"""Least distance of two labels, as a share of the axes' height."""
_STYLE = (
    "<style>.recsys-picture{color:#24292f}"
    "@media(prefers-color-scheme:dark){.recsys-picture{color:#e6e6e6}}</style>"
)
_SETTINGS: Any = {  # matplotlib types the key of every setting.
    "svg.hashsalt": "recsys",
    "svg.fonttype": "none",
    "text.parse_math": False,  # A name may hold dollars.
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.18,
    "grid.linewidth": 0.8,
    "lines.linewidth": 1.8,
    "lines.markersize": 4.5,
    **dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK
    ),
    "grid.color": INK,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}


@dataclass(frozen=True, slots=True)
class Style:
    """How a line of a picture looks."""

    color: str
    dash: Any
    marker: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its points and, if known, the bounds of its band."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    style: Style
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


def styles() -> Iterator[Style]:
    """Give styles, no two alike among the first eight."""
    for color, dash, marker in zip(cycle(PALETTE), cycle(DASHES), cycle(MARKERS), strict=False):
        yield Style(color, dash, marker)


@contextmanager
def picture(title: str, *, height: float = 4.2) -> Iterator[tuple["Axes", Callable[[], str]]]:
    """Give axes to draw into, and what returns the SVG; height in inches, the width is 7.2."""
    need("matplotlib", "A picture")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(7.2, height), layout="constrained")
        yield figure.add_subplot(), lambda: _svg(figure, title)


def _svg(figure: "Figure", title: str) -> str:
    import matplotlib as mpl

    target = StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with mpl.rc_context(_SETTINGS):
        figure.savefig(target, format="svg", transparent=True, metadata=nothing)
    text = target.getvalue().replace(INK, "currentColor")
    text = text.replace("*{", ".recsys-picture *{", 1)  # Styles of the picture stay in it.
    text = re.sub(r"font-family: [^;]*", "font-family: 'DejaVu Sans', Verdana, sans-serif", text)
    named = escape(title)
    opening = f'<svg class="recsys-picture" role="img" aria-label="{named}" '
    text = opening + text.partition("<svg ")[2]
    head, end, rest = text.partition(">")
    return f"{head}{end}<title>{named}</title>{_STYLE}{rest}"


def draw_lines(axes: "Axes", lines: Sequence[Line], *, markers: bool = False) -> None:
    """Draw lines with their bands."""
    for line in lines:
        style = line.style
        marker = style.marker if markers else None
        look = {"color": style.color, "ls": style.dash, "marker": marker}
        axes.plot(line.x, line.y, clip_on=False, zorder=3, **look)  # Markers at the edge are whole.
        if line.low is not None and line.high is not None:
            axes.fill_between(line.x, line.low, line.high, color=style.color, alpha=0.16, lw=0)


def label(axes: "Axes", lines: Sequence[Line]) -> None:
    """Name each line beside its right end."""
    to_axes = axes.transScale + axes.transLimits
    ends = [float(to_axes.transform((line.x[-1], line.y[-1]))[1]) for line in lines]
    for line, end, height in zip(lines, ends, spread(ends, _GAP), strict=True):
        _beside(axes, [1.005, 1.035], [end, height], color=line.style.color, lw=1)
        axes.text(1.045, height, line.name, transform=axes.transAxes, va="center")


def key(axes: "Axes", lines: Sequence[Line], *, markers: bool = False) -> None:
    """Name lines in a column at the right, highest on average first."""
    step = _GAP * (1 + max(line.name.count("\n") for line in lines))
    for place, line in enumerate(sorted(lines, key=lambda line: -float(np.mean(line.y)))):
        height, style = 0.97 - step * place, line.style
        marker = style.marker if markers else None
        look = {"color": style.color, "ls": style.dash, "marker": marker, "markevery": [1]}
        _beside(axes, [1.02, 1.0475, 1.075], [height] * 3, **look)
        axes.text(1.09, height, line.name, transform=axes.transAxes, va="center")


def _beside(axes: "Axes", x: list[float], y: list[float], **look: Any) -> None:  # noqa: ANN401
    """Draw outside the axes, in shares of them, without making room for it."""
    for line in axes.plot(x, y, transform=axes.transAxes, clip_on=False, **look):
        line.set_in_layout(False)


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Move heights apart, as little as it takes from the top down, so that labels do not touch."""
    order = sorted(range(len(heights)), key=lambda place: -heights[place])
    moved = list(heights)
    for above, below in pairwise(order):
        moved[below] = min(moved[below], moved[above] - gap)
    lowest = moved[order[-1]] if order else 0.0
    if lowest < 0:  # Push up again from the bottom.
        moved[order[-1]] = 0.0
        for below, above in pairwise(order[::-1]):
            moved[above] = max(moved[above], moved[below] + gap)
    return moved


def plain_ticks(axes: "Axes", ticks: Sequence[float]) -> None:
    """Mark these places of a logarithmic x axis, in plain figures."""
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
