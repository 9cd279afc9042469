"""Simulated logs show what they should, and the truth about them is the truth."""

from itertools import product

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.eval.studies.clicks.simulation import (
    CLICK_MODELS,
    Cascade,
    Policy,
    PositionBased,
    TrustBias,
    World,
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


def test_all_rankers_serve_and_show_the_whole_pool_unless_told_otherwise() -> None:
    log = simulate(WORLD, MODEL, 30, rng=rng())
    assert log.rankers == tuple(NOISE)
    assert (np.sort(log.shown, axis=1) == np.sort(WORLD.pool[log.query], axis=1)).all()


def test_queries_rankers_and_swaps_are_drawn_alike() -> None:
    log = simulate(WORLD, MODEL, 30_000, rng=rng(), policy=Policy(depth=5, swaps=True))
    for drawn in (log.query, log.ranker, log.swapped - 1):
        counts = np.bincount(drawn)
        expected = 30_000 / len(counts)
        # Chi-square: its mean is the degrees of freedom, its variance twice that.
        free = len(counts) - 1
        assert ((counts - expected) ** 2 / expected).sum() < free + 4 * (2 * free) ** 0.5
    assert len(np.bincount(log.swapped)) == 6


def test_a_swap_exchanges_the_first_paper_with_another() -> None:
    log = simulate(WORLD, MODEL, 200, rng=rng(), policy=Policy(("fair",), swaps=True))
    for query, swapped, shown in zip(log.query, log.swapped, log.shown.tolist(), strict=True):
        shown[0], shown[swapped - 1] = shown[swapped - 1], shown[0]
        assert shown == WORLD.pool[query, WORLD.rankings["fair"][query]].tolist()


def test_clicks_follow_the_relevance_of_what_is_shown() -> None:
    log = simulate(WORLD, MODEL, 40_000, rng=rng(), policy=Policy(swaps=True))
    chances = relevance_of(WORLD, log.query, log.shown) * decay(1, 6)
    assert log.clicked.mean(0) == pytest.approx(chances.mean(0), abs=4 * 0.5 / 40_000**0.5)
    # Papers that matter more are clicked more, at every position.
    for column in range(6):
        assert np.corrcoef(chances[:, column], log.clicked[:, column])[0, 1] > 0.1


def test_the_same_seed_gives_the_same_log() -> None:
    one, other = (simulate(WORLD, MODEL, 50, rng=rng(7)) for _ in range(2))
    assert (one.shown == other.shown).all() and (one.clicked == other.clicked).all()
    assert (simulate(WORLD, MODEL, 50, rng=rng(8)).shown != one.shown).any()


def test_position_based_truth_is_the_examination() -> None:
    examination = np.array([0.8, 0.6, 0.1, 0.3])
    found = true_propensities(WORLD, PositionBased(examination), Policy(depth=4))
    assert found == pytest.approx(examination / 0.8, rel=1e-12)


def test_truth_with_trust_is_that_of_the_mean_relevance() -> None:
    model = CLICK_MODELS["trust"](6, 0.7)
    assert isinstance(model, TrustBias)
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


@each_row(
    ("policy", "impressions", "message"),
    [
        (Policy(("god",)), 1, "no ranker 'god'. Did you mean 'good'"),
        (Policy(depth=0), 1, "depth of a list is 0"),
        (Policy(), 0, "0 impressions"),
    ],
)
def test_what_cannot_be_simulated_is_refused(
    policy: Policy, impressions: int, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        simulate(WORLD, MODEL, impressions, rng=rng(), policy=policy)


def test_where_nothing_is_relevant_there_is_no_truth() -> None:
    nothing = World(WORLD.queries, WORLD.papers, WORLD.pool, 0 * WORLD.relevance, WORLD.rankings)
    with pytest.raises(InputError, match="Nothing is ever clicked"):
        true_propensities(nothing, MODEL)
