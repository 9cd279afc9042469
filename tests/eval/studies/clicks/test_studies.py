"""The coverage study: its truth by hand and by enumeration, and what it finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from recsys.eval.measures import Doubles
from recsys.eval.significance import holm, randomisation_test
from recsys.eval.studies.clicks.estimators import (
    DOUBLY_ROBUST,
    IPS,
    MEASURES,
    NAIVE,
    SNIPS,
    WEIGHING,
    Options,
    estimate,
)
from recsys.eval.studies.clicks.propensities import METHODS, Propensities
from recsys.eval.studies.clicks.simulation import (
    CLICK_MODELS,
    Policy,
    PositionBased,
    World,
    decay,
    simulate,
    true_propensities,
)
from recsys.eval.studies.clicks.studies import (
    UNWEIGHTED,
    CoverageRow,
    Recovered,
    System,
    contrasting,
    cover,
    gains,
    graded_ndcg,
    learned,
    population,
    recover,
)
from tests.eval.studies.clicks.invented_world import invented_world
from tests.rows import each_row

EXAMINATION = decay(1, 6)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def world(relevance: Doubles, order: list[int]) -> World:
    m = len(order)
    pool = np.arange(m, dtype=np.int32)[None]
    return World(("q",), tuple("abcdef"[:m]), pool, relevance[None], {"only": np.array([order])})


def test_the_truth_is_the_mean_over_relevant_papers() -> None:
    small = world(np.array([0.5, 0.0, 1.0]), [1, 2, 0])
    scores = np.array([[3.0, 2, 1]])  # Relevant papers rank 1 (weight .5) and 3 (weight 1).
    means, sums = population(small, scores, Policy())
    assert means == pytest.approx(
        {"nDCG": 1 / 1.5, "MRR": (0.5 + 1 / 3) / 1.5, "P@1": 1 / 3, "accuracy": 1 / 3}
    )
    assert sums == pytest.approx({"nDCG": 1, "MRR": 0.5 + 1 / 3, "P@1": 0.5, "accuracy": 1})


@each_row("policy", [Policy(("good", "poor"), depth=4), Policy(("poor",), 3, True)])
def test_the_truth_is_what_readers_who_examine_everything_tell(policy: Policy) -> None:
    invented = invented_world(8, 6, rng(1))
    scores = rng(2).integers(3, size=(8, 6)).astype(np.float64)
    log = simulate(invented, PositionBased(np.ones(6)), 40_000, rng=rng(3), policy=policy)
    found = estimate(
        log,
        scores[log.query[:, None], log.shown % 6],
        Propensities("test", np.ones(6)),
        rng=rng(4),
        options=Options(samples=50),
    )
    means, sums = population(invented, scores, policy)
    for measure in MEASURES:
        mean, total = found.figures[NAIVE][measure], found.figures[IPS][measure]
        assert mean is not None and total is not None
        assert mean.value == pytest.approx(means[measure], abs=3 * (mean.high - mean.low) / 4)
        assert total.value == pytest.approx(sums[measure], abs=3 * (total.high - total.low) / 4)


def find(rows: tuple[CoverageRow, ...], estimator: str) -> list[CoverageRow]:
    return [row for row in rows if row.estimator == estimator and row.measure == "nDCG"]


def test_debiased_intervals_hold_the_truth_and_naive_ones_do_not() -> None:
    invented = invented_world(40, 6, rng(5))
    functions = contrasting(invented, rng=rng(6))
    del functions["as shown"], functions["reversed"]
    steps: list[int] = []
    rows = cover(
        invented,
        PositionBased(EXAMINATION),
        functions,
        rng=rng(7),
        logs=60,
        impressions=2000,
        options=Options(samples=100),
        progress=lambda stage, done, total: steps.append(done),
    )
    assert steps == list(range(61))
    assert len(rows) == len(functions) * (len(WEIGHING) + 1) * len(MEASURES)
    covered = {
        estimator: np.mean([row.covered for row in find(rows, estimator)])
        for estimator in (NAIVE, SNIPS, IPS, DOUBLY_ROBUST)
    }
    assert covered[NAIVE] < 0.1
    assert min(covered[SNIPS], covered[IPS], covered[DOUBLY_ROBUST]) > 0.88
    widths = [np.mean([r.width for r in find(rows, name)]) for name in (DOUBLY_ROBUST, SNIPS)]
    assert widths[0] < widths[1]  # Three rankers served: a paper has several positions.


# The recovery study: figures by hand, and what must come out.


def test_errors_by_hand() -> None:
    truth = np.array([1, 0.5, 0.2])
    estimate = Propensities(
        "m", np.array([1, 0.45, 0.24]), np.array([1, 0.4, 0.21]), np.array([1, 0.5, 0.3])
    )
    found = Recovered("position", "swap", truth, estimate)
    assert found.errors.tolist() == pytest.approx([0.1, 0.2])
    assert found.covered == 0.5  # .5 is a bound, .2 is below .21.


SHORT = Policy(depth=4)


def test_every_method_meets_every_model() -> None:
    world = invented_world(50, 6, rng(0))
    models = {name: build(4, 1.0) for name, build in CLICK_MODELS.items()}
    rows = recover(world, models, METHODS, rng=rng(1), impressions=20_000, samples=10, policy=SHORT)
    assert [(row.model, row.method) for row in rows] == [
        (model, method) for model in CLICK_MODELS for method in METHODS
    ]
    for row in rows:
        truth = true_propensities(world, models[row.model], SHORT)
        assert row.truth.tolist() == truth.tolist()
        assert row.estimate.impressions == 20_000
        if row.model == "position":
            assert row.errors.max() < 0.15


# What rankers learned: nDCG by hand and against scikit-learn, gains against their definitions.

DISCOUNTS = 1 / np.log2([2, 3, 4])


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
        System("trees", UNWEIGHTED, 1.0): naive,
        System("trees", "true", 1.0): naive + 0.2 + noise,
        System("trees", "guessed", 1.0): naive + noise,
        System("trees", UNWEIGHTED, 0.0): naive + 0.1,
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
    assert gains({system: values[system] for system in list(values)[:2]}, rng=rng()) == ()
