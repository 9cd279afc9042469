"""The F1 of classes, averaged over them: in each draw of a bootstrap."""

import numpy as np

from recsys.eval.measures import Doubles
from recsys.store.arrays import Longs


def drawn_macro_f1(told: Longs, labels: Longs, drawn: Doubles) -> Doubles:
    """Average the F1 of the classes in each draw of papers, and over runs: (samples,) float64.

    Args:
        told: (runs, n) int64.
        labels: (n,) int64.
        drawn: (samples, n), how often each paper is drawn.
    """
    figures = np.array([[_macro_f1(run, labels, times) for times in drawn] for run in told])
    return np.asarray(figures.mean(axis=0))


def _macro_f1(told: Longs, labels: Longs, times: Doubles) -> float:
    """Average 2 tp / (true + told) over the classes that are there."""
    count = int(max(told.max(), labels.max())) + 1
    right = np.bincount(labels, times * (told == labels), count)
    either = np.bincount(labels, times, count) + np.bincount(told, times, count)
    there = either > 0
    return float(np.mean(2 * right[there] / either[there]))
