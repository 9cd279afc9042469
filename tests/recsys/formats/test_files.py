import codecs
import io
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.formats.files import (
    MAX_BYTES,
    STDIN,
    decode,
    decode_or_guess,
    display_name,
    read_bytes,
    read_text,
)
from tests.rows import each_row

WORD = "Jürgen, naïve, 10 €, 漢字"
MARKED = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


def message(raw: bytes) -> str:
    with pytest.raises(InputError) as caught:
        decode(raw, "notes.txt")
    assert caught.value.hint.endswith(".")
    return str(caught.value)


@each_row("encoding", MARKED)
def test_a_byte_order_mark_tells_the_encoding(encoding: str) -> None:
    raw = MARKED[encoding] + WORD.encode(encoding)
    assert decode(raw, "x") == WORD
    assert decode_or_guess(raw, "x") == (WORD, None)


@given(st.text(st.characters(exclude_characters="\0\r\ufeff", codec="utf-8")))
def test_text_is_read_as_it_was_written_in_every_encoding(text: str) -> None:
    assert decode(text.encode(), "x") == text
    for encoding, mark in MARKED.items():
        assert decode(mark + text.encode(encoding), "x") == text


@each_row(
    ("raw", "said"),
    [
        (b"a\xffb", "not UTF-8: byte 0xff on line 1"),
        (b"one\ncaf\xe9", "byte 0xe9 on line 2"),
        (b"a\x00b", "NUL byte on line 1"),
        (b"\x1f\x8b\x08\x00junk", "is not a text"),
        ("plain".encode("utf-16-le"), "NUL byte"),
        (codecs.BOM_UTF16_LE + b"a", "not UTF-16"),
        (codecs.BOM_UTF32_LE + b"abc", "not UTF-32"),
    ],
)
def test_bytes_that_are_no_text_are_refused(raw: bytes, said: str) -> None:
    found = message(raw)
    assert "notes.txt" in found
    assert said in found


def test_what_is_not_utf_8_may_be_read_as_windows_1252_with_a_note() -> None:
    text, note = decode_or_guess("“Jürgen”\r\n".encode("cp1252"), "old.bib")
    assert text == "“Jürgen”\n"
    assert note == "old.bib is not UTF-8; it was read as Windows-1252 (Latin-1)."
    assert decode_or_guess(b"\x81\xe9", "x")[0] == "\x81é"
    with pytest.raises(InputError, match="NUL byte"):
        decode_or_guess(b"\xe9\0", "x")


@given(st.binary(max_size=40))
def test_any_bytes_are_text_or_an_input_error(raw: bytes) -> None:
    try:
        text, note = decode_or_guess(raw, "x")
    except InputError as error:
        assert error.hint
        with pytest.raises(InputError):
            decode(raw, "x")
    else:
        assert not {"\0", "\r"} & set(text)
        assert note or decode(raw, "x") == text


def test_files_and_standard_input_are_read_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert read_text(path) == read_text(STDIN) == "one\n"
    assert display_name(path) == str(path)
    assert display_name(STDIN) == "standard input"


def test_a_missing_file_is_answered_with_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "draft.tex").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"Did you mean 'draft\.tex'\?"):
        read_bytes(tmp_path / "drft.tex")
    with pytest.raises(InputError, match="its folder does not exist"):
        read_bytes(tmp_path / "nowhere" / "draft.tex")


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a directory"):
        read_bytes(tmp_path)


@each_row("name", ["a" * 5000, "nul\0byte", "file/below"])
def test_an_impossible_path_is_an_error_like_any_other(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read"):
        read_bytes(tmp_path / name)


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        os.truncate(file.fileno(), MAX_BYTES + 1)
    with pytest.raises(InputError, match="larger than 64 MB"):
        read_bytes(path)
    with pytest.raises(InputError, match="larger than 64 MB"):
        read_bytes(Path("/dev/zero"))
