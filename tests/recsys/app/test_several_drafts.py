"""Several drafts in one call: each gets its answer, whatever becomes of the others."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import CliResult, RunCli

Ask = Callable[..., "CliResult"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rivers.txt").write_text("Rivers in surveys", encoding="utf-8")
    (tmp_path / "deserts.md").write_text("# Deserts measured again", encoding="utf-8")
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "rivers.tex").write_text(r"\title{Glaciers}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ask(built: "Built", run_cli: "RunCli", folder: Path) -> Ask:
    def recommend(*arguments: object) -> "CliResult":
        return run_cli("recommend", *arguments, "--index", built.index, "-k", 2)

    return recommend


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_each_line_of_json_names_its_draft(ask: Ask) -> None:
    done = ask("rivers.txt", "deserts.md", "--format", "jsonl")
    assert done.code == 0, done.err
    found = lines(done.out)
    assert [(item["draft"], item["rank"]) for item in found] == [
        ("rivers.txt", 1), ("rivers.txt", 2), ("deserts.md", 1), ("deserts.md", 2),
    ]  # fmt: skip
    assert found[0]["id"].startswith("rivers") and found[0]["id"] != found[2]["id"]
    assert done.err.splitlines() == [
        "rivers.txt: Understood: title, no abstract.",
        "deserts.md: Understood: title, no abstract.",
    ]


def test_tables_are_headed_with_their_drafts(ask: Ask) -> None:
    done = ask("rivers.txt", "deserts-06")
    assert done.out.startswith("== rivers.txt ==\n  1 ")
    assert "\n\n== deserts-06 ==\n  1 " in done.out
    assert "==" not in ask("rivers.txt").out


def test_a_draft_that_fails_loses_no_other_answer(ask: Ask) -> None:
    done = ask("rivers.txt", "empty.txt", "gone.tex", "deserts.md", "--format", "jsonl")
    assert done.code == 1
    assert [item["draft"] for item in lines(done.out)] == ["rivers.txt"] * 2 + ["deserts.md"] * 2
    assert done.err.splitlines()[-2:] == [
        "error: empty.txt: empty.txt is empty. Give a draft with a title or an abstract.",
        "error: gone.tex: There is no file gone.tex. Check the path.",
    ]


def test_nothing_found_for_one_of_several_is_an_error(ask: Ask) -> None:
    assert ask("rivers.txt", "--venue", "None*").code == 3
    done = ask("rivers.txt", "deserts.md", "--venue", "None*", "--format", "jsonl")
    assert (done.code, done.out) == (1, "")
    assert done.err.count("error: ") == 2


def test_each_answer_gets_a_file_called_after_its_draft(ask: Ask, folder: Path) -> None:
    done = ask(
        "rivers.txt", "other/rivers.tex", "deserts-06", "empty.txt",
        "--out-dir", "new/answers", "--format", "bibtex",
    )  # fmt: skip
    assert (done.code, done.out) == (1, "")
    out = folder / "new" / "answers"
    names = sorted(path.name for path in out.iterdir())
    assert names == ["deserts-06.bib", "rivers-2.bib", "rivers.bib"]
    assert "Written to new/answers/rivers-2.bib." in done.err
    assert "Glaciers" in (out / "rivers-2.bib").read_text(encoding="utf-8")
    assert "Rivers" in (out / "rivers.bib").read_text(encoding="utf-8")


def test_one_file_may_hold_all_answers(ask: Ask, folder: Path) -> None:
    done = ask("rivers.txt", "empty.txt", "deserts.md", "--format", "jsonl", "--out", "all.jsonl")
    assert (done.code, done.out) == (1, "")
    written = lines((folder / "all.jsonl").read_text(encoding="utf-8"))
    assert [item["draft"] for item in written] == ["rivers.txt"] * 2 + ["deserts.md"] * 2
