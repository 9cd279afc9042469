"""A training to tell journals: it learns, is continued exactly, and leaves an ordinary encoder."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.eval.studies.encoders.training_page import TRAINING
from recsys.eval.studies.probes.probe_results import read_class_names
from recsys.pipelines.encoders.checkpoints import read_checkpoint
from recsys.pipelines.encoders.export_encoder import choose_settings
from recsys.pipelines.studies.citeomatic.network_training import one_thread
from recsys.pipelines.studies.encoders.tower import ADAPTER, LoraOptions
from recsys.pipelines.studies.encoders.train_journal import (
    CLASSES,
    JournalOptions,
    TrainedJournal,
    class_papers,
    fit_journal,
    train_journal,
)
from recsys.pipelines.studies.encoders.training import Run
from tests.pipelines.studies.encoders.small_journals import (
    journal_options,
    journal_papers,
    write_journal_papers,
)


@pytest.fixture(scope="module")
def options(folder: Path) -> JournalOptions:
    return journal_options(folder / "tiny")


@pytest.fixture(scope="module")
def whole(folder: Path, options: JournalOptions) -> TrainedJournal:
    papers = class_papers(Path("papers.jsonl"), journal_papers(), options.classes)
    with one_thread():  # Sums of other threads differ in their last digits.
        return fit_journal(papers, options, folder / "journal.safetensors", Run())


def test_training_learns_to_tell_journals(whole: TrainedJournal) -> None:
    did = whole.history
    assert (did.epoch_steps, did.examples) == (9, 4 * 90)
    assert did.measures[did.best] > did.measures[0] + 0.2
    assert np.mean(did.losses[-5:]) < 0.5 * np.mean(did.losses[:5])
    assert whole.task.measure()[0] == did.measures[did.best]
    assert did.watched[did.best] == whole.task.measure()[1:]


@pytest.mark.parametrize("lora", [None, LoraOptions(2, 4.0)])
def test_the_folder_is_an_ordinary_encoder_without_the_classifier(
    folder: Path, options: JournalOptions, lora: LoraOptions | None, tmp_path: Path
) -> None:
    start = replace(options.start, pooling="cls", lora=lora)
    classes = replace(options.classes, unseen=0.5)
    less = replace(options, start=start, classes=classes, loop=replace(options.loop, steps=3))
    source = write_journal_papers(tmp_path / "papers.jsonl")
    report = train_journal(source, less, tmp_path / "own", Run())
    checkpoint = read_checkpoint(str(tmp_path / "own"))
    assert checkpoint.weights.keys() == read_checkpoint(str(folder / "tiny")).weights.keys()
    assert choose_settings(checkpoint, None, "f32").pooling == "cls"
    assert (tmp_path / "own" / ADAPTER).is_file() is (lora is not None)
    names = report.trained.task.papers.names
    assert read_class_names(tmp_path / "own" / CLASSES) == {name.casefold() for name in names}
    facts = json.loads((tmp_path / "own" / TRAINING).read_text())
    assert (facts["start"], facts["measure"], facts["classes"]) == ("tiny", "accuracy", [*names])
    assert facts["options"]["classes"]["unseen"] == 0.5 and len(facts["history"]["losses"]) == 3
    assert facts["papers"] == {"learned": 15 * len(names), "dev": 5 * len(names)}
    assert {each.name for each in tmp_path.iterdir()} == {"own", "papers.jsonl"}
    assert f"({facts['learned_numbers']:,} numbers)" in report.lines()[0]


def test_other_folders_are_not_replaced(options: JournalOptions, tmp_path: Path) -> None:
    source = write_journal_papers(tmp_path / "papers.jsonl")
    with pytest.raises(InputError, match="holds no encoder that recsys trained"):
        train_journal(source, options, tmp_path, Run())
