"""Measuring at several sizes: both versions are asked alike, and the page says what was found."""

import json
from pathlib import Path
from typing import Any

import pytest

import benchmarks.scale as program
from benchmarks.made_corpus import DRAFTS
from benchmarks.result_tables import written
from benchmarks.scale import CHECKOUT, compare_answers, medians, run_with, with_ratios
from recsys.errors import InputError
from tests.benchmarks.small_real import Made

SIZE = 600
ANSWERS = {
    "papers": SIZE,
    "scan": 15.0,
    "opening": 90.0,
    "first": 45.0,
    "warm": 30.0,
    "with references": 60.0,
    "parts": {
        "vectors": 4.0,
        "bm25": 3.0,
        "trees": 2.0,
        "columns": 1.0,
        "candidates": 500,
        "features": 4.0,
    },
    "parts with references": {"features": 6.0},
}
BUILD = {
    "papers": SIZE,
    "links": 7000,
    "terms": 9000,
    "backend": "annoy",
    "stages": {
        name: {"cpu_seconds": 2.0, "peak_mib": 300} for name in ("corpus", "text", "vectors")
    },
    "cpu_seconds": 6.0,
    "peak_mib": 400,
    "bytes": {"vectors": 1536 * SIZE, "text": 500 * SIZE},
}
ENCODED = {
    "texts_per_second": {"batch 128": {"cpu": 20.0}, "recsys int8": {"cpu": 70.0}},
    "ratio": {"batch 128": {"cpu": 1.0}, "recsys int8": {"cpu": 3.5}},
}
PAGE = "# Scale\n\n<!-- scale -->\nold\n<!-- /scale -->\n\nAfter.\n"


def test_answers_are_compared_by_papers_order_and_gold() -> None:
    before = {
        "a": {"top": ["x", "y"], "gold": ["x"]},
        "b": {"top": ["x", "y"], "gold": ["z"]},
        "c": {"top": [], "gold": ["x", "y"]},
        "d": {"top": ["z"], "gold": ["z"]},
    }
    after = before | {"a": {"top": ["y", "x"], "gold": ["x"]}, "b": {"top": ["z"], "gold": ["z"]}}
    found = compare_answers(before, after)
    assert found["drafts"] == 4
    assert (found["same papers"], found["same order"]) == (0.75, 0.5)
    # Two of 80 papers shown are gold, and recall is 1, 0, 0, 1; then three, and 1, 1, 0, 1.
    assert found["F1@20"]["before"] == pytest.approx(2 * 0.025 * 0.5 / 0.525)
    assert found["F1@20"]["after"] == pytest.approx(2 * 0.0375 * 0.75 / 0.7875)


def test_ratios_are_made_within_a_process() -> None:
    slow = {name: 3 * value for name, value in ANSWERS.items() if isinstance(value, float)}
    found = medians([with_ratios(each) for each in ({**ANSWERS}, {**ANSWERS, **slow})])
    assert found["warm"] == 60.0
    assert found["scans"] == {"first": 3.0, "warm": 2.0, "with references": 4.0}
    assert found["parts"] == ANSWERS["parts"]


def test_rows_are_told_by_version_and_columns_by_size() -> None:
    answers = {"before": with_ratios(dict(ANSWERS)), "after": with_ratios(dict(ANSWERS))}
    same = {"a": {"top": ["x"], "gold": ["x"]}}
    found: dict[str, Any] = {
        "machine": {"processors": 2, "processor": "of Babbage", "python": "3", "numpy": "2"},
        "sizes": {
            "1000000": {"build": {"after": BUILD}},
            "30000": {"answers": answers, "build": {"before": BUILD, "after": BUILD}},
        },
        "start": {
            "cpu_seconds": {"before": 1.5, "after": 0.75, "floor": 0.5},
            "floors": {"before": 3.0, "after": 1.5},
        },
        "encoding": {"after": ENCODED},
        "equal": {"vis": compare_answers(same, same)},
    }
    text = written("scale", found)
    for told in (
        "2 processors (of Babbage)",
        "| a warm answer, before | 30 ms (2.00 x) |",
        "| building | 30,000 papers | 1,000,000 papers |",
        "| words, before | 2 s, 300 MiB |  |",
        "| words, after | 2 s, 300 MiB | 2 s, 300 MiB |",
        "| for a million papers at this pace, after | 10,000 s | 10,000 s |",
        "| all, after | 2,036 | 2,036 |",
        "| before | 1.50 s | 3.00 x |\n| after | 0.75 s | 1.50 x |\n| floor | 0.50 s | 1 x |",
        "| batch 128, after | 20.0 | 1.00 x |\n| recsys int8, after | 70.0 | 3.50 x |",
        "| vis | 1 | 100.00% | 100.00% |",
    ):
        assert told in text, told
    del found["sizes"]["30000"]["build"]["before"]
    assert "| words | 2 s, 300 MiB | 2 s, 300 MiB |" in written("scale", found)


