"""Recommenders that tests of whole answers share."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from recsys.recommend import Recommender
from recsys.records import Paper
from tests.one_process import in_one_process
from tests.pipelines.small_index import open_small_index, write_small_index
from tests.rows import THOROUGH
from tests.small_recommender import stored


@pytest.fixture(scope="session", autouse=True)
def no_workers() -> Iterator[None]:
    """Share no work among processes but in the thorough run."""
    with nullcontext() if THOROUGH else in_one_process():
        yield


@pytest.fixture(scope="module")
def recommender(tmp_path_factory: pytest.TempPathFactory) -> Recommender:
    return open_small_index(write_small_index(tmp_path_factory.mktemp("recommend") / "x.index"))


@pytest.fixture
def small(tmp_path: Path) -> Recommender:
    return stored([Paper("a", "One", year=2000), Paper("b", "Two", year=2001)], tmp_path / "ab")
