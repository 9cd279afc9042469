"""What a comparison of three encoders might find out, without the work."""

import numpy as np

from recsys.eval.measures import Doubles, Interval
from recsys.eval.studies.encoders.report_encoders import (
    ACCURACY,
    AVERAGE,
    F1,
    RECALL,
    SIZE,
    SPEED,
    EncoderRow,
    Encoders,
    Figure,
    bounded,
)
from recsys.eval.studies.probes.maps import ClassMap

QUERIES, PAPERS = 40, 60


def figure(values: Doubles, asked: str) -> Figure:
    """Make a figure of a tenth to either side of the mean."""
    mean = float(values.mean())
    return bounded(Interval(mean, mean - 0.1, mean + 0.1), values, asked)


def invented_row(name: str, level: float) -> EncoderRow:
    """Give every second query and paper a figure, the more the higher the level."""
    recalls = np.where(np.arange(QUERIES) % 2, level, 0.2)
    correct = (np.arange(PAPERS) < level * PAPERS).astype(np.float64)
    points = np.random.default_rng(0).normal(size=(12, 2))
    figures = {
        RECALL: figure(recalls, "queries"),
        F1: figure(recalls / 2, "queries"),
        AVERAGE: Figure(level),
        ACCURACY: figure(correct, "papers"),
        SPEED: Figure(100 * level),
        SIZE: Figure(1234.5 * level),
    }
    drawn = ClassMap(name, points, np.arange(12) % 3, ("Ants", "Bees", "Crows"))
    return EncoderRow(name, figures, map=drawn)


def invented_encoders() -> Encoders:
    """The reference is in the middle; a fourth encoder has failed, a fifth has another sample."""
    other = invented_row("other/sample", 0.5)
    sample = figure(np.ones(PAPERS - 1), "fewer papers")
    return Encoders(
        rows=(
            invented_row("minilm", 0.5),
            invented_row("best", 0.9),
            invented_row("random", 0.1),
            EncoderRow("absent", failed=("No such encoder. Name another.",)),
            EncoderRow("other/sample", {**other.figures, ACCURACY: sample}, ("One is missing.",)),
        ),
        reference="minilm",
        index="small",
        part="test",
        label="venue",
        papers="papers.jsonl",
    )
