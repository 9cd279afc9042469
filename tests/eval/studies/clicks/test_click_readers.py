"""Click logs in both formats: what is read, what is refused and where."""

import gzip
import io
import json
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.eval.studies.clicks.click_log import LONGEST_LINE, LONGEST_LIST, Impression, read_clicks

SCIDOCS = """query_id,clicked_id,similar_papers
q1,b,"a,b,c"
q1,a,"a,b,c"
q2,d,d
"""
JSON_LINES = """{"query": "q1", "shown": ["a", "b", "c"], "clicked": ["c", "a"]}
{"query": "q2", "shown": ["d"], "clicked": [], "time": "2026-11-21T09:30:00+02:00",
 "user": "u", "ranker": "r", "swapped": 1}
{"query": "q1", "shown": ["a"], "clicked": [], "time": null, "user": null}
""".replace(",\n ", ", ")
FROM_SCIDOCS = [
    Impression("q1", ("a", "b", "c"), ("b",)),
    Impression("q1", ("a", "b", "c"), ("a",)),
    Impression("q2", ("d",), ("d",)),
]
FROM_JSON = [
    Impression("q1", ("a", "b", "c"), ("a", "c")),
    Impression("q2", ("d",), (), datetime(2026, 11, 21, 7, 30, tzinfo=UTC), "u", "r", 1),
    Impression("q1", ("a",)),
]


def read(path: Path) -> list[Impression]:
    return list(read_clicks(path).impressions())


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "log"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("text", "expected"), [(SCIDOCS, FROM_SCIDOCS), (JSON_LINES, FROM_JSON)], ids=["csv", "json"]
)
def test_the_format_is_told_from_the_content(
    tmp_path: Path, text: str, expected: list[Impression]
) -> None:
    assert read(written(tmp_path, text)) == expected
    assert read(written(tmp_path, text.replace("\n", "\r\n"))) == expected
    assert read(written(tmp_path, "\ufeff" + text.replace("\n", "\n\n").rstrip())) == expected
    assert read(written(tmp_path, gzip.compress(text.encode()))) == expected


def test_a_log_comes_through_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SCIDOCS.encode())))
    assert read(Path("-")) == FROM_SCIDOCS


def test_whatever_the_header_says_it_is_left_out(tmp_path: Path) -> None:
    body = SCIDOCS.partition("\n")[2]
    for header in ("", "x", 'a,"b', "query_id,clicked_id,similar_papers,and,more"):
        assert read(written(tmp_path, f"{header}\n{body}")) == FROM_SCIDOCS
    with pytest.raises(InputError, match=":1: a click stands where the header is expected"):
        read_clicks(written(tmp_path, body))


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('q1,z,"a,b"', "Query 'q1': 'z' was clicked, but not shown"),
        ('q1,a,"a,b,a"', "'a' is shown twice"),
        ("q1,a,", "the list of shown papers is empty"),
        ('q1,a,"a,,b"', "'' is no name"),
        ('q1,a,"a, b"', "' b' is no name"),
        ('q1,"","a,b"', "'' was clicked, but not shown"),
        (',a,"a,b"', "'' is no name"),
        ("q1,a", "2 columns instead of 3"),
        ("q1,a,a,b", '4 columns instead of 3. Each line after the header must read: query_id,cl'),
        ('q1,a,"a,b', "this is no line of CSV: unexpected end of data"),
        ('q1,a,"a"b', "this is no line of CSV: "),
        ("q1,a,a\rq2,b,b", "this is no line of CSV: "),
        ("q1,a," + "a" * 200_000, "this is no line of CSV: field larger than field limit"),
        ('q1,p1,"' + ",".join(f"p{i}" for i in range(LONGEST_LIST + 1)) + '"', "1,001 papers are"),
        ("q1,a," + "a" * LONGEST_LINE, "the line is longer than 1,048,576 bytes"),
        (b"q1,\xff,a", "the line is not UTF-8"),
    ],
)  # fmt: skip
def test_a_broken_line_of_csv_is_named(tmp_path: Path, line: str | bytes, what: str) -> None:
    raw = line if isinstance(line, bytes) else line.encode()
    path = written(tmp_path, SCIDOCS.encode() + raw + b'\nq1,b,"a,b,c"\n')
    with pytest.raises(InputError) as caught:
        read_clicks(path)
    assert str(caught.value).startswith(f"{path}:5: ")
    assert what in str(caught.value)


