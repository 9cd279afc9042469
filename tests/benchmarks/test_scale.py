"""Measuring at several sizes: what is there is not made again, and the page says what was found."""

import json
from pathlib import Path
from typing import Any

import pytest

import benchmarks.scale as program
from benchmarks.bench import HERE
from benchmarks.made_corpus import DRAFTS
from tests.benchmarks.small_real import Made

KEPT = json.loads((HERE / "scale.json").read_text(encoding="utf-8"))
"""What was measured last: figures of the shapes that programs give."""
PAGE = "# Scale\n\n<!-- scale -->\nold\n<!-- /scale -->\n\nAfter.\n"


def test_figures_are_kept_and_nothing_is_made_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    made: list[int] = []

    def timed(name: str, *arguments: Path) -> dict[str, Any]:
        asked.append(name)
        if name == "build":
            arguments[2].mkdir()
        figures: dict[str, Any] = KEPT["sizes"]["30000"][name]
        return figures

    def make(data: Path, papers: int, out: Path, seed: int, cache: Path) -> None:
        out.mkdir()
        made.append(papers)

    monkeypatch.setattr(program, "timed", timed)
    monkeypatch.setattr(program, "make", make)
    (tmp_path / "scale.md").write_text(PAGE, encoding="utf-8")
    results = tmp_path / "kept" / "scale.json"
    options = ["measure", "--data", str(tmp_path), "--sizes", "2000", "--work", str(tmp_path)]
    options += ["--docs", str(tmp_path), "--results", str(results), "--rounds", "2"]
    assert program.main([*options, "--only", "answers"]) == 0
    assert asked == ["build", "answers", "answers"]
    assert program.main([*options, "--only", "build"]) == 0
    assert made == [2000], "a corpus is made once"
    kept = json.loads(results.read_text(encoding="utf-8"))["sizes"]["2000"]
    assert set(kept) == {"answers", "build"}
    page = (tmp_path / "scale.md").read_text(encoding="utf-8")
    assert page.count("| a warm answer |") == 1 and "| building | 2,000 papers |" in page
    assert page.endswith("After.\n")


def test_a_program_is_run_in_a_process_of_its_own(made: Made) -> None:
    found = program.timed("answers", made.index, made.corpus / DRAFTS)
    assert found["papers"] == made.size and found["warm"] > 0


def test_a_mistake_is_told_before_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["measure", "--data", ".", "--sizes", "10"]
    assert program.main([*options, "--only", "answer"]) == 1
    assert "Did you mean 'answers'?" in capsys.readouterr().err
    assert program.main([*options, "--docs", str(tmp_path)]) == 1
    assert "There is no page" in capsys.readouterr().err
