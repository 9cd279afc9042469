"""An encoder that is trained on one corpus and measured on another."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from recsys.eval.studies.encoders.training_page import TRAINING
from recsys.pipelines.studies.finetuning.encoder_training import Run
from recsys.pipelines.studies.specter import encoder_triplet_benchmark
from recsys.pipelines.studies.specter.fitting import untrained
from recsys.pipelines.studies.specter.held_out import PAGE, RESULT, compare, main
from tests.eval.page_tags import tags_of
from tests.pipelines.studies.specter.small_sources import (
    small_source,
    tiny_options,
    write_tiny_bert,
)

if TYPE_CHECKING:
    from tests.built_index import Built


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("held") / "tiny")


@pytest.fixture
def places(built: "Built", tmp_path: Path) -> list[str]:
    """Where two corpora lie that are the same, but for their names."""
    for name in ("one", "other"):
        (tmp_path / f"{name}.index").symlink_to(built.index)
        (tmp_path / name).mkdir()
        shutil.copy(built.split, tmp_path / name / "split.json")
    names = ["--held-out", "other", "--train", "one", "--device", "cpu"]
    return [*names, "--data", str(tmp_path), "--indexes", str(tmp_path)]


def run_main(given: list[str], out: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Run to the end, and return what was printed, which is what was written."""
    assert main([*given, "--out", str(out)]) == 0
    facts: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert facts == json.loads((out / RESULT).read_text())
    return facts


def test_a_corpus_that_was_left_out_is_measured(
    places: list[str], tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = ["--steps", "2", "--lora", "2", "--checks", "1", "--rate", "0.01"]
    facts = run_main([*places, "--from", str(tiny), *limits], tmp_path / "own", capsys)
    assert (facts["held_out"], facts["train"], facts["queries"]) == ("other", ["one"], 12)
    assert [point["step"] for point in facts["curve"]] == [0, 2]
    assert all(point["mean"] == point["one"] == point["other"] for point in facts["curve"])
    assert facts["change"] == pytest.approx(facts["after"] - facts["before"])
    assert facts["low"] <= facts["change"] <= facts["high"] and 0 < facts["p"] <= 1
    assert (tmp_path / "own" / TRAINING).is_file()
    assert not list(tmp_path.glob("*.partial*"))


def test_a_finished_adapter_is_measured_at_several_strengths(
    places: list[str], tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = ["--steps", "4", "--lora", "2", "--checks", "1", "--rate", "0.5"]
    given = [*places, "--from", str(tiny), *limits, "--strengths", "0.5,1,2"]
    first = run_main(given, tmp_path / "own", capsys)
    tried = first["strengths"]
    assert [each["strength"] for each in tried] == [0.5, 1.0, 2.0]
    assert len({each["before"] for each in tried}) == 1
    assert {each["dev_before"] for each in tried} == {first["curve"][0]["mean"]}
    best = max(each["dev"] for each in tried)
    kept = next(each for each in tried if each["dev"] == best)  # The gentlest of equal ones.
    assert kept.items() <= first.items()
    assert tried[1]["dev"] == max(point["mean"] for point in first["curve"])
    page = (tmp_path / "own" / PAGE).read_text()
    assert tags_of(page).stack == [] and page.count("<figure>") == 3
    assert "An encoder that has not seen other" in page and "R@20 by strength" in page
    again = ["--measure-only", str(tmp_path / "own"), "--strengths", "1,0.5"]
    second = run_main([*places, *again], tmp_path / "again", capsys)
    assert second["strengths"] == tried[:2] and second["curve"] == first["curve"]
    one, other = (json.loads((tmp_path / name / TRAINING).read_text()) for name in ("own", "again"))
    assert (one.pop("strength"), other.pop("strength")) == (first["strength"], second["strength"])
    assert one == other
    swapped = ["--held-out", "one", "--train", "other", *places[4:], *again]
    assert main([*swapped, "--out", str(tmp_path / "seen")]) == 1
    assert "has learned from one." in capsys.readouterr().err


def test_an_error_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = ["--data", str(tmp_path), "--indexes", str(tmp_path), "--out", str(tmp_path / "own")]
    assert main(["--held-out", "a", "--train", "b", *places]) == 1
    assert capsys.readouterr().err.startswith("error: There is no index at ")


def test_encoders_are_compared_query_by_query() -> None:
    found = compare(np.array([0.1, 0.3, 0.5]), np.array([0.3, 0.5, 0.7]))
    # All of 8 assignments of signs are looked at; two are as far from 0.
    assert (found["before"], found["after"], found["p"]) == pytest.approx((0.3, 0.5, 2 / 8))
    assert (found["change"], found["low"], found["high"]) == pytest.approx((0.2, 0.2, 0.2))


def test_the_plain_loop_computes_the_same_loss(tiny: Path, tmp_path: Path) -> None:
    trained = untrained([small_source(tmp_path)], tiny_options(tiny), Run())
    triplets = trained.task.examples(np.random.default_rng(0))[:20]
    trained.task.tower.train()
    ours = float(trained.task.loss(trained.task.tower, triplets).detach())
    plain = float(encoder_triplet_benchmark.PlainLoop.of(trained).loss(triplets).detach())
    assert ours == pytest.approx(plain, abs=1e-5)


def test_both_loops_are_timed(
    built: "Built", tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(built.index), str(built.split), "--from", str(tiny), "--rounds", "2"]
    assert encoder_triplet_benchmark.main(given) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"full", "adapter"}
    for each in found.values():
        assert each["triplets"] == 32 and each["ratio"] > 0
        rates = each["per_second"]
        assert each["ratio"] == pytest.approx(rates["ours"] / rates["padded"], rel=0.05)
