"""Recommenders that tests of whole answers share."""

from pathlib import Path

import pytest

from recsys.recommend import Recommender
from recsys.records import Paper
from tests.pipelines.small_index import open_small_index, write_small_index
from tests.small_recommender import stored


@pytest.fixture(scope="module", autouse=True)
def work_is_done_here(no_workers: None) -> None:
    """Start no workers."""


@pytest.fixture(scope="module")
def recommender(tmp_path_factory: pytest.TempPathFactory) -> Recommender:
    return open_small_index(write_small_index(tmp_path_factory.mktemp("recommend") / "x.index"))


@pytest.fixture
def small(tmp_path: Path) -> Recommender:
    return stored([Paper("a", "One", year=2000), Paper("b", "Two", year=2001)], tmp_path / "ab")
