"""Benchmarks: what is measured is what happened, and a partial rerun keeps the other figures."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import benchmarks.__main__ as program
import benchmarks.costs as costs
from benchmarks.__main__ import calibration_errors
from benchmarks.bench import Cost
from benchmarks.costs import measure_start
from benchmarks.result_tables import written
from docs.made.marked_pages import splice
from tests.pipelines.small_index import open_small_index, write_small_index

if TYPE_CHECKING:
    from tests.built_index import Built

CALIBRATION = {"vis": {"two-stage": {"queries": 376, "ECE": 0.0161, "ECE of candidates": 0.0017}}}
SERVING = {
    "cpu_seconds": {"recommend": 0.671, "peer": 6.16},
    "ratio": 9.18,
    "milliseconds": {"vis": {"median": 8.04, "with_references": 11.96}},
}
PRECISION = {"corpus": "vis", "F1@20": {"int8": [0.35, 0.37], "f32": [0.36, 0.361]}, "cost": 0.0005}
LOCAL = {
    "corpus": "vis",
    "papers": 6951,
    "sentences": 200,
    "many": 1.5,
    "one": 0.012,
    "scan": 19e-5,
}
UPDATE = {"vis": {"papers": 6951, "added": 7, "seconds": 2.1, "peak_mib": 290, "opening_mib": 250}}
BUILD = {"vis": {"papers": 6951, "seconds": 100.4, "peak_mib": 812.6}}
ENCODING = {
    "texts": 1500,
    "threads": 2,
    "texts_per_second": {
        "sentence_transformers, batch 8": {"wall": 10.0, "cpu": 9.0},
        "recsys int8": {"wall": 31.0, "cpu": 36.0},
    },
    "ratio": {
        "sentence_transformers, batch 8": {"wall": 1.0, "cpu": 1.0},
        "recsys int8": {"wall": 3.1, "cpu": 4.0},
    },
}
BEGIN, END = "<!-- benchmarks -->", "<!-- /benchmarks -->"
PAGE = f"# Title\n\n{BEGIN}\nold\n{END}\n\nAfter.\n"


def test_every_section_is_written_with_its_figures() -> None:
    results = {"calibration": CALIBRATION, "serving": SERVING, "build": BUILD, "update": UPDATE}
    results |= {"encoding": ENCODING, "precision": PRECISION, "local": LOCAL}
    text = written("benchmarks", results)
    assert "| vis, two-stage | 376 | 0.016 | 0.002 |" in text
    assert "| int8 | 0.3600 | 0.3500, 0.3700 |" in text
    assert "The difference is 0.0005;" in text
    assert "| `recsys recommend`, whole process | 0.67 CPU seconds |" in text
    assert "| ratio | 9.2 x |" in text
    assert "encoding left out: vis | 8.0 CPU ms |" in text
    assert "encoding left out, with 40 references: vis | 12.0 CPU ms |" in text
    assert "| a draft of 200 sentences | 1,500 ms |" in text
    assert "| one passage | 12.0 ms |" in text and "0.19 ms" in text
    assert "| vis | 6,951 | 100 s | 813 MiB |" in text
    assert "| recsys int8 | 31.0 | 36.0 | 4.00 x |" in text
    assert "| 7 papers added to vis | 6,951 | 2.1 s | 290 MiB | 250 MiB |" in text
    assert written("benchmarks", {"build": BUILD}) in text
    for block in text.split("\n\n"):
        if block.startswith("|"):
            assert len({line.count("|") for line in block.splitlines()}) == 1


@pytest.mark.parametrize("page", ["benchmarks", "scale", "engines-search", "few-links", "left-out"])
def test_what_is_kept_is_what_a_page_shows(page: str) -> None:
    root = Path(program.__file__).parents[1]
    name = "results" if page == "benchmarks" else page
    found = json.loads((root / "benchmarks" / f"{name}.json").read_text(encoding="utf-8"))
    text = (root / "docs" / "results" / f"{page}.md").read_text(encoding="utf-8")
    assert splice(text, page, written(page, found)) == text


def test_a_partial_rerun_keeps_the_other_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, results = tmp_path / "benchmarks.md", tmp_path / "benchmarks" / "results.json"
    page.write_text(PAGE, encoding="utf-8")
    sections = {"build": lambda bench: BUILD, "calibration": lambda bench: CALIBRATION}
    monkeypatch.setattr(program, "SECTIONS", sections)
    arguments = ["--data", str(tmp_path), "--docs", str(tmp_path), "--results", str(results)]
    assert program.main([*arguments, "--only", "calibration"]) == 0
    assert program.main([*arguments, "--only", "build"]) == 0
    found = json.loads(results.read_text())
    assert found == {"build": BUILD, "calibration": CALIBRATION}
    assert page.read_text() == splice(PAGE, "benchmarks", written("benchmarks", found))


@pytest.mark.parametrize("page", ["nothing", None])
def test_a_folder_without_the_marks_is_refused_before_any_work(
    page: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if page is not None:
        (tmp_path / "benchmarks.md").write_text(page, encoding="utf-8")
    assert program.main(["--data", str(tmp_path), "--docs", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith("error: ")


def test_an_unknown_section_is_told_its_neighbour(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["--data", "x", "--docs", "y", "--only", "buid"]) == 1
    assert "Did you mean 'build'?" in capsys.readouterr().err


def test_chances_of_what_is_shown_and_of_candidates_are_compared(tmp_path: Path) -> None:
    recommender = open_small_index(write_small_index(tmp_path / "small.index"))
    found = calibration_errors(recommender, ["rivers-09", "deserts-10"])
    assert set(found) == {"ECE", "ECE of candidates"}
    assert all(0 < error < 1 for error in found.values())


def test_programs_take_turns_above_one_floor(
    built: "Built", monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def run(command: list[Any], *, env: dict[str, str]) -> Cost:
        asked.append(env.get("CODE", "floor"))
        seconds = {"before": 1.5, "after": 0.75, "floor": 0.5}[asked[-1]]
        return Cost(seconds, seconds, 100, "")

    monkeypatch.setattr(costs, "run_program", run)
    versions = {name: (built.index, {"CODE": name}) for name in ("before", "after")}
    found = measure_start(versions, rounds=2)
    assert found["cpu_seconds"] == {"before": 1.5, "after": 0.75, "floor": 0.5}
    assert found["floors"] == {"before": 3.0, "after": 1.5}
    assert asked == ["floor", "before", "after"] * 3


def test_the_start_is_measured_against_its_floor(built: "Built") -> None:
    found = measure_start({"now": (built.index, {})}, rounds=1)
    assert found["cpu_seconds"]["now"] > found["cpu_seconds"]["floor"] > 0
    assert found["floors"]["now"] > 1
