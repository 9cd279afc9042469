import gzip
import io
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import CorpusError
from recsys.formats.files import STDIN
from recsys.formats.papers.json_records import Line, entries_of, open_lines
from tests.rows import each_row


def read(path: Path, *, longest: int = 1000) -> list[Line]:
    with open_lines(path, longest=longest) as lines:
        return list(lines)


def written(folder: Path, content: bytes, name: str = "papers.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_lines_are_numbered_and_blank_ones_left_out(tmp_path: Path) -> None:
    lines = read(written(tmp_path, b"one\r\n\n   \ntwo\nthree"))
    assert [(line.number, line.text.strip()) for line in lines] == [
        (1, "one"),
        (4, "two"),
        (5, "three"),
    ]


def test_gzip_is_known_by_its_first_bytes_not_its_name(tmp_path: Path) -> None:
    packed = written(tmp_path, gzip.compress(b"one\ntwo\n"), "papers.txt")
    plain = written(tmp_path, b"one\ntwo\n", "papers.gz")
    assert read(packed) == read(plain)


def test_standard_input_can_be_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    content = gzip.compress(b"one\ntwo\n")[:-6]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    with pytest.raises(CorpusError, match="standard input ends in the middle"):
        read(STDIN)


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    assert read(written(tmp_path, b"\xef\xbb\xbfone\n"))[0].text == "one\n"


def test_broken_utf8_is_replaced_and_marked(tmp_path: Path) -> None:
    good, bad = read(written(tmp_path, "Zürich\n".encode() + b"Z\xfcrich\n"))
    assert (good.text, good.broken_utf8) == ("Zürich\n", False)
    assert (bad.text, bad.broken_utf8) == ("Z\ufffdrich\n", True)


def test_a_line_too_long_is_passed_over_not_loaded(tmp_path: Path) -> None:
    content = b"short\n" + b"x" * 5_000_000 + b"\nnext\n"
    lines = read(written(tmp_path, content))
    assert [(line.number, line.too_long) for line in lines] == [(1, False), (2, True), (3, False)]
    assert len(lines[1].text) <= 1024


def test_a_line_of_the_greatest_length_is_read(tmp_path: Path) -> None:
    assert [line.too_long for line in read(written(tmp_path, b"x" * 999 + b"\n"))] == [False]


def test_a_record_over_several_lines_is_joined(tmp_path: Path) -> None:
    content = b'[\n  {\n    "a": {\n      "b": 1\n    }\n  },\n  {\n    "a": "\xff"\n  }\n]\n'
    lines = read(written(tmp_path, content))
    assert [(line.number, line.broken_utf8) for line in lines] == [
        (1, False),
        (2, False),
        (7, True),
        (10, False),
    ]
    assert "".join(lines[1].text.split()) == '{"a":{"b":1}},'


WORKS = [{"id": f"W{n}", "title": f"Bark {n}"} for n in range(4)]
ONE, TWO, THREE, FOUR = map(json.dumps, WORKS)


@each_row(
    "text",
    [
        # A page over several lines, that begin after a record or before one.
        f'{{"meta": {{"count": 4}}, "results": [{ONE},\n{TWO},\n{THREE}, {FOUR}]}}',
        f'{{"results": [\n{ONE},\n{TWO},\n{THREE},\n{FOUR}\n]}}\n',
        f'{{"results": [{ONE}\n,{TWO}\n,{THREE}\n,{FOUR}], "meta": {{}}}}',
        # Pages on lines, in a list, in a list over several lines; lists of lists.
        f'{{"results": [{ONE}, {TWO}]}}\n{{"results": [{THREE}, {FOUR}]}}\n',
        f'[{{"results": [{ONE}, {TWO}]}}, {{"results": [{THREE}, {FOUR}]}}]',
        f'[{{"results": [{ONE},\n{TWO}]}},\n{{"results": [{THREE},\n{FOUR}]}}]',
        json.dumps([{"results": WORKS[:2]}, {"results": WORKS[2:]}], indent=2),
        json.dumps([{"message": {"items": WORKS[:2]}}, {"message": {"items": WORKS[2:]}}]),
        json.dumps([WORKS[:2], [WORKS[2:]]]),
        f"[{ONE},\n{TWO},\n{THREE},\n{FOUR}]",
    ],
)
def test_records_are_found_on_pages_and_in_lists_of_them(tmp_path: Path, text: str) -> None:
    lines = read(written(tmp_path, text.encode()))
    assert [entry.record for line in lines for entry in entries_of(line)] == WORKS


def test_a_truncated_gzip_file_is_refused_naming_the_last_good_line(tmp_path: Path) -> None:
    content = b"".join(b"line %d of the file\n" % number for number in range(1, 2001))
    packed = gzip.compress(content)
    path = written(tmp_path, packed[: len(packed) // 2])
    seen = []
    with pytest.raises(CorpusError) as caught, open_lines(path) as lines:
        for line in lines:
            seen.append(line)
    assert f"line {seen[-1].number} is the last good one" in caught.value.what
    assert 500 < len(seen) < 1900
    assert caught.value.hint


@each_row("at", [30, -8])
def test_a_damaged_gzip_file_is_refused(tmp_path: Path, at: int) -> None:
    packed = bytearray(gzip.compress(b"some text\n" * 20 + bytes(range(11, 250)) * 3))
    packed[at] ^= 0xFF
    with pytest.raises(CorpusError, match="damaged data"):
        read(written(tmp_path, bytes(packed)))


@each_row(
    ("head", "what"),
    [
        (b"PK\x03\x04rest", "zip archive"),
        ('{"id": 1}'.encode("utf-16"), "UTF-16"),
    ],
)
def test_other_kinds_of_file_are_named(tmp_path: Path, head: bytes, what: str) -> None:
    with pytest.raises(CorpusError, match=what) as caught:
        read(written(tmp_path, head))
    assert caught.value.hint


@given(st.binary(max_size=300).filter(lambda raw: b"\x1f\x8b" not in raw))
def test_no_bytes_can_break_the_reader(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    lines = read(written(tmp_path_factory.mktemp("raw"), b" " + raw), longest=40)
    numbers = [line.number for line in lines]
    assert numbers == sorted(set(numbers))
    for line in lines:
        line.text.encode()
