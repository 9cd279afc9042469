"""Propensities of a log: their intervals, and the logs that cannot tell them."""

from dataclasses import replace

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.eval.studies.clicks.propensities import METHODS, Method, estimate, first_positions
from recsys.eval.studies.clicks.simulation import Policy, PositionBased, decay, simulate
from tests.eval.studies.clicks.invented_world import invented_world
from tests.rows import each_row

WORLD = invented_world(100, 8, np.random.default_rng(0))
EXAMINATION = decay(1, 5)


def simulated(impressions: int, seed: int = 0) -> ClickLog:
    """Draw a log that suits all methods."""
    policy = Policy(depth=5, swaps=True)
    rng = np.random.default_rng(seed)
    return simulate(WORLD, PositionBased(EXAMINATION), impressions, rng=rng, policy=policy)


@each_row("name", METHODS)
def test_the_interval_surrounds_the_estimate(name: str) -> None:
    log = simulated(20_000)
    rng = np.random.default_rng(1)
    found = estimate(log, METHODS[name], rng=rng, samples=20)
    assert found.low is not None and found.high is not None
    assert (found.low <= found.values).all() and (found.values <= found.high).all()
    assert (found.high - found.low)[1:].min() > 0
    assert found.values[0] == found.low[0] == found.high[0] == 1
    assert (found.method, found.impressions) == (METHODS[name].title, 20_000)
    again = estimate(log, METHODS[name], rng=np.random.default_rng(1), samples=20)
    assert again.low is not None and again.low.tolist() == found.low.tolist()
    plain = estimate(log, METHODS[name])
    assert plain.low is None and plain.high is None
    assert plain.values.tolist() == found.values.tolist()


@each_row("name", ["swap", "harvest"])
def test_intervals_hold_the_truth_as_often_as_they_say(name: str) -> None:
    held = []
    for seed in range(25):
        log = simulated(4000, seed=seed + 1)
        found = estimate(log, METHODS[name], rng=np.random.default_rng(seed), samples=50)
        assert found.low is not None and found.high is not None
        held.append((found.low <= EXAMINATION) & (EXAMINATION <= found.high))
    # 100 positions that depend on each other: .95 would rarely be below .86.
    assert 0.86 <= np.mean(np.array(held)[:, 1:]) <= 0.99


def test_a_weight_counts_as_often_as_the_impression_would() -> None:
    log = simulated(3000)
    times = np.random.default_rng(2).integers(0, 3, len(log))
    repeated = log.take(np.repeat(np.arange(len(log)), times))
    for method in METHODS.values():
        weighted = method.prepare(log)(times.astype(np.float64))
        alone = method.prepare(repeated)(np.ones(len(repeated)))
        assert weighted == pytest.approx(alone, rel=1e-3)


def test_people_who_click_alike_by_query_need_wider_intervals() -> None:
    """Some queries' readers look at position 2 as often as at 1, those of the others never do."""
    rng = np.random.default_rng(3)
    careful = rng.random(len(WORLD.queries)) < 0.5
    log = simulated(20_000)
    clicked = log.clicked & (careful[log.query, None] | (np.arange(5) != 1))
    widths = []
    for by_query in (False, True):
        one = replace(log, clicked=clicked)
        found = estimate(one, METHODS["swap"], rng=rng, samples=60, by_query=by_query)
        assert found.low is not None and found.high is not None
        widths.append(float((found.high - found.low)[1]))
    assert widths[1] > 1.5 * widths[0]


def test_queries_that_never_came_are_not_drawn() -> None:
    seen: list[Doubles] = []

    def note(weights: Doubles) -> Doubles:
        seen.append(weights)
        return np.ones(5)

    log = simulated(3000)
    some = log.take(log.query < 10)
    method = Method("noting", lambda _: note)
    estimate(some, method, rng=np.random.default_rng(0), samples=30, by_query=True)
    for weights in seen[1:]:
        times = [np.unique(weights[some.query == query]) for query in range(10)]
        assert all(len(each) == 1 for each in times)
        assert sum(float(each[0]) for each in times) == 10


def test_cut_lists_keep_their_first_positions() -> None:
    log = simulated(2000)
    cut = first_positions(log, 3)
    kept = np.flatnonzero(log.swapped <= 3)
    assert len(cut) == len(kept) < 2000
    assert cut.shown.tolist() == log.shown[kept, :3].tolist()
    assert cut.clicked.tolist() == log.clicked[kept, :3].tolist()
    found = estimate(first_positions(simulated(40_000), 3), METHODS["swap"]).values
    assert found == pytest.approx(EXAMINATION[:3], rel=0.1)
    with pytest.raises(InputError, match="cut to 0"):
        first_positions(log, 0)


def test_an_empty_log_is_refused() -> None:
    with pytest.raises(InputError, match="empty"):
        estimate(ClickLog.of([]), METHODS["em"])


@each_row("name", METHODS)
def test_positions_without_clicks_are_named(name: str) -> None:
    log = simulated(500)
    third = replace(log, clicked=log.clicked & (np.arange(5) != 2))
    with pytest.raises(InputError, match=r"clicked at position 3 in 500 .* cut the lists"):
        estimate(third, METHODS[name])
    first = replace(log, clicked=log.clicked & (np.arange(5) != 0))
    with pytest.raises(InputError, match=r"clicked at position 1 .* relative to position 1"):
        estimate(first, METHODS[name])


def test_positions_without_papers_are_named() -> None:
    log = simulated(500)
    shown = np.where(np.arange(5) == 4, -1, log.shown)
    empty = replace(log, shown=shown, clicked=log.clicked & (shown >= 0))
    with pytest.raises(InputError, match="Nothing was shown at position 5"):
        estimate(empty, METHODS["harvest"])


def test_too_few_clicks_for_an_interval_are_refused() -> None:
    lists = [
        Impression("q", ("a", "b"), ("a",), swapped=1),
        Impression("q", ("b", "a"), ("a",), swapped=2),
        *[Impression("q", ("a", "b"), (), swapped=1)] * 20,
        *[Impression("q", ("b", "a"), (), swapped=2)] * 20,
    ]
    log = ClickLog.of(lists)
    assert estimate(log, METHODS["swap"]).values.tolist() == pytest.approx([1, 1])
    with pytest.raises(InputError, match=r"of 50 bootstrap samples lack clicks"):
        estimate(log, METHODS["swap"], rng=np.random.default_rng(0), samples=50)
