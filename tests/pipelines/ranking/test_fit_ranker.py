"""The calibration is scikit-learn's isotonic regression, which it does without."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from recsys.pipelines.ranking.fit_ranker import calibrate

SCORED = st.lists(st.tuples(st.integers(-40, 40), st.booleans()), min_size=1, max_size=60)


@given(SCORED)
def test_the_curve_is_that_of_scikit_learn(scored: list[tuple[int, bool]]) -> None:
    scores = np.array([score / 8 for score, _ in scored], np.float32)
    relevant = np.array([hit for _, hit in scored], np.int8)
    expected = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(scores, relevant)
    knots, probabilities = calibrate(scores, relevant)
    asked = np.linspace(-6, 6, 97, dtype=np.float32)
    assert np.interp(asked, knots, probabilities) == pytest.approx(
        np.asarray(expected.predict(asked)), abs=1e-6
    )
    assert (np.diff(probabilities) >= 0).all() and (np.diff(knots) > 0).all()


def test_knots_are_where_the_curve_bends() -> None:
    scores = np.array([0, 1, 2, 3, 4, 5, 5], np.float32)
    relevant = np.array([0, 0, 0, 1, 0, 1, 0], np.int8)
    knots, probabilities = calibrate(scores, relevant)
    assert knots.tolist() == [0, 2, 3, 5]
    assert probabilities == pytest.approx([0, 0, 0.5, 0.5])
    knots, probabilities = calibrate(np.array([2.5], np.float32), np.array([1], np.int8))
    assert (knots.tolist(), probabilities.tolist()) == ([2.5], [1.0])
