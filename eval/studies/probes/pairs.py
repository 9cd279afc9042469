"""Retrieval of pairs: do papers of the same class have vectors that correlate?

The score of a pair of papers is the Pearson correlation of their vectors; it is positive when they
share a class (Razdaibiedina and Brechalov 2023, section 3.3).

The pairs are generated several times. The first time, they are counted by score, in narrow bins;
then those of one range of scores after another are collected and sorted, from the highest down.

A pair's weight is the product of its papers' weights, which are all 1. The derivative of a figure
by a paper's weight is the paper's influence; the infinitesimal jackknife (Jaeckel 1972) draws
papers anew by it, to first order, without ranking the pairs again. Pairs of the same bin of scores
count as tied here: the figures themselves are exact elsewhere.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import Doubles, Interval, draw, interval
from recsys.store.arrays import Floats, Longs, Mask


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure, its 95 % bootstrap interval over papers, and what each paper adds to it.

    values: (n,) float64; their mean is the figure.
    """

    interval: Interval
    values: Doubles

    @property
    def value(self) -> float:
        """Give the figure itself."""
        return self.interval.value


Estimator: TypeAlias = Callable[[Doubles | Mask], Estimate]


def estimator(n: int, *, rng: np.random.Generator, samples: int = 1000) -> Estimator:
    """Return what makes estimates of values of n papers, all of them by the same draws."""
    drawn = draw(n, rng=rng, samples=samples)

    def estimate(values: Doubles | Mask) -> Estimate:
        exact = values.astype(np.float64)
        return Estimate(interval(drawn @ exact / n), exact)

    return estimate


Blocks: TypeAlias = Callable[[], Iterator[tuple[Doubles, Mask]]]
"""Generates all pairs, the same ones every time: scores in [-1, 1], and which are positive."""
HELD = 2**25
"""Pairs that are held at a time, 8 bytes each; more where as many lie in a single bin."""
BINS = 2**16
_STEP = 2**20
"""Positive pairs that are looked up at a time."""


@dataclass(frozen=True, slots=True)
class PairRanking:
    """How well scores tell positive pairs from negative ones.

    average_precision: mean precision at each positive pair; pairs of equal scores share the rank of
    the last one. auc: chance that a positive pair scores higher than a negative one, ties count
    half. Both are as scikit-learn defines them, of all pairs.
    """

    average_precision: float
    auc: float
    positives: int
    negatives: int

    @property
    def share(self) -> float:
        """Divide the positive pairs by all pairs: the average precision of chance."""
        return self.positives / (self.positives + self.negatives)


def rank_pairs(blocks: Blocks, counts: Longs, *, held: int = HELD) -> PairRanking:
    """Rank pairs by score; 1 + about pairs / held times they are generated.

    Args:
        blocks: generates the pairs.
        counts: of these pairs, as `count_pairs` gives them.
        held: pairs in memory at a time.

    Raises:
        InputError: all pairs are positive, or all are negative.
    """
    negatives, positives = counts
    total, others = int(positives.sum()), int(negatives.sum())
    if not (total and others):
        kind = "positive" if total else "negative"
        raise InputError(
            f"All {total + others:,} pairs are {kind}.",
            "There must be papers that share a class, and papers that do not.",
        )
    precision = lower = 0.0
    higher, higher_negatives = 0, 0  # Pairs of the ranges before, whose scores are higher.
    # Pairs in so many of the highest bins.
    until = np.concatenate([[0], np.cumsum((positives + negatives)[::-1])])
    first = 0
    while until[first] < until[-1]:  # Ranges of at most `held` pairs if possible, highest first.
        end = int(np.searchsorted(until, until[first] + held, "right")) - 1
        end = max(end, int(np.searchsorted(until, until[first], "right")))  # At least one pair.
        low, high, first = BINS - end, BINS - first, end
        sizes = int(positives[low:high].sum()), int(negatives[low:high].sum())
        positive, negative = _collected(blocks, low, high, sizes)
        below = others - higher_negatives - len(negative)
        for begin in range(0, len(positive), _STEP):
            some = positive[begin : begin + _STEP]
            beneath = np.searchsorted(negative, some, "left")
            not_above = np.searchsorted(negative, some, "right")
            hits = higher + len(positive) - np.searchsorted(positive, some, "left")
            misses = higher_negatives + len(negative) - beneath
            precision += float(np.sum(hits / (hits + misses)))
            lower += float(np.sum(below + (beneath + not_above) / 2))
        higher, higher_negatives = higher + len(positive), higher_negatives + len(negative)
    return PairRanking(precision / total, lower / total / others, total, others)


def bins_of(scores: Doubles) -> Longs:
    """Tell the bin of each score, of any shape."""
    return np.minimum((scores + 1) * (BINS / 2), BINS - 1).astype(np.int64)


def count_pairs(blocks: Blocks) -> Longs:
    """Count negative and positive pairs by score, in bins of one width from -1 to 1: (2, BINS)."""
    counts = np.zeros((2, BINS), np.int64)
    for scores, alike in blocks():
        bins = bins_of(scores)
        counts += [np.bincount(bins[alike == kind], minlength=BINS) for kind in (False, True)]
    return counts


