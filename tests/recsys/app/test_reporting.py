"""The commands that report: data to stdout or a file, notes to stderr, exit codes."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli


@pytest.fixture
def evaluation(built: "Built", tmp_path: Path, run_cli: "RunCli") -> Path:
    """What `recsys evaluate` wrote about the small index."""
    out = tmp_path / "report"
    done = run_cli(
        *("evaluate", built.index, "--split", built.split, "--out", out, "--systems"),
        *("random,bm25", "--quiet", "--jobs", 1),
    )
    assert (done.code, done.err) == (0, "")
    return out


def test_an_evaluation_is_reported_beside_it_or_to_stdout(
    evaluation: Path, run_cli: "RunCli"
) -> None:
    done = run_cli("report", evaluation)
    assert (done.code, done.out) == (0, "")
    page = (evaluation / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "bm25" in page
    assert done.err == f"Written to {evaluation / 'report.html'}.\n"
    picture = (evaluation / "precision-recall.svg").read_text(encoding="utf-8")
    assert "<svg" in picture and "bm25" in picture
    for name, suffix in (("markdown", "md"), ("json", "json"), ("latex", "tex")):
        assert run_cli("report", evaluation, "--format", name, "--quiet").err == ""
        shown = run_cli("report", evaluation, "--format", name, "--out", "-")
        assert shown.out == (evaluation / f"report.{suffix}").read_text(encoding="utf-8")
        assert shown.err == ""


def test_a_report_of_nothing_is_one_line(
    evaluation: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    done = run_cli("report", tmp_path / "repor")
    assert done.code == 1 and done.err.count("\n") == 1
    assert "Did you mean 'report'?" in done.err
    (evaluation / "facts.json").unlink()
    assert "not a finished evaluation" in run_cli("report", evaluation).err
    assert run_cli("report", evaluation, "--out", tmp_path / "no" / "x.html").code == 1


def test_runs_are_compared_and_what_was_left_out_is_noted(
    evaluation: Path, run_cli: "RunCli"
) -> None:
    runs, qrels = sorted((evaluation / "runs").iterdir()), evaluation / "qrels.txt"
    done = run_cli("compare", *runs, "--qrels", qrels)
    assert done.code == 0
    assert "Pairs of systems by MRR." in done.out
    assert "are not in the judgements" in done.err
    quiet = run_cli("compare", *runs, "--qrels", qrels, "--format", "json", "--quiet")
    assert quiet.err == ""
    assert json.loads(quiet.out)["schema"] == "recsys.comparison/1"


def test_a_broken_run_is_one_line(evaluation: Path, run_cli: "RunCli") -> None:
    run = evaluation / "runs" / "bm25.trec"
    run.write_text("q Q0 a 1 nan t\n", encoding="utf-8")
    done = run_cli("compare", run, "--qrels", evaluation / "qrels.txt")
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert done.err.startswith(f"error: {run}:1: the score is nan.")
