import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from recsys.errors import CorpusError
from recsys.formats.papers.json_records import HEAD_LINES
from recsys.formats.source_streams import LONGEST_LINE
from recsys.formats.work_stream import (
    Found,
    Reject,
    Remark,
    open_works,
    read_papers,
)
from recsys.records import Paper, Reference
from tests.rows import each_row

GOOD: dict[str, Any] = {
    "id": "good",
    "title": "A good paper",
    "abstract": "The text.",
    "year": 2000,
}


def lines_of(*records: Mapping[str, object] | str | bytes) -> bytes:
    encoded = [
        record
        if isinstance(record, bytes)
        else (record if isinstance(record, str) else json.dumps(record)).encode()
        for record in records
    ]
    return b"\n".join(encoded) + b"\n"


def read(folder: Path, content: bytes) -> tuple[str, list[Found | Reject]]:
    path = folder / "papers.jsonl"
    path.write_bytes(content)
    with open_works(path) as stream:
        return stream.format, list(stream.items)


def only(folder: Path, *records: Mapping[str, object] | str | bytes) -> Found | Reject:
    """Read records after a good one, and return what the last of them gave."""
    return read(folder, lines_of(GOOD, *records))[1][-1]


def rejected(folder: Path, *records: Mapping[str, object] | str | bytes) -> Reject:
    item = only(folder, *records)
    assert isinstance(item, Reject)
    return item


def found(folder: Path, *records: Mapping[str, object] | str | bytes) -> Found:
    item = only(folder, *records)
    assert isinstance(item, Found)
    return item


