"""Pictures about click logs as SVG, for light and dark pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from recsys.eval.measures import Band, Doubles, Interval
from recsys.eval.report.evaluation_pictures import (
    INK,
    Line,
    Style,
    draw_lines,
    key,
    picture,
    styles,
)
from recsys.eval.studies.clicks.click_evaluation import CalibrationBin
from recsys.eval.studies.clicks.propensities import Propensities

_DODGE = 0.09
"""Distance of two intervals of one position."""
_ROW = 0.4
"""Least height of a row of dots in inches."""
_TICKS = 12
"""Positions that are marked, at most."""


@dataclass(frozen=True, slots=True)
class Dot:
    """One figure in a row of a picture.

    row: what is named at the left. series: what is told by colour and marker. each: the single
    figures behind it, such as one of every seed.
    """

    row: str
    series: str
    figure: Interval
    each: tuple[float, ...] = ()


def propensity_curves(found: Sequence[Propensities], truth: Doubles | None = None) -> str:
    """Draw propensities over the position, with their intervals, and the truth if it is known."""
    with picture("Propensity of each position") as (axes, written):
        lines = []
        for place, (style, each) in enumerate(zip(styles(), found, strict=False)):
            x = (1 + np.arange(len(each)) + _DODGE * (place - (len(found) - 1) / 2)).tolist()
            if each.low is not None and each.high is not None:
                axes.vlines(x, each.low, each.high, color=style.color, lw=1.4, alpha=0.8)
            lines.append(Line(each.method, x, each.values.tolist(), style))
        draw_lines(axes, lines, markers=True)
        if truth is not None:
            x = list(range(1, len(truth) + 1))
            lines.append(Line("truth", x, truth.tolist(), Style(INK, (0, (2, 2)), "")))
            axes.plot(x, truth, color=INK, lw=1, ls=(0, (2, 2)), zorder=4)
        axes.set(xlabel="position", ylabel="propensity", ylim=(0, None))
        longest = max(map(len, found))
        axes.set_xticks(range(1, longest + 1, -(-longest // _TICKS)))
        key(axes, lines, markers=True)
    return written()


def bands(
    title: str, found: Mapping[str, tuple[Sequence[float], Band]], *, xlabel: str, ylabel: str
) -> str:
    """Draw curves with their bands: name -> (x, y)."""
    with picture(title) as (axes, written):
        lines = [
            Line(name, x, band.value, style, band.low, band.high)
            for style, (name, (x, band)) in zip(styles(), found.items(), strict=False)
        ]
        draw_lines(axes, lines, markers=True)
        axes.set(xlabel=xlabel, ylabel=ylabel, ylim=(0, None))
        key(axes, lines, markers=True)
    return written()


def calibration(found: Mapping[str, Sequence[CalibrationBin]]) -> str:
    """Draw estimated relevance over what was predicted, and the share of clicks, fainter.

    Args:
        found: name of a system -> its bins; none leave its colour to it, and draw nothing.
    """
    with picture("Calibration of the predicted relevance") as (axes, written):
        lines = []
        for style, (name, bins) in zip(styles(), found.items(), strict=False):
            if not bins:
                continue
            x = [each.predicted for each in bins]
            y = [each.relevant.value for each in bins]
            bounds = [(each.relevant.low, each.relevant.high) for each in bins]
            axes.vlines(x, *zip(*bounds, strict=True), color=style.color, lw=1.4, alpha=0.8)
            axes.plot(x, [each.clicked for each in bins], color=style.color, lw=1, alpha=0.6)
            lines.append(Line(name, x, y, style))
        draw_lines(axes, lines, markers=True)
        end = 1.05 * max(max(*axes.get_xlim(), *axes.get_ylim()), 0)
        axes.plot([0, end], [0, end], color=INK, lw=0.9, alpha=0.6, ls=(0, (2, 2)))
        axes.set(xlabel="predicted relevance", ylabel="relevance by clicks")
        axes.set(xlim=(0, end), ylim=(0, end))
        key(axes, lines, markers=True)
    return written()


def dots(
    title: str,
    figures: Sequence[Dot],
    *,
    xlabel: str,
    reference: float | None = None,
    series: Sequence[str] = (),
) -> str:
    """Draw figures with their intervals in rows.

    Args:
        title: of the picture.
        figures: in the order of their rows from the top.
        xlabel: what they are.
        reference: where they should be.
        series: their names in the order of the key, where pictures should agree; () takes the order
            in which they come.
    """
    rows = list(dict.fromkeys(each.row for each in figures))
    names = dict.fromkeys([*series, *(each.series for each in figures)])
    look = dict(zip(names, styles(), strict=False))
    with picture(title, height=max(4.2, _ROW * len(rows))) as (axes, written):
        if reference is not None:
            axes.axvline(reference, color=INK, lw=1, alpha=0.7, ls=(0, (2, 2)))
        for dot in figures:
            # The series of a row stand below one another, in the order of the key.
            place = (list(look).index(dot.series) + 0.5) / len(look) - 0.5
            height, style, found = rows.index(dot.row) + 0.7 * place, look[dot.series], dot.figure
            axes.hlines(height, found.low, found.high, color=style.color, lw=1.6, alpha=0.8)
            if dot.each:
                heights = [height] * len(dot.each)
                axes.plot(dot.each, heights, ls="", marker="|", ms=7, color=style.color, alpha=0.6)
            axes.plot([found.value], [height], ls="", marker=style.marker, ms=6, color=style.color)
        axes.set_yticks(range(len(rows)), rows)
        axes.set(xlabel=xlabel, ylim=(len(rows) - 0.5, -0.5))
        axes.grid(visible=False, axis="y")
        entries = [
            Line(name, [0], [-place], replace(style, dash=""))
            for place, (name, style) in enumerate(look.items())
        ]
        key(axes, entries, markers=True)
    return written()
