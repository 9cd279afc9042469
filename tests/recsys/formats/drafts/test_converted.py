"""Drafts that pandoc reads, with a program in its place that gives back what pandoc 3.9 gave."""

from pathlib import Path

import pytest

from recsys.errors import DraftError
from recsys.formats.drafts.draft_formats import open_draft
from tests.rows import each_row

FILES = Path(__file__).with_name("files")


def pandoc(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put a program called pandoc in a folder, which is all that there is."""
    program = folder / "pandoc"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


@each_row(
    ("name", "form", "what"),
    [
        ("paper.rst", "rst", "reStructuredText"),
        ("paper.adoc", "asciidoc", "AsciiDoc"),
        ("paper.asciidoc", "asciidoc", "AsciiDoc"),
    ],
)
def test_without_pandoc_the_draft_is_refused_by_name(
    name: str, form: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / name).write_text("= Walls\n", encoding="utf-8")
    with pytest.raises(DraftError) as caught:
        _ = open_draft(tmp_path / name).manuscript
    assert f"is {what}, which is not a format that is read without pandoc" in caught.value.what
    assert f"pandoc -f {form} -s -o paper.md" in str(caught.value.hint)


def test_what_pandoc_makes_of_a_draft_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "refs.bib").write_text("@book{a, title={Walls}}\n@book{b, title={Moss}}", "utf-8")
    for name in ("bells.rst", "bells.adoc"):
        pandoc(tmp_path, monkeypatch, f"cat > asked; cat '{FILES / name}.md'")
        monkeypatch.chdir(tmp_path)
        (tmp_path / name).write_bytes((FILES / name).read_bytes())
        found = open_draft(tmp_path / name).manuscript
        assert (found.title, found.abstract) == ("Bells without ropes", "We ring bells."), name
        assert found.authors == ("Ivy Moss", "Otto Fern"), name
        keys = ["a", "b", "Reed2015"] if name.endswith("rst") else ["a", "b"]
        assert [work.key for work in found.references] == keys, name
    assert "[.abstract]" in (tmp_path / "asked").read_text(encoding="utf-8")


def test_what_pandoc_does_not_understand_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.rst").write_text("Walls\n", encoding="utf-8")
    pandoc(tmp_path, monkeypatch, "echo '[WARNING] no file x.rst' >&2; echo '# Walls'")
    notes = open_draft(tmp_path / "a.rst").manuscript.notes
    assert notes == ("1 thing that pandoc left out: [WARNING] no file x.rst",)
    pandoc(tmp_path, monkeypatch, "echo 'Unknown input format rst' >&2; exit 21")
    with pytest.raises(DraftError, match="could not read it: Unknown input format rst"):
        _ = open_draft(tmp_path / "a.rst").manuscript
