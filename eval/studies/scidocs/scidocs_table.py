"""The table of encoders over the suite, beside the published figures, and who beats whom."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from recsys.eval.measures import Doubles
from recsys.eval.report.system_tables import SURE, system_letters
from recsys.eval.report.tables import Cell, Table, cells, latex_table, markdown_table, text_table
from recsys.eval.significance import holm, sign_flip_tests
from recsys.eval.studies.scidocs.scidocs_figures import COLUMNS, Column, Figure, Ranked, Row

UNKNOWN = "-"
PUBLISHED: Mapping[str, Mapping[Column, str]] = {
    name: {
        column: figure
        for column, figure in zip(COLUMNS, figures.split(), strict=True)
        if figure != UNKNOWN
    }
    for name, figures in {
        # Cohan et al. 2020: random vectors, so the other features alone.
        "random (paper)": "- - - - - - - - - - 51.3 16.8",
        # README of SciDocs, the original model.
        "SPECTER (README)": "81.95 86.44 83.63 91.5 84.46 92.39 88.3 94.88 88.11 94.77 53.9 20.0",
        # README of SPECTER, the model on the Hugging Face hub.
        "SPECTER (hub)": "79.4 87.7 83.4 91.4 85.1 92.7 92.0 96.6 88.0 94.7 54.6 20.9",
    }.items()
}
"""Name -> figure of each column that is known."""


def beaten(rows: Sequence[Row], column: Column) -> dict[str, list[str]]:
    """Name the encoders that each one beats at a ranking task, over the queries that all answer.

    Paired randomisation tests of all pairs, Holm-corrected, p < SURE.
    """
    task, measure = column
    asked = {row.name: row.queries[task] for row in rows if task in row.queries}
    found: dict[str, list[str]] = {row.name: [] for row in rows}
    common = set.intersection(*(set(each.queries) for each in asked.values())) if asked else set()
    if len(asked) < 2 or not common:
        return found
    values = {name: _values(each, measure, common) for name, each in asked.items()}
    pairs = list(combinations(values, 2))
    gaps = np.stack([values[one] - values[other] for one, other in pairs], axis=1)
    adjusted = holm(sign_flip_tests(gaps, rng=np.random.default_rng(0)))
    for (one, other), p, gap in zip(pairs, adjusted, gaps.mean(axis=0), strict=True):
        if p < SURE:
            winner, loser = (one, other) if gap > 0 else (other, one)
            found[winner].append(loser)
    return found


def _values(ranked: Ranked, measure: str, queries: set[str]) -> Doubles:
    """Return a measure of the given queries, in ascending order of their ids."""
    values = ranked.average_precision if measure == "MAP" else ranked.ndcg
    place = {query: i for i, query in enumerate(ranked.queries)}
    return values[[place[query] for query in sorted(queries)]]


SCHEMA = "recsys.scidocs/1"
AVERAGE = "average"


@dataclass(frozen=True, slots=True)
class Suite:
    """What was measured. generated: how the suite was made, empty where it is SciDocs' own data."""

    folder: str
    part: str
    rows: tuple[Row, ...]
    generated: str = ""


def tables(suite: Suite) -> tuple[Table, ...]:
    """Show all figures beside the published ones, and once more with their intervals."""
    shown = [column for column in COLUMNS if any(column in row.figures for row in suite.rows)]
    return _figures(suite, shown), _intervals(suite, shown)


def as_json(suite: Suite) -> str:
    """Write one JSON object of schema `recsys.scidocs/1`."""
    rows = [_row(row) for row in suite.rows]
    head = {"folder": suite.folder, "part": suite.part, "generated": suite.generated}
    return json.dumps({"schema": SCHEMA, **head, "rows": rows}, indent=1) + "\n"


def _row(row: Row) -> dict[str, object]:
    mean = row.average
    return {
        "name": row.name,
        "figures": [_record(column, figure) for column, figure in row.figures.items()],
        "average": None if mean is None else mean.value,
        "average_interval": None if mean is None else [mean.low, mean.high],
        "notes": list(row.notes),
    }


