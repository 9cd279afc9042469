"""The table of the suite: a line for each figure, a column for each encoder."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from recsys.eval.report.system_tables import SURE, system_letters
from recsys.eval.report.tables import Cell, Table, cells, latex_table, markdown_table, text_table
from recsys.eval.studies.scidocs.published import PUBLISHED
from recsys.eval.studies.scidocs.scidocs_comparison import beaten
from recsys.eval.studies.scidocs.scidocs_figures import COLUMNS, Column, Figure, Row

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
