"""`recsys train nnselect` and the system that it makes, from the outside."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli


@pytest.fixture
def index(built: "Built", tmp_path: Path) -> Path:
    return built.copy(tmp_path)


def test_a_model_is_trained_and_evaluated(built: "Built", index: Path, run_cli: "RunCli") -> None:
    done = run_cli(
        "train", "nnselect", index, "--split", built.split, "--epochs", 2, "--dim", 6,
        "--device", "cpu",
    )  # fmt: skip
    assert (done.code, done.out) == (0, "")
    assert "On dev: R@20" in done.err and f"Saved in {index}." in done.err
    asked = ("evaluate", index, "--split", built.split, "--systems", "nnselect", "--jobs", 1)
    out = index.parent / "report"
    assert re.search(r"^nnselect +\d", run_cli(*asked, "--out", out).out, re.MULTILINE)
    flattered = run_cli(*asked, "--out", out, "--part", "dev")
    assert "The nnselect in nnselect was calibrated on 8 of these 8 queries" in flattered.err
    refused = run_cli(*asked, "--out", index.parent / "x", "--part", "train")
    assert refused.code == 1
    assert "was trained on 20 of these 20 train queries" in refused.err
    assert "`recsys train nnselect`" in refused.err


def test_without_a_model_the_command_is_named(
    built: "Built", index: Path, run_cli: "RunCli"
) -> None:
    done = run_cli(
        "evaluate", index, "--split", built.split, "--systems", "nnselect",
        "--out", index.parent / "report", "--jobs", 1,
    )  # fmt: skip
    assert done.code == 1
    assert done.err.splitlines()[-1] == (
        f"error: {index} has no NNSelect model. "
        "Train it: `recsys train nnselect INDEX --split FILE`."
    )
