"""Every draft that was written is read right; what the page says of them is what was found."""

import json
from pathlib import Path

import pytest

from benchmarks.written_drafts import __main__ as program
from benchmarks.written_drafts.read_drafts import RIGHT, verdict, written_drafts
from benchmarks.written_drafts.verdict_tables import verdict_tables
from benchmarks.written_drafts.written_draft import WrittenDraft
from tests.rows import each_row

DRAFTS = written_drafts()


@each_row("draft", DRAFTS)
def test_every_written_draft_is_read_right(draft: WrittenDraft) -> None:
    assert verdict(draft) == RIGHT


def test_names_tell_the_drafts_apart() -> None:
    assert len({(each.part, each.name) for each in DRAFTS}) == len(DRAFTS)


def test_what_is_wrong_is_named() -> None:
    files = {"paper.tex": r"\title{A title} \cite{gone}"}
    wrong = WrittenDraft("x", "y", files, "paper.tex", "Another", "None", ("N. N.",), ("k",))
    assert verdict(wrong) == "title, abstract, authors, references (0 of 1, 0 wrong)"
    silent = WrittenDraft("x", "y", files, title="A title", told=("nothing like it",))
    assert verdict(silent) == "not said"
    lost = WrittenDraft("x", "y", {"paper.pdf": b"\0"}, "paper.docx")
    assert verdict(lost).startswith("error: ")


def test_the_page_has_a_row_for_each_draft() -> None:
    before, now = (
        {"a: x": "title", "a: y": RIGHT},
        {"a: x": RIGHT, "a: y": RIGHT, "b: z": "abstract"},
    )
    table = verdict_tables(before, now)
    assert "| a | 2 | 1 | 2 |" in table
    assert "| all | 3 | 1 | 2 |" in table
    assert "| a | `x` | title |  |" in table
    assert "| b | `z` | - | abstract |" in table


def test_verdicts_are_kept_and_written_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program, "written_drafts", lambda: DRAFTS[:2])
    assert program.main([]) == 0
    said = json.loads(capsys.readouterr().out)
    (tmp_path / "drafts.md").write_text("A\n<!-- drafts -->\n<!-- /drafts -->\nB\n")
    results = tmp_path / "drafts.json"
    assert program.main(["--docs", str(tmp_path), "--results", str(results)]) == 0
    assert json.loads(results.read_text())["now"] == said
    assert "| all | 2 | - | 2 |" in (tmp_path / "drafts.md").read_text()
    assert program.main(["--docs", str(tmp_path / "none")]) == 1
