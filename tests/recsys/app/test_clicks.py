"""Commands about click logs: from a simulated task to judged runs; bad input is one line."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.app.cache import cache_folder
from recsys.eval.studies.clicks.simulation import CLICK_MODELS
from recsys.eval.trec import write_run
from recsys.pipelines.index.build import BuildOptions, build
from tests.pipelines.studies.clicks.related_papers import related_papers
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.conftest import RunCli

CSV = 'query_id,clicked_id,shown\nq,{clicked},"a,b,c"\n'
JSON = '{"query": "q", "shown": ["a", "b"], "clicked": ["a"]}\n'
BOTH = JSON + JSON.replace('["a"]}', '["b"]}')
SIZES = ("--impressions", 600, "--trials", 3000)


@dataclass(frozen=True)
class Simulated:
    """index: of related papers. task: what `study clicks-simulate` wrote about it."""

    index: Path
    task: Path

    @property
    def log(self) -> Path:
        return self.task / "clicks.jsonl.gz"

    @property
    def truth(self) -> Path:
        return self.task / "truth.json"


@pytest.fixture(scope="session")
def index(own_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("related")
    lines = (json.dumps(paper) for paper in related_papers())
    (folder / "papers.jsonl").write_text("\n".join(lines), encoding="utf-8")
    build([folder / "papers.jsonl"], folder / "my.index", BuildOptions(), cache=cache_folder())
    return folder / "my.index"


@pytest.fixture
def simulated(index: Path, tmp_path: Path, run_cli: "RunCli") -> Simulated:
    task = tmp_path / "task"
    done = run_cli("study", "clicks-simulate", index, "--out", task, *SIZES)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith(f"{task}: ") and " train, " in done.err
    return Simulated(index, task)


def test_a_simulation_is_repeated_exactly(simulated: Simulated, run_cli: "RunCli") -> None:
    before = {path: path.read_bytes() for path in simulated.task.rglob("*") if path.is_file()}
    again = ("study", "clicks-simulate", simulated.index, "--out", simulated.task, "--quiet")
    assert run_cli(*again, *SIZES).err == ""
    assert {path: path.read_bytes() for path in before} == before
    assert run_cli(*again, *SIZES, "--seed", 1).code == 0
    assert simulated.log.read_bytes() != before[simulated.log]


@pytest.mark.parametrize("method", ["swap", "harvest", "em"])
def test_propensities_are_estimated_and_written_as_scidocs_does(
    method: str, simulated: Simulated, tmp_path: Path, run_cli: "RunCli"
) -> None:
    file = tmp_path / "propensity_scores.json"
    arguments = ("study", "clicks-estimate", simulated.log, "--method", method, "--samples", 20)
    done = run_cli(*arguments, "--truth", simulated.truth, "--out", file)
    assert (done.code, done.err) == (0, f"Written to {file}.\n")
    scores = json.loads(file.read_text())["scores"]
    assert len(scores) == 10 and scores[0] == 1
    assert f"{scores[1]:.3f}" in done.out and "largest relative error" in done.out
    shown = run_cli(*arguments, "--format", "json", "--depth", 4, "--quiet")
    value = json.loads(shown.out)
    assert value["schema"] == "recsys.propensities/1" and len(value["positions"]) == 4
    assert shown.err == ""


def test_runs_are_judged_and_what_they_lack_is_noted(
    simulated: Simulated, tmp_path: Path, run_cli: "RunCli"
) -> None:
    relevance = json.loads(simulated.truth.read_text())["relevance"]
    ranked = (
        (query, sorted(papers, key=papers.__getitem__, reverse=True)[:8], np.arange(8, 0, -1.0))
        for query, papers in list(relevance.items())[:-1]
    )
    write_run(tmp_path / "best.trec", ((q, p, s.astype(np.float32)) for q, p, s in ranked), tag="t")
    arguments = ("study", "clicks-evaluate", simulated.log, "--propensities", simulated.truth)
    done = run_cli(*arguments, tmp_path / "best.trec", "--samples", 20)
    assert done.code == 0
    assert "best: nothing that was shown is ranked for 1 of " in done.err
    assert "are not ranked; they tie at the end." in done.err
    assert "SNIPS" in done.out and "Each run minus the display order." in done.out
    page = tmp_path / "page.html"
    quiet = run_cli(
        *(*arguments, tmp_path / "best.trec", "--samples", 20, "--by-query", "--quiet"),
        *("--cap", 5, "--format", "html", "--out", page),
    )
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    text = page.read_text(encoding="utf-8")
    assert "log sha256" in text and text.count("<svg") >= 3
    value = json.loads(run_cli(*arguments, "--samples", 5, "--format", "json").out)
    assert value["schema"] == "recsys.click-evaluation/1"
    assert list(value["systems"]) == ["display order"]


def test_the_task_of_scidocs_runs_from_its_folder(simulated: Simulated, run_cli: "RunCli") -> None:
    arguments = ("study", "clicks-task", simulated.task, "--seeds", 1, "--samples", 10)
    embeddings = simulated.task / "embeddings.jsonl"
    options = ("--weightings", "per-position", "--negatives", "first-5", "--format", "json")
    done = run_cli(*arguments, "--embeddings", embeddings, *options)
    assert done.code == 0
    assert "training rankers: done (2" in done.err
    value = json.loads(done.out)
    assert value["schema"] == "recsys.clicks-task/1"
    learned = [each["name"] for each in value["systems"] if each["weighting"] == "per-position"]
    assert learned == ["feed-forward", "LightGBM"]
    unknown = run_cli(*arguments, "--embeddings", embeddings, "--weightings", "per-positoin")
    assert unknown.code == 1 and "Did you mean 'per-position'?" in unknown.err


def test_a_study_is_a_page_a_file_for_programs_and_tables(
    index: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    out = tmp_path / "new" / "study"
    only = ("--only", "recovery,coverage", "--impressions", 1500, "--logs", 2)
    done = run_cli("study", "clicks-study", index, "--out", out, *only)
    assert done.code == 0
    assert "Estimated propensities against the truth." in done.out
    assert "logs: done (2" in done.err and done.err.endswith(f"Written to {out}.\n")
    assert sorted(path.name for path in out.iterdir()) == ["study.html", "study.json"]
    value = json.loads((out / "study.json").read_text())
    assert value["schema"] == "recsys.click-study/1" and value["learning"] is None
    assert {each["model"] for each in value["recovery"]} == {*CLICK_MODELS}
    assert (out / "study.html").read_text(encoding="utf-8").count("<svg") == 5


@each_row(
    ("command", "content", "propensities", "what"),
    [
        ("em", CSV.format(clicked="x"), "", "log:2: Query 'q': 'x' was clicked, but not shown."),
        ("swap", BOTH, "", "No impression of the log was part of a swap experiment."),
        ("harvest", BOTH, "", "All lists of the log are by one ranker"),
        ("", JSON, '{"scores": [1.0]}', "Position 2 is not one of the 1 that have a propensity."),
        ("", JSON, "[", "is not JSON"),
    ],
)
def test_a_log_or_propensities_of_no_use_are_one_line(
    command: str, content: str, propensities: str, what: str, tmp_path: Path, run_cli: "RunCli"
) -> None:
    log, file = tmp_path / "log", tmp_path / "p.json"
    log.write_text(content)
    file.write_text(propensities)
    asked: tuple[object, ...] = ("clicks-evaluate", log, "--propensities", file)
    if command:
        asked = ("clicks-estimate", log, "--method", command, "--out", tmp_path / "out.json")
    done = run_cli("study", *asked)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert done.err.startswith("error: ") and what in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "p.json"]


def interrupt(*arguments: object, **options: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.slow  # Usually those of builds and batches are interrupted.
def test_an_interrupt_leaves_nothing_half_written(
    simulated: Simulated, tmp_path: Path, run_cli: "RunCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path: path.read_bytes() for path in simulated.task.rglob("*") if path.is_file()}
    monkeypatch.setattr(
        "recsys.pipelines.studies.clicks.corpus_world.write_json", interrupt
    )  # Written last.
    monkeypatch.setattr("recsys.pipelines.studies.clicks.click_study.cover", interrupt)
    for arguments in (
        ("study", "clicks-simulate", simulated.index, "--out", simulated.task, *SIZES),
        ("study", "clicks-simulate", simulated.index, "--out", tmp_path / "other", *SIZES),
        ("study", "clicks-study", simulated.index, "--out", tmp_path / "new", "--only", "coverage"),
    ):
        assert run_cli(*arguments).code == 130
    assert [path.name for path in tmp_path.iterdir()] == ["task"]
    assert {path: path.read_bytes() for path in before} == before
