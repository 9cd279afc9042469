"""`recsys recommend --where`: each paper at the sentence of the draft that it fits best."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import CliResult, RunCli

Ask = Callable[..., "CliResult"]
TEX = (
    "\\documentclass{article}\n\\title{Rivers and glaciers, measured again}\n"
    "\\begin{document}\n\\section{Introduction}\nNobody was harmed.\n"
    "In this survey, rivers are measured with an instrument.\n\n\\input{body}\n\\end{document}\n"
)
BODY = "Surveys of glaciers and volcanoes measured these with other instruments.\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "paper.tex").write_text(TEX, encoding="utf-8")
    (tmp_path / "body.tex").write_text(BODY, encoding="utf-8")
    (tmp_path / "draft.json").write_text('{"title": "Rivers"}', encoding="utf-8")
    (tmp_path / "title.md").write_text("# Deserts measured again\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ask(built: "Built", run_cli: "RunCli", folder: Path) -> Ask:
    def recommend(*words: object, stdin: bytes = b"") -> "CliResult":
        return run_cli("recommend", *words, "--index", built.index, "--where", stdin=stdin)

    return recommend


def places(done: "CliResult") -> list[dict[str, Any] | None]:
    assert done.code == 0, done.err
    return [json.loads(line)["where"] for line in done.out.splitlines()]


def test_papers_go_to_sentences_of_all_files(ask: Ask) -> None:
    found = [each for each in places(ask("paper.tex", "--format", "jsonl")) if each]
    assert {(each["file"], each["line"]) for each in found} <= {
        ("paper.tex", 5), ("paper.tex", 6), ("body.tex", 1),
    }  # fmt: skip
    assert {each["sentence"] for each in found} & {
        "In this survey, rivers are measured with an instrument.", BODY.strip(),
    }  # fmt: skip
    assert {each["section"] for each in found} == {"Introduction"}


def test_the_table_names_the_line_and_notes_count_the_others(ask: Ask) -> None:
    done = ask("paper.tex", "-k", 20)
    assert done.code == 0
    shown = [line.strip() for line in done.out.splitlines() if '  "' in line]
    assert shown and all(line.startswith(("paper.tex:", "body.tex:")) for line in shown)
    lost = 20 - len(shown)
    assert (f"{lost} paper" in done.err) == bool(lost)


def test_the_answer_is_the_one_without_places(ask: Ask, run_cli: "RunCli", built: "Built") -> None:
    words = ("paper.tex", "-k", 5, "--format", "jsonl")
    with_places = [json.loads(line) for line in ask(*words).out.splitlines()]
    without = run_cli("recommend", *words, "--index", built.index).out.splitlines()
    assert [{k: v for k, v in item.items() if k != "where"} for item in with_places] == [
        json.loads(line) for line in without
    ]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["draft.json"], "draft.json is JSON: it has no running text to look for gaps in."),
        (["title.md"], "title.md has no sentence of running text."),
        (["--title", "Rivers"], "The draft is not a file with running text."),
        (["deserts-06"], "deserts-06 is not a file with running text."),
    ],
)
def test_a_draft_without_running_text_gets_its_answer_and_a_note(
    ask: Ask, words: list[str], why: str
) -> None:
    done = ask(*words, "--format", "jsonl", "-k", 2)
    assert places(done) == [None, None]
    assert done.err.splitlines()[-1] == f"{why} No paper can be placed in it."


def test_each_of_several_drafts_has_its_own_places(ask: Ask) -> None:
    Path("empty.txt").write_text("", encoding="utf-8")
    words = ("paper.tex", "draft.json", "-", "empty.txt", "-k", 20, "--format", "jsonl")
    done = ask(*words, stdin=TEX.encode())
    assert done.code == 1
    found = [json.loads(line) for line in done.out.splitlines()]
    assert [item["draft"] for item in found] == [
        name for name in ("paper.tex", "draft.json", "-") for _ in range(20)
    ]
    assert any(item["where"] for item in found[:20])
    assert not any(item["where"] for item in found[20:])
    notes = done.err.splitlines()
    assert any(
        line.startswith("-: Among several drafts, only the title of standard input")
        for line in notes
    )
    assert notes[-1].startswith("error: empty.txt: empty.txt is empty.")
