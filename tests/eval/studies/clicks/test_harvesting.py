"""Intervention harvesting: by hand, against an independent computation, and against the truth."""

from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.eval.studies.clicks.propensities import METHODS, estimate, likeliest
from recsys.eval.studies.clicks.simulation import Policy, PositionBased, decay, simulate
from tests.eval.studies.clicks.invented_world import invented_world
from tests.rows import each_row


def values(log: ClickLog) -> Doubles:
    return estimate(log, METHODS["harvest"]).values


def shown(ranker: str, order: str, clicked: str, times: int) -> list[Impression]:
    return [Impression("q", tuple(order), tuple(clicked), ranker=ranker)] * times


def by_loops(log: ClickLog) -> Doubles:
    """Build the interventional sets from dictionaries, impression by impression."""
    seen: dict[tuple[str, str], dict[int, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for each in log.impressions():
        for place, paper in enumerate(each.shown):
            seen[each.query, paper][place].append(paper in each.clicked)
    sets: dict[tuple[int, int], Doubles] = defaultdict(lambda: np.zeros(3))
    for places in seen.values():
        for j, k in combinations(sorted(places), 2):
            m, n = len(places[j]), len(places[k])
            weight = m * n / (m + n)
            sets[j, k] += weight * np.array([1, np.mean(places[j]), np.mean(places[k])])
    depth = log.shown.shape[1]
    views, clicks = np.zeros((len(sets), depth)), np.zeros((len(sets), depth))
    for row, ((j, k), (weight, at_j, at_k)) in enumerate(sets.items()):
        views[row, [j, k]], clicks[row, [j, k]] = weight, [at_j, at_k]
    return likeliest(views, clicks)


def test_a_paper_at_two_positions_tells_the_ratio_of_its_clicks() -> None:
    # a: 20 of 40 at position 1, 10 of 40 at position 2. b is never clicked; c never moves.
    log = ClickLog.of(
        [*shown("one", "abc", "a", 15), *shown("one", "abc", "ac", 5), *shown("one", "abc", "", 20),
         *shown("two", "bac", "a", 5), *shown("two", "bac", "ac", 5), *shown("two", "bac", "", 30)]
    )  # fmt: skip
    cut = ClickLog.of(
        Impression(each.query, each.shown[:2], tuple({*each.clicked} - {"c"}), ranker=each.ranker)
        for each in log.impressions()
    )
    assert values(cut).tolist() == pytest.approx([1, 0.5], rel=1e-6)
    with pytest.raises(InputError, match="nothing compares position 1 with 3"):
        values(log)


@each_row("swaps", [False, True])
def test_sets_are_those_of_an_independent_computation(swaps: bool) -> None:
    rng = np.random.default_rng(3)
    world = invented_world(15, 7, rng)
    model = PositionBased(decay(0.7, 5))
    log = simulate(world, model, 1500, rng=rng, policy=Policy(depth=5, swaps=swaps))
    assert values(log) == pytest.approx(by_loops(log), rel=1e-9)


@each_row("seed", range(3))
def test_100_000_impressions_recover_the_examination_within_a_tenth(seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = invented_world(400, 20, rng)
    log = simulate(world, PositionBased(decay(1, 10)), 100_000, rng=rng)
    assert np.abs(values(log) / decay(1, 10) - 1).max() < 0.1


def test_a_log_of_one_ranker_is_refused() -> None:
    with pytest.raises(InputError, match=r"one ranker \('one'\)"):
        values(ClickLog.of(shown("one", "ab", "ab", 2)))
    with pytest.raises(InputError, match="an unnamed one"):
        values(ClickLog.of([Impression("q", ("a", "b"), ("a", "b"))]))


def test_rankers_that_agree_are_refused() -> None:
    with pytest.raises(InputError, match="No paper was shown at two positions"):
        values(ClickLog.of(shown("one", "ab", "ab", 2) + shown("two", "ab", "ab", 2)))