def test_figures_are_kept_and_versions_take_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Path, str]] = []
    made: list[int] = []

    def run(checkout: Path, name: str, *arguments: str | Path) -> dict[str, Any]:
        asked.append((checkout, name))
        if name == "build":
            Path(arguments[2]).mkdir()
        return dict(BUILD if name == "build" else ANSWERS)

    def make(data: Path, papers: int, out: Path, seed: int, cache: Path) -> None:
        out.mkdir()
        made.append(papers)

    before = tmp_path / "checkout"
    monkeypatch.setattr(program, "run_with", run)
    monkeypatch.setattr(program, "make", make)
    (tmp_path / "scale.md").write_text(PAGE, encoding="utf-8")
    results = tmp_path / "kept" / "scale.json"
    options = ["measure", "--data", str(tmp_path), "--sizes", "2000", "--work", str(tmp_path)]
    options += ["--docs", str(tmp_path), "--results", str(results), "--rounds", "2"]
    assert program.main([*options, "--only", "answers", "--before", str(before)]) == 0
    turns = [before, CHECKOUT]
    builds, answers = ([(each, name) for each in turns] for name in ("build", "answers"))
    assert asked == [*builds, *answers * 2]
    assert program.main([*options, "--only", "build"]) == 0
    assert made == [2000], "a corpus is made once"
    kept = json.loads(results.read_text(encoding="utf-8"))["sizes"]["2000"]
    assert set(kept["answers"]) == {"before", "after"}
    assert set(kept["build"]) == {"after"}
    page = (tmp_path / "scale.md").read_text(encoding="utf-8")
    assert "| a warm answer, after | 30 ms (2.00 x) |" in page
    assert page.endswith("After.\n")


def test_two_versions_are_compared_on_a_real_corpus(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def run(checkout: Path, name: str, *arguments: str | Path) -> Any:  # noqa: ANN401
        asked.append(name)
        return ENCODED if name == "encoding" else {"a": {"top": ["x"], "gold": ["x"]}}

    start = {"cpu_seconds": {"before": 1.5, "after": 0.75, "floor": 0.5}, "floors": {}}
    start["floors"] = {"before": 3.0, "after": 1.5}
    monkeypatch.setattr(program, "run_with", run)
    monkeypatch.setattr(program, "measure_start", lambda versions: start)
    (tmp_path / "scale.md").write_text(PAGE, encoding="utf-8")
    index, results = str(made.index), tmp_path / "scale.json"
    options = ["compare", str(CHECKOUT), "--index-before", index, "--index-after", index]
    options += ["--split", str(made.split(tmp_path)), "--corpus", "made"]
    assert program.main([*options, "--docs", str(tmp_path), "--results", str(results)]) == 0
    assert asked == ["encoding", "encoding", "top", "top"]
    found = json.loads(results.read_text(encoding="utf-8"))
    assert found["start"] == start and set(found["encoding"]) == {"before", "after"}
    assert "| made | 1 | 100.00% |" in (tmp_path / "scale.md").read_text(encoding="utf-8")


def test_a_program_runs_with_the_code_of_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "there"):
        (tmp_path / name / "recsys").mkdir(parents=True)
        (tmp_path / name / "recsys" / "__init__.py").write_text(f"NAME = {name!r}")
    told = "import recsys, json, sys\nprint(json.dumps([recsys.NAME, *sys.argv[1:]]))"
    (tmp_path / "timed_programs.py").write_text(told)
    monkeypatch.setattr(program, "HERE", tmp_path)
    assert run_with(tmp_path / "there", "top", "one") == ["there", "top", "one"]
    assert run_with(tmp_path / "here", "top") == ["here", "top"]


def test_the_programs_run_as_files(made: Made) -> None:
    """They must not need the package that they lie in: another checkout may lack it."""
    found = run_with(CHECKOUT, "answers", made.index, made.corpus / DRAFTS)
    assert found["papers"] == made.size and found["warm"] > 0


def test_a_mistake_is_told_before_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="is no checkout"):
        run_with(tmp_path, "top")
    options = ["measure", "--data", ".", "--sizes", "10"]
    assert program.main([*options, "--only", "answer"]) == 1
    assert "Did you mean 'answers'?" in capsys.readouterr().err
    assert program.main([*options, "--docs", str(tmp_path)]) == 1
    assert "There is no page" in capsys.readouterr().err
