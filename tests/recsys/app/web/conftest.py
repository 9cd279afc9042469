"""The small index, served."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from tests.built_index import Built
from tests.recsys.app.web.served import serving, settings_of


@pytest.fixture(scope="module")
def client(built: Built) -> Iterator[TestClient]:
    """Ask the small index; its counters are shown."""
    with serving(settings_of(built.index, metrics=True)) as client:
        yield client
