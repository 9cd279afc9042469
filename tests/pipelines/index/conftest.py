"""What the tests of builds begin with."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.pipelines.corpora.corpus_files import json_lines
from tests.pipelines.small_index import invented_papers

if TYPE_CHECKING:
    from tests.built_index import Built


@pytest.fixture
def others(tmp_path: Path) -> Path:
    """A file of other papers than those of the index that all tests share."""
    return json_lines(tmp_path / "others.jsonl", invented_papers()[:9])


@pytest.fixture
def index(built: "Built", tmp_path: Path) -> Path:
    return built.copy(tmp_path)
