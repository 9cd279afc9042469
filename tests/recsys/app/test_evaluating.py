"""`recsys evaluate` from the outside."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli


def test_an_evaluation_from_end_to_end(built: "Built", run_cli: "RunCli", tmp_path: Path) -> None:
    run = tmp_path / "theirs.trec"
    run.write_text("rivers-09 Q0 rivers-08 1 0.5 x\n")
    out = tmp_path / "report"
    done = run_cli(
        "evaluate", built.index, "--split", built.split, "--out", out,
        "--systems", "bm25-whoosh, two-stage", "--run", f"theirs={run}", "--jobs", 1,
        "--self-citation", "--seed-study",
    )  # fmt: skip
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()[4:]] == [
        "bm25-whoosh", "two-stage", "theirs"
    ]  # fmt: skip
    assert "Next: recsys report" in done.err
    assert "Leakage unknown" not in done.err
    facts = json.loads((out / "facts.json").read_text())
    assert facts["systems"] == ["bm25-whoosh", "two-stage", "theirs"]
    assert facts["command"].startswith(f"recsys evaluate {built.index} --split")
    assert facts["warnings"] == []
    assert facts["ranker"]["name"] == "own (ranker)" and len(facts["ranker"]["sha256"]) == 64
    assert re.fullmatch(r"\d+ train queries of .+", facts["ranker"]["learned_from"])
    assert "of all candidates 0." in done.err
    assert len(facts["self_citation"]) == 42
    assert len(facts["seed_study"]) == 10


def test_a_ranker_is_not_evaluated_on_what_it_was_trained_on(
    built: "Built", run_cli: "RunCli", tmp_path: Path
) -> None:
    done = run_cli(
        "evaluate", built.index, "--split", built.split, "--out", tmp_path / "x",
        "--part", "train", "--systems", "two-stage",
    )  # fmt: skip
    assert done.code == 1
    assert "was trained on 20 of these 20 train queries (first: " in done.err
    assert list(tmp_path.iterdir()) == []


def test_dev_is_asked_of_a_ranker_that_kept_it_unseen(
    built: "Built", run_cli: "RunCli", tmp_path: Path
) -> None:
    index = built.copy(tmp_path)
    asked = (
        "evaluate", index, "--split", built.split, "--out", tmp_path / "x",
        "--part", "dev", "--systems", "two-stage", "--jobs", 1,
    )  # fmt: skip
    done = run_cli(*asked)
    assert done.code == 0
    assert "calibrated on 8 of these 8 queries" in done.err
    assert run_cli("train", "ranker", index, "--split", built.split, "--folds", 3).code == 0
    done = run_cli(*asked)
    assert done.code == 1
    assert "was trained on 8 of these 8 dev queries" in done.err
    assert "`recsys train ranker --folds 1`" in done.err
