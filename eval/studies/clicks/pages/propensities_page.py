"""The report on a propensity curve."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from recsys.eval.measures import Interval
from recsys.eval.report.page import Page, Picture, Section
from recsys.eval.report.system_tables import interval_cell
from recsys.eval.report.tables import Cell, Table
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.pages.click_pictures import propensity_curves
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.weighting import only_clicked

SCHEMA = "recsys.propensities/1"
CURVE = "propensity-curve"
CURVE_CAPTION = (
    "How likely a reader examines each position, relative to the first one; vertical lines: 95 % "
    "bootstrap intervals."
)
ONLY_CLICKED = (
    "Every list of the log has a click, so that those without were probably left out: then the "
    "estimate is off, the more the higher the chance of a click is."
)


def propensity_page(
    found: Propensities,
    log: ClickLog,
    facts: Mapping[str, str],
    *,
    truth: Propensities | None = None,
) -> Page:
    """Show an estimate with its intervals, beside the truth where that is known.

    Raises:
        InputError: the truth has fewer positions than the estimate.
    """
    rows, clicks = _rows(found, truth), int(log.clicked.sum())
    true = None if truth is None else np.array([row["truth"] for row in rows])
    notes = (ONLY_CLICKED,) if only_clicked(log) else ()
    return Page(
        title="Propensities of positions",
        lead=f"{len(rows)} positions, estimated by {found.method} from {len(log):,} impressions "
        f"with {clicks:,} clicks.",
        sections=(
            Section(
                "propensities",
                "Propensities",
                "A click at a position where readers rarely look stands for those who did not.",
                (_table(rows, notes, known=truth is not None),),
                (CURVE,),
            ),
        ),
        facts=tuple(facts.items()),
        schema=SCHEMA,
        figures={
            "method": found.method,
            "impressions": len(log),
            "clicks": clicks,
            "notes": notes,
            "positions": rows,
        },
        draw=lambda: {CURVE: Picture(propensity_curves([found], true), CURVE_CAPTION)},
    )


def _rows(found: Propensities, truth: Propensities | None) -> list[dict[str, Any]]:
    columns = np.arange(len(found))
    known = {"propensity": found.values, "low": found.low, "high": found.high}
    if truth is not None:
        known["truth"] = truth.at(columns) / truth.values[0]
    return [
        {"position": place + 1}
        | {name: float(values[place]) for name, values in known.items() if values is not None}
        for place in columns.tolist()
    ]


def _table(rows: Sequence[Mapping[str, Any]], notes: Sequence[str], *, known: bool) -> Table:
    header: tuple[str, ...] = ("position", "propensity", "weight")
    said = ["With 95 % bootstrap intervals. A click weighs 1 / propensity."]
    if known:
        header += ("truth", "error")
        worst = max(abs(_error(row)) for row in rows)
        said.append(f"The largest relative error is {100 * worst:.1f} %.")
    body = tuple(_cells(row, known=known) for row in rows)
    caption = "Propensity of each position, relative to the first one."
    return Table("propensities", caption, header, body, 1, " ".join([*said, *notes]))


def _cells(row: Mapping[str, Any], *, known: bool) -> tuple[Cell, ...]:
    value = row["propensity"]
    figure = Cell(f"{value:.3f}")
    if "low" in row and "high" in row:
        figure = interval_cell(Interval(value, row["low"], row["high"]))
    found: tuple[Cell, ...] = (Cell(str(row["position"])), figure, Cell(f"{1 / value:.2f}"))
    if known:
        error = f"{100 * _error(row):+.1f} %"
        found += (Cell(f"{row['truth']:.3f}"), Cell(error))
    return found


def _error(row: Mapping[str, Any]) -> float:
    return float(row["propensity"] / row["truth"] - 1)
