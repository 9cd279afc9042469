"""The report on the recommendation task of SciDocs."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from recsys.eval.report.page import Page, Picture, Section
from recsys.eval.report.tables import Cell, Table, best_marked, cells
from recsys.eval.studies.clicks.click_pictures import Dot, dots, propensity_curves
from recsys.eval.studies.clicks.clicked_places import MEASURES
from recsys.eval.studies.clicks.evaluation_page import CURVE, CURVE_CAPTION
from recsys.eval.studies.clicks.weighting import DOUBLY_ROBUST, NAIVE, SNIPS
from recsys.pipelines.studies.clicks.evaluate_task import PARTS, TEST, TRAIN, Figure, TaskResult

SCHEMA = "recsys.clicks-task/1"
SYSTEMS = "systems"
COMPARED = (NAIVE, SNIPS, DOUBLY_ROBUST)
"""Estimators that show what weights bring."""


def task_page(found: TaskResult, facts: Mapping[str, str]) -> Page:
    """Show every ranking by SciDocs' adjusted measures, by the others, and what weights bring."""
    return Page(
        title="Recommendation of related papers (SciDocs)",
        lead=f"{len(found.systems)} rankings of {found.lists[TEST]:,} lists with "
        f"{found.clicks[TEST]:,} clicks. Rankers learned from {found.clicks[TRAIN]:,} clicks, with "
        f"{_seeds(found)}.",
        sections=tuple(each for each in _sections(found) if each.tables),
        facts=tuple(facts.items()),
        schema=SCHEMA,
        figures={**asdict(found), "propensities": found.propensities.values.tolist()},
        draw=lambda: {
            SYSTEMS: Picture(
                dots("nDCG by clicks", list(_dots(found)), xlabel="nDCG"),
                "nDCG by clicks as they are, and adjusted for position; lines: 95 % bootstrap "
                "intervals.",
            ),
            CURVE: Picture(propensity_curves([found.propensities]), CURVE_CAPTION),
        },
    )


def _sections(found: TaskResult) -> Iterator[Section]:
    text = "Clicks as they are favour what was shown on top; adjusted ones count 1 / propensity."
    every = [name for name in found.systems[0].figures if _known(found, name)]
    tables = (_systems(found, SNIPS), _systems(found, NAIVE))
    rest = (_systems(found, name) for name in every if name not in (SNIPS, NAIVE))
    yield Section("systems", "Rankings", text, (*tables, *rest), (SYSTEMS, CURVE), open=2)
    text = "The same rankers, trained on the same clicks, weighted in another way."
    yield Section("weights", "Weights", text, _differences(found))
    text = "What was read; a paper without a record or an embedding has features of 0."
    yield Section("data", "Data", text, (_data(found),))


def _known(found: TaskResult, estimator: str) -> bool:
    return any(figure is not None for figure in found.systems[0].figures[estimator].values())


def _systems(found: TaskResult, estimator: str) -> Table:
    rows = [
        (*cells(each.name, each.weighting), *map(_cell, each.figures[estimator].values()))
        for each in found.systems
    ]
    adjusted = ", which SciDocs calls adjusted" if estimator == SNIPS else ""
    size = found.effective.get(estimator)
    notes = (
        f"With 95 % bootstrap intervals{f'; {size:,.0f} effective clicks' if size else ''}. "
        f"Rankers are trained with {_seeds(found)}: mean and standard deviation. SciDocs prints "
        "100 times these figures."
    )
    return Table(
        estimator.lower().replace(" ", "-"),
        f"Test clicks, estimated by {estimator}{adjusted}.",
        ("ranking", "clicks weighted", *MEASURES),
        best_marked(rows, first=2, rivals=[True] * len(rows)),
        2,
        notes,
    )


def _differences(found: TaskResult) -> tuple[Table, ...]:
    rows = tuple(
        (
            *cells(each.name, f"{each.weighting} - {each.over}", estimator),
            *(_cell(figure, signed=True) for figure in each.figures[estimator].values()),
        )
        for each in found.differences
        for estimator in COMPARED
        if _known(found, estimator)
    )
    header = ("ranker", "clicks weighted", "estimator", *MEASURES)
    notes = "Means over the seeds, with 95 % bootstrap intervals of the difference."
    table = Table("differences", "What a weighting brings.", header, rows, 3, notes)
    return (table,) if rows else ()


def _data(found: TaskResult) -> Table:
    known = found.coverage
    rows = [cells(f"{part} lists", f"{found.lists[part]:,}") for part in PARTS]
    rows += [cells(f"{part} clicks", f"{found.clicks[part]:,}") for part in PARTS]
    rows += [
        cells("papers", f"{known.papers:,}"),
        cells("papers with a record", f"{known.described:,}"),
        cells("papers with an embedding", f"{known.embedded:,}"),
        cells("positions with a propensity", f"{len(found.propensities):,}"),
    ]
    return Table("data", "What was read.", ("what", "how many"), tuple(rows))


def _dots(found: TaskResult) -> Iterator[Dot]:
    for each in found.systems:
        row = f"{each.name}, {each.weighting}" if each.weighting else each.name
        for estimator in (NAIVE, SNIPS):
            figure = each.figures[estimator]["nDCG"]
            if figure is not None:
                yield Dot(row, estimator, figure.value, figure.low, figure.high)


def _cell(figure: Figure | None, *, signed: bool = False) -> Cell:
    if figure is None:
        return Cell("")
    form = "{:+.3f}" if signed else "{:.3f}"
    value, low, high = map(form.format, (figure.value, figure.low, figure.high))
    return Cell(f"{value} ± {figure.deviation:.3f}" if figure.deviation else value, low, high)


def _seeds(found: TaskResult) -> str:
    return "1 seed" if len(found.seeds) == 1 else f"{len(found.seeds)} seeds"
