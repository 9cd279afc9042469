"""What rankers learned: nDCG by hand and against scikit-learn, gains against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import ndcg_score

from recsys.eval.significance import holm, randomisation_test
from recsys.eval.studies.clicks.studies import NAIVE, System, gains, graded_ndcg, learned

DISCOUNTS = 1 / np.log2([2, 3, 4])


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_graded_ndcg_by_hand() -> None:
    # Ranked .2 .9 .0 where .9 .2 .0 is best; and a tie, which the lower number wins: .5 .1 .3.
    scores = np.array([[3.0, 2.0, 1.0], [1.0, 1.0, 1.0]])
    relevance = np.array([[0.2, 0.9, 0.0], [0.1, 0.5, 0.3]])
    papers = np.array([[0, 1, 2], [7, 4, 9]], np.int32)
    expected = [
        DISCOUNTS @ [0.2, 0.9, 0.0] / (DISCOUNTS @ [0.9, 0.2, 0.0]),
        DISCOUNTS @ [0.5, 0.1, 0.3] / (DISCOUNTS @ [0.5, 0.3, 0.1]),
    ]
    assert graded_ndcg(scores, relevance, papers, 10).tolist() == pytest.approx(expected)
    assert graded_ndcg(scores, relevance, papers, 1).tolist() == pytest.approx([0.2 / 0.9, 1])


@given(st.integers(1, 12), st.integers(2, 8), st.integers(0, 2**32))
def test_graded_ndcg_agrees_with_scikit_learn(k: int, size: int, seed: int) -> None:
    relevance, scores = rng(seed).random((3, size)), rng(seed + 1).random((3, size))
    papers = np.tile(np.arange(size, dtype=np.int32), (3, 1))
    theirs = [
        ndcg_score(row[None], each[None], k=k) for row, each in zip(relevance, scores, strict=True)
    ]
    assert graded_ndcg(scores, relevance, papers, k).tolist() == pytest.approx(theirs, abs=1e-12)
    assert graded_ndcg(relevance, relevance, papers, k).tolist() == pytest.approx([1] * 3)


@given(arrays(np.float64, (4, 6), elements=st.sampled_from([0.0, 0.5, 1.0])), st.integers(0, 99))
def test_graded_ndcg_does_not_depend_on_the_order_of_columns(
    scores: np.ndarray[tuple[int, int], np.dtype[np.float64]], seed: int
) -> None:
    relevance = rng(seed).random((4, 6))
    papers = np.tile(rng(seed).permutation(6).astype(np.int32), (4, 1))
    found = graded_ndcg(scores, relevance, papers, 4)
    again = graded_ndcg(scores[:, ::-1], relevance[:, ::-1], papers[:, ::-1], 4)
    assert found.tolist() == pytest.approx(again.tolist())
    assert (found > 0).all()
    assert (found <= 1 + 1e-12).all()


def test_systems_are_averaged_over_queries_and_seeds() -> None:
    # 2 seeds, 3 queries.
    values = {System("random"): np.array([[0.1, 0.2, 0.3], [0.3, 0.4, 0.5]])}
    (found,) = learned(values, rng=rng())
    assert found.system == System("random")
    assert found.by_seed == pytest.approx((0.2, 0.4))
    assert found.ndcg.value == pytest.approx(0.3)
    # Queries average .2, .3 and .4 over seeds; one of 27 samples draws the best one thrice.
    assert (found.ndcg.low, found.ndcg.high) == pytest.approx((0.2, 0.4))


def test_gains_are_over_the_click_naive_system_of_the_same_clicks() -> None:
    queries, noise = 60, rng(1).normal(0, 0.1, (5, 60))
    naive = np.full((5, queries), 0.5)
    values = {
        System("display order"): naive - 0.3,
        System("trees", NAIVE, 1.0): naive,
        System("trees", "true", 1.0): naive + 0.2 + noise,
        System("trees", "guessed", 1.0): naive + noise,
        System("trees", NAIVE, 0.0): naive + 0.1,
        System("trees", "guessed", 0.0): naive + 0.1,
    }
    sure, unsure, none = gains(values, rng=rng())
    assert [each.system for each in (sure, unsure, none)] == [
        System("trees", "true", 1.0),
        System("trees", "guessed", 1.0),
        System("trees", "guessed", 0.0),
    ]
    assert sure.difference.value == pytest.approx(0.2 + noise.mean())
    assert sure.by_seed == pytest.approx(tuple(0.2 + noise.mean(axis=1)))
    assert sure.difference.low > 0
    assert (sure.won, sure.lost) == (1, 0)
    p = [
        randomisation_test(values[each.system].mean(0), naive.mean(0), rng=rng())
        for each in (sure, unsure)
    ]
    assert [sure.p, unsure.p] == pytest.approx(holm(np.array(p)).tolist(), abs=0.02)
    assert sure.p < 0.001 < 0.05 < unsure.p
    assert (none.difference.value, none.p, none.won, none.lost) == (0, 1, 0, 0)


def test_without_weights_there_are_no_gains() -> None:
    values = {System("trees", NAIVE, 1.0): np.full((2, 3), 0.5), System("oldness"): np.ones((2, 3))}
    assert gains(values, rng=rng()) == ()
