"""What the tests of local evaluations ask."""

from pathlib import Path

import pytest

from recsys.pipelines.local.local_queries import LocalQueries
from tests.pipelines.local.local_evaluations import queries_of
from tests.pipelines.small_index import write_small_index


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_index(tmp_path_factory.mktemp("evaluate") / "small.index")


@pytest.fixture(scope="module")
def found(index: Path) -> LocalQueries:
    return queries_of(index)
