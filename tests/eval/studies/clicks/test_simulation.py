"""Simulated logs show what they should, and the truth about them is the truth."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.eval.studies.clicks.simulation import (
    CLICK_MODELS,
    Cascade,
    ClickModel,
    Policy,
    PositionBased,
    decay,
    simulate,
    true_propensities,
)
from tests.eval.studies.clicks.invented_world import NOISE, invented_world, relevance_of
from tests.rows import each_row

WORLD = invented_world(20, 6, np.random.default_rng(0))
MODEL = PositionBased(decay(1, 10))


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_lists_are_those_of_the_rankers() -> None:
    log = simulate(WORLD, MODEL, 300, rng=rng(), policy=Policy(("poor", "good"), depth=4))
    assert (len(log), log.rankers, log.queries) == (300, ("poor", "good"), WORLD.queries)
    assert log.swapped.max() == 0
    for query, ranker, shown in zip(log.query, log.ranker, log.shown, strict=True):
        columns = WORLD.rankings[log.rankers[ranker]][query, :4]
        assert shown.tolist() == WORLD.pool[query, columns].tolist()
    whole = simulate(WORLD, MODEL, 30, rng=rng())  # All rankers, and the whole pool.
    assert whole.rankers == tuple(NOISE)
    assert (np.sort(whole.shown, axis=1) == np.sort(WORLD.pool[whole.query], axis=1)).all()


def test_queries_rankers_and_swaps_are_drawn_alike() -> None:
    log = simulate(WORLD, MODEL, 30_000, rng=rng(), policy=Policy(depth=5, swaps=True))
    for drawn in (log.query, log.ranker, log.swapped - 1):
        counts = np.bincount(drawn)
        expected = 30_000 / len(counts)
        # Chi-square: its mean is the degrees of freedom, its variance twice that.
        free = len(counts) - 1
        assert ((counts - expected) ** 2 / expected).sum() < free + 4 * (2 * free) ** 0.5
    assert len(np.bincount(log.swapped)) == 6


def test_clicks_follow_the_relevance_of_what_is_shown() -> None:
    log = simulate(WORLD, MODEL, 40_000, rng=rng(), policy=Policy(swaps=True))
    chances = relevance_of(WORLD, log.query, log.shown) * decay(1, 6)
    assert log.clicked.mean(0) == pytest.approx(chances.mean(0), abs=4 * 0.5 / 40_000**0.5)
    # Papers that matter more are clicked more, at every position.
    for column in range(6):
        assert np.corrcoef(chances[:, column], log.clicked[:, column])[0, 1] > 0.1


def test_the_truth_is_the_examination_with_trust_that_of_the_mean_relevance() -> None:
    examination = np.array([0.8, 0.6, 0.1, 0.3])
    found = true_propensities(WORLD, PositionBased(examination), Policy(depth=4))
    assert found == pytest.approx(examination / 0.8, rel=1e-12)
    model = CLICK_MODELS["trust"](6, 0.7)
    assert isinstance(model, PositionBased)
    mean = WORLD.relevance.mean()  # All of the pool is shown.
    expected = model.examination * (model.trusted * mean + model.mistaken * (1 - mean))
    assert true_propensities(WORLD, model) == pytest.approx(expected / expected[0], rel=1e-12)


def test_truth_in_a_cascade_is_what_moving_papers_does() -> None:
    model, policy = Cascade(0.2, 0.7), Policy(("good", "poor"), depth=3)
    clicks = np.zeros(3)
    for ranker, query, source, target in product(policy.rankers, range(20), range(3), range(3)):
        columns = WORLD.rankings[ranker][query, :3].tolist()
        columns[source], columns[target] = columns[target], columns[source]
        relevance = [WORLD.relevance[query, column] for column in columns]
        reached = 1.0
        for r in relevance[:target]:
            reached *= r * 0.2 + (1 - r) * 0.7
        clicks[target] += reached * relevance[target]
    found = true_propensities(WORLD, model, policy)
    assert found == pytest.approx(clicks / clicks[0], rel=1e-12)


# Click models: by hand, and as often as they say.

LISTS = np.array([[0.5, 0.2, 1.0], [0.1, 0.8, 0.0]])
ALL = np.ones(LISTS.shape, np.bool_)
MODELS = [build(3, 1.0) for build in CLICK_MODELS.values()]


def test_chances_by_hand() -> None:
    model = PositionBased(np.array([1, 0.5, 0.25, 0.1]))
    assert model.chances(LISTS, ALL).tolist() == [[0.5, 0.1, 0.25], [0.1, 0.4, 0.0]]
    # Trust takes the irrelevant for relevant: .9 * .5 + .3 * .5; .5 * (.8 * 1 + .1 * 0).
    trusting = PositionBased(np.array([1, 0.5]), np.array([0.9, 0.8]), np.array([0.3, 0.1]))
    found = trusting.chances(np.array([[0.5, 1.0]]), ALL[:1, :2])
    assert found.tolist()[0] == pytest.approx([0.6, 0.4])
    # In a cascade, going on: .5 * .4 + .5 * .9 = .65, then .2 * .4 + .8 * .9 = .8.
    cascade = Cascade(after_click=0.4, after_skip=0.9).chances(LISTS[:1], ALL[:1])
    assert cascade.tolist()[0] == pytest.approx([0.5, 0.65 * 0.2, 0.65 * 0.8])
    assert decay(1, 4).tolist() == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4])
    assert decay(0, 3).tolist() == [1, 1, 1]


@each_row("model", MODELS)
def test_clicks_come_as_often_as_their_chances(model: ClickModel) -> None:
    many = 40_000
    clicks = model.click(
        np.repeat(LISTS, many, axis=0), ALL.repeat(many, 0), np.random.default_rng(2)
    )
    assert clicks.dtype == np.bool_
    rates = clicks.reshape(2, many, 3).mean(1)
    # Four standard errors of a rate near one half.
    assert rates == pytest.approx(model.chances(LISTS, ALL), abs=4 * 0.5 / many**0.5)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0, 3))
def test_chances_are_chances(relevance: list[float], eta: float) -> None:
    lists = np.array([relevance])
    for build in CLICK_MODELS.values():
        found = build(8, eta).chances(lists, np.ones(lists.shape, np.bool_))
        assert found.shape == lists.shape
        assert ((found >= 0) & (found <= 1)).all()
