"""Worlds: what they refuse, and what they know."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.eval.studies.clicks.simulation import World
from tests.rows import each_row

SMALL = World(
    queries=("q", "r"),
    papers=("a", "b", "c"),
    pool=np.array([[0, 2], [2, 1]], np.int32),
    relevance=np.array([[0.1, 0.2], [0.3, 0.4]]),
    rankings={"best": np.array([[1, 0], [1, 0]])},
)


@each_row(
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
