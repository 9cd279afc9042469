"""An adapter that is trained on one corpus, applied at several strengths, and asked on another."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from benchmarks.held_out import RESULT, compare, main, save
from recsys.eval.studies.encoders.training_page import TRAINING
from recsys.pipelines.studies.encoders.tower import ADAPTER, LoraOptions, adapters
from recsys.pipelines.studies.encoders.train_encoder import TrainedEncoder, untrained
from recsys.pipelines.studies.encoders.training import History, Run, Trained
from recsys.pipelines.studies.encoders.triplets import Source
from tests.benches import write_corpora
from tests.pipelines.studies.encoders.merged_adapter import merged_weights
from tests.pipelines.studies.encoders.small_sources import (
    small_source,
    tiny_options,
    write_tiny_bert,
)

if TYPE_CHECKING:
    from tests.built_index import Built

ROWS = np.arange(6, dtype=np.int32)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("held") / "tiny")


@pytest.fixture
def places(built: "Built", tmp_path: Path) -> list[str]:
    """Where two corpora lie that are the same, but for their names."""
    write_corpora(built, tmp_path, "one", "other")
    names = ["--held-out", "other", "--learn", "one", "--device", "cpu"]
    return [*names, "--data", str(tmp_path), "--indexes", str(tmp_path)]


def run_main(given: list[str], out: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Run to the end, and return what was printed, which is what was written."""
    assert main([*given, "--out", str(out)]) == 0
    facts: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert facts == json.loads((out / RESULT).read_text())
    return facts


def test_an_adapter_is_measured_where_it_was_not_trained(
    places: list[str], tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = ["--steps", "4", "--lora", "2", "--checks", "1", "--rate", "0.5"]
    given = [*places, "--from", str(tiny), *limits, "--strengths", "0.5,1,2"]
    first = run_main(given, tmp_path / "own", capsys)
    assert (first["held_out"], first["learned_from"]) == ("other", ["one"])
    assert [point["step"] for point in first["curve"]] == [0, 4]
    assert all(point["mean"] == point["one"] == point["other"] for point in first["curve"])
    assert first["change"] == pytest.approx(first["after"] - first["before"])
    assert first["low"] <= first["change"] <= first["high"] and 0 < first["p"] <= 1
    assert not list(tmp_path.glob("*.partial*"))
    tried = first["strengths"]
    assert [each["strength"] for each in tried] == [0.5, 1.0, 2.0]
    assert len({each["before"] for each in tried}) == 1
    assert {each["dev_before"] for each in tried} == {first["curve"][0]["mean"]}
    best = max(each["dev"] for each in tried)
    kept = next(each for each in tried if each["dev"] == best)  # The gentlest of equal ones.
    assert kept.items() <= first.items()
    assert tried[1]["dev"] == max(point["mean"] for point in first["curve"])
    told = json.loads((tmp_path / "own" / TRAINING).read_text())
    assert told["strength"] == first["strength"]


def test_encoders_are_compared_query_by_query() -> None:
    found = compare(np.array([0.1, 0.3, 0.5]), np.array([0.3, 0.5, 0.7]))
    # All of 8 assignments of signs are looked at; two are as far from 0.
    assert (found["before"], found["after"], found["p"]) == pytest.approx((0.3, 0.5, 2 / 8))
    assert (found["change"], found["low"], found["high"]) == pytest.approx((0.2, 0.2, 0.2))


def with_adapters(sources: Sequence[Source], start: Path) -> TrainedEncoder:
    options = replace(tiny_options(start), lora=LoraOptions(2, 4.0))
    return Trained.of(*untrained(sources, options, Run()), History(), asdict(options), {})


@pytest.fixture(scope="module")
def trained(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> TrainedEncoder:
    """An encoder whose adapters change something, as if it had been trained."""
    made = with_adapters([small_source(tmp_path_factory.mktemp("source"))], tiny)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for each in adapters(made.task.learner.model).values():
            each.b.copy_(torch.randn(each.b.shape, generator=generator))
    return made


def saved(trained: TrainedEncoder, strength: float, folder: Path) -> Path:
    """Save a copy: saving merges the adapters."""
    folder.mkdir()
    again = with_adapters(trained.task.shelf.sources, Path(trained.student.start.source))
    again.task.learner.load_state_dict(trained.task.learner.state_dict())
    save(again, strength, folder, trained.facts)
    return folder


def test_half_the_strength_is_half_the_change_of_the_weights(
    trained: TrainedEncoder, tmp_path: Path
) -> None:
    whole = saved(trained, 1.0, tmp_path / "whole")
    half = load_file(saved(trained, 0.5, tmp_path / "half") / "model.safetensors")
    end = load_file(whole / "model.safetensors")
    merged = merged_weights(trained.student.start, tmp_path / "half" / ADAPTER)
    changed = 0
    for name, weights in trained.student.start.weights.items():
        assert half[name] == pytest.approx((weights + end[name]) / 2, abs=1e-6)
        assert merged[name] == pytest.approx(half[name], abs=1e-6)
        changed += not np.allclose(weights, end[name])
    assert changed == 2 * 6
    assert json.loads((tmp_path / "half" / TRAINING).read_text())["strength"] == 0.5
