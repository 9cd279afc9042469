"""The small index that evaluations ask, and its split."""

from pathlib import Path

import pytest

from recsys.store.collection import Collection
from tests.pipelines.small_index import (
    open_small_collection,
    write_small_index,
    write_small_split,
)


@pytest.fixture(scope="package")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_index(tmp_path_factory.mktemp("evaluation") / "small.index")


@pytest.fixture(scope="package")
def split(index: Path) -> Path:
    return write_small_split(index.parent / "split.json")


@pytest.fixture(scope="package")
def collection(index: Path) -> Collection:
    return open_small_collection(index)
