import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from recsys.formats.papers.external_ids import paper_of
from recsys.formats.papers.field_maps import PaperFormat
from recsys.formats.papers.paper_fields import FieldError
from recsys.formats.papers.paper_formats import BY_NAME, FORMATS, OWN, recognise
from recsys.records import Paper
from tests.rows import each_row

_ROWS = json.loads(Path(__file__).with_name("paper_records.json").read_text(encoding="utf-8"))
PAPERS = json.loads(Path(__file__).with_name("papers_told.json").read_text(encoding="utf-8"))
"""What the records hold, each as it is and changed in what a row says."""
EXAMPLES: list[tuple[str, dict[str, Any]]] = [
    (row["format"], row["record"]) for row in _ROWS.values()
]
JUNK: list[object] = [None, "", "text", 5, -1.5, True, [], [None], [[1]], {}, {"x": {"y": 1}}]


def parse(record: dict[str, Any]) -> Paper:
    known = recognise([record])
    assert known is not None
    return paper_from(known, record)


def paper_from(form: PaperFormat, record: dict[str, Any]) -> Paper:
    return paper_of(form.reference_of(record), own=form.name == OWN)


@each_row(("name", "record"), EXAMPLES)
def test_records_are_recognised_by_their_keys(name: str, record: dict[str, Any]) -> None:
    known = recognise([record])
    assert known is not None
    assert known.name == name


@each_row("row", PAPERS)
def test_records_are_read_whole(row: dict[str, Any]) -> None:
    record = _ROWS[row["record"]]["record"] if row["record"] else {}
    told = {name: value for name, value in asdict(parse(record | row["change"])).items() if value}
    assert json.loads(json.dumps(told)) == row["paper"]


@each_row(("name", "record"), EXAMPLES)
def test_optional_fields_of_a_wrong_type_cost_no_paper(name: str, record: dict[str, Any]) -> None:
    known = BY_NAME[name]
    needed = {"id", "_id", "paperId", "corpusid", "title"}
    for key in record.keys() - needed:
        for junk in JUNK:
            paper = paper_from(known, record | {key: junk})
            assert paper.title == "A Graph Story"
            assert all(isinstance(found, str) for found in paper.references + paper.authors)
            assert isinstance(paper.year, int | None)


STRICT = [
    *("OpenAlex works", "Semantic Scholar OpenCorpus", "Semantic Scholar API or S2AG"),
    *("AMiner DBLP", "Lens", "recsys"),
]
"""Formats whose every record names its own id and title."""


@each_row("name", STRICT)
def test_formats_of_whole_records_are_strict_on_id_and_title(name: str) -> None:
    row = BY_NAME[name]
    with pytest.raises(FieldError, match="missing id"):
        paper_from(row, {"title": "T"})
    identified = {"id": "x", "paperId": "x", "lens_id": "x"}
    with pytest.raises(FieldError, match="missing title"):
        paper_from(row, identified)
    with pytest.raises(FieldError, match="empty title"):
        paper_from(row, identified | {"title": " "})


@each_row("row", FORMATS)
def test_no_format_makes_a_paper_of_nothing(row: PaperFormat) -> None:
    for nothing in ({}, {"title": " "}, {"id": "", "paper_id": None, "DOI": "", "corpusid": True}):
        with pytest.raises(FieldError):
            paper_from(row, nothing)
