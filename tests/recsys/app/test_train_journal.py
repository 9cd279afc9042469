"""`recsys study train-journal` from the outside."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.eval.studies.encoders.training_page import TRAINING
from recsys.pipelines.studies.encoders.journal_study import FIGURES, PAGE
from recsys.pipelines.studies.encoders.train_journal import (
    ADAPTER_RATE,
    CLASSES,
)
from tests.pipelines.studies.encoders.small_journals import EACH, write_journal_papers
from tests.pipelines.studies.encoders.small_sources import write_tiny_bert

if TYPE_CHECKING:
    from tests.conftest import CliResult, RunCli


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("journals")
    write_tiny_bert(folder / "tiny")
    write_journal_papers(folder / "papers.jsonl")
    return folder


def trained(run_cli: "RunCli", folder: Path, out: Path, *more: object) -> "CliResult":
    given = ("study", "train-journal", folder / "papers.jsonl", "--from", folder / "tiny")
    return run_cli(*given, "--out", out, "--min-count", EACH, "--device", "cpu", *more)


def test_an_encoder_is_trained_and_probed_on_what_it_has_not_seen(
    folder: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    out, vectors, papers = tmp_path / "own", tmp_path / "own.npy", folder / "papers.jsonl"
    apart = ("--unseen", 0.5, "--seed", 1)
    done = trained(run_cli, folder, out, *apart, "--steps", 2)
    assert (done.code, done.out) == (0, "")
    assert "Trained all weights (" in done.err and "On dev: accuracy 0." in done.err
    assert f"Saved in {out}. Use it: `recsys embed" in done.err and "training steps" in done.err
    assert run_cli("embed", papers, "--encoder", out, "--out", vectors, "--quiet").code == 0
    given = (
        "study",
        "probe",
        papers,
        "--embeddings",
        vectors,
        "--label",
        "venue",
        "--probes",
        "linear",
    )
    shown = [
        run_cli(*given, *parting, "--min-count", EACH, "--format", "json").out
        for parting in (apart, ("--seen", out / CLASSES, "--seed", 1))
    ]
    assert "unseen" in shown[0] and json.loads(shown[0]) == json.loads(shown[1])


def test_options_reach_the_training(folder: Path, tmp_path: Path, run_cli: "RunCli") -> None:
    more = ("--adapter", 2, "--label", "labels.parity", "--max-count", 30, "--max-length", 16)
    done = trained(run_cli, folder, tmp_path / "own", *more, "--batch", 9, "--part", 4, "--quiet")
    assert (done.code, done.err) == (0, "")
    facts = json.loads((tmp_path / "own" / TRAINING).read_text())
    assert facts["classes"] == ["even", "odd"] and facts["papers"] == {"learned": 54, "dev": 6}
    assert facts["options"]["loop"]["pace"]["rate"] == ADAPTER_RATE
    assert facts["options"]["start"]["max_length"] == 16
    assert facts["history"]["epoch_steps"] == 6 and facts["options"]["loop"]["part"] == 4


def test_a_stopped_training_goes_on(folder: Path, tmp_path: Path, run_cli: "RunCli") -> None:
    out, partial = tmp_path / "own", tmp_path / "own.partial.safetensors"
    stopped = trained(run_cli, folder, out, "--max-minutes", 0)
    assert "Stopped: the time was up. The same command continues." in stopped.err
    assert partial.is_file()
    assert trained(run_cli, folder, out, "--quiet").code == 0
    assert not partial.exists()


def test_what_is_missing_or_too_much_is_told(
    folder: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    none = trained(run_cli, folder, tmp_path / "x", "--label", "venues")
    assert none.code == 1 and "Did you mean 'venue'" in none.err
    every = trained(run_cli, folder, tmp_path / "x", "--unseen", 1)
    assert every.code == 1 and "Lower --unseen." in every.err
    few = run_cli("study", "train-journal", folder / "papers.jsonl", "--out", tmp_path / "x")
    assert few.code == 1 and "0 classes of venue have at least 100" in few.err
    short = trained(run_cli, folder, tmp_path / "x", "--max-length", 3)
    assert short.code == 1 and "--max-length 3 leaves no room" in short.err
    assert not (tmp_path / "x").exists()


def test_shares_of_the_journals_are_compared_on_what_none_has_learned(
    folder: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    given = ("study", "ablate-journal", folder / "papers.jsonl", "--from", folder / "tiny")
    sizes = ("--min-count", EACH, "--unseen", 0.4, "--seed", 1, "--seeds", 1, "--runs", 1)
    out = tmp_path / "study"
    done = run_cli(*given, "--out", out, *sizes, "--shares", "0.6,1", "--device", "cpu")
    assert done.code == 0 and f"Written to {out}." in done.err
    assert "seed-1-share-0.6: training steps" in done.err
    assert "What learning from a share of the seen classes is worth" in done.out
    assert "3/4 of its papers" in done.out
    figures = json.loads((out / FIGURES).read_text(encoding="utf-8"))
    assert [each["share"] for each in figures["shares"]] == [0.6, 1.0]
    assert "<svg" in (out / PAGE).read_text(encoding="utf-8")
    again = run_cli(*given, "--out", out, *sizes, "--shares", "1", "--format", "json", "--quiet")
    assert (again.code, again.err) == (0, "")
    [largest] = json.loads(again.out)["shares"]
    assert largest["change"] == figures["shares"][1]["change"]
    wrong = run_cli(*given, "--out", out, "--shares", "2")
    assert wrong.code == 1 and "--shares 2 are not numbers above 0 and up to 1" in wrong.err
