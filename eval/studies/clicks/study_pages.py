"""Sections of the report on a study of clicks: propensities, intervals, rankers that learned."""

from collections.abc import Iterator, Sequence
from typing import Any

from recsys.eval.report.evaluation_pictures import wilson
from recsys.eval.report.page import Picture, Section
from recsys.eval.report.system_tables import interval_cell
from recsys.eval.report.tables import Cell, Table, cells
from recsys.eval.studies.clicks.click_pictures import Dot, dots, propensity_curves
from recsys.eval.studies.clicks.coverage import CoverageRow
from recsys.eval.studies.clicks.learned_rankers import Gain, LearningStudy
from recsys.eval.studies.clicks.recovery import Recovered

_CAPTION = (
    "Propensities found by each method where readers click by the {} model; dashed: the truth; "
    "vertical lines: 95 % bootstrap intervals."
)


def recovery_section(found: Sequence[Recovered]) -> Section:
    """Show how far each method is off, for every click model."""
    rows = tuple(
        cells(
            each.model,
            each.estimate.method,
            f"{each.estimate.impressions:,}",
            f"{100 * each.mean_error:.1f} %",
            f"{100 * each.max_error:.1f} %",
            f"{100 * each.covered:.0f} %",
        )
        for each in found
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
    return Section("recovery", "Propensities", text, (table,), tuple(_by_model(found)))


def recovery_pictures(found: Sequence[Recovered]) -> dict[str, Picture]:
    """Draw the curves of all methods beside the truth, a picture for each click model."""
    return {
        name: Picture(
            propensity_curves([each.estimate for each in same], same[0].truth),
            _CAPTION.format(same[0].model),
        )
        for name, same in _by_model(found).items()
    }


def recovery_figures(found: Sequence[Recovered]) -> list[dict[str, Any]]:
    """Put what was found in JSON values."""
    return [
        {
            "model": each.model,
            "method": each.method,
            "mean_error": each.mean_error,
            "max_error": each.max_error,
            "covered": each.covered,
            **{
                name: None if values is None else values.tolist()
                for name, values in (
                    ("truth", each.truth),
                    ("estimate", each.estimate.values),
                    ("low", each.estimate.low),
                    ("high", each.estimate.high),
                )
            },
        }
        for each in found
    ]


def _by_model(found: Sequence[Recovered]) -> dict[str, list[Recovered]]:
    """Group by click model: name of its picture -> what was found."""
    names: dict[str, list[Recovered]] = {}
    for each in found:
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


MEASURE = "true nDCG@10"
DISPLAY = "display order"
_HOLM = (
    "With 95 % bootstrap intervals over queries; p by the paired randomisation test of each "
    "query's difference averaged over the seeds, Holm-corrected over the gains at one eta; won and "
    "lost are shares of the queries."
)


def learning_section(found: LearningStudy) -> Section:
    """Show what weighting clicks brings, and how well every ranker ranks."""
    text = (
        "The same rankers learn from the same clicks: as they are (none), and each divided by the "
        "propensity of its position. Position k is examined with the chance (1 / k) ** eta, so "
        "that at eta 0 there is nothing to correct."
    )
    tables = (_gains(found), _systems(found))
    return Section("learning", "Learning", text, tables, tuple(_by_eta(found)), open=2)


def learning_pictures(found: LearningStudy) -> dict[str, Picture]:
    """Draw the true nDCG of rankers, a picture for each strength of the bias."""
    shown = next((e.ndcg.value for e in found.learned if e.system.ranker == DISPLAY), None)
    weights = list(dict.fromkeys(e.system.weights for e in found.learned if e.system.weights))
    return {
        name: Picture(
            dots(
                f"{MEASURE}, eta {eta:g}",
                list(_dots(found, eta)),
                xlabel=MEASURE,
                reference=shown,
                series=weights,
            ),
            f"The {MEASURE} at eta {eta:g}, by what the clicks are divided by; ticks: single "
            "seeds; lines: 95 % intervals over queries; dashed: the order that was shown.",
        )
        for name, eta in _by_eta(found).items()
    }


def _by_eta(found: LearningStudy) -> dict[str, float]:
    """Name the picture of each strength of the bias."""
    etas = dict.fromkeys(each.system.eta for each in found.learned)
    return {f"learning-eta-{eta:g}".replace(".", "-"): eta for eta in etas if eta is not None}


def _gains(found: LearningStudy) -> Table:
    seeds = len(found.learned[0].by_seed)
    header = ("eta", "ranker", "weights", f"gain in {MEASURE}", "p", "won", "lost", "seeds won")
    caption = f"What weights bring, {found.queries['test']:,} test queries, {seeds} seeds."
    return Table("gains", caption, header, tuple(map(_gain, found.gains)), 3, _HOLM)


def _gain(found: Gain) -> tuple[Cell, ...]:
    system, won = found.system, sum(each > 0 for each in found.by_seed)
    return (
        *cells(f"{system.eta:g}", system.ranker, system.weights),
        interval_cell(found.difference, signed=True),
        *cells(
            "<0.001" if found.p < 0.001 else f"{found.p:.3f}",
            f"{100 * found.won:.0f} %",
            f"{100 * found.lost:.0f} %",
            f"{won} of {len(found.by_seed)}",
        ),
    )


def _systems(found: LearningStudy) -> Table:
    rows = tuple(
        (
            *cells("" if e.system.eta is None else f"{e.system.eta:g}", e.system.ranker),
            *cells(e.system.weights),
            interval_cell(e.ndcg),
            *cells(" ".join(f"{value:.3f}" for value in e.by_seed)),
        )
        for e in found.learned
    )
    header = ("eta", "ranker", "weights", MEASURE, "by seed")
    return Table("learned", f"The {MEASURE} of every ranker.", header, rows, 3)


def _dots(found: LearningStudy, eta: float) -> Iterator[Dot]:
    for each in found.learned:
        system, bounds = each.system, (each.ndcg.low, each.ndcg.high)
        if system.weights and system.eta in (eta, None):
            yield Dot(system.ranker, system.weights, each.ndcg.value, *bounds, each.by_seed)
