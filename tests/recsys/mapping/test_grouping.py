"""Groups: what belongs together is together, in the order of the topic, whatever the names."""

import numpy as np
import pytest

from recsys.errors import MissingExtraError
from recsys.mapping.drawing import widest_gaps
from recsys.mapping.grouping import GROUPS, PAPERS, groups_of


def blocks(sizes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Tie all pairs of each block, and no others: weights, and the block of each paper."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    weights = (owner[:, None] == owner[None, :]).astype(float)
    np.fill_diagonal(weights, 0.0)
    return weights, owner


def names(count: int) -> list[str]:
    return [f"p{place:03}" for place in range(count)]


def test_blocks_are_found_and_lie_in_the_order_of_the_topic() -> None:
    weights, owner = blocks((12, 20, 8, 15, 9))
    topic = np.array([3.0, 1.0, 4.0, 0.0, 2.0])[owner]
    found = groups_of(weights, weights, names(len(owner)), topic)
    for block in range(5):
        assert len(set(found[owner == block].tolist())) <= 2
    for group in range(int(found.max()) + 1):
        assert len(set(owner[found == group].tolist())) == 1
    means = [float(topic[found == group].mean()) for group in range(int(found.max()) + 1)]
    assert means == sorted(means)


def test_a_map_has_at_most_seven_groups_and_a_small_one_fewer() -> None:
    rng = np.random.default_rng(0)
    for count, groups in ((150, GROUPS), (3 * PAPERS, 3), (PAPERS, 1), (1, 1)):
        weights = rng.random((count, count))
        weights = np.triu(weights, 1) + np.triu(weights, 1).T
        found = groups_of(weights, weights, names(count), rng.random(count))
        assert len(found) == count and int(found.max()) + 1 <= groups
        assert set(found.tolist()) == set(range(int(found.max()) + 1))


def test_papers_without_any_tie_are_grouped_all_the_same() -> None:
    nothing = np.zeros((20, 20))
    assert len(groups_of(nothing, nothing, names(20), np.arange(20.0))) == 20


def test_without_networkx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "networkx", None)
    nothing = np.zeros((20, 20))
    with pytest.raises(MissingExtraError, match=r"A map needs networkx.*recsys\[serve\]"):
        groups_of(nothing, nothing, names(20), np.arange(20.0))


def test_gaps_are_what_is_expected_over_what_is_cited() -> None:
    groups = np.array([0, 0, 0, 1, 1, 2, 2, 3])
    cited = np.array([True, False, False, False, False, False, True, True])
    chances = np.array([0, 0.5, 0.5, 0.3, 0.3, 0.9, 0, 0], np.float32)
    # Group 0: 1.0 / 2, group 1: 0.6 / 1, group 2: 0.9 / 2, group 3: no near paper.
    assert widest_gaps(groups, cited, chances) == (1, 0, 2)


def test_equal_gaps_come_in_the_order_of_the_groups() -> None:
    groups = np.array([0, 1, 2, 3])
    chances = np.full(4, 0.5, np.float32)
    assert widest_gaps(groups, np.zeros(4, bool), chances) == (0, 1, 2)


def test_a_map_of_what_is_cited_has_no_gap() -> None:
    assert widest_gaps(np.array([0, 0]), np.ones(2, bool), np.zeros(2, np.float32)) == ()
