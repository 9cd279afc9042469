"""What drafts of several files may open: Markdown and Typst, as LaTeX in its own tests."""

import os
from pathlib import Path

import pytest

from recsys.errors import DraftError
from recsys.formats.drafts import included
from recsys.formats.drafts.bundle import read_bundle
from recsys.formats.drafts.draft_formats import open_draft
from tests.rows import each_row

FORMS = (
    ("paper.qmd", "---\ntitle: Walls\n---\n\n{files}\n", "{{{{< include {name} >}}}}"),
    ("paper.Rmd", "---\ntitle: Walls\n---\n\n{files}\n", '```{{r, child="{name}"}}\n```'),
    ("paper.md", "# Walls\n\n{files}\n", "```{{include}} {name}\n```"),
    ("paper.typ", "#title[Walls]\n{files}\n", '#include "{name}"'),
)
"""Name and text of a draft, and how it includes a file."""


def draft(folder: Path, form: tuple[str, str, str], *names: str) -> Path:
    file, text, including = form
    folder.mkdir(parents=True, exist_ok=True)
    lines = "\n".join(including.format(name=name) for name in names)
    (folder / file).write_text(text.format(files=lines), encoding="utf-8")
    return folder / file


def notes(path: Path) -> list[str]:
    return [note for note in open_draft(path).manuscript.notes if "was not read" in note]


@each_row("name", ["../secret.txt", "/etc/passwd", "link.txt", "linked/secret.txt"])
def test_nothing_outside_the_folder_is_read(name: str, tmp_path: Path) -> None:
    for form in FORMS:
        inside = tmp_path / form[0] / name.replace("/", "-")
        path = draft(inside, form, name)
        (inside.parent / "secret.txt").write_text("SECRET words of a file outside.", "utf-8")
        (inside / "link.txt").symlink_to(inside.parent / "secret.txt")
        (inside / "linked").symlink_to(inside.parent)
        found = open_draft(path).manuscript
        assert "SECRET" not in (found.abstract or "") and "root:" not in (found.abstract or "")
        assert len(notes(path)) == 1, (form[0], notes(path))


def test_what_includes_itself_is_missing_or_is_no_file_is_said_once_each(tmp_path: Path) -> None:
    for form in FORMS:
        folder = tmp_path / form[0]
        path = draft(folder, form, "one" + path_suffix(form), "gone.txt", "pipe.txt", "binary.txt")
        (folder / ("one" + path_suffix(form))).write_text(
            form[2].format(name=form[0]) + "\n\nWords of one.\n", encoding="utf-8"
        )
        os.mkfifo(folder / "pipe.txt")
        (folder / "binary.txt").write_bytes(b"\0\1")
        said = " ".join(open_draft(path).manuscript.notes)
        assert f"'{form[0]}' was not read again: it inputs itself." in said, said
        assert "'gone.txt' was not read: the draft's folder has no such file" in said
        assert "'pipe.txt' was not read: the draft's folder has no such file" in said
        assert "'binary.txt' has a NUL byte" in said


def path_suffix(form: tuple[str, str, str]) -> str:
    return Path(form[0]).suffix


def test_files_that_multiply_are_bounded(tmp_path: Path) -> None:
    for form in FORMS:
        folder = tmp_path / form[0]
        path = draft(folder, form, "f0.txt")
        for number in range(15):  # 2^15 copies of the last.
            twice = "\n\n".join([form[2].format(name=f"f{number + 1}.txt")] * 2)
            (folder / f"f{number}.txt").write_text(twice, encoding="utf-8")
        (folder / "f15.txt").write_text("Words.", encoding="utf-8")
        assert "Only the first 1,000 inputs are followed." in open_draft(path).manuscript.notes


def test_inputs_too_deep_or_too_long_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for form in FORMS:
        folder = tmp_path / form[0]
        path = draft(folder, form, "f0.txt")
        for number in range(30):
            including = form[2].format(name=f"f{number + 1}.txt")
            (folder / f"f{number}.txt").write_text(including, encoding="utf-8")
        assert notes(path) == ["'f20.txt' was not read: too many files input one another."]
    monkeypatch.setattr(included, "LONGEST_SOURCE", 2**20)
    for form in FORMS:
        path = draft(tmp_path / form[0], form, *["long.txt"] * 3)
        (path.parent / "long.txt").write_text("word " * 2**17, encoding="utf-8")
        with pytest.raises(DraftError, match="has more than 1 MB of"):
            _ = open_draft(path).manuscript


def test_sentences_tell_the_file_and_the_line_in_which_they_stand(tmp_path: Path) -> None:
    path = draft(tmp_path, FORMS[0], "parts/one.qmd", "parts/two.qmd")
    (tmp_path / "parts").mkdir()
    one = "---\ntitle: no\n---\n\nBells ring [@a].\n\n{{< include deep/three.qmd >}}\n"
    (tmp_path / "parts" / "one.qmd").write_text(one, encoding="utf-8")
    (tmp_path / "parts" / "two.qmd").write_text("\nTides {cite:p}`b` turn.\n", encoding="utf-8")
    (tmp_path / "parts" / "deep").mkdir()
    (tmp_path / "parts" / "deep" / "three.qmd").write_text("Ropes sing.\n", encoding="utf-8")
    found = open_draft(path).body.sentences
    assert [(each.file, each.text, each.cited, each.span and each.span.line) for each in found] == [
        ("parts/one.qmd", "Bells ring.", ("a",), 5),
        ("parts/deep/three.qmd", "Ropes sing.", (), 1),
        ("parts/two.qmd", "Tides turn.", ("b",), 2),
    ]
    assert [mark.printed for each in found for mark in each.marks] == ["[@a]", "{cite:p}`b`"]


def test_files_given_together_without_their_folders_are_one_draft() -> None:
    files = {
        "_quarto.yml": b"bibliography: lists/refs.bib\nauthor: Ivy Moss\n",
        "_one.qmd": b"Bells ring [@a].\n",
        "index.qmd": b"---\ntitle: Walls\n---\n\n{{< include parts/_one.qmd >}}\n",
        "refs.bib": b"@article{a, title={Lichen on walls}, year=2001}",
    }
    found = read_bundle(files).manuscript()
    assert (found.title, found.authors) == ("Walls", ("Ivy Moss",))
    assert [work.title for work in found.references] == ["Lichen on walls"]


def test_a_part_that_says_nothing_itself_is_no_error_of_the_whole() -> None:
    files = {
        "main.typ": b'#import "meta.typ": *\n#set document(title: name)\n#include "one.typ"\n',
        "meta.typ": b'#let name = "Walls"\n',
        "one.typ": b"= Introduction\nBells ring.\n",
    }
    assert read_bundle(files).manuscript().title == "Walls"
