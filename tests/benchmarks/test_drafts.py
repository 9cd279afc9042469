"""Every draft in the wild is read right; what the page says of them is what was found."""

import tempfile
from pathlib import Path

import pytest

from benchmarks.drafts import __main__ as program
from benchmarks.drafts.__main__ import (
    HERE,
    RIGHT,
    Draft,
    put_down,
    read_cases,
    verdict,
    verdicts,
)

DRAFTS = read_cases()


def test_every_draft_is_read_right() -> None:
    found = verdicts(DRAFTS)
    assert len(found) == len(DRAFTS)  # Names tell the drafts apart.
    assert {name: wrong for name, wrong in found.items() if wrong != RIGHT} == {}


def test_every_folder_is_a_case_and_holds_its_draft(tmp_path: Path) -> None:
    assert sorted(draft.folder for draft in DRAFTS) == sorted(
        path.relative_to(HERE).as_posix() for path in HERE.glob("*/*") if path.is_dir()
    )
    assert [draft.folder for draft in DRAFTS if not draft.path.exists()] == []
    [draft] = (each for each in DRAFTS if each.name == "../refs.bib in a repository")
    assert put_down(draft, tmp_path) == tmp_path / "tex" / "paper.tex"
    assert {path.name for path in tmp_path.iterdir()} == {".git", "refs.bib", "tex"}


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    (tmp_path / "paper.tex").write_text(r"\title{A title} \cite{gone}")
    folder = str(tmp_path)
    wrong = Draft("x", "y", folder, "paper.tex", "Another", "None", ("N. N.",), ("k",))
    assert verdict(wrong) == "title, abstract, authors, references (0 of 1, 0 wrong)"
    assert verdict(Draft("x", "y", folder, cited=("A work",))) == "references (0 of 1, 0 wrong)"
    silent = Draft("x", "y", folder, title="A title", told=("nothing like it",))
    assert verdict(silent) == "not said"
    lost = verdict(Draft("x", "y", folder, "paper.docx"))
    assert lost.startswith("error: ") and tempfile.gettempdir() not in lost


def test_verdicts_are_written_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "read_cases", lambda: DRAFTS[:2])
    (tmp_path / "drafts.md").write_text("A\n<!-- drafts -->\n<!-- /drafts -->\nB\n")
    assert program.main(["--docs", str(tmp_path)]) == 0
    assert "| all | 2 | 2 |" in (tmp_path / "drafts.md").read_text()
    assert program.main(["--docs", str(tmp_path / "none")]) == 1
