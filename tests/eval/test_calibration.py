"""Calibration: bins of equal mass, and how far predictions are from what happened."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.eval.significance import (
    error_of_sums,
    expected_calibration_error,
    reliability,
    sums_by_size,
)

PREDICTIONS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]) | st.floats(0, 1), st.booleans()),
    min_size=1,
    max_size=80,
)


def test_calibration_error_by_hand() -> None:
    probabilities = np.array([0.1, 0.3, 0.6, 0.8])
    outcomes = np.array([False, True, True, True])
    low, high = reliability(probabilities, outcomes, bins=2)
    assert (low.count, low.low, low.high) == (2, 0.1, 0.3)
    assert low.predicted == pytest.approx(0.2) and low.observed == 0.5
    assert high.predicted == pytest.approx(0.7) and high.observed == 1
    # (2 * |0.2 - 0.5| + 2 * |0.7 - 1.0|) / 4
    assert expected_calibration_error(probabilities, outcomes, bins=2) == pytest.approx(0.3)


def test_the_order_of_equal_predictions_does_not_matter() -> None:
    probabilities = np.array([0.2] * 6 + [0.7] * 2)
    outcomes = np.array([True, False, False, False, False, False, True, True])
    table = reliability(probabilities, outcomes, bins=4)
    assert [(each.count, each.low) for each in table] == [(6, 0.2), (2, 0.7)]
    shuffled = np.random.default_rng(0).permutation(8)
    assert reliability(probabilities[shuffled], outcomes[shuffled], bins=4) == table


@given(PREDICTIONS, st.integers(1, 20))
def test_bins_hold_every_prediction_once_and_in_order(
    predictions: list[tuple[float, bool]], bins: int
) -> None:
    probabilities = np.array([each for each, _ in predictions])
    outcomes = np.array([each for _, each in predictions])
    table = reliability(probabilities, outcomes, bins=bins)
    assert sum(each.count for each in table) == len(predictions)
    assert 1 <= len(table) <= bins
    assert all(one.high < other.low for one, other in pairwise(table))
    assert sum(each.count * each.observed for each in table) == pytest.approx(outcomes.sum())
    assert 0 <= expected_calibration_error(probabilities, outcomes, bins=bins) <= 1


@given(st.integers(2, 500), st.integers(0, 2**32))
def test_distinct_predictions_fill_bins_of_equal_mass(n: int, seed: int) -> None:
    probabilities = np.random.default_rng(seed).permutation(n) / n
    table = reliability(probabilities, np.zeros(n, bool), bins=10)
    counts = [each.count for each in table]
    assert max(counts) - min(counts) <= 1
    assert len(counts) == min(n, 10)


def test_true_probabilities_are_calibrated_and_shifted_ones_are_not() -> None:
    rng = np.random.default_rng(3)
    probabilities = rng.random(20_000)
    outcomes = rng.random(20_000) < probabilities
    assert expected_calibration_error(probabilities, outcomes) < 0.02
    shifted = np.minimum(probabilities + 0.2, 1)
    assert expected_calibration_error(shifted, outcomes) == pytest.approx(0.18, abs=0.02)


@given(PREDICTIONS, st.integers(1, 20))
def test_bins_of_equal_probability_hold_every_prediction_once(
    predictions: list[tuple[float, bool]], bins: int
) -> None:
    probabilities = np.array([each for each, _ in predictions])
    table = reliability(
        probabilities, np.array([hit for _, hit in predictions]), bins=bins, by_hits=True
    )
    assert sum(each.count for each in table) == len(predictions)
    assert 1 <= len(table) <= bins
    assert all(one.high < other.low for one, other in pairwise(table))


def test_the_error_of_sums_is_that_of_all_the_predictions() -> None:
    rng = np.random.default_rng(0)
    probabilities = rng.beta(0.1, 5, 50_000)
    outcomes = rng.random(len(probabilities)) < 0.7 * probabilities
    exact = expected_calibration_error(probabilities, outcomes)
    parts = np.array_split(np.arange(len(probabilities)), 3)  # As queries are added up.
    sums = sum(np.array(sums_by_size(probabilities[part], outcomes[part])) for part in parts)
    assert error_of_sums(np.asarray(sums).tolist()) == pytest.approx(exact, rel=0.05)
    assert error_of_sums(sums_by_size(np.zeros(5), np.zeros(5, bool))) == 0
