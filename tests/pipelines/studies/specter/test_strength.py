"""Adapters that are applied at other strengths than they were trained at."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, ArtifactMissing, InputError
from recsys.eval.studies.encoders.training_page import TRAINING
from recsys.pipelines.studies.finetuning.adapter_file import with_adapter
from recsys.pipelines.studies.finetuning.encoder_training import Run
from recsys.pipelines.studies.finetuning.lora import LoraOptions, adapters
from recsys.pipelines.studies.finetuning.student import ADAPTER
from recsys.pipelines.studies.specter.fitting import Trained, untrained
from recsys.pipelines.studies.specter.strength import at_strength, read_finished, taken_up
from recsys.store.arrays import Floats
from tests.pipelines.studies.specter.small_sources import (
    small_source,
    tiny_options,
    write_tiny_bert,
)

ROWS = np.arange(6, dtype=np.int32)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("strength") / "tiny")


@pytest.fixture(scope="module")
def trained(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """An encoder whose adapters change something, as if it had been trained."""
    options = replace(tiny_options(tiny), lora=LoraOptions(2, 4.0))
    made = untrained([small_source(tmp_path_factory.mktemp("source"))], options, Run())
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for each in adapters(made.task.tower.model).values():
            each.b.copy_(torch.randn(each.b.shape, generator=generator))
    return made


def vectors(trained: Trained, strength: float) -> Floats:
    return at_strength(trained, strength).task.vectors(ROWS)


def saved(trained: Trained, strength: float, folder: Path) -> Path:
    """Save a copy: saving merges the adapters."""
    folder.mkdir()
    again = untrained(trained.task.shelf.sources, trained.options, Run())
    again.task.tower.load_state_dict(trained.task.tower.state_dict())
    at_strength(again, strength).save(folder)
    return folder


def test_no_strength_is_the_start(trained: Trained) -> None:
    start = untrained(trained.task.shelf.sources, trained.options, Run())
    assert np.array_equal(vectors(trained, 0.0), start.task.vectors(ROWS))
    assert not np.allclose(vectors(trained, 1.0), start.task.vectors(ROWS), atol=1e-3)


def test_half_the_strength_is_half_the_change_of_the_weights(
    trained: Trained, tmp_path: Path
) -> None:
    whole = saved(trained, 1.0, tmp_path / "whole")
    half = load_file(saved(trained, 0.5, tmp_path / "half") / "model.safetensors")
    end = load_file(whole / "model.safetensors")
    merged = with_adapter(trained.start, tmp_path / "half" / ADAPTER).weights
    changed = 0
    for name, weights in trained.start.weights.items():
        assert half[name] == pytest.approx((weights + end[name]) / 2, abs=1e-6)
        assert merged[name] == pytest.approx(half[name], abs=1e-6)
        changed += not np.allclose(weights, end[name])
    assert changed == 2 * 6
    assert json.loads((tmp_path / "half" / TRAINING).read_text())["strength"] == 0.5


@pytest.mark.parametrize("strength", [0.25, 1.0])
def test_a_saved_adapter_is_taken_up_at_full_strength(
    trained: Trained, tmp_path: Path, strength: float
) -> None:
    finished = read_finished(saved(trained, strength, tmp_path / "own"))
    assert finished.options == trained.options
    again = taken_up(finished, trained.task.shelf.sources, Run())
    assert np.array_equal(again.task.vectors(ROWS), vectors(trained, 1.0))


def test_folders_that_hold_no_adapter_are_refused(
    trained: Trained, tiny: Path, tmp_path: Path
) -> None:
    sources = trained.task.shelf.sources
    with pytest.raises(ArtifactMissing, match="no encoder that was trained here"):
        read_finished(tiny)
    folder = saved(trained, 1.0, tmp_path / "own")
    finished = read_finished(folder)
    whole = replace(finished, options=replace(finished.options, lora=None))
    with pytest.raises(InputError, match="with all of its weights"):
        taken_up(whole, sources, Run())
    wider = replace(finished.options, lora=LoraOptions(2, 4.0, ("attention",)))
    with pytest.raises(ArtifactMismatch, match="changes other products"):
        taken_up(replace(finished, options=wider), sources, Run())
    other = write_tiny_bert(tmp_path / "other", seed=1)
    moved = replace(finished.options, start=str(other))
    with pytest.raises(ArtifactMismatch, match="changes other weights"):
        taken_up(replace(finished, options=moved), sources, Run())
    (folder / ADAPTER).write_bytes(b"no adapter")
    with pytest.raises(ArtifactCorrupt, match="not readable as an adapter"):
        taken_up(finished, sources, Run())
    (folder / TRAINING).write_text('{"options": {"start": 7}}')
    with pytest.raises(ArtifactCorrupt, match="is not readable"):
        read_finished(folder)
