"""Bytes, beginnings and lines of files: packed, of any encoding, cut short, without end."""

import codecs
import gzip
import io
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import CorpusError
from recsys.formats import source_streams
from recsys.formats.source_streams import (
    NOT_UTF8,
    TOO_LONG,
    head_of_file,
    head_text,
    open_bytes,
    text_lines,
)
from tests.rows import each_row

TEXT = "Über Flüsse\nund \u2013 \u6cb3\u5ddd\nEnde"
Damage: TypeAlias = Callable[[bytes], bytes]
ENCODINGS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
"""And the mark with which a text in each begins."""


def lines_of(raw: bytes) -> tuple[list[str], Counter[str]]:
    oddities: Counter[str] = Counter()
    stream = io.BufferedReader(io.BytesIO(raw))
    return list(text_lines(stream, oddities)), oddities


def file_lines(path: Path) -> tuple[list[str], Counter[str]]:
    oddities: Counter[str] = Counter()
    with open_bytes(path) as stream:
        return list(text_lines(stream, oddities)), oddities


@each_row("encoding", ENCODINGS)
@each_row("packed", [False, True])
@each_row("end", ["\n", "\r\n", "\r"])
def test_a_marked_text_is_read_as_it_was_written(
    tmp_path: Path, encoding: str, packed: bool, end: str
) -> None:
    raw = ENCODINGS[encoding] + TEXT.replace("\n", end).encode(encoding)
    path = tmp_path / "works"
    path.write_bytes(gzip.compress(raw) if packed else raw)
    assert file_lines(path) == (TEXT.splitlines(keepends=True), Counter())
    assert head_text(head_of_file(path)) == TEXT


def test_lines_of_windows_1252_are_read_as_such_and_counted() -> None:
    raw = "Flüsse\n".encode("cp1252") + "Flüsse\n".encode() + b"\x93Ice\x94 \x81\r\nice\n"
    lines, oddities = lines_of(raw)
    assert lines == ["Flüsse\n", "Flüsse\n", "\u201cIce\u201d \ufffd\n", "ice\n"]
    assert oddities == {NOT_UTF8: 2}


@given(st.binary(max_size=200))
def test_no_line_is_lost_whatever_the_bytes(raw: bytes) -> None:
    lines, oddities = lines_of(raw)
    assert all(line.endswith("\n") for line in lines[:-1])
    assert sum(oddities.values()) <= len(lines)
    if not raw.startswith((*ENCODINGS.values(),)):
        ends = raw.count(b"\n") + raw.count(b"\r") - raw.count(b"\r\n")
        assert len(lines) in (ends, ends + 1)
        "".join(lines).encode()  # No half of a surrogate is left.


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_text_in_utf_8_comes_back(text: str) -> None:
    lines, oddities = lines_of(codecs.BOM_UTF8 + text.encode())
    assert "".join(lines) == text.replace("\r\n", "\n").replace("\r", "\n")
    assert not oddities


def test_a_line_that_is_too_long_is_passed_over_and_numbers_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(source_streams, "LONGEST_LINE", 10)
    lines, oddities = lines_of(b"one\n" + b"x" * 11 + b"\n" + b"y" * 9 + b"\n" + b"z" * 50)
    assert lines == ["one\n", "\n", "yyyyyyyyy\n", "\n"]
    assert oddities == {TOO_LONG: 2}


@pytest.mark.parametrize("packed", [False, True])
def test_a_line_without_end_costs_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    monkeypatch.setattr(source_streams, "LONGEST_LINE", 2**16)
    monkeypatch.setattr(source_streams, "_ENDLESS", 2**23)
    path = tmp_path / "endless"
    if packed:
        path.write_bytes(gzip.compress(bytes(2**24)))
    else:
        with path.open("wb") as file:
            file.truncate(2**31)  # Nothing of it lies on the disk.
    tracemalloc.start()
    try:
        with pytest.raises(CorpusError, match=r"Line 1 has no end"):
            file_lines(path)
        assert tracemalloc.get_traced_memory()[1] < 12 * 2**20
    finally:
        tracemalloc.stop()


def test_a_long_line_may_be_the_second_and_others_may_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_streams, "LONGEST_LINE", 2**12)
    path = tmp_path / "letters"
    path.write_bytes(b"one\n" + b"TI  - x" * 2**18 + b"\nthree\n")
    assert file_lines(path) == (["one\n", "\n", "three\n"], Counter({TOO_LONG: 1}))


@each_row(
    ("damage", "said"),
    [
        (lambda raw: raw[:-9], "ends in the middle of its gzip stream"),
        (lambda raw: raw[:40], "ends in the middle of its gzip stream"),
        (lambda raw: raw[:3], "ends in the middle of its gzip stream"),
        (lambda raw: raw[:-8] + bytes(8), "has damaged data in its gzip stream"),
        (lambda raw: raw[:30] + b"\xff" * 40 + raw[70:], "has damaged data in its gzip stream"),
        (lambda raw: raw + b"junk behind", "has damaged data in its gzip stream"),
    ],
)
def test_a_damaged_gzip_file_says_so(tmp_path: Path, damage: Damage, said: str) -> None:
    path = tmp_path / "works.gz"
    raw = gzip.compress("".join(f"a line of works, {n}\n" for n in range(500)).encode(), mtime=0)
    path.write_bytes(damage(raw))
    with pytest.raises(CorpusError, match=said) as caught:
        file_lines(path)
    assert str(path) in caught.value.what
    head_of_file(path)  # Whatever can be seen of it; to read it tells.


def test_what_is_no_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "works.ris").touch()
    with pytest.raises(CorpusError, match="is a directory"), open_bytes(tmp_path):
        pass
    with pytest.raises(CorpusError, match=r"There is no file") as caught:
        head_of_file(tmp_path / "work.ris")
    assert "works.ris" in caught.value.hint
    with pytest.raises(CorpusError, match="cannot be read"):
        head_of_file(Path("a\0b"))


def test_progress_is_told_in_bytes_of_the_packed_file(tmp_path: Path) -> None:
    path = tmp_path / "works.gz"
    path.write_bytes(gzip.compress(b"line\n" * 1000))
    told: list[tuple[int, int]] = []
    with open_bytes(path, progress=lambda _, done, size: told.append((done, size))) as stream:
        assert stream.read() == b"line\n" * 1000
    size = path.stat().st_size
    assert told[-1] == (size, size)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
