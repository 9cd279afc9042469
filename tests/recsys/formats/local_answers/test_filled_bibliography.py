"""Entries are added to a BibTeX file, and what it holds stays to the byte."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError, RecsysError
from recsys.formats.local_answers.filled_drafts import (
    Accepted,
    BibFile,
    FilePatch,
    accepted,
    write_patches,
)
from recsys.formats.local_answers.shown_gaps import keys_of
from recsys.formats.references.reference_writers import bibtex
from recsys.records import LocalAnswer
from tests.recsys.formats.local_answers.made_answers import ITEMS, SPECTER, TREES, answer_on
from tests.rows import each_row

MINE = "@article{ash04,\n  title = {Growing trees \\& shrubs},\n  year = 2004,\n}\n"


def answer() -> LocalAnswer:
    found = answer_on("paper.tex", "[CITE] [CITE] [CITE]")
    second = replace(found.gaps[1], recommendations=(replace(ITEMS[1], probability=0.9),))
    return replace(found, gaps=(found.gaps[0], second, found.gaps[2]))


def filled(path: Path) -> tuple[bytes, tuple[Accepted, ...]]:
    """Fill a file on the disk; return what it then holds, and what was taken."""
    file = BibFile.read(path)
    keys = keys_of(answer(), file.references)
    taken = accepted(answer(), keys)
    write_patches([file.with_entries(taken, keys)])
    return path.read_bytes(), taken


def test_a_new_file_has_each_paper_once(tmp_path: Path) -> None:
    raw, taken = filled(tmp_path / "new.bib")
    assert raw.decode() == bibtex([replace(SPECTER, abstract=None), TREES])
    assert [each.key for each in taken] == [
        "Cohan2020Specter",
        "Ash2004Growing",
        "Cohan2020Specter",
    ]


@each_row("line_end", ["\n", "\r\n"])
def test_entries_are_appended_and_known_works_keep_their_keys(
    line_end: str, tmp_path: Path
) -> None:
    path = tmp_path / "refs.bib"
    before = ("% Mine.\n" + MINE).replace("\n", line_end).encode()
    path.write_bytes(before)
    raw, taken = filled(path)
    assert (
        raw
        == before
        + ("\n" + bibtex([replace(SPECTER, abstract=None)])).replace("\n", line_end).encode()
    )
    assert [each.key for each in taken] == ["Cohan2020Specter", "ash04", "Cohan2020Specter"]


@each_row("codec", ["cp1252", "utf-8-sig", "utf-16"])
def test_a_file_keeps_its_encoding(codec: str, tmp_path: Path) -> None:
    path = tmp_path / "refs.bib"
    before = "@book{a, title = {Bäume}}".encode(codec)
    path.write_bytes(before)
    raw, _ = filled(path)
    assert raw.startswith(before) and "{Bäume}}\n\n@inproceedings{Cohan2020" in raw.decode(codec)


def test_a_file_that_ends_within_an_entry_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "refs.bib"
    path.write_text("@book{a, title = {Trees", encoding="utf-8")
    with pytest.raises(InputError, match="ends within an entry"):
        filled(path)
    assert path.read_text(encoding="utf-8") == "@book{a, title = {Trees"


def test_a_file_that_is_no_bibtex_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "paper.bib"
    path.write_text("Dear diary,\n", encoding="utf-8")
    with pytest.raises(InputError, match="is no BibTeX"):
        filled(path)


def test_a_file_that_changed_meanwhile_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "refs.bib"
    file = BibFile.read(path)
    path.write_text(MINE, encoding="utf-8")
    with pytest.raises(InputError, match="it changed since"):
        write_patches([FilePatch(str(path), file.raw, b"new")])
    assert path.read_text(encoding="utf-8") == MINE


@given(st.integers(0, 200), st.integers(0, 200), st.sampled_from(["", "}", "{", "@", '"', "\0"]))
def test_a_damaged_file_is_appended_to_or_refused(
    tmp_path_factory: pytest.TempPathFactory, start: int, end: int, put: str
) -> None:
    text = MINE + "@string{b = {Botany}}\n@comment{x}\n@misc{fir, title = b # { y}, year = 1999}\n"
    path = tmp_path_factory.getbasetemp() / "damaged.bib"
    before = (text[:start] + put + text[max(start, end) :]).encode()
    path.write_bytes(before)
    try:
        raw, taken = filled(path)
    except RecsysError:
        assert path.read_bytes() == before
        return
    assert raw.startswith(before)
    known = {reference.key for reference in BibFile.read(path).references}
    assert {each.key for each in taken} <= known
