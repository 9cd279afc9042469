"""Boosted trees: gradients by finite differences, ranks by hand, and what the weights do."""

import numpy as np
import pytest

from recsys.eval.measures import Doubles
from recsys.pipelines.studies.clicks.click_features import Pairs
from recsys.pipelines.studies.clicks.rankers import (
    gradients,
    logistic_loss,
)
from tests.rows import each_row


def few_pairs() -> Pairs:
    """Lists of 4 and 3 papers, two clicks in the first; the last row is in no pair."""
    return Pairs(
        features=np.zeros((8, 1), np.float32),
        impression=np.array([0, 0, 0, 0, 1, 1, 1, 2]),
        paper=np.array([3, 1, 2, 0, 0, 1, 2, 0]),
        clicked=np.array([1, 1, 1, 3, 3, 3, 6, 6]),
        other=np.array([0, 2, 3, 0, 1, 2, 4, 5]),
        weight=np.array([0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.75, 1.75]),
    )


SCORES = np.array([0.3, -0.4, 1.2, 0.1, 2.0, -1.0, 0.2, 0.7])


def loss(scores: Doubles, weights: Doubles) -> float:
    """Add up the losses of `few_pairs`, one by one."""
    pairs, total = few_pairs(), 0.0
    for clicked, other, weight in zip(pairs.clicked, pairs.other, weights, strict=True):
        total += weight * np.log(1 + np.exp(-(scores[clicked] - scores[other])))
    return total


def swap_weights() -> Doubles:
    """Weigh the pairs of `few_pairs` by the change in gain, the ranks taken by hand."""
    rank = [2, 4, 1, 3, 1, 3, 2, 1]
    pairs = few_pairs()
    changes = [
        abs(1 / np.log2(1 + rank[clicked]) - 1 / np.log2(1 + rank[other]))
        for clicked, other in zip(pairs.clicked, pairs.other, strict=True)
    ]
    return np.asarray(pairs.weight * np.array(changes))


@each_row("swaps", [False, True])
def test_gradients_are_those_of_finite_differences(swaps: bool) -> None:
    weights = swap_weights() if swaps else few_pairs().weight
    gradient, curvature = gradients(SCORES, few_pairs(), swaps=swaps)
    for row, step in enumerate(np.eye(8) * 1e-4):
        up, here, down = (loss(SCORES + sign * step, weights) for sign in (1, 0, -1))
        assert gradient[row] == pytest.approx((up - down) / 2e-4, abs=1e-7)
        assert curvature[row] == pytest.approx((up - 2 * here + down) / 1e-8, abs=1e-6)
    assert gradient.sum() == pytest.approx(0)
    assert (gradient[7], curvature[7]) == (0, 0)


def test_the_loss_is_that_of_a_loop() -> None:
    total = loss(SCORES, few_pairs().weight)
    assert logistic_loss(SCORES, few_pairs()) == pytest.approx(total / 8)


def test_scores_far_apart_do_not_overflow() -> None:
    gradient, curvature = gradients(SCORES * 1e4, few_pairs(), swaps=False)
    assert gradient[4] == pytest.approx(1.75)  # Far above what was clicked.
    assert np.isfinite(curvature).all()
