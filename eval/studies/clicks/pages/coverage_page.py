"""Intervals that should hold a known truth: a section of a report."""

from collections.abc import Iterator, Sequence
from typing import Any

from recsys.eval.report.evaluation_pictures import wilson
from recsys.eval.report.page import Picture, Section
from recsys.eval.report.tables import Table, cells
from recsys.eval.studies.clicks.coverage import CoverageRow
from recsys.eval.studies.clicks.pages.click_pictures import Dot, dots

COVERAGE, BIAS = "coverage", "bias"
LEVEL = 0.95
DRAWN = "nDCG"
"""The measure in the pictures; the tables have all."""


def coverage_section(rows: Sequence[CoverageRow], cap: float) -> Section:
    """Show how often the intervals of each estimator hold the truth, a table for each measure.

    cap: the highest weight of a click, where weights are clipped.
    """
    measures = sorted({row.measure for row in rows}, key=lambda name: name != DRAWN)
    text = (
        f"Log after log is drawn from the same world: {100 * LEVEL:g} % of the intervals of an "
        f"honest estimator hold the truth. Where weights are clipped, none is above {cap:g}."
    )
    tables = tuple(_table(name, [row for row in rows if row.measure == name]) for name in measures)
    return Section("coverage", "Coverage", text, tables, (COVERAGE, BIAS))


def _table(measure: str, rows: Sequence[CoverageRow]) -> Table:
    body = tuple(
        cells(
            row.function,
            row.estimator,
            f"{row.truth:.3f}",
            f"{row.bias:+.4f}",
            f"{row.rmse:.4f}",
            f"{row.width:.4f}",
            f"{100 * row.covered:.1f} %",
        )
        for row in rows
    )
    header = ("ranking", "estimator", "truth", "bias", "RMSE", "width", "covered")
    return Table(
        f"coverage-{measure.lower().replace('@', '-')}",
        f"{measure}: intervals against the truth.",
        header,
        body,
        2,
        f"Over {len(rows[0].intervals):,} logs: mean and root mean square of estimate - truth, "
        "mean width of the 95 % intervals, share of them that hold the truth. IPS estimates the "
        "sum per list.",
    )


def coverage_pictures(rows: Sequence[CoverageRow]) -> dict[str, Picture]:
    """Draw the coverage and the bias of every estimator, by ranking."""
    shown = [row for row in rows if row.measure == DRAWN]
    title = f"Coverage of 95 % intervals of {DRAWN}"
    share = "share of intervals that hold the truth"
    return {
        COVERAGE: Picture(
            dots(title, list(_coverage(shown)), xlabel=share, reference=LEVEL),
            f"How often the 95 % interval of {DRAWN} holds the truth; it should at the dashed "
            "line. Lines: 95 % Wilson intervals of the share.",
        ),
        BIAS: Picture(
            dots(f"Bias of {DRAWN}", list(_bias(shown)), xlabel="relative bias", reference=0),
            f"Mean of (estimate - truth) / truth of {DRAWN}; lines: where 95 % of the estimates "
            "fall.",
        ),
    }


def coverage_figures(rows: Sequence[CoverageRow]) -> list[dict[str, Any]]:
    """Put the rows in JSON values."""
    names = ("function", "estimator", "measure", "truth", "covered", "bias", "rmse", "width")
    return [
        {**{name: getattr(row, name) for name in names}, "logs": len(row.intervals)} for row in rows
    ]


def _coverage(rows: Sequence[CoverageRow]) -> Iterator[Dot]:
    for row in rows:
        bounds = wilson(row.covered, len(row.intervals))
        yield Dot(row.function, row.estimator, row.covered, *bounds)


def _bias(rows: Sequence[CoverageRow]) -> Iterator[Dot]:
    for row in rows:
        errors = sorted((each.value - row.truth) / row.truth for each in row.intervals)
        cut = round((1 - LEVEL) / 2 * (len(errors) - 1))
        yield Dot(row.function, row.estimator, row.bias / row.truth, errors[cut], errors[-1 - cut])
