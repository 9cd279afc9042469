"""Pictures of an assessment as SVG, for light and dark pages."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from io import StringIO
from itertools import cycle, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recsys.errors import need
from recsys.eval.judge_runs import LEVELS
from recsys.eval.measures import Band
from recsys.eval.run_figures import Assessment, SystemResult
from recsys.eval.trec import write_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# The canvas of pictures: SVG that reads on light and on dark pages, and never differs.
#
# Text and axes take the colour of the page (`currentColor`; where a picture stands alone, it
# follows the reader's colour scheme), the background is transparent, and lines differ by colour
# (safe for the colour-blind), dash and marker at once.

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


K_STUDY: Mapping[str, str] = {"candidate recall": "candidates, ", "R@20": "first 20, "}
SELF_CITATION: Mapping[str, str] = {"mean rank": "mean, ", "first rank": "first, "}
"""Columns of a study's rows that are drawn, and how their lines' names begin."""


def precision_recall(assessment: Assessment) -> str:
    """Draw the 11-point interpolated precision of every system over recall."""
    lines = _lines(assessment, lambda each: (LEVELS.tolist(), each.curves.eleven_point))
    with picture("Interpolated precision at 11 levels of recall") as (axes, written):
        draw_lines(axes, lines, markers=True)
        axes.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, None))
        key(axes, lines, markers=True)  # The curves end together: no place beside their ends.
    return written()


def recall_by_k(assessment: Assessment) -> str:
    """Draw the recall of the first k papers of every system, for k to 100."""
    lines = _lines(assessment, lambda each: (None, each.curves.recall_macro))
    with picture("Recall of the first k papers") as (axes, written):
        draw_lines(axes, lines)
        axes.set(xlabel="k", ylabel="recall@k", xlim=(0, 100), ylim=(0, None))
        label(axes, lines)
    return written()


def precision_by_k(assessment: Assessment) -> str:
    """Draw the precision of the first k papers of every system, for k to 100."""
    lines = _lines(assessment, lambda each: (None, each.curves.precision_macro))
    with picture("Precision of the first k papers") as (axes, written):
        draw_lines(axes, lines)
        axes.set(xlabel="k", ylabel="precision@k", xscale="log", xlim=(1, 100), ylim=(0, None))
        plain_ticks(axes, (1, 2, 5, 10, 20, 50, 100))
        key(axes, lines)
    return written()


def recall_by_candidates(assessment: Assessment) -> str:
    """Draw the recall of each system's first c papers; a ring shows all candidates, where known."""
    lines = _lines(assessment, lambda each: (each.curves.depths, each.curves.recall_at))
    most = max(line.x[-1] for line in lines)
    with picture("Recall by number of candidates") as (axes, written):
        draw_lines(axes, lines, markers=True)
        for line, system in zip(lines, assessment.systems, strict=True):
            found = [system.measures.get(name) for name in ("candidates", "candidate recall")]
            number, recall = (each.value if each else 0.0 for each in found)
            if number and all(found):
                color = line.style.color
                axes.plot(number, recall, marker="o", mfc="none", ms=9, mew=1.8, color=color)
                ends = [line.x[-1], number], [line.y[-1], recall]
                axes.plot(*ends, color=color, lw=0.8, ls=":")
                most = max(most, number)
        axes.set(xlabel="candidates", ylabel="recall", xscale="log")
        axes.set(xlim=(1, most * 1.15), ylim=(0, None))
        plain_ticks(axes, [x for x in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if x <= most])
        key(axes, lines, markers=True)
    return written()


def reliability(assessment: Assessment) -> str:
    """Draw how often predictions of each size came true, with 95 % Wilson intervals."""
    with picture("Reliability of the probabilities") as (axes, written):
        axes.plot([0, 1], [0, 1], color=INK, lw=0.9, alpha=0.6, ls=(0, (2, 2)))
        lines = []
        for style, (name, found) in zip(styles(), assessment.reliability.items(), strict=False):
            x = [each.predicted for each in found.bins]
            y = [each.observed for each in found.bins]
            bounds = [wilson(each.observed, each.count) for each in found.bins]
            axes.vlines(x, *zip(*bounds, strict=True), color=style.color, lw=1.2, alpha=0.7)
            lines.append(Line(f"{name}\nerror {found.error:.4f}", x, y, style))
        draw_lines(axes, lines, markers=True)
        axes.set(xlabel="predicted probability", ylabel="share that came true")
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        key(axes, lines, markers=True)
    return written()


