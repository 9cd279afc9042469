"""`recsys train nnrank`, its search for parameters and its ablations from the outside."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.store.artifacts import nnrank_folder
from recsys.store.generations import in_force

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli


@pytest.fixture
def index(built: "Built", tmp_path: Path) -> Path:
    return built.copy(tmp_path)


def test_from_tuning_to_evaluation(built: "Built", index: Path, run_cli: "RunCli") -> None:
    given = (index, "--split", built.split)
    short = ("--trials", 1, "--short", 1, "--finalists", 1, "--long", 1, "--device", "cpu")
    tuned = run_cli("study", "tune-nnselect", *given, "--out", index.parent / "select", *short)
    assert (tuned.code, tuned.out) == (0, "")
    chosen = index.parent / "select" / "parameters.json"
    assert f"recsys train nnselect INDEX --split FILE --epochs 1 --parameters {chosen}" in tuned.err
    run_cli("train", "nnselect", *given, "--epochs", 1, "--parameters", chosen)
    tuned = run_cli("study", "tune-nnrank", *given, "--out", index.parent / "rank", *short)
    assert "Best on dev: F1@20" in tuned.err
    chosen = index.parent / "rank" / "parameters.json"
    for metadata in (True, False):
        switch = () if metadata else ("--no-metadata",)
        done = run_cli("train", "nnrank", *given, "--epochs", 1, "--parameters", chosen, *switch)
        assert (done.code, done.out) == (0, "")
        assert ("cos(authors)" in done.err) == metadata
        assert f"Saved in {index}." in done.err
        folder = nnrank_folder(in_force(index), metadata=metadata)
        config = json.loads((folder / "manifest.json").read_text())["config"]
        values = json.loads(chosen.read_text())["parameters"]
        assert config["options"]["size"]["words"] == values["dim"]
        asked = run_cli(
            "evaluate", *given, "--systems", "nnselect,nnrank", *switch, "--jobs", 1,
            "--out", index.parent / f"report-{metadata}",
        )  # fmt: skip
        assert re.search(r"^nnrank +\d", asked.out, re.MULTILINE)
    refused = run_cli(
        "evaluate", *given, "--systems", "nnrank", "--part", "train", "--out", index.parent / "x"
    )
    assert refused.code == 1
    assert "was trained on 20 of these 20 train queries" in refused.err


def test_an_ablation_is_a_table_on_stdout(built: "Built", index: Path, run_cli: "RunCli") -> None:
    given = (index, "--split", built.split)
    run_cli("train", "nnselect", *given, "--epochs", 1, "--dim", 6)
    out = index.parent / "ablation"
    done = run_cli(
        "study", "ablate-nnrank", *given, "--out", out, "--rows", "no-numbers", "--format", "json"
    )
    assert done.code == 0
    assert [row["network"] for row in json.loads(done.out)["rows"]] == ["full", "no-numbers"]
    assert f"Written to {out}." in done.err
    table = run_cli(
        "study", "ablate-nnrank", *given, "--out", out, "--rows", "no-numbers", "--quiet"
    )
    assert table.out.startswith("What NNRank loses without each of its parts.")
    assert table.err == ""
    wrong = run_cli("study", "ablate-nnrank", *given, "--out", out, "--rows", "no-number")
    assert wrong.code == 1 and "Did you mean 'no-numbers'" in wrong.err


def test_nnrank_needs_nnselect(built: "Built", index: Path, run_cli: "RunCli") -> None:
    done = run_cli("train", "nnrank", index, "--split", built.split)
    assert done.code == 1
    assert "has no NNSelect model. Train it: `recsys train nnselect INDEX" in done.err
