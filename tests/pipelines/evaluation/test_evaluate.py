"""Evaluations: the same runs whatever happens on the way, facts that are true, nothing leaked."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recsys.errors import InputError, LeakageError
from recsys.eval.trec import read_qrels
from recsys.pipelines.evaluation.batch import SHOWN, BatchOptions, corpus_facts, run_batch
from recsys.pipelines.evaluation.evaluate import EvaluateOptions, EvaluationReport, evaluate
from recsys.pipelines.evaluation.system_table import SYSTEMS
from recsys.pipelines.jobs.engines import ProcessPool
from recsys.protocols import Progress, silent
from tests.ended import killed_at
from tests.pipelines.small_index import (
    invented_papers,
    open_small_collection,
    open_small_index,
)
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("one_process")

ALL = EvaluateOptions(
    systems=tuple(reversed(list(SYSTEMS))),
    engine=ProcessPool(1),
    k_study=True,
    self_citation=True,
    seed_study=True,
    command="recsys it",
)
QUICK = EvaluateOptions(systems=("bm25", "embedding"), engine=ProcessPool(1), k=20)


@pytest.fixture(scope="module")
def theirs(index: Path) -> Path:
    path = index.parent / "theirs.trec"
    path.write_text("rivers-09 Q0 rivers-08 1 0.5 x\nrivers-03 Q0 rivers-02 1 2 x\n")
    return path


@pytest.fixture(scope="module")
def report(index: Path, split: Path, theirs: Path) -> EvaluationReport:
    """Evaluate everything once."""
    options = replace(ALL, runs={"theirs": theirs})
    return run(index, split, options, index.parent / "report")


def run(
    index: Path, split: Path, options: EvaluateOptions, out: Path, progress: Progress = silent
) -> EvaluationReport:
    return evaluate(index, split, options, out, open_index=open_small_index, progress=progress)


def facts_of(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    return value


def test_the_folder_holds_what_reports_are_made_from(report: EvaluationReport) -> None:
    written = {path.name for path in report.folder.iterdir()}
    assert written >= {"assessment.json", "facts.json", "qrels.txt", "queries.json", "runs"}
    runs = {path.stem for path in (report.folder / "runs").glob("*.trec")}
    assert runs == {*SYSTEMS, "theirs"}
    assert list((report.folder / ".work").glob("*.partial")) == []


def test_runs_are_those_of_batches(
    report: EvaluationReport, index: Path, split: Path, tmp_path: Path
) -> None:
    for system in ("bm25-whoosh", "two-stage"):
        path, alone = tmp_path / f"{system}.trec", BatchOptions(system=system, engine=QUICK.engine)
        run_batch(index, split, alone, path, open_index=open_small_index)
        assert path.read_bytes() == (report.folder / "runs" / path.name).read_bytes()


def test_the_judgements_are_the_gold_that_is_best(report: EvaluationReport, split: Path) -> None:
    papers: dict[Any, Any] = {paper["id"]: paper["references"] for paper in invented_papers()}
    found = {query: sorted(gold) for query, gold in read_qrels(report.folder / "qrels.txt").items()}
    queries = json.loads(split.read_text())["test"]
    assert found == {query: sorted(papers[query]) for query in queries}
    figures = {s.name: s.measures["MRR"].value for s in report.assessment.systems}
    assert figures["oracle"] == 1 == max(figures.values())
    assert figures["theirs"] == pytest.approx(1 / 12)


def test_the_facts_say_how_it_was_done(report: EvaluationReport, index: Path) -> None:
    facts = facts_of(report.folder)
    assert facts["schema"] == "recsys.evaluation/1"
    assert facts["systems"] == [*SYSTEMS, "theirs"]
    asked = [facts[name] for name in ("command", "part", "k", "seed")]
    assert asked == ["recsys it", "test", 100, 0]
    assert facts["corpus"]["name"] == "small"
    assert facts["corpus"]["papers"] == len(invented_papers())
    assert {"python", "numpy", "citerec"} <= set(facts["versions"])
    assert len(facts["corpus"]["sha256"]) == len(facts["split_sha256"]) == 64
    assert set(facts["timing"]) == set(SYSTEMS) and min(facts["timing"].values()) > 0
    assert facts["external"]["theirs"]["other_queries"] == 1
    ranker = facts["ranker"]
    assert ranker is None or len(ranker["sha256"]) == 64
    assert facts["split"]
    facts = corpus_facts(open_small_collection(index))
    assert facts["name"] == "small"


def test_probabilities_are_those_of_the_papers_shown(report: EvaluationReport) -> None:
    facts = facts_of(report.folder)
    assert set(facts["calibration"]) == {"two-stage"}
    pairs = facts["calibration"]["two-stage"]
    counts = facts["candidates"]["two-stage"]["count"].values()
    assert len(pairs["probability"]) == sum(min(count, SHOWN) for count in counts)
    assert 0 < sum(pairs["outcome"]) <= sum(facts["candidates"]["two-stage"]["found"].values())
    assert 0 <= min(pairs["probability"]) <= max(pairs["probability"]) <= 1
    every = pairs["all_candidates"]
    assert sum(count for count, _, _ in every) == sum(counts)
    assert sum(pairs["outcome"]) <= sum(hits for _, hits, _ in every)
    assert 0 <= (report.assessment.reliability["two-stage"].error_of_all or -1) <= 1


def test_the_studies_are_in_the_facts(report: EvaluationReport) -> None:
    facts = facts_of(report.folder)
    assert len(facts["k_study"]) == 14
    assert len(facts["self_citation"]) == 42
    # The invented authors write on one topic each, and cite nobody else.
    assert facts["self_citation"][1]["first rank"] < 3
    assert len(facts["seed_study"]) == 10
    assert facts["seed_study"][4]["queries"] == 12


def test_the_report_speaks_of_every_system(report: EvaluationReport) -> None:
    lines = report.lines()
    caption, _, header, rule, *rows = report.table().splitlines()
    assert caption.startswith("12 test queries; 95 % intervals")
    assert header.split() == ["system", "F1@20", "MRR", "R@100", "ms"] and set(rule) == {"-", " "}
    assert [row.split()[0] for row in rows] == [*SYSTEMS, "theirs"]
    assert max(map(len, report.table().splitlines())) <= 80
    assert all(re.search(r" 0\.\d{3} \(0\.\d{3}-[01]\.\d{3}\)", row) for row in rows)
    assert lines[0].startswith("two-stage: calibration error of the top 20 is ")
    assert "Leakage unknown" in lines[1]
    assert lines[-1] == f"Written to {report.folder}. Next: recsys report {report.folder}"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "runs").glob("*.trec")}


@pytest.mark.slow  # `test_batch` shares one run among processes.
def test_runs_depend_neither_on_processes_nor_on_other_systems(
    report: EvaluationReport, index: Path, split: Path, tmp_path: Path
) -> None:
    options = replace(ALL, systems=("random", "two-stage"), engine=ProcessPool(2), k_study=False)
    run(index, split, options, tmp_path / "x")
    expected = contents(report.folder)
    for name, content in contents(tmp_path / "x").items():
        assert content == expected[name]
    mine, theirs = facts_of(tmp_path / "x"), facts_of(report.folder)
    assert mine["calibration"] == theirs["calibration"]
    assert mine["self_citation"] == theirs["self_citation"]
    assert mine["seed_study"] == theirs["seed_study"]
    run(index, split, replace(QUICK, systems=("random",), k=100, seed=1), tmp_path / "y")
    assert contents(tmp_path / "y")["random.trec"] != expected["random.trec"]


def test_a_killed_evaluation_continues_where_it_stopped(
    index: Path, split: Path, tmp_path: Path
) -> None:
    out, asked = tmp_path / "x", list[tuple[str, int]]()
    with pytest.raises(KeyboardInterrupt):
        run(index, split, QUICK, out, killed_at(5, "asking embedding"))
    assert not (out / "facts.json").exists()
    report = run(index, split, QUICK, out, lambda stage, done, n: asked.append((stage, done)))
    assert asked[:2] == [("asking bm25", 12), ("asking embedding", 5)]
    assert report.continued == 17
    assert "Continued: 17 answers were there already." in report.lines()
    run(index, split, QUICK, tmp_path / "y")
    assert contents(out) == contents(tmp_path / "y")


def test_other_peoples_folders_are_left_alone(index: Path, split: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(InputError, match="holds no evaluation"):
        run(index, split, QUICK, tmp_path)
    with pytest.raises(InputError, match="is a file"):
        run(index, split, QUICK, tmp_path / "thesis.tex")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_an_evaluation_that_was_killed_at_once_is_run_again(
    index: Path, split: Path, tmp_path: Path
) -> None:
    (tmp_path / "runs").mkdir()
    assert run(index, split, QUICK, tmp_path).queries


@each_row(
    ("options", "message"),
    [
        (replace(QUICK, systems=("bm52",)), "Did you mean 'bm25'"),
        (replace(QUICK, k=0), "k is 0"),
        (replace(QUICK, systems=()), "nothing to evaluate"),
        (replace(QUICK, part="tset"), "Did you mean 'test'"),
    ],
)
def test_what_makes_no_sense_is_refused_before_any_work(
    options: EvaluateOptions, message: str, index: Path, split: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        run(index, split, options, tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_knows_the_future_is_refused(index: Path, split: Path, tmp_path: Path) -> None:
    path = tmp_path / "oracle.trec"
    path.write_text("rivers-09 Q0 rivers-11 1 0.5 x\n")
    with pytest.raises(LeakageError, match=r"newer than the query, .* 1 time"):
        run(index, split, replace(QUICK, runs={"seer": path}), tmp_path / "x")
    assert not (tmp_path / "x").exists()
