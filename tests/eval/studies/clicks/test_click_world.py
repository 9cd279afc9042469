"""Worlds: what they refuse, and what they know."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from eval.studies.clicks.click_log import NOTHING
from eval.studies.clicks.click_world import World
from recsys.errors import InputError
from tests.eval.studies.clicks.invented_world import invented_world

SMALL = World(
    queries=("q", "r"),
    papers=("a", "b", "c"),
    pool=np.array([[0, 2], [2, 1]], np.int32),
    relevance=np.array([[0.1, 0.2], [0.3, 0.4]]),
    rankings={"best": np.array([[1, 0], [1, 0]])},
)


def test_relevance_belongs_to_a_query_and_a_paper() -> None:
    query = np.array([0, 1, 1], np.int32)
    shown = np.array([[2, 0], [2, 1], [1, NOTHING]], np.int32)
    assert SMALL.relevance_of(query, shown).tolist() == [[0.2, 0.1], [0.3, 0.4], [0.4, 0]]


def test_relevance_is_that_of_the_pool() -> None:
    rng = np.random.default_rng(0)
    world = invented_world(30, 7, rng)
    order = rng.permuted(np.tile(np.arange(7), (30, 1)), axis=1)
    query = np.arange(30, dtype=np.int32)
    shown = world.pool[query[:, None], order]
    expected = [[world.relevance[q, c] for c in columns] for q, columns in enumerate(order)]
    assert world.relevance_of(query, shown).tolist() == expected


@pytest.mark.parametrize("paper", [1, 3])
def test_a_paper_of_another_pool_has_no_relevance(paper: int) -> None:
    with pytest.raises(InputError, match=f"Paper {paper} is not in the pool of query 0"):
        SMALL.relevance_of(np.array([0], np.int32), np.array([[0, paper]], np.int32))


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"queries": ("q",)}, "'pool' has the shape"),
        ({"relevance": np.ones((2, 3))}, "'relevance' has the shape"),
        ({"rankings": {"odd": np.array([[1, 0]])}}, "'odd' has the shape"),
        ({"rankings": {"odd": np.array([[1, 0], [1, 1]])}}, "'odd' does not hold every column"),
        ({"rankings": {}}, "empty"),
        ({"pool": np.zeros((0, 0), np.int32)}, "empty"),
        ({"pool": np.array([[0, 3], [2, 1]], np.int32)}, "does not exist"),
        ({"pool": np.array([[0, -1], [2, 1]], np.int32)}, "does not exist"),
        ({"pool": np.array([[0, 1], [2, 2]], np.int32)}, "twice"),
        ({"relevance": np.array([[0, 1.1], [0, 0]])}, r"not in \[0, 1\]"),
        ({"relevance": np.array([[0, np.nan], [0, 0]])}, r"not in \[0, 1\]"),
    ],
)
def test_a_world_that_does_not_fit_together_is_refused(part: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(SMALL, **part)
