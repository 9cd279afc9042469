"""Batches: the same run whatever happens on the way, and figures that are its own."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import InputError, SplitError
from recsys.eval.trec import Run, ordered, read_run
from recsys.pipelines.evaluation.batch import (
    BatchOptions,
    BatchReport,
    run_batch,
)
from recsys.pipelines.jobs.engines import ProcessPool
from recsys.protocols import Progress, silent
from tests.ended import killed_at
from tests.pipelines.small_index import (
    invented_papers,
    open_small_collection,
    open_small_index,
)
from tests.rows import each_row

ALONE = BatchOptions(engine=ProcessPool(1))
SYSTEMS = ("two-stage", "stage-one", "embedding", "bm25", "bm25-whoosh")

pytestmark = pytest.mark.usefixtures("one_process")


@pytest.fixture(scope="module")
def finished(index: Path, split: Path) -> dict[str, BatchReport]:
    """Run each system once, on one process."""
    folder = index.parent / "batches"
    folder.mkdir()
    return {
        name: answer(index, split, replace(ALONE, system=name), folder / f"{name}.trec")
        for name in SYSTEMS
    }


def answer(
    index: Path, split: Path, options: BatchOptions, run: Path, progress: Progress = silent
) -> BatchReport:
    return run_batch(index, split, options, run, open_index=open_small_index, progress=progress)


@each_row("system", SYSTEMS)
def test_every_query_is_answered_without_hindsight(
    system: str, finished: dict[str, BatchReport], split: Path
) -> None:
    run = read_run(finished[system].run)
    assert list(run) == json.loads(split.read_text())["test"]
    years = {str(paper["id"]): paper.get("year") for paper in invented_papers()}
    for query, scores in run.items():
        assert query not in scores
        for paper in scores:
            year = years[paper]
            assert isinstance(year, int) and year <= 2000 + int(query[-2:])


def test_the_run_does_not_depend_on_the_number_of_processes(
    finished: dict[str, BatchReport], index: Path, split: Path, tmp_path: Path
) -> None:
    answer(index, split, BatchOptions(engine=ProcessPool(2)), tmp_path / "other.trec")
    assert (tmp_path / "other.trec").read_bytes() == finished["two-stage"].run.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["other.trec"]


def test_k_papers_are_written_under_the_name_of_the_system(
    index: Path, split: Path, tmp_path: Path
) -> None:
    path = tmp_path / "x.trec"
    options = replace(ALONE, part="dev", k=3, system="bm25", metadata=False)
    report = answer(index, split, options, path)
    assert {len(scores) for scores in read_run(path).values()} == {3}
    assert {line.split()[5] for line in path.read_text().splitlines()} == {"bm25-no-metadata"}
    assert report.queries == 8
    assert "P@10" in report.lines()[1]


def test_a_killed_batch_continues_where_it_stopped(
    finished: dict[str, BatchReport], index: Path, split: Path, tmp_path: Path
) -> None:
    path, seen, both = tmp_path / "x.trec", list[int](), BatchOptions(engine=ProcessPool(2))
    with pytest.raises(KeyboardInterrupt):
        answer(index, split, both, path, killed_at(5))
    assert [each.name for each in tmp_path.iterdir()] == ["x.trec.partial"]
    report = answer(index, split, both, path, lambda stage, done, n: seen.append(done))
    assert seen == list(range(5, 13))
    assert report.continued == 5
    assert "Continued: 5 answers were there already." in report.lines()
    assert path.read_bytes() == finished["two-stage"].run.read_bytes()
    assert [each.name for each in tmp_path.iterdir()] == ["x.trec"]
    assert report.measures == finished["two-stage"].measures


def figures_by_hand(run: Run, index: Path) -> dict[str, float]:
    """Score a run by the definitions, from the papers themselves."""
    references = {str(paper["id"]): paper["references"] for paper in invented_papers()}
    precision, recall, first = [], [], []
    for query, scores in run.items():
        gold = references[query]
        assert isinstance(gold, list)
        hits = [paper in gold for paper in ordered(scores)]
        precision.append(sum(hits[:20]) / 20)
        recall.append(sum(hits[:20]) / len(gold))
        first.append(1 / (hits.index(True) + 1) if any(hits) else 0)
    p, r = float(np.mean(precision)), float(np.mean(recall))
    f1 = 2 * p * r / max(p + r, 1e-9)
    return {"P@20": p, "R@20": r, "F1@20": f1, "MRR": float(np.mean(first))}


@each_row("system", SYSTEMS)
def test_the_report_measures_the_run_that_was_written(
    system: str, finished: dict[str, BatchReport], index: Path
) -> None:
    report = finished[system]
    expected = figures_by_hand(read_run(report.run), index)
    for name, value in expected.items():
        assert report.measures[name].value == pytest.approx(value, abs=1e-12)
        assert report.measures[name].low <= value <= report.measures[name].high
    assert f"F1@20 {report.measures['F1@20']}" in "\n".join(report.lines())
    assert report.milliseconds > 0


def test_candidate_recall_is_told_of_systems_with_candidates(
    finished: dict[str, BatchReport], index: Path
) -> None:
    assert {name for name, report in finished.items() if "candidates" in report.measures} == {
        "two-stage",
        "stage-one",
    }
    # The corpus is small: everything old enough on the topic is a candidate.
    assert finished["two-stage"].measures["candidate recall"].value == 1
    assert "Candidate recall 1.000" in finished["two-stage"].lines()[2]
    papers = len(open_small_collection(index).corpus)
    assert 0 < finished["stage-one"].measures["candidates"].value < papers


def test_an_unknown_system_or_k_is_refused_before_any_work(
    index: Path, split: Path, tmp_path: Path
) -> None:
    for options, error, message in (
        (BatchOptions(system="bm52"), InputError, "Did you mean 'bm25'"),
        (BatchOptions(k=0), InputError, "k is 0"),
        (BatchOptions(part="tests"), SplitError, "Did you mean 'test'"),
    ):
        with pytest.raises(error, match=message):
            answer(index, split, options, tmp_path / "x")
    assert list(tmp_path.iterdir()) == []
