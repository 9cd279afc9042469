"""Benchmarks: what is measured is what happened, and a partial rerun keeps the other figures."""

import json
import sys
from pathlib import Path

import pytest

import benchmarks.__main__ as program
from benchmarks.quality import KEPT, score_candidates, score_run
from benchmarks.result_tables import render
from benchmarks.serving import time_drafts
from recsys.errors import InputError, RecsysError
from recsys.eval.report.marked_pages import splice
from recsys.pipelines.evaluation.batch import BatchOptions, run_batch
from recsys.pipelines.jobs.engines import ProcessPool
from recsys.pipelines.jobs.programs import Bench, run_program
from tests.pipelines.small_index import open_small_index, write_small_index, write_small_split

FIGURE = {"value": 0.35, "low": 0.3351, "high": 0.366}
QUALITY = {
    "queries": 376,
    "papers": 6951,
    "systems": {
        "two-stage": {
            **dict.fromkeys(("F1@20", "MRR", "R@20", "R@100", "candidate recall"), FIGURE),
            "candidates": {"value": 499.6},
            "ECE": {"value": 0.0161},
        },
        "BM25": dict.fromkeys(("F1@20", "MRR", "R@20", "R@100"), FIGURE),
    },
}
SERVING = {
    "cpu_seconds": {"recommend": 0.671, "peer": 6.16},
    "ratio": 9.18,
    "milliseconds": {"vis": {"median": 8.04, "with_references": 11.96}},
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


def test_cost_is_that_of_the_program_alone() -> None:
    ballast = bytearray(300 << 20)
    burn = "import time\nwhile time.process_time() < 0.3: pass\nprint('done')"
    cost = run_program([sys.executable, "-S", "-c", burn])
    assert cost.out == "done\n"
    assert 0.3 <= cost.cpu_seconds < 1
    assert cost.seconds >= 0.3
    assert 1 < cost.peak_mib < 100 < len(ballast) >> 20


def test_peak_memory_is_seen() -> None:
    cost = run_program([sys.executable, "-S", "-c", "x = bytearray(200 << 20)"])
    assert 200 < cost.peak_mib < 300


def test_variables_reach_the_program() -> None:
    code = "import os; print(os.environ['ONE'])"
    assert run_program([sys.executable, "-S", "-c", code], env={"ONE": "1"}).out == "1\n"


def test_a_program_that_fails_is_an_error() -> None:
    with pytest.raises(RecsysError, match="exit code 7"):
        run_program([sys.executable, "-S", "-c", "raise SystemExit(7)"])


def test_every_section_is_written_with_its_figures() -> None:
    results = {"vis": QUALITY, "serving": SERVING, "build": BUILD, "encoding": ENCODING}
    results["update"] = UPDATE
    text = render(results)
    interval = "0.350 (0.335-0.366)"
    row = " | ".join([interval] * 5)
    assert f"| vis, two-stage | {row} | 500 | 0.016 |" in text
    assert "vis: 376 queries, 6,951 papers" in text
    assert "| `recsys recommend`, whole process | 0.67 CPU seconds |" in text
    assert "| ratio | 9.2 x |" in text
    assert "encoding left out: vis | 8.0 CPU ms |" in text
    assert "encoding left out, with 40 references: vis | 12.0 CPU ms |" in text
    assert "| vis | 6,951 | 100 s | 813 MiB |" in text
    assert "| recsys int8 | 31.0 | 36.0 | 4.00 x |" in text
    assert "| 7 papers added to vis | 6,951 | 2.1 s | 290 MiB | 250 MiB |" in text
    assert render({"build": BUILD}) in text
    for block in text.split("\n\n"):
        if block.startswith("|"):
            assert len({line.count("|") for line in block.splitlines()}) == 1


def test_a_partial_rerun_keeps_the_other_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, results = tmp_path / "benchmarks.md", tmp_path / "benchmarks" / "results.json"
    page.write_text(PAGE, encoding="utf-8")
    sections = {"build": lambda bench: BUILD, "vis": lambda bench: QUALITY}
    monkeypatch.setattr(program, "SECTIONS", sections)
    arguments = ["--data", str(tmp_path), "--docs", str(tmp_path), "--results", str(results)]
    assert program.main([*arguments, "--only", "vis"]) == 0
    assert program.main([*arguments, "--only", "build"]) == 0
    found = json.loads(results.read_text())
    assert found == {"build": BUILD, "vis": QUALITY}
    assert page.read_text() == splice(PAGE, "benchmarks", render(found))


@pytest.mark.parametrize("page", ["nothing", None])
def test_a_folder_without_the_marks_is_refused_before_any_work(
    page: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if page is not None:
        (tmp_path / "benchmarks.md").write_text(page, encoding="utf-8")
    assert program.main(["--data", str(tmp_path), "--docs", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith("error: ")


def test_an_unknown_section_is_told_its_neighbour(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        program.main(["--data", "x", "--docs", "y", "--only", "viss"])
    assert "Did you mean 'vis'?" in capsys.readouterr().err


def test_a_missing_corpus_is_told_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "vis").mkdir()
    with pytest.raises(InputError, match="Did you mean 'vis'"):
        Bench(tmp_path, tmp_path / "work").papers("viss")


def test_a_run_is_scored_as_the_batch_scored_it(tmp_path: Path) -> None:
    index = write_small_index(tmp_path / "small.index")
    split = write_small_split(tmp_path / "split.json")
    run = tmp_path / "x.trec"
    report = run_batch(
        index, split, BatchOptions(engine=ProcessPool(1)), run, open_index=open_small_index
    )
    recommender = open_small_index(index)
    queries = json.loads(split.read_text())["test"]
    scored = score_run(recommender.collection, queries, run)
    assert {name: scored[name]["value"] for name in KEPT} == {
        name: report.measures[name].value for name in KEPT
    }
    asked = score_candidates(recommender, queries)
    for name in ("candidate recall", "candidates"):
        assert asked[name]["value"] == report.measures[name].value
    assert 0 < asked["ECE"]["value"] < 1


def test_drafts_are_timed_without_encoding(tmp_path: Path) -> None:
    recommender = open_small_index(write_small_index(tmp_path / "small.index"))
    taken = time_drafts(recommender, ["rivers-09", "deserts-10"])
    assert len(taken) == 2 and all(0 < each < 5000 for each in taken)
    assert getattr(recommender.encoder, "encoded") == 0  # noqa: B009 - not of the protocol.
