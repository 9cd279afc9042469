"""What the tests of local evaluations ask."""

from pathlib import Path

import pytest

from recsys.local.local_recommender import PassageRanker
from recsys.pipelines.local.local_queries import LocalQueries
from recsys.store.collection import Collection
from tests.pipelines.local.local_evaluations import open_small_local, queries_of
from tests.pipelines.small_index import write_small_index


@pytest.fixture(scope="package")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_index(tmp_path_factory.mktemp("local") / "small.index")


@pytest.fixture(scope="package")
def ranker(index: Path) -> PassageRanker:
    return open_small_local(index)


@pytest.fixture(scope="package")
def collection(ranker: PassageRanker) -> Collection:
    return ranker.reader.collection


@pytest.fixture(scope="package")
def found(index: Path) -> LocalQueries:
    return queries_of(index)
