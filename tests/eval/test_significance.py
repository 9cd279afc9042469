"""Significance: by hand, by property, and against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from recsys.eval.measures import Doubles, draw
from recsys.eval.significance import (
    bootstrap_difference,
    effect_size,
    holm,
    pooled_f1_gain,
    randomisation_test,
    sign_flip_tests,
)
from tests.rows import each_row

VALUES = st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.5, 1.0])
PAIRS = st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=40).map(
    lambda pairs: (np.array([a for a, _ in pairs]), np.array([b for _, b in pairs]))
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_few_differences_are_tested_exactly() -> None:
    # +.1 +.2 +.3: of 8 assignments, only all + and all - are as far from 0.
    one, other = np.array([0.1, 0.2, 0.3, 0.5]), np.array([0.0, 0.0, 0.0, 0.5])
    assert randomisation_test(one, other, rng=rng()) == 2 / 8
    # +.3 +.1 -.1 sums to .3: reached by +++ (.5), ++- and +-+ (.3), and their opposites.
    one, other = np.array([0.3, 0.1, 0.0]), np.array([0.0, 0.0, 0.1])
    assert randomisation_test(one, other, rng=rng()) == 6 / 8


def test_the_smallest_p_counts_the_observed_assignment() -> None:
    one, other = np.ones(40), np.zeros(40)
    assert randomisation_test(one, other, rng=rng(), flips=999) == 1 / 1000


@given(PAIRS, st.integers(0, 2**32))
def test_p_is_a_probability_and_does_not_depend_on_who_comes_first(
    pair: tuple[Doubles, Doubles], seed: int
) -> None:
    one, other = pair
    p = randomisation_test(one, other, rng=rng(seed), flips=200)
    assert 0 < p <= 1
    assert p == randomisation_test(other, one, rng=rng(seed), flips=200)
    there = bootstrap_difference(one, other, rng=rng(seed), samples=50)
    back = bootstrap_difference(other, one, rng=rng(seed), samples=50)
    expected = (-there.value, -there.high, -there.low)
    assert (back.value, back.low, back.high) == pytest.approx(expected, abs=1e-12)
    won, lost = effect_size(one, other), effect_size(other, one)
    assert (won.won, won.lost) == (lost.lost, lost.won)
    if won.cohen_d is not None and lost.cohen_d is not None:
        assert won.cohen_d == pytest.approx(-lost.cohen_d)


@each_row("shift", [0.0, 0.02, 0.05])
def test_p_agrees_with_scipy(shift: float) -> None:
    one, other = rng(2).random(120) + shift, rng(3).random(120)
    theirs = stats.permutation_test(
        (one, other),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=9999,
        rng=rng(4),
    )
    assert randomisation_test(one, other, rng=rng(5)) == pytest.approx(theirs.pvalue, abs=0.02)


def test_an_exact_p_is_that_of_scipy() -> None:
    one, other = rng(6).random(9), rng(7).random(9)
    theirs = stats.permutation_test(
        (one, other),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert randomisation_test(one, other, rng=rng()) == pytest.approx(theirs.pvalue, abs=1e-12)


def test_the_bootstrap_agrees_with_scipy() -> None:
    one, other = rng(8).random(200), rng(9).random(200)
    theirs = stats.bootstrap(
        (one - other,), np.mean, method="percentile", n_resamples=4000, rng=rng(10)
    ).confidence_interval
    ours = bootstrap_difference(one, other, rng=rng(11), samples=4000)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.005)


def test_the_pooled_difference_is_that_of_two_harmonic_means() -> None:
    one = {"P@20": np.array([0.5, 0.1]), "R@20": np.array([1.0, 0.2])}  # P .3, R .6: F1 .4
    other = {"P@20": np.array([0.1, 0.3]), "R@20": np.array([0.2, 0.2])}  # P .2, R .2: F1 .2
    found = pooled_f1_gain(one, other, draw(2, rng=rng(), samples=200))
    assert found.value == pytest.approx(0.2)
    # Drawn twice, the second query gives 2 * .1 * .2 / .3 - 2 * .3 * .2 / .5 = -.107.
    assert found.low == pytest.approx(0.4 / 3 - 0.24)
    assert found.high == pytest.approx(2 / 3 - 0.4 / 3)


def test_many_tests_at_once_are_those_of_each_alone() -> None:
    differences = rng(12).normal(0.05, 0.2, (60, 3))
    differences[5:, 2] = 0  # Few enough to be exact.
    together = sign_flip_tests(differences, rng=rng(1), flips=500)
    alone = [
        sign_flip_tests(differences[:, [column]], rng=rng(1), flips=500)[0] for column in range(3)
    ]
    assert together.tolist() == alone


def test_under_chance_p_is_small_as_often_as_it_says() -> None:
    draws = rng(13).normal(size=(30, 1000))
    p = sign_flip_tests(draws, rng=rng(14), flips=400)
    # Binomial with 1000 draws at .05: outside 27..77 less than once in a thousand times.
    assert 27 <= (p < 0.05).sum() <= 77


def test_holm_by_hand() -> None:
    # Ascending .01 .02 .03 .04, times 4 3 2 1: .04 .06 .06 .04, never falling.
    adjusted = holm(np.array([0.03, 0.01, 0.04, 0.02]))
    assert adjusted.tolist() == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm(np.array([0.9, 0.8])).tolist() == [1, 1]
    assert holm(np.array([])).tolist() == []


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=30))
def test_holm_keeps_the_order_and_is_never_smaller(values: list[float]) -> None:
    p = np.array(values)
    adjusted = holm(p)
    assert (adjusted >= p).all() and (adjusted <= 1).all()
    assert (adjusted <= p * len(p) + 1e-12).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


def test_effect_size_by_hand() -> None:
    # Differences .1 .3 0 .2: mean .15, variance (.0025 + .0225 + .0225 + .0025) / 3.
    found = effect_size(np.array([0.1, 0.4, 0.5, 0.2]), np.array([0.0, 0.1, 0.5, 0.0]))
    assert found.cohen_d == pytest.approx(0.15 / np.sqrt(0.05 / 3))
    assert (found.won, found.lost) == (0.75, 0)
