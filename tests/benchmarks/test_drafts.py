"""Every draft in the wild is read right; what the page says of them is what was found."""

import json
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
    assert program.verdicts_of_checkout(HERE.parents[1]) == found


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


def test_verdicts_are_kept_and_written_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program, "read_cases", lambda: DRAFTS[:2])
    assert program.main([]) == 0
    said = json.loads(capsys.readouterr().out)
    (tmp_path / "drafts.md").write_text("A\n<!-- drafts -->\n<!-- /drafts -->\nB\n")
    results = tmp_path / "drafts.json"
    assert program.main(["--docs", str(tmp_path), "--results", str(results)]) == 0
    assert json.loads(results.read_text())["now"] == said
    assert "| all | 2 | - | 2 |" in (tmp_path / "drafts.md").read_text()
    assert program.main(["--docs", str(tmp_path / "none")]) == 1