def record(**changes: object) -> str:
    return json.dumps({"query": "q1", "shown": ["a", "b"], "clicked": ["b"], **changes})


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (record(clicked=["z"]), "Query 'q1': 'z' was clicked, but not shown"),
        (record(clicked=["a", "a"]), "'a' is clicked twice"),
        (record(shown=["a", "b", "a"]), "'a' is shown twice"),
        (record(shown=[]), "the list of shown papers is empty"),
        (record(shown=["\ud800"], clicked=[]), "'\\ud800' is no name"),
        (record(shown="ab"), "shown is 'ab' instead of a list"),
        (record(shown=["a", 1]), "shown holds 1 instead of text"),
        (record(shown=[["a"]]), "shown holds ['a'] instead of text"),
        (record(clicked=None), "clicked is missing"),
        (record(clicked={"b": 1}), "clicked is {'b': 1} instead of a list"),
        (record(query=1), "query is 1 instead of text"),
        (record(query=""), "'' is no name"),
        (record(user=7), "user is 7 instead of text"),
        (record(ranker=["r"]), "ranker is ['r'] instead of text"),
        (record(swapped=3), "position 3 was swapped in a list of 2"),
        (record(swapped=0), "position 0 was swapped in a list of 2"),
        (record(swapped=True), "swapped is True instead of a whole number"),
        (record(swapped=1.0), "swapped is 1.0 instead of a whole number"),
        (record(time="yesterday"), "the time 'yesterday' cannot be read"),
        (record(time="0001-01-01T00:00+05:00"), "is out of range"),
        (record(time=5), "time is 5 instead of text"),
        (record(rankr="r"), "the key 'rankr' is unknown. Did you mean 'ranker'?"),
        (record(x=1, y=2), "the key 'x' is unknown. The keys are query, shown, clicked, time"),
        (record()[:-1], "this is not JSON: "),
        (record() + ",", "this is not JSON: Extra data"),
        ('{"query": ' + "9" * 5000 + "}", "this is not JSON: "),
        ('{"query": ' + "[" * 100_000, "this is not JSON: "),
        ("[" + record() + "]", "is no JSON object"),
        ("null", "None is no JSON object"),
        (record(shown=[f"p{i}" for i in range(LONGEST_LIST + 1)], clicked=[]), "1,001 papers are"),
        (b'{"query": "\xff"}', "the line is not UTF-8"),
    ],
)
def test_a_broken_line_of_json_is_named(tmp_path: Path, line: str | bytes, what: str) -> None:
    raw = line if isinstance(line, bytes) else line.encode()
    path = written(tmp_path, JSON_LINES.encode() + raw + f"\n{record()}".encode())
    with pytest.raises(InputError) as caught:
        read_clicks(path)
    assert str(caught.value).startswith(f"{path}:4: ")
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "has no impression. Give a click log as JSON lines or in SciDocs' CSV"),
        (b"\n \n", "has no impression"),
        (b"query_id,clicked_id,shown_ids\n", "has no impression"),
        (b"PK\x03\x04", "is a zip archive, not JSON lines. Give a click log"),
        (gzip.compress(SCIDOCS.encode(), mtime=0)[:-9], "its gzip stream"),
        (b"\xff\xfea\0", "is UTF-16 text"),
        (b"\xff,b,c\n", ":1: the line is not UTF-8"),
    ],
)
def test_a_file_without_a_log_is_refused(tmp_path: Path, content: bytes, what: str) -> None:
    with pytest.raises(InputError, match=re.escape(what)) as caught:
        read_clicks(written(tmp_path, content))
    assert "graph" not in str(caught.value) and "corpus" not in str(caught.value)


def test_a_missing_file_is_an_error_with_a_suggestion(tmp_path: Path) -> None:
    written(tmp_path, SCIDOCS)
    with pytest.raises(InputError, match=r"There is no file .*logs\. Did you mean 'log'\?"):
        read_clicks(tmp_path / "logs")
    with pytest.raises(InputError, match=r"is a directory\. Give a click log"):
        read_clicks(tmp_path)


@given(st.binary(max_size=80), st.sampled_from([b"", b"h\n", b"{", b"\x1f\x8b"]))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, start: bytes
) -> None:
    with pytest.raises(InputError):
        read_clicks(written(tmp_path_factory.getbasetemp(), start + content))


@given(
    st.sampled_from([SCIDOCS.encode(), JSON_LINES.encode()]),
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 4), st.binary(max_size=3)), max_size=4),
)
def test_a_log_with_bytes_changed_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, edits: list[tuple[int, int, bytes]]
) -> None:
    for place, cut, new in edits:
        content = content[:place] + new + content[place + cut :]
    try:
        found = read(written(tmp_path_factory.getbasetemp(), content))
    except InputError:
        return
    assert found
