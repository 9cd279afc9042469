"""The servers, started once for all tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.online.world import Servers, all_served


@pytest.fixture(scope="session")
def _servers() -> Iterator[Servers]:
    with all_served() as servers:
        yield servers


@pytest.fixture
def servers(_servers: Servers, monkeypatch: pytest.MonkeyPatch) -> Iterator[Servers]:
    """Servers that were asked nothing yet, and of which no key is known."""
    monkeypatch.setenv("RECSYS_KEYS", "/nowhere/keys")
    yield _servers
    _servers.reset()