def _collected(
    blocks: Blocks, low: int, high: int, sizes: tuple[int, int]
) -> tuple[Doubles, Doubles]:
    """Collect the scores of the positive and the negative pairs of a range, ascending."""
    collected, ends = (np.empty(sizes[0]), np.empty(sizes[1])), [0, 0]
    for scores, alike in blocks():
        bins = bins_of(scores)
        inside = (bins >= low) & (bins < high)
        for kind, chosen in enumerate((inside & alike, inside & ~alike)):
            some = scores[chosen]
            collected[kind][ends[kind] : ends[kind] + len(some)] = some
            ends[kind] += len(some)
    for each in collected:
        each.sort()
    return collected


def average_precision_slopes(counts: Longs) -> Doubles:
    """Derive the average precision: the mean over positive pairs of hits / (hits + misses).

    counts: as `count_pairs` gives them.

    Returns:
        (2, BINS), derivatives by the weight of a negative and of a positive pair of each bin.
    """
    positives = counts[1].astype(np.float64)
    misses, hits = map(_from_above, counts.astype(np.float64))
    ranked = np.maximum(hits + misses, 1)  # Nothing is counted above the highest pair.
    total = positives.sum()
    value = float(np.sum(positives * hits / ranked) / total)
    # A pair counts at each positive one that is not higher.
    as_hit = np.cumsum(positives * misses / ranked**2)
    as_miss = np.cumsum(positives * hits / ranked**2)
    return np.stack([-as_miss / total, (hits / ranked - value + as_hit) / total])


def auc_slopes(counts: Longs) -> Doubles:
    """Derive the ROC AUC, likewise: the mean over pairs of pairs of 1, 1/2 for a tie, or 0."""
    negatives, positives = counts.astype(np.float64)
    lower = np.cumsum(negatives) - negatives / 2
    higher = _from_above(positives) - positives / 2
    total, others = positives.sum(), negatives.sum()
    value = float(positives @ lower / total / others)
    return np.stack([(higher / total - value) / others, (lower / others - value) / total])


def _from_above(counts: Doubles) -> Doubles:
    """Add up each bin and all higher ones."""
    return np.cumsum(counts[::-1])[::-1]


def contributions(value: float, influences: Doubles) -> Doubles:
    """Turn influences into values whose mean is the figure (Tukey's pseudo-values): (n,) float64.

    A mean over drawn papers is the figure that their weights give, to first order.
    """
    return np.asarray(value + len(influences) * (influences - influences.mean()))


ROWS = 256
"""Papers that are compared with all later ones at a time."""
DIGITS = 12
"""After the decimal point of a correlation: pairs of the same vectors tie, however these are added
up. Without, rounding decides which of them is first, and the average precision's seventh digit."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """How well correlations tell the pairs that share a class, and what each paper adds to it."""

    ranking: PairRanking
    average_precision: Estimate
    auc: Estimate


def retrieve_pairs(
    vectors: Floats, members: Mask, estimate: Estimator, *, held: int = HELD
) -> Retrieved:
    """Rank all pairs of papers by correlation, O(n^2 d) time, without a matrix of pairs.

    Args:
        vectors: (n, d) float32; a constant one correlates 0 with every other.
        members: (n, classes) bool, which classes each paper is of.
        estimate: makes an estimate of the papers' values.
        held: pairs in memory at a time.

    Raises:
        InputError: no two papers share a class, or all do.
    """
    blocks = partial(correlations, vectors, members)
    counts = count_pairs(blocks)
    ranking = rank_pairs(blocks, counts, held=held)
    # The slopes of the pairs that each paper is in, added up.
    slopes = average_precision_slopes(counts), auc_slopes(counts)
    precision, auc = influences = np.zeros(len(vectors)), np.zeros(len(vectors))
    for begin, scores, shared, later in _blocks(vectors, members):
        bins = bins_of(scores)
        for sums, (negative, positive) in zip(influences, slopes, strict=True):
            parts = np.where(shared, positive[bins], negative[bins]) * later
            sums[begin:] += parts.sum(axis=0)
            sums[begin : begin + len(parts)] += parts.sum(axis=1)
    return Retrieved(
        ranking,
        estimate(contributions(ranking.average_precision, precision)),
        estimate(contributions(ranking.auc, auc)),
    )


def correlations(vectors: Floats, members: Mask) -> Iterator[tuple[Doubles, Mask]]:
    """Give the correlation of every pair of rows, and whether they share a class, in blocks."""
    for _, scores, shared, later in _blocks(vectors, members):
        yield scores[later], shared[later]


def _blocks(vectors: Floats, members: Mask) -> Iterator[tuple[int, Doubles, Mask, Mask]]:
    """Compare some papers, from the row `begin` on, with all papers from there on.

    Yields:
        begin; scores: (r, m) float64; shared, later: (r, m) bool, whether a pair shares a class,
        and whether it is one, and not the same two papers again.
    """
    unit = standardised(vectors)
    classes = members.astype(np.float32)  # Products of counts below 2^24: exact.
    for begin in range(0, len(unit), ROWS):
        rows = slice(begin, begin + ROWS)
        scores = np.clip(np.round(unit[rows] @ unit[begin:].T, DIGITS), -1, 1)
        shared = classes[rows] @ classes[begin:].T > 0
        later = np.arange(scores.shape[1]) > np.arange(len(scores))[:, None]
        yield begin, scores, shared, later


def standardised(vectors: Floats) -> Doubles:
    """Centre each row and divide it by its length: products of rows are Pearson correlations."""
    centred = vectors.astype(np.float64)
    constant = np.ptp(centred, axis=1) == 0
    centred -= centred.mean(axis=1, keepdims=True)
    centred[constant] = 0  # Not what rounding leaves of it.
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.asarray(centred / np.where(lengths > 0, lengths, 1))
