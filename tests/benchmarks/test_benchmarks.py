"""Benchmarks: what is measured is what happened, and a partial rerun keeps the other figures."""

import json
from pathlib import Path

import pytest

import benchmarks.__main__ as program
from benchmarks.__main__ import OWN_BLOCKS, calibration_error
from benchmarks.result_tables import written
from docs.made.marked_pages import page_with, splice
from tests.pipelines.small_index import open_small_index, write_small_index
from tests.rows import each_row

ROOT = Path(program.__file__).parents[1]
KEPT = ("scale", "engines-search", "few-links", "left-out", "chances", "namesakes", "checking")
"""Blocks whose figures are in a file of their name."""
CALIBRATION = {"vis": {"two-stage": {"queries": 376, "ECE": 0.0161}}}
BUILD = {"vis": {"papers": 6951, "seconds": 100.4, "peak_mib": 812.6}}
PAGE = "# Title\n\n<!-- benchmarks -->\nold\n<!-- /benchmarks -->\n\nAfter.\n"


@each_row("block", ["benchmarks", *OWN_BLOCKS, *KEPT])
def test_what_is_kept_is_what_a_page_shows(block: str) -> None:
    name = block if block in KEPT else "results"
    found = json.loads((ROOT / "benchmarks" / f"{name}.json").read_text(encoding="utf-8"))
    shown = OWN_BLOCKS[block](found[block]) if block in OWN_BLOCKS else written(block, found)
    text = page_with(ROOT / "docs" / "results", block).read_text(encoding="utf-8")
    assert splice(text, block, shown) == text


def test_a_partial_rerun_keeps_the_other_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, results = tmp_path / "benchmarks.md", tmp_path / "benchmarks" / "results.json"
    page.write_text(PAGE, encoding="utf-8")
    sections = {"build": lambda bench: BUILD, "calibration": lambda bench: CALIBRATION}
    monkeypatch.setattr(program, "SECTIONS", sections)
    arguments = ["--data", str(tmp_path), "--docs", str(tmp_path), "--results", str(results)]
    assert program.main([*arguments, "--only", "calibration"]) == 0
    assert program.main([*arguments, "--only", "biuld"]) == 1
    assert program.main([*arguments, "--only", "build"]) == 0
    found = json.loads(results.read_text())
    assert found == {"build": BUILD, "calibration": CALIBRATION}
    text = written("benchmarks", found)
    assert page.read_text() == splice(PAGE, "benchmarks", text)
    assert "| vis, two-stage | 376 | 0.016 |" in text
    assert "| vis | 6,951 | 100 s | 813 MiB |" in text


def test_chances_of_what_is_shown_are_compared_with_what_is_cited(tmp_path: Path) -> None:
    recommender = open_small_index(write_small_index(tmp_path / "small.index"))
    assert 0 < calibration_error(recommender, ["rivers-09", "deserts-10"]) < 1
