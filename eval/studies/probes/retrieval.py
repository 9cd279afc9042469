"""Retrieval of pairs: do papers of the same class have vectors that correlate?

The score of a pair of papers is the Pearson correlation of their vectors; it is positive when they
share a class (Razdaibiedina and Brechalov 2023, section 3.3).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from recsys.eval.measures import Doubles
from recsys.eval.studies.probes.estimates import Estimate, Estimator
from recsys.eval.studies.probes.pair_influence import (
    Slopes,
    auc_slopes,
    average_precision_slopes,
    contributions,
)
from recsys.eval.studies.probes.pair_ranking import (
    HELD,
    PairRanking,
    bins_of,
    count_pairs,
    rank_pairs,
)
from recsys.progress import Progress, silent
from recsys.store.arrays import Floats, Mask

ROWS = 256
"""Papers that are compared with all later ones at a time."""
DIGITS = 12
"""After the decimal point of a correlation: pairs of the same vectors tie, however these are added
up. Without, rounding decides which of them is first, and the average precision's seventh digit."""
STAGE = "pairs"


@dataclass(frozen=True, slots=True)
class Retrieved:
    """How well correlations tell the pairs that share a class, and what each paper adds to it."""

    ranking: PairRanking
    average_precision: Estimate
    auc: Estimate


@dataclass(frozen=True, slots=True)
class _Block:
    """Some papers, from the row `begin` on, and all papers from there on.

    scores: (r, m) float64. shared, later: (r, m) bool: whether a pair shares a class; whether it is
    one, and not the same two papers again.
    """

    begin: int
    scores: Doubles
    shared: Mask
    later: Mask


def retrieve_pairs(
    vectors: Floats,
    members: Mask,
    estimate: Estimator,
    *,
    held: int = HELD,
    progress: Progress = silent,
) -> Retrieved:
    """Rank all pairs of papers by correlation, O(n^2 d) time, without a matrix of pairs.

    Args:
        vectors: (n, d) float32; a constant one correlates 0 with every other.
        members: (n, classes) bool, which classes each paper is of.
        estimate: makes an estimate of the papers' values.
        held: pairs in memory at a time.
        progress: told about the pairs that are done, pass by pass.

    Raises:
        InputError: no two papers share a class, or all do.
    """
    pairs = len(vectors) * (len(vectors) - 1) // 2
    total, done = pairs * (2 + max(-(-pairs // held), 1)), 0

    def blocks() -> Iterator[tuple[Doubles, Mask]]:
        nonlocal done
        for scores, shared in correlations(vectors, members):
            yield scores, shared
            done += len(scores)
            progress(STAGE, min(done, total - 1), total)  # At times there is a pass more.

    counts = count_pairs(blocks)
    ranking = rank_pairs(blocks, counts, held=held)
    slopes = average_precision_slopes(counts), auc_slopes(counts)
    precision, auc = _influences(vectors, members, slopes)
    progress(STAGE, total, total)
    return Retrieved(
        ranking,
        estimate(contributions(ranking.average_precision, precision)),
        estimate(contributions(ranking.auc, auc)),
    )


def correlations(vectors: Floats, members: Mask) -> Iterator[tuple[Doubles, Mask]]:
    """Give the correlation of every pair of rows, and whether they share a class, in blocks."""
    for each in _blocks(vectors, members):
        yield each.scores[each.later], each.shared[each.later]


def _blocks(vectors: Floats, members: Mask) -> Iterator[_Block]:
    unit = standardised(vectors)
    classes = members.astype(np.float32)  # Products of counts below 2^24: exact.
    for begin in range(0, len(unit), ROWS):
        rows = slice(begin, begin + ROWS)
        scores = np.clip(np.round(unit[rows] @ unit[begin:].T, DIGITS), -1, 1)
        shared = classes[rows] @ classes[begin:].T > 0
        later = np.arange(scores.shape[1]) > np.arange(len(scores))[:, None]
        yield _Block(begin, scores, shared, later)


def _influences(
    vectors: Floats, members: Mask, slopes: tuple[Slopes, Slopes]
) -> tuple[Doubles, Doubles]:
    """Add up the slopes of the pairs that each paper is in: (n,) float64 for each figure."""
    found = np.zeros(len(vectors)), np.zeros(len(vectors))
    for each in _blocks(vectors, members):
        bins = bins_of(each.scores)
        for sums, slope in zip(found, slopes, strict=True):
            parts = np.where(each.shared, slope.positive[bins], slope.negative[bins]) * each.later
            sums[each.begin :] += parts.sum(axis=0)
            sums[each.begin : each.begin + len(parts)] += parts.sum(axis=1)
    return found


def standardised(vectors: Floats) -> Doubles:
    """Centre each row and divide it by its length: products of rows are Pearson correlations."""
    centred = vectors.astype(np.float64)
    constant = np.ptp(centred, axis=1) == 0
    centred -= centred.mean(axis=1, keepdims=True)
    centred[constant] = 0  # Not what rounding leaves of it.
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.asarray(centred / np.where(lengths > 0, lengths, 1))
