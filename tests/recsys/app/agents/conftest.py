"""An agent before the small index."""

from collections.abc import Iterator

import pytest

from tests.built_index import Built
from tests.recsys.app.agents.agent import Agent, asking


@pytest.fixture(scope="package")
def agent(built: Built) -> Iterator[Agent]:
    """Ask without files."""
    with asking(built.index) as agent:
        yield agent
