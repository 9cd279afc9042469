"""What a paper adds to figures of pairs: the derivatives that scikit-learn's weights have."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from recsys.eval.measures import Doubles
from recsys.eval.studies.probes.pairs import (
    BINS,
    auc_slopes,
    average_precision_slopes,
    bins_of,
    contributions,
    count_pairs,
)
from recsys.store.arrays import Longs, Mask

PAPERS = 9
PAIRS = np.array(list(combinations(range(PAPERS), 2)))
STEP = 1e-6


def counted(scores: Doubles, shared: Mask) -> Longs:
    return count_pairs(lambda: iter([(scores, shared)]))


def of_papers(slopes: Doubles, scores: Doubles, shared: Mask) -> Doubles:
    bins = bins_of(scores)
    of_pairs = slopes[shared.astype(np.int64), bins]
    return np.asarray(np.bincount(PAIRS.ravel(), np.repeat(of_pairs, 2), PAPERS), np.float64)


def on_bins(levels: Longs) -> Doubles:
    """Give scores in the middle of bins, so that pairs tie just as their bins do."""
    return np.asarray((levels * 100 + 0.5) / (BINS / 2) - 1, np.float64)


LEVELS = st.lists(st.integers(0, 40), min_size=len(PAIRS), max_size=len(PAIRS))
FLAGS = st.lists(st.booleans(), min_size=len(PAIRS), max_size=len(PAIRS)).filter(
    lambda flags: 0 < sum(flags) < len(flags)
)


@given(LEVELS, FLAGS)
def test_influences_are_the_derivatives_by_the_weights_of_papers(
    levels: list[int], flags: list[bool]
) -> None:
    scores, shared = on_bins(np.array(levels)), np.array(flags)
    counts = counted(scores, shared)
    for slopes, score in (
        (average_precision_slopes(counts), average_precision_score),
        (auc_slopes(counts), roc_auc_score),
    ):
        found = of_papers(slopes, scores, shared)
        for paper in range(PAPERS):
            mine = (PAIRS == paper).any(axis=1)
            up, down = (
                score(shared, scores, sample_weight=1 + sign * STEP * mine) for sign in (1, -1)
            )
            assert found[paper] == pytest.approx((up - down) / (2 * STEP), abs=1e-6)
        assert found.sum() == pytest.approx(0, abs=1e-9)  # Twice the weights, the same figure.


def test_slopes_by_hand() -> None:
    # + - +, as 1, 1/2 and 2/3 of the pairs so far: the average precision is 5/6, the AUC 1/2.
    scores, shared = on_bins(np.array([3, 2, 1])), np.array([True, False, True])
    (negative, positive), bins = average_precision_slopes(counted(scores, shared)), bins_of(scores)
    # The first + is at rank 1, and one of the hits of 2/3: 1/9 more for each unit of weight.
    assert positive[bins[0]] == pytest.approx((1 - 5 / 6 + 1 / 9) / 2)
    assert positive[bins[2]] == pytest.approx((2 / 3 - 5 / 6 + 1 / 9) / 2)
    assert negative[bins[1]] == pytest.approx(-2 / 9 / 2)
    negative, positive = auc_slopes(counted(scores, shared))
    assert (positive[bins[0]], positive[bins[2]]) == pytest.approx((1 / 4, -1 / 4))
    assert negative[bins[1]] == pytest.approx(0)
    found = contributions(0.7, np.array([0.01, -0.03, 0.02]))
    assert found == pytest.approx([0.73, 0.61, 0.76])
    assert found.mean() == pytest.approx(0.7, abs=1e-12)
