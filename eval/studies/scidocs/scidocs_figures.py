"""The figures of an encoder over the suite, in percent as SciDocs prints them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from recsys.eval.measures import Doubles, draw, interval
from recsys.eval.studies.scidocs.classification import Classified
from recsys.eval.studies.scidocs.ranking_tasks import Ranked
from recsys.eval.studies.scidocs.scidocs_layout import CLASSIFICATION, RANKING, Task

Column: TypeAlias = tuple[Task, str]
"""A task and one of its measures."""
COLUMNS: tuple[Column, ...] = (
    *((task, "F1") for task in CLASSIFICATION),
    *((task, measure) for task in RANKING for measure in ("MAP", "nDCG")),
    (Task.RECOMM, "nDCG"),
    (Task.RECOMM, "P@1"),
)
"""Macro-averaged F1; MAP and nDCG without cut-off; propensity-adjusted nDCG and P@1 of clicks."""
SAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure in percent, with the bounds of its 95 % interval.

    drawn: (1 + SAMPLES,) the figure, and what it is when queries, papers or lists are drawn with
    replacement. Encoders that are asked the same with the same seed are drawn the same.
    """

    value: float
    low: float
    high: float
    drawn: Doubles = field(repr=False, compare=False)

    @classmethod
    def of(cls, drawn: Doubles) -> "Figure":
        """Take the percentile interval of a figure, the figure itself first."""
        found = interval(drawn)
        return cls(found.value, found.low, found.high, drawn)


def draws(task: Task, seed: int) -> np.random.Generator:
    """Start what draws a task's queries, papers or lists: the same for every encoder."""
    return np.random.default_rng([seed, [*Task].index(task)])


def average(figures: Iterable[Figure]) -> Figure:
    """Average figures of a row: tasks are drawn apart from each other, a task's measures as one."""
    return Figure.of(np.mean([each.drawn for each in figures], axis=0))


@dataclass(frozen=True, slots=True)
class Row:
    """An encoder. notes: what has to be known of its figures. queries: of each ranking task."""

    name: str
    figures: Mapping[Column, Figure]
    notes: tuple[str, ...] = ()
    queries: Mapping[Task, Ranked] = field(default_factory=dict)

    @property
    def average(self) -> Figure | None:
        """Average all twelve figures, None unless all are there."""
        if any(column not in self.figures for column in COLUMNS):
            return None
        return average(self.figures[column] for column in COLUMNS)


def ranking_figures(
    task: Task, ranked: Ranked, *, rng: np.random.Generator
) -> dict[Column, Figure]:
    """Average the measures over the queries, which the intervals draw."""
    count = len(ranked.queries)
    drawn = draw(count, rng=rng, samples=SAMPLES)
    return {
        (task, "MAP"): Figure.of(100 * (drawn @ ranked.average_precision) / count),
        (task, "nDCG"): Figure.of(100 * (drawn @ ranked.ndcg) / count),
    }


def classification_figure(
    task: Task, classified: Classified, *, rng: np.random.Generator
) -> dict[Column, Figure]:
    """Give the macro-averaged F1; the interval draws evaluated papers, of the same model."""
    drawn = draw(len(classified.labels), rng=rng, samples=SAMPLES)
    return {(task, "F1"): Figure.of(100 * classified.macro_f1(drawn))}
