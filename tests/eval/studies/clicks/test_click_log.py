"""Impressions in columns and back; what is no impression."""

import gzip
import json
import re
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.eval.studies.clicks.click_log import (
    LONGEST_LINE,
    LONGEST_LIST,
    NOTHING,
    ClickLog,
    Impression,
    read_clicks,
    write_clicks,
    write_scidocs_clicks,
)
from tests.rows import each_row

# Impressions as hypothesis invents them.

NAMES = st.text(
    st.characters(exclude_categories=("C", "Z"), include_characters=' ,"{}\\'), min_size=1
).filter(lambda name: name.isprintable() and name.strip() == name)
"""Any name that an impression may have."""
PAPERS = st.lists(NAMES, min_size=1, max_size=5, unique=True)
TIMES = st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1)) | st.datetimes(
    datetime(1970, 1, 2),
    datetime(2100, 1, 1),
    timezones=st.integers(-720, 840).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)


@st.composite
def impressions(draw: st.DrawFn) -> Impression:
    """Invent an impression, clicks in display order as a log gives them back."""
    shown = tuple(draw(PAPERS))
    flags = draw(st.lists(st.booleans(), min_size=len(shown), max_size=len(shown)))
    return Impression(
        query=draw(NAMES),
        shown=shown,
        clicked=tuple(paper for paper, click in zip(shown, flags, strict=True) if click),
        time=draw(st.none() | TIMES),
        user=draw(st.none() | NAMES),
        ranker=draw(st.none() | NAMES),
        swapped=draw(st.none() | st.integers(1, len(shown))),
    )


FULL = Impression(
    "q1", ("a", "b", "c"), ("c", "a"), datetime(2026, 11, 21, tzinfo=UTC), "reader", "bm25", 3
)
"""An impression of which everything is known."""
BARE = Impression("q2", ("c",))
"""An impression of which only the list is known."""


def test_columns_hold_what_the_impressions_say() -> None:
    log = ClickLog.of([FULL, BARE, replace(FULL, time=None, user=None, ranker="cosine", swapped=1)])
    assert log.queries == ("q1", "q2")
    assert log.papers == ("a", "b", "c")
    assert (log.rankers, log.users) == (("bm25", "cosine"), ("reader",))
    assert log.query.tolist() == [0, 1, 0]
    assert log.shown.tolist() == [[0, 1, 2], [2, NOTHING, NOTHING], [0, 1, 2]]
    assert log.clicked.tolist() == [[True, False, True], [False] * 3, [True, False, True]]
    assert log.ranker.tolist() == [0, NOTHING, 1]
    assert log.user.tolist() == [0, NOTHING, NOTHING]
    assert log.swapped.tolist() == [3, 0, 1]
    assert log.time[0] == np.datetime64("2026-11-21") and np.isnat(log.time[1:]).all()
    assert log.present.tolist() == [[True] * 3, [True, False, False], [True] * 3]


def test_columns_have_the_documented_types_even_without_impressions() -> None:
    for log in (ClickLog.of([FULL]), ClickLog.of([])):
        types = {each.name: getattr(log, each.name).dtype for each in fields(log)[4:]}
        assert types == {
            **dict.fromkeys(("query", "shown", "ranker", "user", "swapped"), np.dtype(np.int32)),
            "clicked": np.dtype(np.bool_),
            "time": np.dtype("datetime64[us]"),
        }
    assert log.shown.shape == log.clicked.shape == (0, 0)
    assert len(log) == 0 and not list(log.impressions())
    (back,) = ClickLog.of([FULL]).impressions()
    assert (FULL.clicked, back.clicked) == (("c", "a"), ("a", "c"))  # In display order.


@given(st.lists(impressions(), max_size=6))
def test_a_log_gives_its_impressions_back(given_: list[Impression]) -> None:
    assert list(ClickLog.of(given_).impressions()) == given_


@each_row(
    ("changes", "what"),
    [
        ({"shown": ()}, "the list of shown papers is empty"),
        ({"shown": ("a", "b", "a")}, "'a' is shown twice"),
        ({"clicked": ("z",)}, "'z' was clicked, but not shown"),
        ({"clicked": ("b", "b")}, "'b' is clicked twice"),
        ({"swapped": 0}, "position 0 was swapped in a list of 3"),
        ({"swapped": 4}, "position 4 was swapped in a list of 3"),
        ({"query": ""}, "'' is no name"),
        ({"query": "a\nb"}, r"'a\\nb' is no name"),
        ({"user": " x"}, "' x' is no name"),
        ({"shown": ("a", "b", "c", "\ud800")}, r"'\\ud800' is no name"),
        (
            {"time": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))},
            r"the time 0001-01-01 00:00:00\+01:00 is out of range",
        ),
    ],
)
def test_what_cannot_have_happened_is_no_impression(changes: dict[str, object], what: str) -> None:
    with pytest.raises(InputError, match=f"Query '.*': {what}"):
        replace(FULL, **changes)  # type: ignore[arg-type]  # One case has one type.


# Click logs in both formats: what is read, what is refused and where.

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


def test_whatever_the_header_says_it_is_left_out(tmp_path: Path) -> None:
    body = SCIDOCS.partition("\n")[2]
    for header in ("", "x", 'a,"b', "query_id,clicked_id,similar_papers,and,more"):
        assert read(written(tmp_path, f"{header}\n{body}")) == FROM_SCIDOCS
    with pytest.raises(InputError, match=":1: a click stands where the header is expected"):
        read_clicks(written(tmp_path, body))


