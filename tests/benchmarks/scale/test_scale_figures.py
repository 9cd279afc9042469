"""Measuring at several sizes: both versions are asked alike, and the page says what was found."""

import contextlib
import io
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import benchmarks.scale.__main__ as program
import benchmarks.scale.scale_figures as figures
import recsys.pipelines.index.build as building
from benchmarks.bench import Cost
from benchmarks.scale import (
    answer_costs,
    build_costs,
    checkouts,
    top_papers,
    whole_processes,
)
from benchmarks.scale.checkouts import HERE, run_with
from benchmarks.scale.equal_answers import compare_answers
from benchmarks.scale.made_corpus import DRAFTS, PAPERS, VECTORS, make_corpus
from benchmarks.scale.real_sources import read_real
from benchmarks.scale.scale_figures import (
    ScaleBench,
    medians,
    size_name,
    with_ratios,
)
from benchmarks.scale.scale_page import write_scale
from recsys.errors import InputError
from recsys.indexes.backends import BACKENDS as TABLE
from recsys.recommend import Recommender
from tests.benchmarks.scale.small_real import write_real
from tests.hashing_encoder import HashingEncoder

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
BACKENDS = {
    "hnsw": {
        "build_seconds": 60.0,
        "bytes_a_paper": 1800.0,
        "ratio": 0.06,
        "recall": 0.996,
        "many_ratio": 0.4,
        "many_recall": 0.99,
    }
}
ENCODED = {"batch 32": {"cpu": 18.0}, "batch 128": {"cpu": 20.0}, "recsys int8": {"cpu": 70.0}}
PAGE = "# Scale\n\n<!-- scale -->\nold\n<!-- /scale -->\n\nAfter.\n"


@dataclass(frozen=True, slots=True)
class Built:
    """A made corpus with an index, and what the program that built it wrote."""

    corpus: Path
    index: Path
    costs: dict[str, Any]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("scale")
    real = read_real(write_real(folder / "data"), folder / "cache", HashingEncoder())
    make_corpus(real, SIZE, folder)
    index, out = folder / "made.index", io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
        patch.setattr(building, "STAGES", building.STAGES)  # The program wraps them for good.
        build_costs.main(str(folder / PAPERS), str(folder / VECTORS), str(index), "exact")
    return Built(folder, index, json.loads(out.getvalue()))


def test_what_building_takes_is_told(built: Built) -> None:
    costs = built.costs
    assert (costs["papers"], costs["backend"]) == (SIZE, "exact")
    assert set(costs["stages"]) >= {"corpus", "text", "vectors"}
    assert costs["cpu_seconds"] >= sum(each["cpu_seconds"] for each in costs["stages"].values())
    files = [path for path in built.index.rglob("*") if path.is_file()]
    assert costs["bytes"]["vectors"] == 128 + 4 * 16 * SIZE
    assert 0 < sum(costs["bytes"].values()) <= sum(path.stat().st_size for path in files)


