"""Logs with a score for every paper, as hypothesis invents them, and their measures by loops."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.eval.studies.clicks.propensities import Propensities

SCORES = st.sampled_from([-1.0, 0.0, 0.5, 0.5000001, 2.0])
"""Few, so that ties are frequent."""
PAPERS = "abcdef"


@dataclass(frozen=True)
class Scored:
    """A log, the scores of its papers by list, the same in an array, and propensities."""

    log: ClickLog
    lists: list[list[float]]
    scores: Doubles
    propensities: Propensities


@dataclass(frozen=True)
class Shown:
    """One paper that was shown: where, whether it was clicked, and its measures."""

    impression: int
    pair: tuple[str, str]
    column: int
    clicked: bool
    above: float
    below: float

    def terms(self, measure: str) -> tuple[float, float]:
        """Return numerator and denominator, as SciDocs computes them."""
        return {
            "nDCG": (1 / math.log2(2 + self.above), 1.0),
            "MRR": (1 / (1 + self.above), 1.0),
            "P@1": (float(self.above == 0), 1.0),
            "accuracy": (self.below, self.above + self.below),
        }[measure]


def scored(impressions: Sequence[Impression], lists: Sequence[Sequence[float]]) -> Scored:
    log = ClickLog.of(impressions)
    scores = np.full(log.shown.shape, np.nan)
    for row, values in zip(scores, lists, strict=True):
        row[: len(values)] = values
    table = 0.8 / np.arange(1, log.shown.shape[1] + 1) ** 1.3
    return Scored(log, [list(each) for each in lists], scores, Propensities("test", table))


@st.composite
def scored_logs(draw: st.DrawFn, clicked: bool = True) -> Scored:
    """Invent a log of lists of different lengths; clicked: at least one paper is."""
    impressions: list[Impression] = []
    lists: list[list[float]] = []
    for _ in range(draw(st.integers(1, 6))):
        shown = draw(st.lists(st.sampled_from(PAPERS), min_size=1, max_size=5, unique=True))
        clicks = draw(st.lists(st.sampled_from(shown), max_size=3, unique=True))
        if clicked and not impressions:
            clicks = clicks or [shown[-1]]
        query = draw(st.sampled_from(["q", "r"]))
        impressions.append(Impression(query, tuple(shown), tuple(clicks)))
        lists.append(draw(st.lists(SCORES, min_size=len(shown), max_size=len(shown))))
    return scored(impressions, lists)


def shown_papers(case: Scored) -> Iterator[Shown]:
    """Judge every paper of every list, by loops."""
    for row, (each, scores) in enumerate(zip(case.log.impressions(), case.lists, strict=True)):
        for column, (paper, score) in enumerate(zip(each.shown, scores, strict=True)):
            others = [other for place, other in enumerate(scores) if place != column]
            tied = sum(other == score for other in others) / 2
            above = sum(other > score for other in others) + tied
            below = sum(other < score for other in others) + tied
            clicked = paper in each.clicked
            yield Shown(row, (each.query, paper), column, clicked, above, below)
