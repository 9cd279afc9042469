"""What was measured of an encoder, column by column, and which encoders differ beyond chance."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recsys.eval.measures import Doubles, Interval
from recsys.eval.significance import bootstrap_difference, holm, sign_flip_tests
from recsys.eval.studies.probes.maps import ClassMap


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


def as_record(figure: Figure) -> dict[str, Any]:
    """Write a figure as JSON."""
    return {
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "values": list(figure.values),
        "asked": figure.asked,
    }


def from_record(record: Mapping[str, Any]) -> Figure:
    """Read what `as_record` wrote."""
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
    for column in COLUMNS:
        if column in reference:
            mine = {
                name: figures[column]
                for name, figures in by_name.items()
                if name != found.reference and column in figures
            }
            for name, each in _column(mine, reference[column], found.seed).items():
                table[name][column] = each
    return table


def _column(
    figures: Mapping[str, Figure], reference: Figure, seed: int
) -> Mapping[str, Difference]:
    """Compare the encoders of a column, all with the same draws and coin tosses."""
    kept = {name: each for name, each in figures.items() if _comparable(each, reference)}
    if not kept:
        return {}
    base = np.array(reference.values)
    values = {name: np.array(each.values) for name, each in kept.items()}
    gaps = np.stack([each - base for each in values.values()], axis=1)
    adjusted = holm(sign_flip_tests(gaps, rng=np.random.default_rng(seed)))
    return {
        name: Difference(
            bootstrap_difference(each, base, rng=np.random.default_rng(seed)), float(p)
        )
        for (name, each), p in zip(values.items(), adjusted, strict=True)
    }


def _comparable(one: Figure, other: Figure) -> bool:
    return bool(one.values) and one.asked == other.asked and len(one.values) == len(other.values)
