"""The likeliest propensities: from exact counts, by hand, and against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.propensities import likeliest
from tests.rows import each_row

SHARES = st.floats(0.05, 0.95)


def by_scipy(shown: Doubles, clicked: Doubles) -> Doubles:
    """Maximise over log p and log r together, by another algorithm."""
    depth = shown.shape[1]

    def loss(x: Doubles) -> float:
        logs = np.concatenate([[0], x[: depth - 1]]) + x[depth - 1 :, None]
        if logs.max() > -1e-9:
            return 1e12
        return -float((clicked * logs + (shown - clicked) * np.log1p(-np.exp(logs))).sum())

    start = np.concatenate([np.zeros(depth - 1), np.log(clicked.sum(1) / shown.sum(1)) - 1])
    best = minimize(loss, start, method="Powell", options={"ftol": 1e-14, "maxiter": 10_000})
    return np.asarray(np.exp(np.concatenate([[0], best.x[: depth - 1]])))


@given(st.lists(SHARES, min_size=2, max_size=6), st.lists(SHARES, min_size=1, max_size=5))
def test_exact_products_give_back_their_factors(p: list[float], r: list[float]) -> None:
    shown = np.random.default_rng(len(p)).integers(50, 500, (len(r), len(p))).astype(np.float64)
    found = likeliest(shown, shown * np.outer(r, p))
    assert found == pytest.approx(np.array(p) / p[0], rel=1e-4)


def test_one_group_at_two_positions_gives_the_ratio_of_its_rates() -> None:
    found = likeliest(np.array([[200.0, 100.0]]), np.array([[80.0, 10.0]]))
    assert found.tolist() == pytest.approx([1, 0.25], rel=1e-6)


@each_row("seed", range(4))
def test_the_maximum_is_that_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shown = rng.integers(20, 200, (3, 3)).astype(np.float64)
    shown[0, 2] = 0
    chances = np.outer(rng.uniform(0.2, 0.9, 3), [0.9, 0.5, 0.3])
    clicked = rng.binomial(shown.astype(np.int64), chances).astype(np.float64)
    assert likeliest(shown, clicked) == pytest.approx(by_scipy(shown, clicked), rel=1e-3)


def test_chains_of_groups_compare_positions_that_no_group_shares() -> None:
    shown = np.array([[100.0, 100, 0], [0, 100, 100]])
    clicked = np.array([[60.0, 30, 0], [0, 80, 20]])
    # 30 / 60, and a quarter of that.
    assert likeliest(shown, clicked).tolist() == pytest.approx([1, 0.5, 0.125], rel=1e-6)


def test_positions_without_clicks_or_without_comparison_say_so() -> None:
    shown = np.array([[100.0, 100, 100, 0], [0, 0, 100, 100]])
    clicked = np.array([[60.0, 30, 0, 0], [0, 0, 0, 20]])
    found = likeliest(shown, clicked)
    assert found[:3].tolist() == pytest.approx([1, 0.5, 0], rel=1e-6)
    assert np.isnan(found[3])


def test_nothing_is_known_without_clicks_at_the_first_position() -> None:
    found = likeliest(np.full((1, 3), 10.0), np.array([[0.0, 2, 0]]))
    assert found[[0, 2]].tolist() == [0, 0] and np.isnan(found[1])


def test_papers_that_are_always_clicked_do_not_break_it() -> None:
    shown = np.array([[10.0, 10], [10, 10], [5, 5]])
    clicked = np.array([[10.0, 5], [10, 5], [0, 0]])
    assert likeliest(shown, clicked).tolist() == pytest.approx([1, 0.5], rel=1e-3)
