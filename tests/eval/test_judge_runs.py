"""Assessing an evaluation: everything that is said of it follows from its runs."""

import json
import time
from pathlib import Path

import ir_measures
import numpy as np
import pytest

from recsys.errors import (
    ArtifactCorrupt,
    ArtifactMismatch,
    ArtifactMissing,
    InputError,
    RecsysError,
)
from recsys.eval.judge_runs import assess, assess_evaluation
from recsys.eval.measures import summarise
from recsys.eval.recorded_runs import Evaluation, read_evaluation
from recsys.eval.run_figures import ASSESSMENT, Assessment, load_assessment
from recsys.eval.trec import Qrels, Run, read_run
from tests.eval.small_evaluation import GOLD, facts, queries, write_evaluation, write_runs
from tests.rows import each_row


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_evaluation(tmp_path_factory.mktemp("hub"))


@pytest.fixture(scope="module")
def assessment(folder: Path) -> Assessment:
    return assess(folder, samples=200)


def test_measures_are_those_of_ir_measures(folder: Path, assessment: Assessment) -> None:
    names = {
        "P@5": "P@5",
        "R@5": "R@5",
        "MRR": "RR@100",
        "nDCG@20": "nDCG@20",
        "Hit@1": "Success@1",
    }
    qrels = {query: dict.fromkeys(papers, 1) for query, papers in GOLD.items()}
    for system in assessment.systems:
        run = read_run(folder / "runs" / f"{system.name}.trec")
        for ours, theirs in names.items():
            measure = ir_measures.parse_measure(theirs)
            expected = ir_measures.calc_aggregate([measure], qrels, run)[measure]
            assert system.measures[ours].value == pytest.approx(expected, abs=1e-9)


def test_an_unanswered_query_counts_as_0_and_is_skipped_by_the_papers_rule(
    assessment: Assessment,
) -> None:
    fair = assessment.system("fair")
    assert fair.answered == 5
    assert fair.measures["MRR"].value == pytest.approx((5 * 0.5 - 1 / 2 + 1 / 3) / 6)
    assert fair.skip_rule["MRR"].value == pytest.approx(fair.measures["MRR"].value * 6 / 5)
    assert assessment.system("good").skip_rule == assessment.system("good").measures


def test_candidates_are_known_of_the_systems_that_told(assessment: Assessment) -> None:
    good = assessment.system("good").measures
    assert (good["candidates"].value, good["candidate recall"].value) == (50, 1)
    assert "candidates" not in assessment.system("fair").measures


def test_every_pair_is_compared_by_every_tested_measure(assessment: Assessment) -> None:
    pairs = [("good", "fair"), ("good", "poor"), ("fair", "poor")]
    for measure in ("query F1@20", "MRR", "nDCG@20"):
        rows = [each for each in assessment.comparisons if each.measure == measure]
        assert [(each.one, each.other) for each in rows] == pairs
        smallest = min(rows, key=lambda each: each.p)
        assert smallest.p_holm == pytest.approx(min(1, 3 * smallest.p))
        assert all((each.pooled is not None) == (measure == "query F1@20") for each in rows)


def test_a_system_beats_those_that_are_significantly_worse(assessment: Assessment) -> None:
    # Six queries: all six better gives p = 2 / 64, times 3 pairs at best .09.
    assert assessment.system("good").beats["MRR"] == ()
    many = {f"q{i}": {"gold": 1} for i in range(20)}
    right: Run = {query: {"gold": 2.0, "x": 1.0} for query in many}
    wrong: Run = {query: {"x": 2.0} for query in many}
    found = assess_evaluation(Evaluation({"wrong": wrong, "right": right}, many), samples=100)
    assert found.system("right").beats["MRR"] == ("wrong",)
    assert found.system("wrong").beats["MRR"] == ()
    (only,) = [each for each in found.comparisons if each.measure == "MRR"]
    assert (only.difference.value, only.won, only.lost, only.cohen_d) == (-1, 0, 1, None)


def test_queries_are_named_from_best_to_worst(assessment: Assessment) -> None:
    good, fair = (
        dict(zip(assessment.queries, system.per_query["query F1@20"], strict=True))
        for system in assessment.systems[:2]
    )
    best = assessment.system("good").best
    assert best[0] == "q3"  # Its three gold papers are all found: P .15, R 1.
    assert assessment.system("good").worst == best[::-1]
    assert [good[query] for query in best] == sorted(good.values(), reverse=True)
    expected = {query: (good[query], fair[query]) for query in good if good[query] != fair[query]}
    found = {each.query: (each.one, each.other) for each in assessment.differences}
    assert found == expected
    gaps = [abs(each.one - each.other) for each in assessment.differences]
    assert gaps == sorted(gaps, reverse=True)