def test_what_answering_takes_is_told(
    built: Built, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(answer_costs, "TIMED", 8)
    monkeypatch.setattr(answer_costs, "TIMED_CITING", 4)
    usual = Recommender.rank
    answer_costs.main(str(built.index), str(built.corpus / DRAFTS))
    found = json.loads(capsys.readouterr().out)
    assert Recommender.rank is usual
    assert found["papers"] == SIZE
    for name in ("parts", "parts with references"):
        parts = found[name]
        assert {*answer_costs.PARTS, "answer", "features"} <= set(parts)
        assert all(parts[part] > 0 for part in answer_costs.PARTS)
        assert 0 < parts["candidates"] <= 500
    assert "features, a candidate" in write_scale(_found({"answers": {"after": found}}))


def test_test_drafts_are_answered_by_papers_and_judged(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (built.corpus / DRAFTS).read_text(encoding="utf-8").splitlines()[-5:]
    split = tmp_path / "split.json"
    split.write_text(json.dumps({"test": [json.loads(line)["id"] for line in lines]}))
    top_papers.main(str(built.index), str(split))
    found = json.loads(capsys.readouterr().out)
    assert len(found) == 5
    assert all(len(each["top"]) == 20 and each["gold"] for each in found.values())
    assert compare_answers(found, found)["same order"] == 1


def test_answers_by_each_search_are_judged(built: Built, tmp_path: Path) -> None:
    lines = (built.corpus / DRAFTS).read_text(encoding="utf-8").splitlines()[-5:]
    split, docs = tmp_path / "split.json", tmp_path / "docs"
    split.write_text(json.dumps({"test": [json.loads(line)["id"] for line in lines]}))
    docs.mkdir()
    (docs / "scale.md").write_text(PAGE)
    asked = ["backends", "--index", str(built.index), "--split", str(split), "--corpus", "made"]
    results = tmp_path / "scale.json"
    assert program.main([*asked, "--docs", str(docs), "--results", str(results)]) == 0
    found = json.loads(results.read_text())["answers by backend"]["made"]
    assert set(found) == set(TABLE)
    assert found["exact"]["recall"] == found["int8"]["recall"] == 1
    assert found["exact"] == found["int8"]
    assert all(0 < each["F1@20"] < 1 and 0 < each["MRR"] <= 1 for each in found.values())
    assert "| made | exact | 1.0000 |" in (docs / "scale.md").read_text()


def test_answers_are_compared_by_papers_order_and_gold() -> None:
    before = {
        "a": {"top": ["x", "y"], "gold": ["x"]},
        "b": {"top": ["x", "y"], "gold": ["z"]},
        "c": {"top": [], "gold": ["x", "y"]},
        "d": {"top": ["z"], "gold": ["z"]},
    }
    after = before | {"a": {"top": ["y", "x"], "gold": ["x"]}, "b": {"top": ["z"], "gold": ["z"]}}
    found = compare_answers(before, after)
    assert (found["drafts"], found["others"]) == (4, ["b"])
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


@pytest.mark.parametrize(
    ("papers", "name"), [(30_000, "30k"), (1_000_000, "1m"), (1_500_000, "1500k"), (1234, "1234")]
)
def test_a_size_has_a_short_name(papers: int, name: str) -> None:
    assert size_name(papers) == name


def test_rows_are_told_by_version_and_columns_by_size() -> None:
    answers = {"before": with_ratios(dict(ANSWERS)), "after": with_ratios(dict(ANSWERS))}
    same = {"a": {"top": ["x"], "gold": ["x"]}}
    text = write_scale(
        {
            "machine": {"processors": 2, "processor": "of Babbage", "python": "3", "numpy": "2"},
            "sizes": {
                "1000000": {"build": {"after": BUILD}, "backends": {"backends": BACKENDS}},
                "30000": {"answers": answers, "build": {"before": BUILD, "after": BUILD}},
            },
            "start": {
                "cpu_seconds": {"before": 1.5, "after": 0.75, "floor": 0.5},
                "floors": {"before": 3.0, "after": 1.5},
            },
            "encoding": {"after": {"texts_per_second": ENCODED}},
            "equal": {"vis": compare_answers(same, same)},
            "encoding by clock": {
                "threads": 2,
                "texts_per_second": {"recsys f32": {"wall": 60.0, "cpu": 31.0}},
                "ratio": {"recsys f32": {"wall": 1.5, "cpu": 1.4}},
            },
            "answers by backend": {"vis": {"ivf": {"recall": 0.9964, "F1@20": 0.3532, "MRR": 0.8}}},
        }
    )
    assert "| recsys f32 | 60.0 | 1.50 x | 31.0 | 1.40 x |" in text
    assert "| vis | ivf | 0.9964 | 0.3532 | 0.8000 |" in text
    assert "2 processors (of Babbage)" in text
    assert "| a warm answer, before | 30 ms (2.00 x) |" in text
    assert "| building | 30,000 papers | 1,000,000 papers |" in text
    assert "| words, before | 2 s, 300 MiB |  |" in text
    assert "| words, after | 2 s, 300 MiB | 2 s, 300 MiB |" in text
    assert "| for a million papers at this pace, after | 10,000 s | 10,000 s |" in text
    assert "| all, after | 2,036 | 2,036 |" in text
    assert "| hnsw | 60 s | 1,800 | 0.06 x | 0.9960 | 0.40 x | 0.9900 |" in text
    assert (
        "| before | 1.50 s | 3.00 x |\n| after | 0.75 s | 1.50 x |\n| floor | 0.50 s | 1 x |"
        in text
    )
    assert "| batch 128, after | 20.0 | 1.00 x |\n| recsys int8, after | 70.0 | 3.50 x |" in text
    assert "| vis | 1 | 100.00% | 100.00% |" in text


def test_figures_are_kept_and_versions_take_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Path, str]] = []

    def run(checkout: Path, name: str, *arguments: str | Path) -> dict[str, Any]:
        asked.append((checkout, name))
        if name == "scale.build_costs":
            Path(arguments[2]).mkdir()
        return dict(BUILD if name == "scale.build_costs" else ANSWERS)

    before = tmp_path / "checkout"
    monkeypatch.setattr(figures, "run_with", run)
    monkeypatch.setattr(program, "_make_sized", lambda given, papers, folder: folder.mkdir())
    (tmp_path / "scale.md").write_text(PAGE, encoding="utf-8")
    results = tmp_path / "kept" / "scale.json"
    options = ["measure", "--data", str(tmp_path), "--sizes", "2000", "--work", str(tmp_path)]
    options += ["--docs", str(tmp_path), "--results", str(results), "--rounds", "2"]
    assert program.main([*options, "--only", "answers", "--before", str(before)]) == 0
    turns = [before, HERE]
    assert asked == [
        *((each, "scale.build_costs") for each in turns),
        *((each, "scale.answer_costs") for each in turns * 2),
    ]
    assert program.main([*options, "--only", "build"]) == 0
    kept = json.loads(results.read_text(encoding="utf-8"))["sizes"]["2000"]
    assert set(kept["answers"]) == {"before", "after"}
    assert set(kept["build"]) == {"after"}
    page = (tmp_path / "scale.md").read_text(encoding="utf-8")
    assert "| a warm answer, after | 30 ms (2.00 x) |" in page
    assert page.endswith("After.\n")


