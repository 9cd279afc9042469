import os
from pathlib import Path

import pytest

from recsys.errors import DraftError
from recsys.formats.drafts import draft_files
from recsys.formats.drafts.draft_formats import open_draft

BIB = "@article{a, title={Lichen on walls}, year=2001}"


def tex(title: str, body: str = "") -> str:
    return (
        rf"\documentclass{{article}}\title{{{title}}}\begin{{document}}\begin{{abstract}}Moss."
        rf"\end{{abstract}}{body}\end{{document}}"
    )


def folder(at: Path, **files: str) -> Path:
    for name, text in files.items():
        path = at / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return at


def test_the_main_file_of_a_folder_is_read_with_what_it_names(tmp_path: Path) -> None:
    body = r"\section{One}Walls have lichen, as was shown \cite{a}.\bibliography{../refs}"
    folder(tmp_path, tex__main_tex=tex("Walls", body), refs_bib=BIB, README_md="# Notes")
    found = open_draft(tmp_path).manuscript
    assert found.title == "Walls"
    assert [work.title for work in found.references] == ["Lichen on walls"]
    assert [each.text for each in open_draft(tmp_path).body.sentences] == [
        "Walls have lichen, as was shown."
    ]


def test_a_pipe_in_a_folder_is_no_file_and_one_that_is_given_is_a_draft(tmp_path: Path) -> None:
    inside = folder(tmp_path / "in", main_tex=tex("Walls"))
    for name in ("notes.md", "other.tex", "more.bib"):
        os.mkfifo(inside / name)
    (inside / "link.md").symlink_to(inside / "notes.md")
    assert draft_files.Project(inside).names == {"main.tex"}
    assert open_draft(inside).manuscript.title == "Walls"
    # As a shell gives what a program writes: `recsys recommend <(program)`.
    reading, writing = os.pipe()
    os.write(writing, b"# Moss on roofs")
    os.close(writing)
    assert open_draft(Path(f"/dev/fd/{reading}")).manuscript.title == "Moss on roofs"
    os.close(reading)


def test_what_is_hidden_or_linked_from_outside_is_not_there(tmp_path: Path) -> None:
    folder(tmp_path / "out", secret_tex=tex("Secret"))
    inside = folder(tmp_path / "in", main_tex=tex("Walls", r"\input{secret}"))
    (inside / "secret.tex").symlink_to(tmp_path / "out" / "secret.tex")
    folder(inside / ".git", hidden_tex=tex("Hidden"))
    found = open_draft(inside).manuscript
    assert draft_files.Project(inside).names == {"main.tex"}
    assert "'secret' was not read" in found.notes[0]


def test_a_folder_with_more_than_a_project_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder(tmp_path, main_tex=tex("Walls"), b_tex="b", c_tex="c")
    monkeypatch.setattr(draft_files, "MOST_BYTES", 10)
    with pytest.raises(DraftError, match="too large"):
        _ = open_draft(tmp_path).manuscript
    monkeypatch.setattr(draft_files, "MOST_ENTRIES", 2)
    with pytest.raises(DraftError, match="more than 2 files"):
        _ = open_draft(tmp_path).manuscript
