"""A store for the tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.pipelines.remote.store_server import StoreServer, served


@pytest.fixture(scope="module")
def one_server() -> Iterator[StoreServer]:
    with served() as server:
        yield server


@pytest.fixture
def server(one_server: StoreServer) -> Iterator[StoreServer]:
    """A store that works; a test takes a place of its own in it."""
    one_server.work()
    yield one_server
    one_server.work()
