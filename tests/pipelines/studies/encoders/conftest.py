"""What encoders start from and learn from, written once."""

from pathlib import Path

import pytest

from tests.pipelines.studies.encoders.small_journals import write_journal_papers
from tests.pipelines.studies.encoders.small_sources import small_source, write_tiny_bert


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encoders")
    write_tiny_bert(folder / "tiny")
    write_journal_papers(folder / "papers.jsonl")
    small_source(folder)
    return folder
