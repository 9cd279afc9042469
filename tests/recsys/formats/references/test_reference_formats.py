import json
from pathlib import Path
from typing import Any

import pytest

from recsys.errors import InputError
from recsys.formats.references import bibliography
from recsys.formats.references.bibliography import address_in, work_of, year_in
from recsys.formats.references.reference_formats import (
    format_of_text,
    parse_bibliography,
    read_bibliography,
)
from recsys.formats.references.reference_writers import WRITERS
from recsys.records import Paper
from tests.recsys.formats.exports.zotero_maker import Library
from tests.rows import each_row

WHOLE = Path(__file__).parent / "files" / "bibliographies.json"
"""Small bibliographies of every format, and the works in them as `record_of` writes them."""


@each_row("row", json.loads(WHOLE.read_text(encoding="utf-8")))
def test_bibliographies_are_read_whole(row: dict[str, Any]) -> None:
    found = parse_bibliography(row["text"], row["name"])
    assert (found.references, found.problems) == (tuple(map(work_of, row["works"])), ())


def test_the_suffix_decides_where_the_content_tells_nothing(specter: Paper) -> None:
    text = WRITERS["bibtex"]([specter])
    assert format_of_text(text, ".csv").name == "BibTeX"
    assert format_of_text("% nothing yet\n", ".bib").name == "BibTeX"
    assert format_of_text("p1\np2\n", "").name == format_of_text("", "").name == "list"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_files_of_any_encoding_and_line_end_are_read(
    tmp_path: Path, encoding: str, line_end: str
) -> None:
    path = tmp_path / "Refs.BIB"
    text = "@misc{a,\n  title = {Über\n  uns},\n}\n@misc{b, title={B}}\n"
    path.write_bytes(text.replace("\n", line_end).encode(encoding))
    assert [each.title for each in read_bibliography(path).references] == ["Über uns", "B"]


def test_a_file_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "refs.bib"
    path.write_bytes(b"@misc{a\0}")
    with pytest.raises(InputError, match="NUL"):
        read_bibliography(path)
    with pytest.raises(InputError, match="no file"):
        read_bibliography(tmp_path / "other.bib")


def test_many_problems_are_counted() -> None:
    found = parse_bibliography("@misc{a\n" * 250, "x.bib")
    assert found.problems == (
        "250 entries are broken and left out (lines 1, 2, 3 and 247 more).",
        "x.bib holds no references.",
    )
    assert len(found.details) == 101
    assert found.details[-1] == "150 more problems are not listed."


def test_a_dump_of_a_library_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bibliography, "MOST_REFERENCES", 1_000)
    with pytest.raises(InputError, match="more than 1,000 references"):
        parse_bibliography("@a{\n" * 1_001, "x.bib")
    monkeypatch.setattr(bibliography, "MOST_REFERENCES", 3)
    assert len(parse_bibliography("p\n" * 3, "x.txt").references) == 3
    with pytest.raises(InputError, match="more than 3 references"):
        parse_bibliography("p\n" * 4, "x.txt")


@each_row(
    ("date", "year"),
    [
        ("2020", 2020),
        (2020, 2020),
        ("2020/2021", 2020),
        ("12 May 1999", 1999),
        ("c. 1850?", 1850),
        ("20201", None),
        ("1000, then 1500", 1500),
        ("9999", None),
        ("in press", None),
        (True, None),
        (None, None),
        (2020.0, None),
    ],
)
def test_a_year_is_found_in_a_date(date: object, year: int | None) -> None:
    assert year_in(date) == year


@each_row(
    ("text", "address"),
    [
        ("https://a.org/x y", "https://a.org/xy"),
        ("HTTP://a.org", "HTTP://a.org"),
        ("javascript:alert(1)", None),
        ("https://", None),
        ("see https://a.org", None),
        (7, None),
    ],
)
def test_an_address_is_of_the_web_or_none(text: object, address: str | None) -> None:
    assert address_in(text) == address


@pytest.mark.parametrize("name", ["", "zotero.sqlite"])
def test_a_zotero_library_is_a_reading_list(tmp_path: Path, name: str) -> None:
    Library(tmp_path).add("journalArticle", {"title": "Growing trees", "date": "2004"})
    (found,) = read_bibliography(tmp_path / name).references
    assert (found.title, found.year) == ("Growing trees", 2004)


def test_a_folder_without_a_library_is_no_reading_list(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a directory"):
        read_bibliography(tmp_path)