def query_lines(suite: Suite) -> str:
    """Write a JSON object per line: the figures of one query of a ranking task, in [0, 1]."""
    lines = (
        {"encoder": row.name, "task": task, "query": query, "map": precision, "ndcg": gain}
        for row in suite.rows
        for task, found in row.queries.items()
        for query, precision, gain in zip(
            found.queries, found.average_precision.tolist(), found.ndcg.tolist(), strict=True
        )
    )
    return "".join(f"{json.dumps(line)}\n" for line in lines)


RENDERERS: Mapping[str, Callable[[Suite], str]] = {
    "table": lambda suite: "\n".join(map(text_table, tables(suite))),
    "json": as_json,
    "markdown": lambda suite: "\n".join(map(markdown_table, tables(suite))),
    "latex": lambda suite: "\n".join(map(latex_table, tables(suite))),
}


def _figures(suite: Suite, shown: Sequence[Column]) -> Table:
    published = {
        name: figures
        for name, figures in PUBLISHED.items()
        if any(column in figures for column in shown)
    }
    lines = []
    for column in shown:
        measured = [_text(row.figures.get(column)) for row in suite.rows]
        printed = [figures.get(column) for figures in published.values()]
        lines.append(cells(*column, *measured, *printed))
    if len(shown) == len(COLUMNS):
        averages = [_text(row.average) for row in suite.rows]
        printed = [_published_average(figures) for figures in published.values()]
        lines.append(cells(AVERAGE, "", *averages, *printed))
    header = ("task", "measure", *(row.name for row in suite.rows), *published)
    caption = f"SciDocs, {suite.part}: {suite.folder}."
    return Table("scidocs", caption, header, tuple(lines), 2, _notes(suite))


def _notes(suite: Suite) -> str:
    parts = ["Figures in percent, as SciDocs defines them."]
    if suite.generated:
        parts.append(
            f"This suite was generated ({suite.generated}): the published figures are of other "
            "data and no measure of these."
        )
    parts += [f"{row.name}: {note}" for row in suite.rows for note in row.notes]
    return " ".join(parts)


def _intervals(suite: Suite, shown: Sequence[Column]) -> Table:
    letters = system_letters([row.name for row in suite.rows])
    rows = []
    for column in shown:
        wins = beaten(suite.rows, column)
        marks = ("".join(sorted(letters[name] for name in wins[row.name])) for row in suite.rows)
        figures = (row.figures.get(column) for row in suite.rows)
        rows.append((*cells(*column), *map(_bounded_cell, figures, marks)))
    if len(shown) == len(COLUMNS):
        averages = (_bounded_cell(row.average) for row in suite.rows)
        rows.append((*cells(AVERAGE, ""), *averages))
    header = ("task", "measure", *(f"{letters[row.name]} {row.name}" for row in suite.rows))
    notes = (
        "In brackets 95 % bootstrap intervals over queries, papers to classify or lists that were "
        "shown; what was trained stays as it is. Letters mark the encoders that one beats in a "
        f"ranking task: paired randomisation test, Holm-corrected, p < {SURE}."
    )
    caption = "The same figures with their intervals."
    return Table("scidocs-intervals", caption, header, tuple(rows), 2, notes)


def _bounded_cell(figure: Figure | None, marks: str = "") -> Cell:
    if figure is None:
        return Cell("")
    return Cell(f"{figure.value:.2f}", f"{figure.low:.2f}", f"{figure.high:.2f}", marks)


def _text(figure: Figure | None) -> str | None:
    return None if figure is None else f"{figure.value:.2f}"


def _published_average(figures: Mapping[Column, str]) -> str | None:
    """Average what was printed, with one digit: the paper averages all twelve figures."""
    if len(figures) < len(COLUMNS):
        return None
    return f"{np.mean([float(figure) for figure in figures.values()]):.1f}"


def _record(column: Column, figure: Figure) -> dict[str, object]:
    task, measure = column
    return {
        "task": task.value,
        "measure": measure,
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
    }
