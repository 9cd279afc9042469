"""What cannot be read among files of papers is named, and ends the reading only if it must."""

import gzip
import json
from pathlib import Path

import pytest

from recsys.errors import CorpusError, InputError
from recsys.pipelines.corpora.collect import Reading
from tests.pipelines.corpora.corpus_files import BIB, openalex, read, three, write


def test_a_folder_with_rubbish_gives_its_works_and_names_the_rest(tmp_path: Path) -> None:
    folder = tmp_path / "things"
    three(folder)
    write(folder / "notes.txt", "Remember to water the plants.\n" * 20)
    write(folder / "empty", "")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(500))
    (folder / "zip.dat").write_bytes(b"PK\3\4" + bytes(100))
    write(folder / "other.json", '{"a": 1}')
    papers, report = read(folder, folder=tmp_path)
    assert len(papers) == 3
    names = ("empty", "notes.txt", "other.json", "picture.png", "zip.dat")
    assert all(any(name in told for told in report.skipped) for name in names)
    assert len(report.skipped) == len(names)


@pytest.mark.parametrize("name", ["notes.txt", "other.json"])
def test_a_file_that_is_named_must_hold_works(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, '{"a": 1}' if name == "other.json" else "Remember.\n" * 20)
    with pytest.raises(CorpusError, match=name):
        read(*three(tmp_path), path, folder=tmp_path)


@pytest.mark.parametrize("named", [False, True])
def test_a_file_that_is_cut_off_is_an_error_wherever_it_lies(tmp_path: Path, named: bool) -> None:
    folder = tmp_path / "dump"
    three(folder)
    raw = gzip.compress(
        "".join(json.dumps(openalex(n)) + f"{' ' * n}\n" for n in range(900)).encode()
    )
    cut = folder / "works.gz"
    cut.write_bytes(raw[: len(raw) // 2])
    with pytest.raises(CorpusError, match="in the middle of its gzip stream"):
        read(cut if named else folder, folder=tmp_path)


def test_no_works_at_all_is_an_error_that_counts_why(tmp_path: Path) -> None:
    header = write(tmp_path / "a.csv", "Title,Year\n")
    with pytest.raises(CorpusError, match=r"a\.csv holds no usable paper"):
        read(header, folder=tmp_path)
    other = write(tmp_path / "b.jsonl", '{"id": "a", "title": ""}\n')
    with pytest.raises(CorpusError, match=r"None of 2 files holds a usable paper \(empty title: 1"):
        read(header, other, folder=tmp_path)


def test_rejects_name_file_line_and_reason(tmp_path: Path) -> None:
    bib = write(tmp_path / "a.bib", BIB + "@article{broken, title = {Never closed\n")
    own = write(tmp_path / "b.jsonl", '{"id": "a", "title": "Rivers"}\njunk\n')
    _, report = read(bib, own, folder=tmp_path)
    lines = (tmp_path / "rejects.jsonl").read_text("utf-8").splitlines()
    rejects = [json.loads(line) for line in lines]
    assert [each["file"] for each in rejects] == ["a.bib", "b.jsonl"]
    assert (rejects[1]["line"], rejects[1]["reason"]) == (2, "not JSON")
    assert rejects[0]["excerpt"]
    assert sum(report.rejected.values()) == 2


def test_columns_that_a_table_lacks_are_an_error_with_those_that_it_has(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "TI;PY\nSlow rivers of the plain;2001\n")
    papers, _ = read(path, reading=Reading((("title", "TI"), ("year", "PY"))), folder=tmp_path)
    assert [(each["title"], each["year"]) for each in papers.values()] == [
        ("Slow rivers of the plain", 2001)
    ]
    with pytest.raises(InputError, match="no column 'TL'") as caught:
        read(path, reading=Reading((("title", "TL"),)), folder=tmp_path)
    assert "'TI'" in str(caught.value)