def k_study(assessment: Assessment) -> str:
    """Draw stage one's recall over its number of neighbours, with and without their citations."""
    lines = _study(assessment.facts["k_study"], "citations", "neighbours", K_STUDY)
    with picture("Recall by number of neighbours") as (axes, written):
        draw_lines(axes, lines, markers=True)
        axes.set(xlabel="neighbours", ylabel="recall", xscale="log", ylim=(0, None))
        axes.set_xlim(right=lines[0].x[-1])
        plain_ticks(axes, lines[0].x)
        label(axes, lines)
    return written()


def self_citation(assessment: Assessment) -> str:
    """Draw at which ranks papers by the query's authors stand, with and without metadata."""
    lines = _study(assessment.facts["self_citation"], "metadata", "length", SELF_CITATION)
    with picture("Ranks of papers that share an author with the query") as (axes, written):
        draw_lines(axes, lines, markers=True)
        axes.set(xlabel="length of the list", ylabel="rank")
        axes.set(xlim=(0, lines[0].x[-1]), ylim=(0, None))
        label(axes, lines)
    return written()


def _lines(
    assessment: Assessment,
    points: Callable[[SystemResult], tuple[Sequence[float] | None, Band]],
) -> list[Line]:
    """Make a line for each system; without places on the x axis, they count from 1."""
    lines = []
    for style, system in zip(styles(), assessment.systems, strict=False):
        x, band = points(system)
        places = range(1, len(band.value) + 1) if x is None else x
        lines.append(Line(system.name, places, band.value, style, band.low, band.high))
    return lines


def _study(
    rows: Sequence[Mapping[str, Any]], switch: str, x: str, names: Mapping[str, str]
) -> list[Line]:
    """Draw columns of a study's rows over x, a line each where the switch is on and where off."""
    lines, looks = [], styles()
    for column, name in names.items():
        for on in (True, False):
            chosen = sorted((row for row in rows if row[switch] is on), key=lambda row: row[x])
            if chosen:
                points = [row[x] for row in chosen], [row[column] for row in chosen]
                label = f"{name}{'with' if on else 'without'} {switch}"
                lines.append(Line(label, *points, next(looks)))
    return lines


def wilson(share: float, n: int) -> tuple[float, float]:
    """Return the 95 % score interval of a share of n (Wilson 1927)."""
    z = 1.959964  # 2.5 % of a normal distribution lie above.
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(centre - float(half), 0.0), min(centre + float(half), 1.0)


DRAWINGS: Mapping[str, tuple[Callable[[Assessment], str], str]] = {
    "precision-recall": (
        precision_recall,
        "Interpolated precision at 11 levels of recall, averaged over queries; bands: 95 % "
        "bootstrap intervals.",
    ),
    "recall-by-k": (recall_by_k, "Recall of the first k papers; bands: 95 % bootstrap intervals."),
    "precision-by-k": (
        precision_by_k,
        "Precision of the first k papers; bands: 95 % bootstrap intervals.",
    ),
    "recall-by-candidates": (
        recall_by_candidates,
        "Recall by number of candidates, in each system's own order; a ring marks all the "
        "candidates that stage one hands on.",
    ),
    "reliability": (
        reliability,
        "How often predictions of each size came true, with 95 % intervals; on the dotted line, as "
        "often as predicted. Each bin holds the same share of the probability.",
    ),
    "k-study": (
        k_study,
        "Recall of all the candidates and of the first 20 papers, by number of neighbours, with "
        "and without adding what they cite.",
    ),
    "self-citation": (
        self_citation,
        "Where papers by the query's own authors stand in lists of growing length; lower is more "
        "self-citation.",
    ),
}
"""name -> what draws it, and what to say below it."""


def draw(assessment: Assessment) -> dict[str, str]:
    """Draw every picture that the assessment has the figures for: name -> SVG.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """

    def has(study: str, *columns: str) -> bool:
        rows = assessment.facts.get(study) or ()
        return bool(rows) and all(column in row for row in rows for column in columns)

    drawn = {
        "reliability": bool(assessment.reliability),
        "k-study": has("k_study", "neighbours", "citations", *K_STUDY),
        "self-citation": has("self_citation", "length", "metadata", *SELF_CITATION),
    }
    return {
        name: draws(assessment) for name, (draws, _) in DRAWINGS.items() if drawn.get(name, True)
    }


def write_pictures(folder: Path, assessment: Assessment) -> list[Path]:
    """Write every picture into a folder as NAME.svg."""
    paths = []
    for name, svg in draw(assessment).items():
        paths.append(folder / f"{name}.svg")
        write_lines(paths[-1], svg.splitlines())
    return paths
