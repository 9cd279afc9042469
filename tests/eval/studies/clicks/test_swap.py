"""The swap experiment: by hand, against the truth, and where lists differ in length."""

from dataclasses import replace

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.eval.studies.clicks.propensities import METHODS, estimate
from recsys.eval.studies.clicks.simulation import Policy, PositionBased, decay, simulate
from tests.eval.studies.clicks.invented_world import invented_world
from tests.rows import each_row


def values(log: ClickLog) -> Doubles:
    return estimate(log, METHODS["swap"]).values


def shown(drawn: int, clicked: str, times: int) -> list[Impression]:
    """Show "a" and "b", or "b" and "a" when position 2 is drawn, so many times."""
    order = ("a", "b") if drawn == 1 else ("b", "a")
    return [Impression("q", order, tuple(clicked), swapped=drawn)] * times


def test_papers_are_compared_with_themselves_elsewhere() -> None:
    # a is clicked 60 of 100 times at 1 and 30 of 100 at 2; b 40 of 100 at 1 and 20 of 100 at 2.
    clicks = [(1, "a", 60), (1, "b", 20), (1, "", 20), (2, "a", 30), (2, "b", 40), (2, "", 30)]
    log = ClickLog.of(each for case in clicks for each in shown(*case))
    assert values(log).tolist() == pytest.approx([1, 0.5], rel=1e-6)
    # Without the papers of position 2, what is left is the published ratio, 30 / 60.
    only = replace(log, clicked=log.clicked & (log.shown == log.papers.index("a")))
    assert values(only).tolist() == pytest.approx([1, 0.5], rel=1e-6)


def test_lists_outside_the_experiment_do_not_count() -> None:
    inside = shown(1, "a", 4) + shown(1, "b", 2) + shown(2, "b", 3) + shown(2, "a", 3)
    outside = [Impression("q", ("a", "b"), ("b",))] * 50
    expected = values(ClickLog.of(inside))
    assert values(ClickLog.of(inside + outside)).tolist() == expected.tolist()


@each_row("seed", range(3))
def test_100_000_impressions_recover_the_examination_within_a_tenth(seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = invented_world(400, 20, rng)
    model = PositionBased(decay(1, 10))
    log = simulate(world, model, 100_000, rng=rng, policy=Policy(swaps=True))
    assert np.abs(values(log) / decay(1, 10) - 1).max() < 0.1


def test_lists_of_several_lengths_are_not_mixed_up() -> None:
    """Short lists hold better papers here: mixed with the others they would bend the curve."""
    rng = np.random.default_rng(5)
    world = invented_world(100, 6, rng)
    examination = decay(1, 6)
    long = simulate(world, PositionBased(examination), 20_000, rng=rng, policy=Policy(swaps=True))
    good = replace(world, relevance=world.relevance**0.2)
    short = simulate(good, PositionBased(examination), 20_000, rng=rng, policy=Policy((), 3, True))
    found = values(ClickLog.of([*long.impressions(), *short.impressions()]))
    assert np.abs(found / examination - 1).max() < 0.2


def test_a_log_without_an_experiment_is_refused() -> None:
    with pytest.raises(InputError, match=r"No impression .* 'harvest'"):
        values(ClickLog.of([Impression("q", ("a", "b"), ("a", "b"))]))
