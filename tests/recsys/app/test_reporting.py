"""The commands that report: data to stdout or a file, notes to stderr, exit codes."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.reproduction import reproduce
from benchmarks.reproduction.reproduce import Outcome

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


@pytest.mark.parametrize(
    "arguments", [("compare",), ("compare", "a.trec"), ("report",), ("reproduce",)]
)
def test_what_is_missing_is_a_usage_error(arguments: tuple[str, ...], run_cli: "RunCli") -> None:
    assert run_cli(*arguments).code == 2


def test_the_table_of_experiments_is_shown_without_data(run_cli: "RunCli") -> None:
    done = run_cli("reproduce", "--list")
    assert (done.code, done.err) == (0, "")
    assert "vis/two-stage" in done.out and "$ recsys build {data}/vis/papers.jsonl.gz" in done.out


def test_missing_corpora_and_rows_are_one_line(tmp_path: Path, run_cli: "RunCli") -> None:
    work = tmp_path / "work"
    missing = run_cli("reproduce", "--data", tmp_path, "--work", work)
    assert missing.code == 1 and "papers.jsonl.gz" in missing.err
    unknown = run_cli("reproduce", "--data", tmp_path, "--only", "vis/magic")
    assert unknown.code == 1 and "There is no row 'vis/magic'." in unknown.err
    assert not work.exists()


@pytest.mark.parametrize(("measured", "code"), [(0.5, 0), (0.51, 1)])
def test_the_exit_code_tells_whether_a_figure_differs(
    measured: float, code: int, run_cli: "RunCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = Outcome("vis/bm25", "MRR", 0.5, measured, 0.006)
    monkeypatch.setattr(reproduce, "reproduce", lambda chosen, setup: [outcome])
    done = run_cli("reproduce", "--data", ".", "--format", "json")
    assert done.code == code
    assert json.loads(done.out)["figures"][0]["differs"] is bool(code)


def test_the_tables_of_what_was_repeated_are_written_into_their_pages(
    evaluation: Path, tmp_path: Path, run_cli: "RunCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    docs, work = tmp_path / "results", tmp_path / "work"
    docs.mkdir()
    page = docs / "evaluation.md"
    page.write_text("<!-- evaluation -->\nold\n<!-- /evaluation -->\n", encoding="utf-8")
    work.mkdir()
    evaluation.rename(work / "vis")
    monkeypatch.setattr(reproduce, "reproduce", lambda chosen, setup: [])
    words = ("reproduce", "--data", tmp_path, "--work", work, "--only", "vis", "--docs")
    assert run_cli(*words, docs).code == 0
    text = page.read_text(encoding="utf-8")
    assert "| bm25 |" in text and "old" not in text

    monkeypatch.setattr(reproduce, "reproduce", lambda chosen, setup: pytest.fail("It ran."))
    refused = run_cli(*words, tmp_path / "result")
    assert refused.code == 1 and "Did you mean 'results'" in refused.err