def test_slices_and_reliability_come_from_the_facts(assessment: Assessment) -> None:
    kinds = {each.kind for each in assessment.slices}
    assert kinds == {"year", "abstract", "venue", "popularity"}
    cold = next(
        s for s in assessment.slices if (s.kind, s.value, s.system) == ("popularity", "0", "good")
    )
    assert (cold.gold, cold.measures["R@20"].value) == (3, 1)
    assert sum(each.count for each in assessment.reliability["good"].bins) == 5
    assert not {"candidates", "calibration"} & assessment.facts.keys()


def test_one_seed_gives_one_file_which_reads_back(folder: Path, assessment: Assessment) -> None:
    before = (folder / ASSESSMENT).read_bytes()
    assert load_assessment(folder) == assessment
    assess(folder, samples=200)
    assert (folder / ASSESSMENT).read_bytes() == before
    assert assess_evaluation(read_evaluation(folder), seed=1, samples=200) != assessment


def test_runs_and_judgements_are_enough(tmp_path: Path, assessment: Assessment) -> None:
    found = assess(write_runs(tmp_path), samples=200)
    assert [system.name for system in found.systems] == ["fair", "good", "poor"]
    assert (found.slices, dict(found.reliability), dict(found.facts)) == ((), {}, {})
    same = found.system("fair")
    assert same.measures == assessment.system("fair").measures
    assert same.curves == assessment.system("fair").curves


@each_row(
    ("run", "qrels", "said"),
    [
        ({"q": {"a": 1.0}}, {"q": {"a": 0}}, "no relevant paper"),
        ({"q": {"a": 1.0}}, {}, "no relevant paper"),
        ({}, {"q": {"a": 1}}, "s answers none of the 1 judged"),
        ({"other": {"a": 1.0}}, {"q": {"a": 1}}, "Its first query is 'other'"),
    ],
)
def test_what_cannot_be_measured_is_refused(run: Run, qrels: Qrels, said: str) -> None:
    with pytest.raises(InputError, match=said):
        assess_evaluation(Evaluation({"s": run}, qrels))


def test_broken_folders_are_refused_with_the_file_at_fault(tmp_path: Path) -> None:
    def refused(said: str) -> None:
        with pytest.raises(RecsysError, match=said) as raised:
            assess(tmp_path, samples=5)
        assert raised.value.hint

    refused(r"no file .*qrels\.txt")
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\n")
    refused("no run below")
    write_evaluation(tmp_path)
    value = queries()
    (tmp_path / "queries.json").write_text(json.dumps({**value, "q2": {"year": "x"}}))
    refused(r"queries\.json: q2")
    del value["q1"]["gold"]["a"]
    (tmp_path / "queries.json").write_text(json.dumps(value))
    refused("disagree on the gold of 'q1'")
    (tmp_path / "facts.json").write_text(json.dumps({**facts(), "systems": ["goood"]}))
    refused("names the system 'goood', which has no run. Did you mean 'good'")
    (tmp_path / "facts.json").write_text('{"schema": "recsys.evaluation/9"}')
    refused("recsys.evaluation/9")
    (tmp_path / "facts.json").write_text("{")
    refused(r"facts\.json is not JSON")


def test_an_unreadable_assessment_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ArtifactMissing):
        load_assessment(tmp_path)
    path = tmp_path / ASSESSMENT
    path.write_text('{"schema": "recsys.assessment/0"}')
    with pytest.raises(ArtifactMismatch, match=r"recsys\.assessment/0"):
        load_assessment(tmp_path)
    path.write_text("[")
    with pytest.raises(ArtifactCorrupt, match="not JSON"):
        load_assessment(tmp_path)
    value = json.loads((folder / ASSESSMENT).read_text())
    value["systems"][0]["answered"] = "many"
    path.write_text(json.dumps(value))
    with pytest.raises(ArtifactCorrupt, match=r"systems\.0\.answered"):
        load_assessment(tmp_path)


@pytest.mark.slow  # As other limits of time.
def test_a_run_of_10_000_queries_is_scored_within_5_seconds(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    papers = [f"10.1109/{number}" for number in range(1_000_000, 1_000_150)]
    blocks = [
        "".join(
            f"@ Q0 {paper} {rank} {7 - rank / 99:.6f} s\n"
            for rank, paper in enumerate(papers[start : start + 100], 1)
        )
        for start in range(50)
    ]
    run = "".join(blocks[i % 50].replace("@", f"q{i}") for i in range(10_000))
    (tmp_path / "runs" / "s.trec").write_text(run)
    lines = (f"q{i} 0 {papers[i % 150 - j]} 1\n" for i in range(10_000) for j in range(20))
    (tmp_path / "qrels.txt").write_text("".join(lines))
    begun = time.process_time()
    evaluation = read_evaluation(tmp_path)
    judged = evaluation.judge("s", evaluation.gold())
    assert 0 < summarise(judged, rng=np.random.default_rng(0))["F1@20"].value < 1
    assert time.process_time() - begun < 5  # About 2.5.