def assert_refused(path: Path, line: int, what: str) -> None:
    with pytest.raises(InputError) as caught:
        read_clicks(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('q1,z,"a,b"', "Query 'q1': 'z' was clicked, but not shown"),
        ("q1,a,", "the list of shown papers is empty"),
        ('q1,a,"a, b"', "' b' is no name"),
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
    assert_refused(written(tmp_path, SCIDOCS.encode() + raw + b'\nq1,b,"a,b,c"\n'), 5, what)


def record(**changes: object) -> str:
    return json.dumps({"query": "q1", "shown": ["a", "b"], "clicked": ["b"], **changes})


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (record(clicked=["z"]), "Query 'q1': 'z' was clicked, but not shown"),
        (record(shown="ab"), "shown is 'ab' instead of a list"),
        (record(shown=["a", 1]), "shown holds 1 instead of text"),
        (record(clicked=None), "clicked is missing"),
        (record(clicked={"b": 1}), "clicked is {'b': 1} instead of a list"),
        (record(query=1), "query is 1 instead of text"),
        (record(swapped=3), "position 3 was swapped in a list of 2"),
        (record(swapped=True), "swapped is True instead of a whole number"),
        (record(swapped=1.0), "swapped is 1.0 instead of a whole number"),
        (record(time="yesterday"), "the time 'yesterday' cannot be read"),
        (record(time="0001-01-01T00:00+05:00"), "is out of range"),
        (record(rankr="r"), "the key 'rankr' is unknown. Did you mean 'ranker'?"),
        (record(x=1, y=2), "the key 'x' is unknown. The keys are query, shown, clicked, time"),
        (record()[:-1], "this is not JSON: "),
        (record() + ",", "this is not JSON: Extra data"),
        ('{"query": ' + "9" * 5000 + "}", "this is not JSON: "),
        ('{"query": ' + "[" * 100_000, "this is not JSON: "),
        ("[" + record() + "]", "is not a JSON object"),
        ("null", "None is not a JSON object"),
        (record(shown=[f"p{i}" for i in range(LONGEST_LIST + 1)], clicked=[]), "1,001 papers are"),
        (b'{"query": "\xff"}', "the line is not UTF-8"),
    ],
)
def test_a_broken_line_of_json_is_named(tmp_path: Path, line: str | bytes, what: str) -> None:
    raw = line if isinstance(line, bytes) else line.encode()
    content = JSON_LINES.encode() + raw + f"\n{record()}".encode()
    assert_refused(written(tmp_path, content), 4, what)


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


@given(
    st.sampled_from([SCIDOCS.encode(), JSON_LINES.encode(), b"{", b"\x1f\x8b"]),
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


# Click logs written: they read back, byte for byte the same every time, or stay as they were.

LOG = ClickLog.of([FULL, BARE])


@given(st.lists(impressions(), min_size=1, max_size=5), st.sampled_from(["l.jsonl", "l.jsonl.gz"]))
def test_json_lines_read_back(
    tmp_path_factory: pytest.TempPathFactory, given_: list[Impression], name: str
) -> None:
    path = tmp_path_factory.getbasetemp() / name
    write_clicks(path, ClickLog.of(given_))
    assert list(read_clicks(path).impressions()) == given_


@given(st.lists(impressions(), min_size=1, max_size=5))
def test_scidocs_lines_read_back_as_one_impression_a_click(
    tmp_path_factory: pytest.TempPathFactory, given_: list[Impression]
) -> None:
    path = tmp_path_factory.getbasetemp() / "l.csv"
    expected = [
        Impression(each.query, each.shown, (paper,)) for each in given_ for paper in each.clicked
    ]
    if not expected or any("," in paper for each in given_ for paper in each.shown):
        with pytest.raises(InputError, match=r"has no click to write|has a comma"):
            write_scidocs_clicks(path, ClickLog.of(given_))
        return
    write_scidocs_clicks(path, ClickLog.of(given_))
    assert list(read_clicks(path).impressions()) == expected


def test_the_formats_look_as_documented(tmp_path: Path) -> None:
    write_clicks(tmp_path / "l.jsonl", LOG)
    assert (tmp_path / "l.jsonl").read_text().splitlines() == [
        '{"query": "q1", "shown": ["a", "b", "c"], "clicked": ["a", "c"], '
        '"time": "2026-11-21T00:00:00+00:00", "user": "reader", "ranker": "bm25", "swapped": 3}',
        '{"query": "q2", "shown": ["c"], "clicked": []}',
    ]
    write_scidocs_clicks(tmp_path / "l.csv", LOG)
    assert (tmp_path / "l.csv").read_text().splitlines() == [
        "query_id,clicked_id,shown_ids",
        'q1,a,"a,b,c"',
        'q1,c,"a,b,c"',
    ]


def test_what_cannot_be_read_back_is_not_written_and_the_old_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    write_scidocs_clicks(path, LOG)
    old = path.read_bytes()
    comma = ClickLog.of([FULL, replace(FULL, shown=("a,b",), clicked=("a,b",), swapped=1)])
    with pytest.raises(InputError, match="The id 'a,b' has a comma"):
        write_scidocs_clicks(path, comma)
    with pytest.raises(InputError, match="'a ' is no name"):
        write_clicks(path, replace(LOG, papers=("a ", *LOG.papers[1:])))
    with pytest.raises(InputError, match="has no click to write"):
        write_scidocs_clicks(path, ClickLog.of([BARE]))
    with pytest.raises(InputError, match="has no impression to write"):
        write_clicks(path, ClickLog.of([]))
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]
