"""The reports on clicks: propensities of a log's positions, systems judged by it, and studies."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from recsys.eval.measures import Interval
from recsys.eval.report.evaluation_pictures import wilson
from recsys.eval.report.page import Page, Picture, Section
from recsys.eval.report.tables import Cell, Table, cells, interval_cell, p_text, slug
from recsys.eval.studies.clicks.click_evaluation import DISPLAY, ClickEvaluation
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.click_pictures import (
    Dot,
    bands,
    calibration,
    dots,
    propensity_curves,
)
from recsys.eval.studies.clicks.estimators import (
    DOUBLY_ROBUST,
    MEASURES,
    NAIVE,
    SNIPS,
    Estimates,
    only_clicked,
)
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.studies import CoverageRow, LearningStudy, Recovered

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
    propensities: Propensities,
    log: ClickLog,
    facts: Mapping[str, str],
    *,
    truth: Propensities | None = None,
) -> Page:
    """Show an estimate with its intervals, beside the truth where that is known.

    Raises:
        InputError: the truth has fewer positions than the estimate.
    """
    columns = np.arange(len(propensities))
    true = None if truth is None else truth.at(columns) / truth.values[0]
    found = {"propensity": propensities.values, "low": propensities.low}
    found |= {"high": propensities.high, "truth": true}
    known = {name: column.tolist() for name, column in found.items() if column is not None}
    positions = [
        {"position": position} | dict(zip(known, row, strict=True))
        for position, row in enumerate(zip(*known.values(), strict=True), 1)
    ]
    header = ["position", "propensity", "weight"]
    notes = ["With 95 % bootstrap intervals. A click weighs 1 / propensity."]
    warnings = (ONLY_CLICKED,) if only_clicked(log) else ()
    errors = [100 * (row["propensity"] / row["truth"] - 1) for row in positions if "truth" in row]
    if errors:
        header += ["truth", "error"]
        notes.append(f"The largest relative error is {max(map(abs, errors)):.1f} %.")
    rows = []
    for place, row in enumerate(positions):
        value = row["propensity"]
        figure = Interval(value, row["low"], row["high"]) if "low" in row else f"{value:.3f}"
        beside = (f"{row['truth']:.3f}", f"{errors[place]:+.1f} %") if errors else ()
        rows.append(cells(row["position"], figure, f"{1 / value:.2f}", *beside))
    caption = "Propensity of each position, relative to the first one."
    note = " ".join([*notes, *warnings])
    table = Table("propensities", caption, tuple(header), tuple(rows), 1, note)
    text = "A click at a position where readers rarely look stands for those who did not."
    clicks = int(log.clicked.sum())
    return Page(
        title="Propensities of positions",
        lead=f"{len(positions)} positions, estimated by {propensities.method} from {len(log):,} "
        f"impressions with {clicks:,} clicks.",
        sections=(Section("propensities", "Propensities", text, (table,), (CURVE,)),),
        facts=tuple(facts.items()),
        schema=PROPENSITIES,
        figures={
            "method": propensities.method,
            "impressions": len(log),
            "clicks": clicks,
            "notes": warnings,
            "positions": positions,
        },
        draw=lambda: {CURVE: Picture(propensity_curves([propensities], true), CURVE_CAPTION)},
    )


SCHEMA = "recsys.click-evaluation/1"
CONTRASTED = (NAIVE, SNIPS, DOUBLY_ROBUST)
"""Estimators that stand for the others in pictures and differences."""
DEPTHS = (1, 2, 3, 5, 10, 20, 50, 100)
ESTIMATES, PRECISION, RECALL, CALIBRATION = "estimates", "precision", "recall", "calibration"


def evaluation_page(evaluation: ClickEvaluation, facts: Mapping[str, str]) -> Page:
    """Show systems by every measure and estimator, and how they differ from what was shown."""
    first = next(iter(evaluation.systems.values()))
    header = ("system", "estimator", *MEASURES, "effective clicks")
    rows = []
    for row in _estimate_rows(evaluation.systems):
        name, estimator = row[0].text, row[1].text
        size = evaluation.systems[name].effective.get(estimator)
        rows.append(cells(*row, None if size is None else f"{size:,.0f}"))
    caption = "Every system by every measure, estimated in every way that the log allows."
    notes = (
        "With 95 % bootstrap intervals. SNIPS is what SciDocs calls adjusted: the mean over "
        "clicks, each weighted by 1 / propensity. IPS is a sum per list that was shown, and may be "
        "above 1. Effective clicks: how many equal weights would vary as little."
    )
    text = "Clicks as they are (naive) favour what was shown on top; the other estimators do not."
    table = Table("measures", caption, header, tuple(rows), 2, notes)
    sections = (
        Section("measures", "Measures", text, (table,), (ESTIMATES, CURVE)),
        _differences(evaluation),
        _curves(evaluation),
        _calibration(evaluation),
    )
    return Page(
        title="Rankings judged by clicks",
        lead=f"{len(evaluation.systems)} systems, judged by {first.clicks:,} clicks on "
        f"{first.impressions:,} lists; propensities of {len(evaluation.propensities)} positions: "
        f"{evaluation.propensities.method}.",
        sections=tuple(each for each in sections if each.tables),
        facts=tuple(facts.items()),
        schema=SCHEMA,
        figures={**asdict(evaluation), "propensities": evaluation.propensities.values.tolist()},
        draw=lambda: _drawn(evaluation),
    )


def _estimate_rows(
    found: Mapping[str, Estimates], *, signed: bool = False
) -> list[tuple[Cell, ...]]:
    """Write a row for each system and estimator, where the log tells any of its measures."""
    return [
        cells(
            name,
            estimator,
            *(interval_cell(figure, signed=signed) for figure in figures.values()),
        )
        for name, each in found.items()
        for estimator, figures in each.figures.items()
        if any(figure is not None for figure in figures.values())
    ]


def _differences(evaluation: ClickEvaluation) -> Section:
    rows = tuple(
        row
        for row in _estimate_rows(evaluation.differences, signed=True)
        if row[1].text in CONTRASTED
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


def _curves(evaluation: ClickEvaluation) -> Section:
    first = next(iter(evaluation.curves.values()))
    depths = [place for place, depth in enumerate(first.at) if depth in DEPTHS]
    header = ("system", "", *(f"{first.at[place]:g}" for place in depths))
    rows = tuple(
        cells(
            name,
            what,
            *(Interval(band.value[at], band.low[at], band.high[at]) for at in depths),
        )
        for name, curve in evaluation.curves.items()
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


def _calibration(evaluation: ClickEvaluation) -> Section:
    tables = tuple(
        Table(
            f"calibration-{number}",
            f"{name}: predicted relevance, and relevance by clicks.",
            ("bin", "papers", "predicted", "clicked", "relevant"),
            tuple(
                cells(place, f"{b.count:,}", f"{b.predicted:.3f}", f"{b.clicked:.3f}", b.relevant)
                for place, b in enumerate(bins, 1)
            ),
            1,
            "Relevant: clicks corrected for position, with 95 % bootstrap intervals.",
        )
        for number, (name, bins) in enumerate(evaluation.calibration.items(), 1)
    )
    text = "A predicted relevance is honest when it is the chance of a click at position 1."
    return Section("calibration", "Calibration", text, tables, (CALIBRATION,))


def _drawn(evaluation: ClickEvaluation) -> dict[str, Picture]:
    ndcg = [
        Dot(name, estimator, figure)
        for name, each in evaluation.systems.items()
        for estimator in CONTRASTED
        if (figure := each.figures[estimator]["nDCG"]) is not None
    ]
    drawn = {
        ESTIMATES: Picture(
            dots("nDCG by clicks", ndcg, xlabel="nDCG"),
            "nDCG by clicks as they are, and corrected for position in two ways; lines: 95 % "
            "bootstrap intervals.",
        ),
        CURVE: Picture(propensity_curves([evaluation.propensities]), CURVE_CAPTION),
        RECALL: Picture(
            bands(
                "Recall of the first k papers",
                {name: (each.at, each.recall) for name, each in evaluation.curves.items()},
                xlabel="k",
                ylabel="recall@k",
            ),
            "Share of what is relevant among the first k papers; bands: 95 % bootstrap intervals.",
        ),
    }
    precise = {
        name: (each.recall.value, each.precision)
        for name, each in evaluation.curves.items()
        if each.precision is not None
    }
    if precise:
        drawn[PRECISION] = Picture(
            bands("Precision over recall", precise, xlabel="recall", ylabel="precision"),
            "Precision over recall of the first 1, 2, ... papers; bands: 95 % bootstrap intervals.",
        )
    if evaluation.calibration:
        drawn[CALIBRATION] = Picture(
            calibration(
                {name: evaluation.calibration.get(name, ()) for name in evaluation.systems}
            ),
            "Relevance by clicks, corrected for position, over what was predicted, with 95 % "
            "intervals; thin lines: the share of clicks as they are.",
        )
    return drawn


_RECOVERY_CAPTION = (
    "Propensities found by each method where readers click by the {} model; dashed: the truth; "
    "vertical lines: 95 % bootstrap intervals."
)


def recovery_section(recovered: Sequence[Recovered]) -> Section:
    """Show how far each method is off, for every click model."""
    rows = tuple(
        cells(
            each.model,
            each.estimate.method,
            f"{each.estimate.impressions:,}",
            f"{100 * each.errors.mean():.1f} %",
            f"{100 * each.errors.max():.1f} %",
            f"{100 * each.covered:.0f} %",
        )
        for each in recovered
    )
    header = ("click model", "method", "impressions", "mean error", "largest error", "covered")
    table = Table(
        "recovery",
        "Estimated propensities against the truth.",
        header,
        rows,
        2,
        "Errors are relative, over the positions after the first. Covered: the share of them with "
        "the truth inside their 95 % interval.",
    )
    text = (
        "Every method assumes the position-based model. Where readers stop at what they like "
        "(cascade) or trust the order (trust), no curve is right for every paper: the truth is "
        "what moving the average paper does to its clicks."
    )
    return Section("recovery", "Propensities", text, (table,), tuple(_by_model(recovered)))


def recovery_pictures(recovered: Sequence[Recovered]) -> dict[str, Picture]:
    """Draw the curves of all methods beside the truth, a picture for each click model."""
    return {
        name: Picture(
            propensity_curves([each.estimate for each in same], same[0].truth),
            _RECOVERY_CAPTION.format(same[0].model),
        )
        for name, same in _by_model(recovered).items()
    }


def recovery_figures(recovered: Sequence[Recovered]) -> list[dict[str, Any]]:
    """Put what was found in JSON values."""
    return [
        {
            "model": each.model,
            "method": each.method,
            "mean_error": float(each.errors.mean()),
            "max_error": float(each.errors.max()),
            "covered": each.covered,
            "truth": each.truth.tolist(),
            "estimate": each.estimate.values.tolist(),
            "low": None if each.estimate.low is None else each.estimate.low.tolist(),
            "high": None if each.estimate.high is None else each.estimate.high.tolist(),
        }
        for each in recovered
    ]


def _by_model(recovered: Sequence[Recovered]) -> dict[str, list[Recovered]]:
    """Group by click model: name of its picture -> what was found."""
    names: dict[str, list[Recovered]] = {}
    for each in recovered:
        names.setdefault(f"recovery-{each.model}", []).append(each)
    return names


COVERAGE, BIAS = "coverage", "bias"
LEVEL = 0.95
DRAWN = "nDCG"
"""The measure in the pictures; the tables have all."""


def coverage_section(rows: Sequence[CoverageRow], cap: float) -> Section:
    """Show how often the intervals of each estimator hold the truth, a table for each measure.

    cap: the highest weight of a click, where weights are clipped.
    """
    measures = sorted(dict.fromkeys(row.measure for row in rows), key=lambda name: name != DRAWN)
    text = (
        f"Log after log is drawn from the same world: {100 * LEVEL:g} % of the intervals of an "
        f"honest estimator hold the truth. Where weights are clipped, none is above {cap:g}."
    )
    tables = []
    for measure in measures:
        shown = [row for row in rows if row.measure == measure]
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
            for row in shown
        )
        name = f"coverage-{slug(measure)}"
        notes = (
            f"Over {len(shown[0].intervals):,} logs: mean and root mean square of estimate - "
            "truth, mean width of the 95 % intervals, share of them that hold the truth. IPS "
            "estimates the sum per list."
        )
        caption = f"{measure}: intervals against the truth."
        header = ("ranking", "estimator", "truth", "bias", "RMSE", "width", "covered")
        tables.append(Table(name, caption, header, body, 2, notes))
    return Section("coverage", "Coverage", text, tuple(tables), (COVERAGE, BIAS))


def coverage_pictures(rows: Sequence[CoverageRow]) -> dict[str, Picture]:
    """Draw the coverage and the bias of every estimator, by ranking."""
    shown = [row for row in rows if row.measure == DRAWN]
    coverage, bias = [], []
    for row in shown:
        share = Interval(row.covered, *wilson(row.covered, len(row.intervals)))
        coverage.append(Dot(row.function, row.estimator, share))
        errors = sorted((each.value - row.truth) / row.truth for each in row.intervals)
        cut = round((1 - LEVEL) / 2 * (len(errors) - 1))
        error = Interval(row.bias / row.truth, errors[cut], errors[-1 - cut])
        bias.append(Dot(row.function, row.estimator, error))
    return {
        COVERAGE: Picture(
            dots(
                f"Coverage of 95 % intervals of {DRAWN}",
                coverage,
                xlabel="share of intervals that hold the truth",
                reference=LEVEL,
            ),
            f"How often the 95 % interval of {DRAWN} holds the truth; it should at the dashed "
            "line. Lines: 95 % Wilson intervals of the share.",
        ),
        BIAS: Picture(
            dots(f"Bias of {DRAWN}", bias, xlabel="relative bias", reference=0),
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


MEASURE = "true nDCG@10"
_HOLM = (
    "With 95 % bootstrap intervals over queries; p by the paired randomisation test of each "
    "query's difference averaged over the seeds, Holm-corrected over the gains at one eta; won and "
    "lost are shares of the queries."
)


def learning_section(study: LearningStudy) -> Section:
    """Show what weighting clicks brings, and how well every ranker ranks."""
    text = (
        "The same rankers learn from the same clicks: as they are (none), and each divided by the "
        "propensity of its position. Position k is examined with the chance (1 / k) ** eta, so "
        "that at eta 0 there is nothing to correct."
    )
    seeds = len(study.learned[0].by_seed)
    header = ("eta", "ranker", "weights", f"gain in {MEASURE}", "p", "won", "lost", "seeds won")
    caption = f"What weights bring, {study.queries['test']:,} test queries, {seeds} seeds."
    rows = tuple(
        cells(
            f"{gain.system.eta:g}",
            gain.system.ranker,
            gain.system.weights,
            interval_cell(gain.difference, signed=True),
            p_text(gain.p),
            f"{100 * gain.won:.0f} %",
            f"{100 * gain.lost:.0f} %",
            f"{sum(each > 0 for each in gain.by_seed)} of {len(gain.by_seed)}",
        )
        for gain in study.gains
    )
    figures = tuple(
        cells(
            None if e.system.eta is None else f"{e.system.eta:g}",
            e.system.ranker,
            e.system.weights,
            e.ndcg,
            " ".join(f"{value:.3f}" for value in e.by_seed),
        )
        for e in study.learned
    )
    columns = ("eta", "ranker", "weights", MEASURE, "by seed")
    tables = (
        Table("gains", caption, header, rows, 3, _HOLM),
        Table("learned", f"The {MEASURE} of every ranker.", columns, figures, 3),
    )
    return Section("learning", "Learning", text, tables, tuple(_by_eta(study)), open=2)


def learning_pictures(study: LearningStudy) -> dict[str, Picture]:
    """Draw the true nDCG of rankers, a picture for each strength of the bias."""
    shown = next((e.ndcg.value for e in study.learned if e.system.ranker == DISPLAY), None)
    weights = list(dict.fromkeys(e.system.weights for e in study.learned if e.system.weights))
    return {
        name: Picture(
            dots(
                f"{MEASURE}, eta {eta:g}",
                [
                    Dot(each.system.ranker, each.system.weights, each.ndcg, each.by_seed)
                    for each in study.learned
                    if each.system.weights and each.system.eta in (eta, None)
                ],
                xlabel=MEASURE,
                reference=shown,
                series=weights,
            ),
            f"The {MEASURE} at eta {eta:g}, by what the clicks are divided by; ticks: single "
            "seeds; lines: 95 % intervals over queries; dashed: the order that was shown.",
        )
        for name, eta in _by_eta(study).items()
    }


def _by_eta(study: LearningStudy) -> dict[str, float]:
    """Name the picture of each strength of the bias."""
    etas = dict.fromkeys(each.system.eta for each in study.learned)
    return {slug(f"learning-eta-{eta:g}"): eta for eta in etas if eta is not None}
