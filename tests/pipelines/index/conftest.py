"""What the tests of builds begin with."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.pipelines.index.built_folders import write_others

if TYPE_CHECKING:
    from tests.built_index import Built


@pytest.fixture
def others(tmp_path: Path) -> Path:
    return write_others(tmp_path)


@pytest.fixture
def index(built: "Built", tmp_path: Path) -> Path:
    return built.copy(tmp_path)
