"""What each paper adds to the average precision and the ROC AUC of all pairs of papers.

A pair's weight is the product of its papers' weights, which are all 1. The derivative of a figure
by a paper's weight is the paper's influence; the infinitesimal jackknife (Jaeckel 1972) draws
papers anew by it, to first order, without ranking the pairs again. Pairs of the same bin of scores
count as tied here: the figures themselves are exact elsewhere.
"""

from dataclasses import dataclass

import numpy as np

from recsys.eval.measures import Doubles
from recsys.eval.studies.probes.pair_ranking import PairCounts


@dataclass(frozen=True, slots=True)
class Slopes:
    """Derivatives of a figure by the weight of a positive and of a negative pair, by bin.

    positive, negative: (BINS,) float64.
    """

    positive: Doubles
    negative: Doubles


def average_precision_slopes(counts: PairCounts) -> Slopes:
    """Derive the average precision: the mean over positive pairs of hits / (hits + misses)."""
    positives = counts.positives.astype(np.float64)
    hits, misses = _from_above(positives), _from_above(counts.negatives.astype(np.float64))
    ranked = np.maximum(hits + misses, 1)  # Nothing is counted above the highest pair.
    total = positives.sum()
    value = float(np.sum(positives * hits / ranked) / total)
    # A pair counts at each positive one that is not higher.
    as_hit = np.cumsum(positives * misses / ranked**2)
    as_miss = np.cumsum(positives * hits / ranked**2)
    return Slopes((hits / ranked - value + as_hit) / total, -as_miss / total)


def auc_slopes(counts: PairCounts) -> Slopes:
    """Derive the ROC AUC: the mean over pairs of pairs of 1, 1/2 for a tie, or 0."""
    positives = counts.positives.astype(np.float64)
    negatives = counts.negatives.astype(np.float64)
    lower = np.cumsum(negatives) - negatives / 2
    higher = _from_above(positives) - positives / 2
    total, others = positives.sum(), negatives.sum()
    value = float(positives @ lower / total / others)
    return Slopes((lower / others - value) / total, (higher / total - value) / others)


def _from_above(counts: Doubles) -> Doubles:
    """Add up each bin and all higher ones."""
    return np.cumsum(counts[::-1])[::-1]


def contributions(value: float, influences: Doubles) -> Doubles:
    """Turn influences into values whose mean is the figure (Tukey's pseudo-values): (n,) float64.

    A mean over drawn papers is the figure that their weights give, to first order.
    """
    return np.asarray(value + len(influences) * (influences - influences.mean()))
