"""Pictures of an assessment as SVG, for light and dark pages."""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from io import BytesIO, StringIO
from itertools import cycle, pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recsys.errors import InputError, check_name, need
from recsys.eval.judge_runs import LEVELS
from recsys.eval.measures import Band
from recsys.eval.report.tables import escape_latex
from recsys.eval.run_figures import Assessment, SystemResult
from recsys.eval.trec import write_lines
from recsys.formats.replacing import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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

    def written() -> str:
        target = StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        with mpl.rc_context(_SETTINGS):
            figure.savefig(target, format="svg", transparent=True, metadata=nothing)
        text = target.getvalue().replace(INK, "currentColor")
        text = text.replace("*{", ".recsys-picture *{", 1)  # Styles of the picture stay in it.
        font = "font-family: 'DejaVu Sans', Verdana, sans-serif"
        _, _, text = re.sub(r"font-family: [^;]*", font, text).partition("<svg ")
        head, end, rest = text.partition(">")
        named = escape(title)
        opening = f'<svg class="recsys-picture" role="img" aria-label="{named}" '
        return f"{opening}{head}{end}<title>{named}</title>{_STYLE}{rest}"

    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(7.2, height), layout="constrained")
        yield figure.add_subplot(), written


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


def precision_recall(axes: "Axes", assessment: Assessment) -> None:
    """Draw the 11-point interpolated precision of every system over recall."""
    lines = _lines(assessment, lambda each: (LEVELS.tolist(), each.curves.eleven_point))
    draw_lines(axes, lines, markers=True)
    axes.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, None))
    key(axes, lines, markers=True)  # The curves end together: no place beside their ends.


def recall_by_k(axes: "Axes", assessment: Assessment) -> None:
    """Draw the recall of the first k papers of every system, for k to 100."""
    lines = _lines(assessment, lambda each: (None, each.curves.recall_macro))
    draw_lines(axes, lines)
    axes.set(xlabel="k", ylabel="recall@k", xlim=(0, 100), ylim=(0, None))
    label(axes, lines)


def precision_by_k(axes: "Axes", assessment: Assessment) -> None:
    """Draw the precision of the first k papers of every system, for k to 100."""
    lines = _lines(assessment, lambda each: (None, each.curves.precision_macro))
    draw_lines(axes, lines)
    axes.set(xlabel="k", ylabel="precision@k", xscale="log", xlim=(1, 100), ylim=(0, None))
    plain_ticks(axes, (1, 2, 5, 10, 20, 50, 100))
    key(axes, lines)


def recall_by_candidates(axes: "Axes", assessment: Assessment) -> None:
    """Draw the recall of each system's first c papers; a ring shows all candidates, where known."""
    lines = _lines(assessment, lambda each: (each.curves.depths, each.curves.recall_at))
    most = max(line.x[-1] for line in lines)
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


def reliability(axes: "Axes", assessment: Assessment) -> None:
    """Draw how often predictions of each size came true, with 95 % Wilson intervals."""
    axes.plot([0, 1], [0, 1], color=axes.xaxis.label.get_color(), lw=0.9, alpha=0.6, ls=(0, (2, 2)))
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


def k_study(axes: "Axes", assessment: Assessment) -> None:
    """Draw stage one's recall over its number of neighbours, with and without their citations."""
    lines = _study(assessment.facts["k_study"], "citations", "neighbours", K_STUDY)
    draw_lines(axes, lines, markers=True)
    axes.set(xlabel="neighbours", ylabel="recall", xscale="log", ylim=(0, None))
    axes.set_xlim(right=lines[0].x[-1])
    plain_ticks(axes, lines[0].x)
    label(axes, lines)


