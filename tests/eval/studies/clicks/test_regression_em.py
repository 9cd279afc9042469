"""Regression-EM: exact expectations, and the maximum that it climbs to."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.eval.studies.clicks.propensities import (
    METHODS,
    Method,
    Pairs,
    estimate,
    likeliest,
    regression_em,
)
from recsys.eval.studies.clicks.simulation import Policy, PositionBased, decay, simulate
from tests.eval.studies.clicks.invented_world import invented_world
from tests.rows import each_row

EXAMINATION = decay(1, 5)


def values(log: ClickLog) -> Doubles:
    return estimate(log, METHODS["em"]).values


def test_it_climbs_to_the_likeliest_propensities() -> None:
    """Where no relevance reaches 1, EM for a table maximises the likelihood of all pairs."""
    rng = np.random.default_rng(0)
    world = invented_world(12, 6, rng)
    world = replace(world, relevance=0.1 + 0.5 * world.relevance)
    log = simulate(world, PositionBased(EXAMINATION), 30_000, rng=rng, policy=Policy(depth=5))
    pairs = Pairs.of(log)
    shown, clicked = pairs.tally.count(np.ones(len(log)))
    tables = np.zeros((2, len(pairs.query), 5))
    tables[:, pairs.pair, pairs.column] = shown, clicked
    exact = estimate(log, Method("EM", partial(regression_em, tolerance=1e-8))).values
    assert exact == pytest.approx(likeliest(*tables), rel=1e-4)
    assert values(log) == pytest.approx(exact, rel=3e-3)


@each_row("seed", range(2))
def test_100_000_impressions_recover_the_examination_within_a_tenth(seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = invented_world(400, 20, rng)
    log = simulate(world, PositionBased(decay(1, 10)), 100_000, rng=rng)
    assert np.abs(values(log) / decay(1, 10) - 1).max() < 0.1


def test_pairs_are_counted_by_position() -> None:
    log = ClickLog.of(
        [
            Impression("r", ("a", "b"), ("b",), ranker="one"),
            Impression("q", ("b", "a"), ("b",), ranker="one"),
            Impression("r", ("b",), ("b",), ranker="two"),
            Impression("r", ("a", "b"), (), ranker="one"),
        ]
    )
    pairs = Pairs.of(log)
    # (r, a) (r, b) (q, a) (q, b), numbered as they appeared.
    assert list(zip(pairs.query, pairs.paper, strict=True)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert pairs.pair.tolist() == [0, 1, 1, 2, 3]
    assert pairs.column.tolist() == [0, 0, 1, 1, 0]
    shown, clicked = pairs.tally.count(np.array([1, 1, 2, 5.0]))
    assert shown.tolist() == [6, 2, 6, 1, 1]
    assert clicked.tolist() == [0, 2, 1, 0, 1]
    assert pairs.moved().tolist() == [False, True, False, False]
    kept = pairs.take(np.array([False, True, False, True]))
    assert (kept.pair.tolist(), kept.column.tolist()) == ([0, 0, 1], [0, 1, 0])
    assert [each.tolist() for each in kept.tally.count(np.ones(4))] == [[1, 2, 1], [1, 1, 1]]


def test_a_log_without_moved_papers_is_refused() -> None:
    lists = [Impression("q", ("a", "b"), ("a", "b"), ranker=name) for name in ("one", "two")]
    with pytest.raises(InputError, match="No ranker showed a paper at another position"):
        values(ClickLog.of(lists))


def test_a_first_position_without_comparison_is_refused() -> None:
    lists = [Impression("q", tuple(order), tuple("abc"), ranker=order) for order in ("abc", "acb")]
    with pytest.raises(InputError, match="nothing compares position 1 with 2, 3"):
        values(ClickLog.of(lists))
