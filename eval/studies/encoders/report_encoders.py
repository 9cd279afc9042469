"""The page that sets encoders side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from recsys.eval.measures import Doubles, Interval
from recsys.eval.report.page import Page, Section
from recsys.eval.report.system_tables import SURE
from recsys.eval.report.tables import Cell, Table, best_marked, cells, interval_cell, p_text, slug
from recsys.eval.significance import bootstrap_difference, holm, sign_flip_tests
from recsys.eval.studies.probes.maps import SHOWN, ClassMap, map_pictures
from recsys.eval.studies.probes.probe_results import file_name

# What was measured of an encoder, column by column, and which encoders differ beyond chance.


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table. share: whether its figures are in [0, 1], higher is better.

    tested: what a paired test compares, in words; empty where nothing is tested.
    """

    meaning: str
    tested: str = ""
    share: bool = True


RECALL, F1, AVERAGE, RANKING = "R@20", "F1@20", "SciDocs", "ranking tasks"
ACCURACY, MACRO_F1, PURITY, PRECISION, AUC = "accuracy", "macro F1", "purity@20", "AP", "AUC"
SPEED, SIZE = "papers/s", "MB"
COLUMNS: Mapping[str, Column] = {
    RECALL: Column("gold papers among the 20 nearest by cosine alone", "queries"),
    F1: Column(
        "both stages: candidates and the ranker",
        "each query's own F1@20",
    ),
    AVERAGE: Column("the mean over the figures of a suite of SciDocs' tasks, in [0, 1]"),
    RANKING: Column("MAP and nDCG of its four ranking tasks alone, averaged", "queries"),
    ACCURACY: Column("linear evaluation by the labels, four-fold", "papers"),
    MACRO_F1: Column("the same, of all papers at once"),
    PURITY: Column("of 20 clusters by k-means", "papers"),
    PRECISION: Column("average precision of pairs that share a class, by correlation", "papers"),
    AUC: Column("ROC AUC of these pairs", "papers"),
    SPEED: Column("papers that one thread encodes in a second", share=False),
    SIZE: Column("what the encoder stores", share=False),
}
"""In the order of the table."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and its 95 % interval, if there is one.

    values: what a paired test compares, one for each query or paper; empty if it is not tested.
    asked: hash of these queries or papers: only figures of the same ones are compared.
    """

    value: float
    low: float | None = None
    high: float | None = None
    values: tuple[float, ...] = ()
    asked: str = ""

    @property
    def interval(self) -> Interval | None:
        """Give the figure with its bounds, if they are known."""
        if self.low is None or self.high is None:
            return None
        return Interval(self.value, self.low, self.high)


def bounded(found: Interval, values: Doubles | None = None, asked: str = "") -> Figure:
    """Make a figure of an interval, and of what is tested."""
    tested = () if values is None else tuple(values.tolist())
    return Figure(found.value, found.low, found.high, tested, asked)


@dataclass(frozen=True, slots=True)
class EncoderRow:
    """An encoder. figures: by column, those that are known. notes: what has to be known of them.

    failed: what could not be measured, and why. map: of the labelled papers, if there is one.
    """

    name: str
    figures: Mapping[str, Figure] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    map: ClassMap | None = None


@dataclass(frozen=True, slots=True)
class Encoders:
    """What was compared. reference: the row that the others are tested against, if it is there.

    part: whose queries were asked, of which index. label: what the probes' classes are, of which
    file; None without probes. notes: what concerns all rows.
    """

    rows: tuple[EncoderRow, ...]
    reference: str
    index: str
    part: str
    label: str | None = None
    papers: str = ""
    seed: int = 0
    notes: tuple[str, ...] = ()

    def failures(self) -> list[str]:
        """Tell which row could not be measured by what, and why."""
        return [f"{row.name}: {reason}" for row in self.rows for reason in row.failed]


def from_record(record: Mapping[str, Any]) -> Figure:
    """Read a figure that was written as JSON."""
    return Figure(**{**record, "values": tuple(record["values"])})


def map_record(found: ClassMap) -> dict[str, Any]:
    """Write a map as JSON."""
    return {
        "points": found.points.tolist(),
        "labels": found.labels.tolist(),
        "names": list(found.names),
    }


def map_of(title: str, record: Mapping[str, Any]) -> ClassMap:
    """Read what `map_record` wrote."""
    points, labels = np.array(record["points"]), np.array(record["labels"], np.int64)
    return ClassMap(title, points, labels, tuple(record["names"]))


@dataclass(frozen=True, slots=True)
class Difference:
    """An encoder minus the reference, in the means of what is tested.

    p: paired randomisation test, Holm-corrected over the encoders of the column.
    """

    change: Interval
    p: float


Differences = Mapping[str, Mapping[str, Difference]]
"""Encoder -> column -> difference, where both have the values of the same queries or papers."""