@each_row(
    ("bad", "reason"),
    [
        ("{not json", "not JSON"),
        ('{"id": "x", "title": "cut', "not JSON"),
        ("\u0000\u0000", "not JSON"),
        ('{"id": "x", "title": "T", "year": ' + "9" * 5000 + "}", "not JSON"),
        ("42", "not an object"),
        ('"text"', "not an object"),
        ("[1, 2]", "not an object"),
        ("null", "not an object"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("[" * 100_000, "nested too deeply"),
        ({"title": "T"}, "missing id"),
        ({"id": None, "title": "T"}, "missing id"),
        ({"id": "x"}, "missing title"),
        ({"id": "x", "title": None}, "missing title"),
        ({"id": "x", "title": ["T"]}, "missing title"),
        ({"id": "x", "title": " \u0000 "}, "empty title"),
    ],
)
def test_bad_lines_are_rejected_with_line_and_reason(
    tmp_path: Path, bad: Mapping[str, object] | str, reason: str
) -> None:
    reject = rejected(tmp_path, "", bad)
    assert (reject.line, reason) == (3, reject.reason)
    assert 0 < len(reject.excerpt) <= 200


def test_of_papers_of_one_id_the_first_counts(tmp_path: Path) -> None:
    path = tmp_path / "papers.jsonl"
    path.write_bytes(lines_of(GOOD, GOOD | {"title": "T"}, "junk", {"id": " good ", "title": "T"}))
    assert list(read_papers(path)) == [Paper("good", "A good paper", "The text.", 2000)]


def test_a_line_too_long_is_rejected(tmp_path: Path) -> None:
    long = b'{"id": "x", "title": "' + b"x" * LONGEST_LINE + b'"}'
    assert rejected(tmp_path, long).reason == "line too long"


def test_a_missing_abstract_and_year_are_remarked(tmp_path: Path) -> None:
    item = found(tmp_path, {"id": "x", "title": "T", "abstract": " ", "year": None})
    assert item.work == Reference(id="x", title="T")
    assert item.remarks == (Remark.NO_ABSTRACT, Remark.NO_YEAR)


def test_other_languages_are_kept_and_remarked(tmp_path: Path) -> None:
    item = found(tmp_path, {"id": "x", "title": "引文推荐", "abstract": "图神经网络", "year": 2020})
    assert item.work.title == "引文推荐"
    assert item.remarks == (Remark.NOT_ENGLISH,)


def test_broken_utf8_is_remarked_when_the_line_still_parses(tmp_path: Path) -> None:
    item = found(tmp_path, b'{"id": "x", "title": "M\xfcller", "abstract": "a", "year": 2000}')
    assert item.work.title == "M\ufffdller"
    assert item.remarks == (Remark.BROKEN_UTF8,)
    assert rejected(tmp_path, b'{"id": "x", \xff').reason == "not JSON"


def test_raw_control_characters_and_half_pairs_are_cleaned(tmp_path: Path) -> None:
    item = found(tmp_path, b'{"id": "x\\ud800", "title": "A\x01B\\u0000C \\udfffD\t"}')
    assert (item.work.id, item.work.title) == ("x", "A B C D")


def test_an_array_with_one_record_per_line_is_read(tmp_path: Path) -> None:
    old = {"title": "T", "n_citation": 1}
    content = "[\n" + "\n,".join(json.dumps(old | {"id": n}) for n in range(3)) + "\n]\n"
    name, items = read(tmp_path, content.encode())
    assert name == "AMiner DBLP"
    assert [(item.line, item.work.id) for item in items if isinstance(item, Found)] == [
        (2, "0"),
        (3, "1"),
        (4, "2"),
    ]
    assert len(items) == 3


@each_row(
    "content",
    [
        '[{"id":"a","title":"A"},\n{"id":"b","title":"B"}]',
        '[{"id":"a","title":"A"},{"id":"b","title":"B"}]',
        '{"id":"a","title":"A"},\n{"id":"b","title":"B"},\n',
        '[\n{"id":"a","title":"A"},\n{"id":"b","title":"B"}\n]',
        '{"meta":{},"results":[{"id":"a","title":"A"}]}\n{"results":[{"id":"b","title":"B"}]}',
        '{"total":2,"data":[{"id":"a","title":"A"},{"id":"b","title":"B"}]}',
        json.dumps([{"id": "a", "title": "A"}, {"id": "b", "title": "B"}], indent=2),
        json.dumps([{"id": "a", "title": "A"}, {"id": "b", "title": "B"}], indent="\t"),
        '{\n"id": "a",\n"title": "A"\n}\n{\n"id": "b",\n"title": "B"\n}',
        '{"status": "ok",\n "message": {"items": [\n{"id": "a", "title": "A"},\n'
        '{"id": "b",\n"title": "B"}\n]}}\n',
        '{ "items": [\n{"id":"a","title":"A"},\n{"id":"b","title":"B"}\n] }',
        '[{\n "id": "a", "title": "A"\n}, {\n "id": "b",\n "title": "B"\n}]',
        '[{"id": "a",\n "title": "A"},\n {"id": "b",\n "title": "B"}]',
        '{"id":"a","title":"A","venue":"{"}\n{"id":"b","title":"B","venue":"]"}',
        json.dumps({"results": [{"id": "a", "title": "A"}, {"id": "b", "title": "B"}]}, indent=0),
    ],
)
def test_arrays_pages_and_printed_records_are_read(tmp_path: Path, content: str) -> None:
    _, items = read(tmp_path, content.encode())
    assert [item.work.title for item in items if isinstance(item, Found)] == ["A", "B"]
    assert len(items) == 2


def test_a_database_export_with_number_calls_is_read(tmp_path: Path) -> None:
    content = """[
{
    "_id" : "53e9",
    "title" : "3GIO",
    "venue" : {
        "type" : NumberInt(0)
    },
    "year" : NumberInt(2011),
    "n_citation" : NumberInt(0),
},
{
    "_id" : "53ea",
    "title" : "NumberInt(3) in a title",
    "year" : NumberInt(2012)
}
]"""
    name, items = read(tmp_path, content.replace("(0),\n}", "(0)\n}").encode())
    assert name == "AMiner DBLP"
    papers = [item.work for item in items if isinstance(item, Found)]
    assert [(paper.id, paper.year) for paper in papers] == [("53e9", 2011), ("53ea", 2012)]


@each_row(
    "broken",
    [
        "{",
        '{"id": "x", "references": ["a",',
        '{"id": "x", "references": [',
        '{\n"id": "x",\n"title": oops\n}',
    ],
)
def test_a_broken_record_costs_only_itself(tmp_path: Path, broken: str) -> None:
    _, items = read(tmp_path, lines_of(broken, GOOD, {"id": "b", "title": "B"}))
    assert [type(item) for item in items] == [Reject, Found, Found]
    assert [item.line for item in items[1:]] == [broken.count("\n") + at for at in (2, 3)]


def test_unknown_records_are_refused_naming_keys_and_formats(tmp_path: Path) -> None:
    with pytest.raises(CorpusError) as caught:
        read(tmp_path, lines_of({"k" * 100_000: 1}))
    assert len(str(caught.value)) < 1500
    with pytest.raises(CorpusError, match="keys ID, Title") as caught:
        read(tmp_path, lines_of({"ID": 1, "Title": "T"}))
    for name in ("recsys", "OpenAlex works", "AMiner DBLP", "paperAbstract", "corpusid"):
        assert name in caught.value.hint


@each_row(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b"id,name\n1,T\n", r"2 lines are none \(not JSON: 2\)"),
        (b"junk\n" * 5000, f"{HEAD_LINES:,} lines are none"),
        (b"[]\n", "it is empty"),
    ],
)
def test_a_file_without_objects_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    with pytest.raises(CorpusError, match=why):
        read(tmp_path, content)


def test_deep_nesting_at_any_depth_never_escapes(tmp_path: Path) -> None:
    for depth in range(sys.getrecursionlimit() - 200, sys.getrecursionlimit() + 50, 7):
        labels = '{"a":' * depth + "1" + "}" * depth
        item = only(tmp_path, f'{{"id": "x", "title": "T", "labels": {labels}}}')
        assert isinstance(item, Found) or item.reason == "nested too deeply"
