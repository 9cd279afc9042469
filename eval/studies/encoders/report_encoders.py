"""The page that sets encoders side by side, and the folder that it is written into."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from recsys.eval.report.page import Page, Picture, Section, as_json, html
from recsys.eval.report.system_tables import SURE, interval_cell
from recsys.eval.report.tables import Cell, Table, best_marked, cells
from recsys.eval.studies.encoders.encoder_figures import (
    COLUMNS,
    Difference,
    Differences,
    EncoderRow,
    Encoders,
    Figure,
    differences,
)
from recsys.eval.studies.probes.maps import PAGES, SHOWN, ClassMap, map_png, map_svg
from recsys.eval.studies.probes.probe_results import file_name
from recsys.eval.studies.probes.report_probes import p_text

SCHEMA = "recsys.encoders/1"
_WORDS = re.compile(r"[^a-z0-9]+")
DIFFERS = "*"
"""Marks a figure that differs from the reference's by more than chance."""


def encoders_page(found: Encoders, facts: Mapping[str, str]) -> Page:
    """Show every encoder by every measure, and how far it is from the reference.

    Args:
        found: what was measured.
        facts: what it takes to make it again.
    """
    compared = differences(found)
    return Page(
        title="Encoders compared",
        lead=_lead(found),
        sections=tuple(_sections(found, compared)),
        facts=tuple(facts.items()),
        schema=SCHEMA,
        figures=as_figures(found, compared),
        draw=lambda: {
            name: Picture(map_svg(each), f"{each.title}: {len(each.points):,} papers.")
            for name, each in maps(found).items()
        },
    )


def maps(found: Encoders) -> dict[str, ClassMap]:
    """Give the maps that can be drawn, by names that are fit for files."""
    drawn: dict[str, ClassMap] = {}
    for row in found.rows:
        if row.map is not None:
            drawn[file_name(row.name, drawn)] = row.map
    return drawn


def as_figures(found: Encoders, compared: Differences) -> dict[str, object]:
    """Give all figures as JSON."""
    return {
        "index": found.index,
        "part": found.part,
        "papers": found.papers,
        "label": found.label,
        "reference": found.reference,
        "notes": list(found.notes),
        "rows": [_record(row, compared[row.name]) for row in found.rows],
    }


def _record(row: EncoderRow, compared: Mapping[str, Difference]) -> dict[str, object]:
    return {
        "name": row.name,
        "figures": {
            name: {"value": each.value, "low": each.low, "high": each.high}
            for name, each in row.figures.items()
        },
        "differences": {
            name: {**asdict(each.change), "p": each.p} for name, each in compared.items()
        },
        "notes": list(row.notes),
        "failed": list(row.failed),
    }


def _lead(found: Encoders) -> str:
    many = "1 encoder" if len(found.rows) == 1 else f"{len(found.rows)} encoders"
    asked = f"{many} of the papers of {found.index}, {found.part} queries"
    if found.label is None:
        return f"{asked}."
    return f"{asked}; probes by {found.label} of {found.papers}."


def _sections(found: Encoders, compared: Differences) -> Iterator[Section]:
    known = [name for name in COLUMNS if any(name in row.figures for row in found.rows)]
    text = "An index was built on each encoder's vectors, and a ranker trained on it."
    both = _table(found, known, compared), _meanings(known)
    yield Section("encoders", "All measures", text, both)
    tables = tuple(_differences(found, known, compared))
    if tables:
        text = f"What is compared of each encoder, minus the same of {found.reference}."
        yield Section("differences", "Differences", text, tables)
    noted = _notes(found)
    if noted:
        caption = "What could not be measured, and what has to be known."
        table = Table("notes", caption, ("encoder", "note"), noted, 2)
        yield Section("notes", "Notes", "", (table,))
    if maps(found):
        text = (
            "t-SNE of the labelled papers; near points are similar papers, far distances mean "
            f"little. The {SHOWN} most frequent classes have colours, and a number where they are "
            "densest."
        )
        yield Section("maps", "Maps", text, (), tuple(maps(found)))


def _meanings(known: Sequence[str]) -> Table:
    rows = tuple(cells(name, COLUMNS[name].meaning) for name in known)
    return Table("meanings", "What is measured.", ("", ""), rows, 2)


def _table(found: Encoders, known: Sequence[str], compared: Differences) -> Table:
    shares = [name for name in known if COLUMNS[name].share]
    others = [name for name in known if not COLUMNS[name].share]
    rows = [
        (*cells(row.name), *(_cell(row, name, compared) for name in shares)) for row in found.rows
    ]
    marked = best_marked(rows, first=1, rivals=[True] * len(rows))
    costs = [cells(*(_cost(row.figures.get(name)) for name in others)) for row in found.rows]
    return Table(
        "encoders",
        f"Encoders by all measures, {found.part} queries of {found.index}.",
        ("encoder", *shares, *others),
        tuple((*row, *cost) for row, cost in zip(marked, costs, strict=True)),
        notes=_table_notes(found, compared),
    )


def _table_notes(found: Encoders, compared: Differences) -> str:
    notes = "With 95 % bootstrap intervals over queries or papers."
    if any(compared.values()):
        notes += (
            f" {DIFFERS} marks what differs from {found.reference}: paired randomisation test over "
            f"queries or papers, Holm-corrected, p < {SURE}."
        )
    return notes


def _cell(row: EncoderRow, column: str, compared: Differences) -> Cell:
    figure = row.figures.get(column)
    if figure is None:
        return Cell("")
    mark = _mark(compared[row.name].get(column))
    if figure.interval is None:
        return Cell(f"{figure.value:.3f}", marks=mark)
    return interval_cell(figure.interval, mark)


def _mark(difference: Difference | None) -> str:
    return DIFFERS if difference is not None and difference.p < SURE else ""


def _cost(figure: Figure | None) -> str | None:
    """Write a figure of any size to three digits."""
    if figure is None:
        return None
    digits = 0 if figure.value >= 100 else 1 if figure.value >= 10 else 2
    return f"{figure.value:,.{digits}f}"


def _differences(found: Encoders, known: Sequence[str], compared: Differences) -> Iterator[Table]:
    """Show how far each encoder is from the reference, one table for each column."""
    for column in known:
        rows = [
            (
                *cells(name),
                interval_cell(each[column].change, signed=True),
                *cells(p_text(each[column].p)),
            )
            for name, each in compared.items()
            if column in each
        ]
        if rows:
            yield Table(
                f"differences-{_WORDS.sub('-', column.lower())}",
                f"{column} minus that of {found.reference}.",
                ("encoder", "difference", "p"),
                tuple(rows),
                notes=f"Compared: {COLUMNS[column].tested}. With 95 % paired bootstrap intervals; "
                "p Holm-corrected over the encoders.",
            )


def _notes(found: Encoders) -> tuple[tuple[Cell, ...], ...]:
    return tuple(cells(row.name, note) for row in found.rows for note in (*row.failed, *row.notes))


PAGE, FIGURES = "encoders.html", "encoders.json"


def write_folder(folder: Path, found: Encoders, page: Page) -> None:
    """Write the page, its figures, and the maps as SVG and PNG."""
    (folder / FIGURES).write_text(as_json(page), encoding="utf-8")
    for name, each in maps(found).items():
        (folder / f"{name}.svg").write_text(map_svg(each), encoding="utf-8")
        for colours in PAGES:
            (folder / f"{name}-{colours}.png").write_bytes(map_png(each, colours))
    (folder / PAGE).write_text(html(page), encoding="utf-8")
