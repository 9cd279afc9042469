"""The reports on a click log: the propensities of its positions, and systems judged by it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from recsys.eval.measures import Interval
from recsys.eval.report.page import Page, Picture, Section
from recsys.eval.report.system_tables import interval_cell
from recsys.eval.report.tables import Cell, Table, cells
from recsys.eval.run_figures import Band
from recsys.eval.studies.clicks import click_pictures
from recsys.eval.studies.clicks.click_evaluation import CalibrationBin, ClickEvaluation
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.click_pictures import Dot, propensity_curves
from recsys.eval.studies.clicks.clicked_places import MEASURES
from recsys.eval.studies.clicks.estimators import Estimates
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.weighting import DOUBLY_ROBUST, NAIVE, SNIPS, only_clicked

PROPENSITIES = "recsys.propensities/1"
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
        schema=PROPENSITIES,
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


SCHEMA = "recsys.click-evaluation/1"
CONTRASTED = (NAIVE, SNIPS, DOUBLY_ROBUST)
"""Estimators that stand for the others in pictures and differences."""
DEPTHS = (1, 2, 3, 5, 10, 20, 50, 100)
ESTIMATES, PRECISION, RECALL, CALIBRATION = "estimates", "precision", "recall", "calibration"


def evaluation_page(found: ClickEvaluation, facts: Mapping[str, str]) -> Page:
    """Show systems by every measure and estimator, and how they differ from what was shown."""
    first = next(iter(found.systems.values()))
    sections = (_measures(found), _differences(found), _curves(found), _calibration(found))
    return Page(
        title="Rankings judged by clicks",
        lead=f"{len(found.systems)} systems, judged by {first.clicks:,} clicks on "
        f"{first.impressions:,} lists; propensities of {len(found.propensities)} positions: "
        f"{found.propensities.method}.",
        sections=tuple(each for each in sections if each.tables),
        facts=tuple(facts.items()),
        schema=SCHEMA,
        figures={**asdict(found), "propensities": found.propensities.values.tolist()},
        draw=lambda: _drawn(found),
    )


def _measures(found: ClickEvaluation) -> Section:
    header = ("system", "estimator", *MEASURES, "effective clicks")
    rows = tuple(
        (*cells(name, estimator), *map(interval_cell, figures.values()), _size(each, estimator))
        for name, each in found.systems.items()
        for estimator, figures in each.figures.items()
        if any(figure is not None for figure in figures.values())
    )
    caption = "Every system by every measure, estimated in every way that the log allows."
    notes = (
        "With 95 % bootstrap intervals. SNIPS is what SciDocs calls adjusted: the mean over "
        "clicks, each weighted by 1 / propensity. IPS is a sum per list that was shown, and may be "
        "above 1. Effective clicks: how many equal weights would vary as little."
    )
    text = "Clicks as they are (naive) favour what was shown on top; the other estimators do not."
    table = Table("measures", caption, header, rows, 2, notes)
    return Section("measures", "Measures", text, (table,), (ESTIMATES, CURVE))


def _size(each: Estimates, estimator: str) -> Cell:
    size = each.effective.get(estimator)
    return Cell("" if size is None else f"{size:,.0f}")


def _differences(found: ClickEvaluation) -> Section:
    rows = tuple(
        (
            *cells(name, estimator),
            *(interval_cell(figure, signed=True) for figure in each.figures[estimator].values()),
        )
        for name, each in found.differences.items()
        for estimator in CONTRASTED
        if any(figure is not None for figure in each.figures[estimator].values())
    )
    table = Table(
        "differences",
        "Each run minus the display order.",
        ("system", "estimator", *MEASURES),
        rows,
        2,
        "With 95 % bootstrap intervals of the difference, over the same samples for both.",
    )
    text = "Is a run better than what was shown, and would clicks as they are have told?"
    return Section("differences", "Differences", text, (table,) if rows else ())


def _curves(found: ClickEvaluation) -> Section:
    first = next(iter(found.curves.values()))
    depths = [place for place, depth in enumerate(first.at) if depth in DEPTHS]
    header = ("system", "", *(f"{first.at[place]:g}" for place in depths))
    rows = tuple(
        (*cells(name, what), *(_banded(band, place) for place in depths))
        for name, curve in found.curves.items()
        for what, band in (("precision", curve.precision), ("recall", curve.recall))
        if band is not None
    )
    table = Table(
        "depths",
        "Precision and recall of the first papers of each list.",
        header,
        rows,
        2,
        "Corrected for position by 1 / propensity, with 95 % bootstrap intervals. Precision is "
        "unknown where every list of the log has a click.",
    )
    text = "How much is relevant among the first papers, and how much of what is relevant is there."
    return Section("depth", "Precision and recall", text, (table,), (PRECISION, RECALL))


def _banded(band: Band, place: int) -> Cell:
    return interval_cell(Interval(band.value[place], band.low[place], band.high[place]))


def _calibration(found: ClickEvaluation) -> Section:
    tables = tuple(
        Table(
            f"calibration-{number}",
            f"{name}: predicted relevance, and relevance by clicks.",
            ("bin", "papers", "predicted", "clicked", "relevant"),
            tuple(_bin(place, each) for place, each in enumerate(bins, 1)),
            1,
            "Relevant: clicks corrected for position, with 95 % bootstrap intervals.",
        )
        for number, (name, bins) in enumerate(found.calibration.items(), 1)
    )
    text = "A predicted relevance is honest when it is the chance of a click at position 1."
    return Section("calibration", "Calibration", text, tables, (CALIBRATION,))


def _bin(number: int, found: CalibrationBin) -> tuple[Cell, ...]:
    shares = (f"{found.predicted:.3f}", f"{found.clicked:.3f}")
    return *cells(number, f"{found.count:,}", *shares), interval_cell(found.relevant)


def _drawn(found: ClickEvaluation) -> dict[str, Picture]:
    dots = [
        Dot(name, estimator, figure.value, figure.low, figure.high)
        for name, each in found.systems.items()
        for estimator in CONTRASTED
        if (figure := each.figures[estimator]["nDCG"]) is not None
    ]
    drawn = {
        ESTIMATES: Picture(
            click_pictures.dots("nDCG by clicks", dots, xlabel="nDCG"),
            "nDCG by clicks as they are, and corrected for position in two ways; lines: 95 % "
            "bootstrap intervals.",
        ),
        CURVE: Picture(click_pictures.propensity_curves([found.propensities]), CURVE_CAPTION),
        RECALL: Picture(
            click_pictures.bands(
                "Recall of the first k papers",
                {name: (each.at, each.recall) for name, each in found.curves.items()},
                xlabel="k",
                ylabel="recall@k",
            ),
            "Share of what is relevant among the first k papers; bands: 95 % bootstrap intervals.",
        ),
    }
    precise = {
        name: (each.recall.value, each.precision)
        for name, each in found.curves.items()
        if each.precision is not None
    }
    if precise:
        drawn[PRECISION] = Picture(
            click_pictures.bands(
                "Precision over recall", precise, xlabel="recall", ylabel="precision"
            ),
            "Precision over recall of the first 1, 2, ... papers; bands: 95 % bootstrap intervals.",
        )
    if found.calibration:
        drawn[CALIBRATION] = Picture(
            click_pictures.calibration(
                {name: found.calibration.get(name, ()) for name in found.systems}
            ),
            "Relevance by clicks, corrected for position, over what was predicted, with 95 % "
            "intervals; thin lines: the share of clicks as they are.",
        )
    return drawn
