"""Figures on a judge of sentences: by texts and by fields that it has not seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsys.eval.calibration import expected_calibration_error
from recsys.pipelines.studies.needs.needs_fit import Fitted
from recsys.pipelines.studies.needs.needs_table import Table
from recsys.store.arrays import Floats, Longs, Mask

VIEWS: Mapping[str, str] = {
    "known": "the other citations stand",
    "none": "nothing is cited yet",
    "alone": "a sentence alone",
}
_DRAWS = 500


@dataclass(frozen=True, slots=True)
class Auc:
    """Area under the ROC curve, with the 95 % interval over drawn texts."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def views_of(table: Table) -> Mapping[str, Floats]:
    """Return the cues of the views that figures are given for."""
    return {"known": table.known, "none": table.none, "alone": table.alone}


def auc(scores: Floats, cites: Mask) -> float:
    """Return the chance that a citing sentence scores above one that does not; ties count half.

    >>> auc(np.array([0.1, 0.4, 0.35, 0.8], np.float32), np.array([False, False, True, True]))
    0.75
    """
    from scipy.stats import rankdata

    hits, misses = int(cites.sum()), int((~cites).sum())
    if not hits or not misses:
        return float("nan")
    ranks = rankdata(scores)
    return float((ranks[cites].sum() - hits * (hits + 1) / 2) / (hits * misses))


def auc_over_texts(scores: Floats, cites: Mask, documents: Longs, seed: int = 0) -> Auc:
    """Return the area with an interval: texts are drawn with replacement."""
    rng = np.random.default_rng(seed)
    groups = [np.flatnonzero(documents == number) for number in np.unique(documents)]
    drawn = []
    for _ in range(_DRAWS):
        rows = np.concatenate([groups[i] for i in rng.integers(0, len(groups), len(groups))])
        drawn.append(auc(scores[rows], cites[rows]))
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    return Auc(auc(scores, cites), float(low), float(high))


def auc_with_refused(scores: Floats, cites: Mask, refused: tuple[int, int]) -> float:
    """Return the area over all sentences, those that the rules refuse below all others.

    refused: how many of them cite, and how many do not.
    """
    lowest = np.full(sum(refused), scores.min() - 1, np.float32)
    citing = np.arange(sum(refused)) < refused[0]
    return auc(np.append(scores, lowest), np.append(cites, citing))


def precision_at(
    scores: Floats, cites: Mask, documents: Longs, most: Sequence[int] = (5, 10)
) -> list[float]:
    """Return the mean over texts of the share of citing sentences among the first k."""
    shares: list[list[float]] = [[] for _ in most]
    for number in np.unique(documents):
        rows = np.flatnonzero(documents == number)
        order = rows[np.argsort(-scores[rows], kind="stable")]
        for k, found in zip(most, shares, strict=True):
            if len(order) >= k:
                found.append(float(cites[order[:k]].mean()))
    return [float(np.mean(found)) if found else float("nan") for found in shares]


def without_trace(table: Table, at_end: Mask, rows: Mask) -> Mask:
    """Keep, of the rows, those that do not cite and those that do at the end of the sentence.

    A mark before the last full stop leaves nothing that could be seen.
    """
    return rows & (at_end | ~table.cites)


def calibration_error(
    fitted: Fitted, table: Table, rows: Mask, knots: NDArray[np.float64]
) -> float:
    """Return the expected calibration error of the chances, as answered in a finished draft."""
    scores = fitted.score(table, rows, table.known)
    chances = np.interp(scores, *knots)
    return expected_calibration_error(chances, table.cites[rows])