def test_processes_of_two_versions_take_turns_above_one_floor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def run(command: list[Any], *, env: dict[str, str]) -> Cost:
        asked.append(env["PYTHONPATH"].split(os.pathsep)[0])
        seconds = 0.75 if asked[-1] == str(HERE) else 1.5
        return Cost(seconds, seconds, 100, "")

    before = tmp_path / "checkout"
    (before / "recsys").mkdir(parents=True)
    (before / "recsys" / "__init__.py").touch()
    monkeypatch.setattr(whole_processes, "run_program", run)
    floor = {"cpu_seconds": {"floor": 0.5}}
    monkeypatch.setattr(whole_processes, "run_module", lambda *_: floor)
    versions = {"before": (before, tmp_path), "after": (HERE, tmp_path)}
    found = whole_processes.measure_start(versions, tmp_path / "draft.json")
    assert found["cpu_seconds"] == {"before": 1.5, "after": 0.75, "floor": 0.5}
    assert found["floors"] == {"before": 3.0, "after": 1.5}
    assert asked == [str(before), str(HERE)] * (len(asked) // 2)


def test_a_program_runs_with_the_code_of_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        (folder / "recsys").mkdir(parents=True)
        (folder / "recsys" / "__init__.py").write_text(f"NAME = {folder.name!r}")
    (here / "benchmarks" / "scale").mkdir(parents=True)
    program = here / "benchmarks" / "scale" / "told.py"
    program.write_text("import recsys, json, sys\nprint(json.dumps([recsys.NAME, *sys.argv[1:]]))")
    monkeypatch.setattr(checkouts, "HERE", here)
    assert run_with(there, "scale.told", "one") == ["there", "one"]
    assert run_with(here, "scale.told") == ["here"]


def test_a_corpus_is_made_once(tmp_path: Path) -> None:
    made: list[int] = []

    def make(papers: int, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        made.append(papers)

    bench = ScaleBench(tmp_path, make)
    assert bench.corpus(3000) == bench.corpus(3000) == tmp_path / "3k"
    assert made == [3000]


def test_a_folder_that_is_no_checkout_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no checkout"):
        run_with(tmp_path, "scale.top_papers")


def test_an_unknown_section_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        program.main(["measure", "--data", ".", "--sizes", "10", "--only", "answer"])
    assert "Did you mean 'answers'?" in capsys.readouterr().err


def test_a_page_that_lacks_its_marks_is_refused_before_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["measure", "--data", ".", "--sizes", "10", "--docs", str(tmp_path)]
    assert program.main(options) == 1
    assert "There is no page" in capsys.readouterr().err


def _found(sized: dict[str, Any]) -> dict[str, Any]:
    facts = {"processors": 2, "processor": "of Babbage", "python": "3.11", "numpy": "2"}
    with_scans = {
        section: {version: with_ratios(each) for version, each in found.items()}
        for section, found in sized.items()
    }
    return {"machine": facts, "sizes": {str(SIZE): with_scans}}
