"""What is written as one file of papers is the same corpus when it is read again."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import CorpusError, InputError
from recsys.pipelines.corpora.collect import AS_TOLD, Reading
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.corpora.source_intake import REJECTS
from recsys.pipelines.corpora.write_corpus import Written, write_corpus
from recsys.pipelines.index.ingest import ingest
from tests.pipelines.corpora.corpus_files import json_lines, three, write
from tests.recsys.formats.source_examples import TEXTS
from tests.rows import few


def written(sources: Sequence[Path], out: Path, reading: Reading = AS_TOLD) -> Written:
    return write_corpus(sources, out, reading, cache=out.parent / "cache")


def columns(sources: Sequence[Path], folder: Path) -> dict[str, bytes]:
    """Read what a build would make of the files: name -> bytes."""
    folder.mkdir()
    ingest(source_files(sources), folder)
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != REJECTS}


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    return three(tmp_path)


@given(texts=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4, unique=True))
@few(8)
def test_any_written_corpus_builds_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    files = [write(folder / f"file{n}", text) for n, (_, text) in enumerate(texts)]
    try:
        written(files, folder / "papers.jsonl")
    except CorpusError as error:
        assert "usable paper" in error.what
        return
    again = columns([folder / "papers.jsonl"], folder / "again")
    assert again == columns(files, folder / "direct")
    written([folder / "papers.jsonl"], folder / "twice.jsonl")
    assert (folder / "twice.jsonl").read_bytes() == (folder / "papers.jsonl").read_bytes()


def test_a_line_is_a_paper_and_unknown_fields_are_left_out(
    tmp_path: Path, sources: list[Path]
) -> None:
    out = tmp_path / "papers.jsonl"
    written(sources, out)
    papers = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert len(papers) == 3
    assert all(value for paper in papers for value in paper.values())
    assert papers[0]["labels"] == {"type": "article-journal"}


def test_what_was_rejected_stands_beside_it_and_goes_when_nothing_is(
    tmp_path: Path, sources: list[Path]
) -> None:
    out, beside = tmp_path / "papers.jsonl", tmp_path / "papers.jsonl.rejects.jsonl"
    own = write(tmp_path / "own.jsonl", '{"id": "a", "title": "Ice"}\njunk\n')
    done = written([*sources, own], out)
    assert done.rejects == beside
    assert json.loads(beside.read_text("utf-8"))["line"] == 2
    assert f"Rejected lines: see {beside}." in done.lines()
    assert written(sources, out).rejects is None
    assert not beside.exists()


def test_a_source_may_be_replaced_by_what_is_made_of_it(tmp_path: Path) -> None:
    own = json_lines(tmp_path / "own.jsonl", [{"id": "a", "title": "Ice", "abstract": "Cold."}])
    before = own.read_bytes()
    written([own], own)
    assert json.loads(own.read_bytes()) == json.loads(before)


def test_a_refused_source_leaves_what_was_there(tmp_path: Path, sources: list[Path]) -> None:
    out = write(tmp_path / "papers.jsonl", "precious")
    bad = write(tmp_path / "bad.txt", "Remember to water the plants.\n" * 9)
    with pytest.raises(CorpusError, match=r"bad\.txt"):
        written([*sources, bad], out)
    assert out.read_text() == "precious"
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"bad.txt", "papers.jsonl", *(path.name for path in sources)}


def test_a_folder_that_is_not_there_is_told(tmp_path: Path, sources: list[Path]) -> None:
    with pytest.raises(InputError, match="There is no folder"):
        written(sources, tmp_path / "none" / "papers.jsonl")