def differences(found: Encoders) -> Differences:
    """Compare every encoder with the reference in every column that is tested."""
    by_name = {row.name: row.figures for row in found.rows}
    reference = by_name.get(found.reference, {})
    table: dict[str, dict[str, Difference]] = {row.name: {} for row in found.rows}
    for column in (name for name in COLUMNS if name in reference):
        own, base = reference[column], np.array(reference[column].values)
        values = {
            name: np.array(figure.values)
            for name, figures in by_name.items()
            if name != found.reference and (figure := figures.get(column)) and figure.values
            if figure.asked == own.asked and len(figure.values) == len(base)
        }
        if not values:
            continue
        # All with the same draws and coin tosses.
        gaps = np.stack([each - base for each in values.values()], axis=1)
        adjusted = holm(sign_flip_tests(gaps, rng=np.random.default_rng(found.seed)))
        for (name, each), p in zip(values.items(), adjusted, strict=True):
            rng = np.random.default_rng(found.seed)
            change = bootstrap_difference(each, base, rng=rng)
            table[name][column] = Difference(change, float(p))
    return table


SCHEMA = "recsys.encoders/1"
DIFFERS = "*"
"""Marks a figure that differs from the reference's by more than chance."""


def encoders_page(found: Encoders, facts: Mapping[str, str]) -> Page:
    """Show every encoder by every measure, and how far it is from the reference.

    Args:
        found: what was measured.
        facts: what it takes to make it again.
    """
    compared = differences(found)
    many = "1 encoder" if len(found.rows) == 1 else f"{len(found.rows)} encoders"
    lead = f"{many} of the papers of {found.index}, {found.part} queries"
    lead += "." if found.label is None else f"; probes by {found.label} of {found.papers}."
    return Page(
        title="Encoders compared",
        lead=lead,
        sections=tuple(_sections(found, compared)),
        facts=tuple(facts.items()),
        schema=SCHEMA,
        figures=as_figures(found, compared),
        draw=lambda: map_pictures(maps(found)),
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
        "rows": [
            {
                "name": row.name,
                "figures": {
                    name: {"value": each.value, "low": each.low, "high": each.high}
                    for name, each in row.figures.items()
                },
                "differences": {
                    name: {**asdict(each.change), "p": each.p}
                    for name, each in compared[row.name].items()
                },
                "notes": list(row.notes),
                "failed": list(row.failed),
            }
            for row in found.rows
        ],
    }


def _sections(found: Encoders, compared: Differences) -> Iterator[Section]:
    known = [name for name in COLUMNS if any(name in row.figures for row in found.rows)]
    notes = "With 95 % bootstrap intervals over queries or papers."
    if any(compared.values()):
        notes += (
            f" {DIFFERS} marks what differs from {found.reference}: paired randomisation test over "
            f"queries or papers, Holm-corrected, p < {SURE}."
        )
    shares = [name for name in known if COLUMNS[name].share]
    others = [name for name in known if not COLUMNS[name].share]
    rows = [cells(row.name, *(_cell(row, name, compared) for name in shares)) for row in found.rows]
    marked = best_marked(rows, first=1, rivals=[True] * len(rows))
    costs = [cells(*(cost_text(row.figures.get(name)) for name in others)) for row in found.rows]
    table = Table(
        "encoders",
        f"Encoders by all measures, {found.part} queries of {found.index}.",
        ("encoder", *shares, *others),
        tuple((*row, *cost) for row, cost in zip(marked, costs, strict=True)),
        notes=notes,
    )
    text = "An index was built on each encoder's vectors, and a ranker trained on it."
    meanings = tuple(cells(name, COLUMNS[name].meaning) for name in known)
    explained = Table("meanings", "What is measured.", ("", ""), meanings, 2)
    yield Section("encoders", "All measures", text, (table, explained))
    tables = tuple(_differences(found, known, compared))
    if tables:
        text = f"What is compared of each encoder, minus the same of {found.reference}."
        yield Section("differences", "Differences", text, tables)
    noted = tuple(cells(row.name, note) for row in found.rows for note in (*row.failed, *row.notes))
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


def _cell(row: EncoderRow, column: str, compared: Differences) -> Cell:
    figure = row.figures.get(column)
    if figure is None:
        return Cell("")
    difference = compared[row.name].get(column)
    mark = DIFFERS if difference is not None and difference.p < SURE else ""
    if figure.interval is None:
        return Cell(f"{figure.value:.3f}", marks=mark)
    return interval_cell(figure.interval, mark)


def cost_text(figure: Figure | None) -> str | None:
    """Write a figure of any size to three digits."""
    if figure is None:
        return None
    digits = 0 if figure.value >= 100 else 1 if figure.value >= 10 else 2
    return f"{figure.value:,.{digits}f}"


def _differences(found: Encoders, known: Sequence[str], compared: Differences) -> Iterator[Table]:
    """Show how far each encoder is from the reference, one table for each column."""
    for column in known:
        rows = [
            cells(name, interval_cell(each[column].change, signed=True), p_text(each[column].p))
            for name, each in compared.items()
            if column in each
        ]
        if rows:
            yield Table(
                f"differences-{slug(column)}",
                f"{column} minus that of {found.reference}.",
                ("encoder", "difference", "p"),
                tuple(rows),
                notes=f"Compared: {COLUMNS[column].tested}. With 95 % paired bootstrap intervals; "
                "p Holm-corrected over the encoders.",
            )
