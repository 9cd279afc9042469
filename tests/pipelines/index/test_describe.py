"""Describing papers and indexes: the same figures from both."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.errors import ArtifactError, CorpusError, InputError
from recsys.pipelines.index.ingest import describe

if TYPE_CHECKING:
    from tests.built_index import Built


def test_a_file_and_the_index_built_of_it_say_the_same(built: "Built") -> None:
    assert describe([built.papers]) == describe([built.index])
    assert describe([built.papers]).papers == 50


def test_an_index_is_described_alone(built: "Built") -> None:
    with pytest.raises(InputError, match="is an index, not a file of papers"):
        describe([built.papers, built.index])


def test_what_is_no_corpus_is_refused(built: "Built", tmp_path: Path) -> None:
    with pytest.raises(CorpusError):
        describe([tmp_path / "none.jsonl"])
    index = built.copy(tmp_path)
    (index / "manifest.json").write_text("{}")
    with pytest.raises(ArtifactError):
        describe([index])


def test_it_says_what_was_left_out_of_the_files(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("title,year,pmid,shelf\nBark,2001,0,A\nLeaves,2002,0,\n", encoding="utf-8")
    assert describe([table]).losses == (
        "placeholder identifiers ignored: pmid:0: 2",
        "fields ignored: shelf: 1",
    )
