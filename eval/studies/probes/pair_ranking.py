"""Average precision and ROC AUC of more scored pairs than memory holds, exactly.

The pairs are generated several times. The first time, they are counted by score, in narrow bins;
then those of one range of scores after another are collected and sorted, from the highest down.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.store.arrays import Longs, Mask

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


@dataclass(slots=True)
class _Sums:
    """What was added up over the pairs that are at least as high as those of the last range."""

    positives: int = 0
    negatives: int = 0
    precision: float = 0.0
    lower: float = 0.0


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Pairs by score, in BINS of the same width from -1 to 1: (BINS,) int64 each."""

    positives: Longs
    negatives: Longs


def rank_pairs(
    blocks: Blocks, counts: PairCounts | None = None, *, held: int = HELD
) -> PairRanking:
    """Rank pairs by score; 1 + about pairs / held times they are generated.

    Args:
        blocks: generates the pairs.
        counts: of these pairs, if they were counted before.
        held: pairs in memory at a time.

    Raises:
        InputError: all pairs are positive, or all are negative.
    """
    counts = counts or count_pairs(blocks)
    positives, negatives = counts.positives, counts.negatives
    total, others = int(positives.sum()), int(negatives.sum())
    if not (total and others):
        kind = "positive" if total else "negative"
        raise InputError(
            f"All {total + others:,} pairs are {kind}.",
            "There must be papers that share a class, and papers that do not.",
        )
    sums = _Sums()
    for low, high in _ranges(positives + negatives, held):
        sizes = int(positives[low:high].sum()), int(negatives[low:high].sum())
        _add(sums, *_collected(blocks, low, high, sizes), others)
    return PairRanking(sums.precision / total, sums.lower / total / others, total, others)


def bins_of(scores: Doubles) -> Longs:
    """Tell the bin of each score, of any shape."""
    return np.minimum((scores + 1) * (BINS / 2), BINS - 1).astype(np.int64)


def count_pairs(blocks: Blocks) -> PairCounts:
    """Count positive and negative pairs by bin."""
    every, positive = np.zeros(BINS, np.int64), np.zeros(BINS, np.int64)
    for scores, alike in blocks():
        bins = bins_of(scores)
        every += np.bincount(bins, minlength=BINS)
        positive += np.bincount(bins[alike], minlength=BINS)
    return PairCounts(positive, every - positive)


def _ranges(counts: Longs, held: int) -> list[tuple[int, int]]:
    """Cut the bins into ranges [low, high) of at most `held` pairs if possible, highest first."""
    until = np.concatenate([[0], np.cumsum(counts[::-1])])  # Pairs in so many of the highest bins.
    found, begin = [], 0
    while until[begin] < until[-1]:
        end = int(np.searchsorted(until, until[begin] + held, "right")) - 1
        end = max(end, int(np.searchsorted(until, until[begin], "right")))  # At least one pair.
        found.append((BINS - end, BINS - begin))
        begin = end
    return found


def _collected(
    blocks: Blocks, low: int, high: int, sizes: tuple[int, int]
) -> tuple[Doubles, Doubles]:
    """Collect the scores of the positive and the negative pairs of a range, ascending."""
    found = np.empty(sizes[0]), np.empty(sizes[1])
    ends = [0, 0]
    for scores, alike in blocks():
        bins = bins_of(scores)
        inside = (bins >= low) & (bins < high)
        for kind, chosen in enumerate((inside & alike, inside & ~alike)):
            some = scores[chosen]
            found[kind][ends[kind] : ends[kind] + len(some)] = some
            ends[kind] += len(some)
    for collected in found:
        collected.sort()
    return found


def _add(sums: _Sums, positive: Doubles, negative: Doubles, negatives: int) -> None:
    """Add the pairs of a range; all higher ones were added before."""
    below = negatives - sums.negatives - len(negative)
    for begin in range(0, len(positive), _STEP):
        some = positive[begin : begin + _STEP]
        lower = np.searchsorted(negative, some, "left")
        not_higher = np.searchsorted(negative, some, "right")
        hits = sums.positives + len(positive) - np.searchsorted(positive, some, "left")
        misses = sums.negatives + len(negative) - lower
        sums.precision += float(np.sum(hits / (hits + misses)))
        sums.lower += float(np.sum(below + (lower + not_higher) / 2))
    sums.positives += len(positive)
    sums.negatives += len(negative)