def self_citation(axes: "Axes", assessment: Assessment) -> None:
    """Draw at which ranks papers by the query's authors stand, with and without metadata."""
    lines = _study(assessment.facts["self_citation"], "metadata", "length", SELF_CITATION)
    draw_lines(axes, lines, markers=True)
    axes.set(xlabel="length of the list", ylabel="rank")
    axes.set(xlim=(0, lines[0].x[-1]), ylim=(0, None))
    label(axes, lines)


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


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture of an assessment. draw: draws it into axes. caption: what to say below it."""

    title: str
    draw: Callable[["Axes", Assessment], None]
    caption: str


DRAWINGS: Mapping[str, Drawing] = {
    "precision-recall": Drawing(
        "Interpolated precision at 11 levels of recall",
        precision_recall,
        "Interpolated precision at 11 levels of recall, averaged over queries; bands: 95 % "
        "bootstrap intervals.",
    ),
    "recall-by-k": Drawing(
        "Recall of the first k papers",
        recall_by_k,
        "Recall of the first k papers; bands: 95 % bootstrap intervals.",
    ),
    "precision-by-k": Drawing(
        "Precision of the first k papers",
        precision_by_k,
        "Precision of the first k papers; bands: 95 % bootstrap intervals.",
    ),
    "recall-by-candidates": Drawing(
        "Recall by number of candidates",
        recall_by_candidates,
        "Recall by number of candidates, in each system's own order; a ring marks all the "
        "candidates of the first stage.",
    ),
    "reliability": Drawing(
        "Reliability of the probabilities",
        reliability,
        "How often predictions of each size came true, with 95 % intervals; on the dotted line, as "
        "often as predicted. Each bin holds the same share of the probability.",
    ),
    "k-study": Drawing(
        "Recall by number of neighbours",
        k_study,
        "Recall of all the candidates and of the first 20 papers, by number of neighbours, with "
        "and without adding what they cite.",
    ),
    "self-citation": Drawing(
        "Ranks of papers that share an author with the query",
        self_citation,
        "Where papers by the query's own authors stand in lists of growing length; lower is more "
        "self-citation.",
    ),
}


def drawable(assessment: Assessment) -> dict[str, Drawing]:
    """Choose the pictures that the assessment has the figures for."""

    def has(study: str, *columns: str) -> bool:
        rows = assessment.facts.get(study) or ()
        return bool(rows) and all(column in row for row in rows for column in columns)

    drawn = {
        "reliability": bool(assessment.reliability),
        "k-study": has("k_study", "neighbours", "citations", *K_STUDY),
        "self-citation": has("self_citation", "length", "metadata", *SELF_CITATION),
    }
    return {name: drawing for name, drawing in DRAWINGS.items() if drawn.get(name, True)}


def draw(assessment: Assessment) -> dict[str, str]:
    """Draw every picture that the assessment has the figures for: name -> SVG.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    drawn = {}
    for name, drawing in drawable(assessment).items():
        with picture(drawing.title) as (axes, written):
            drawing.draw(axes, assessment)
        drawn[name] = written()
    return drawn


def write_pictures(folder: Path, assessment: Assessment) -> list[Path]:
    """Write every picture into a folder as NAME.svg."""
    paths = []
    for name, svg in draw(assessment).items():
        paths.append(folder / f"{name}.svg")
        write_lines(paths[-1], svg.splitlines())
    return paths


# Figures of a paper: vectors at the widths of its columns, in black, with fonts that venues take.

WIDTHS: Mapping[str, float] = {"column": 3.33, "page": 6.9}
"""Inches of one column, and of both, of a page of the ACM's; other venues differ by a tenth."""
FIGURE_FORMATS = ("pdf", "pgf")
_HEIGHTS = {"column": 2.2, "page": 2.8}
_IN_PRINT: Any = {
    **_SETTINGS,
    **{name: "black" for name, color in _SETTINGS.items() if color == INK},
    "font.family": "serif",
    "font.serif": ["STIXGeneral"],
    "font.size": 8,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.2,
    "axes.linewidth": 0.6,
    "pdf.fonttype": 42,  # TrueType: Type 3, the usual one, is refused by venues.
    "pgf.texsystem": "pdflatex",
    "pgf.rcfonts": False,  # Those of the paper.
}


def write_figures(folder: Path, assessment: Assessment, forms: Sequence[str]) -> list[Path]:
    """Write every picture as a figure of a paper, NAME-column.FORM and NAME-page.FORM.

    forms: some of FIGURE_FORMATS.

    Raises:
        MissingExtraError: matplotlib is not installed.
        InputError: there is no such format, or no LaTeX, by which PGF measures its words.
    """
    for form in forms:
        check_name(form, FIGURE_FORMATS, "format of figures")
    need("matplotlib", "A figure")
    if "pgf" in forms and shutil.which("pdflatex") is None:
        raise InputError("Figures in PGF need pdflatex.", "Install TeX Live, or take pdf.")
    import matplotlib as mpl
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.backends.backend_pgf import FigureCanvasPgf
    from matplotlib.figure import Figure

    canvases = {"pdf": FigureCanvasPdf, "pgf": FigureCanvasPgf}
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for (name, drawing), width, form in product(drawable(assessment).items(), WIDTHS, forms):
        paths.append(folder / f"{name}-{width}.{form}")
        with mpl.rc_context(_IN_PRINT):
            figure = Figure(figsize=(WIDTHS[width], _HEIGHTS[width]), layout="constrained")
            canvas = canvases[form](figure)
            drawing.draw(axes := figure.add_subplot(), assessment)
            for text in axes.texts if form == "pgf" else ():  # Names, which LaTeX would act upon.
                text.set_text("\n".join(map(escape_latex, text.get_text().split("\n"))))
            target = BytesIO()
            facts = {"metadata": {"CreationDate": None}} if form == "pdf" else {}
            getattr(canvas, f"print_{form}")(target, **facts)
        with replacing(paths[-1]) as temporary:
            temporary.write_bytes(target.getvalue())
    return paths
