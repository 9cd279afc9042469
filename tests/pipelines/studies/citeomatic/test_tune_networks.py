"""Tuning from end to end on a small index."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from recsys.errors import MissingExtraError
from recsys.pipelines.studies.citeomatic.nnselect import NNSelectOptions, train_nnselect
from recsys.pipelines.studies.citeomatic.tuning import (
    Model,
    TuneOptions,
    read_parameters,
    tune,
    usual,
    with_parameters,
)
from tests.pipelines.studies.citeomatic.conftest import Wordy

OPTIONS = TuneOptions(trials=3, short=1, finalists=2, long=2, device="cpu")


@pytest.fixture
def index(wordy: Wordy, tmp_path: Path) -> Path:
    return wordy.copy(tmp_path)


@pytest.mark.parametrize("model", Model)
def test_parameters_are_chosen_and_the_search_continues(
    model: Model, wordy: Wordy, index: Path, tmp_path: Path
) -> None:
    out = tmp_path / "tuning"
    report = tune(model, index, wordy.split, OPTIONS, out)
    assert (report.trials, report.continued) == (3, 0)
    plain = next(each for each in report.finals if each.values == usual(model))
    assert report.best.figure >= plain.figure
    assert read_parameters(report.chosen, model) == report.best.values
    assert ("metadata_dim" in report.best.values) == (model is Model.NNRANK)
    lines = report.lines()
    longer = len(report.finals)  # The usual parameters may be one of the best two.
    assert lines[0] == f"Tried 3 sets of parameters, trained {longer} of them longer."
    assert f" {report.best.figure:.4f} with rate " in lines[1]
    assert lines[2].endswith(
        f"recsys train {model} INDEX --split FILE --epochs 2 --parameters {report.chosen}"
    )
    more = replace(OPTIONS, trials=4)
    again = tune(model, index, wordy.split, more, out)
    assert (again.trials, again.continued) == (4, 3)
    assert again.lines()[2] == "Continued: 3 trials were there already."
    assert sorted(path.name for path in out.iterdir()) == ["parameters.json", "study.journal"]


def test_training_with_what_was_chosen_gives_what_was_promised(
    wordy: Wordy, index: Path, tmp_path: Path
) -> None:
    report = tune(Model.NNSELECT, index, wordy.split, OPTIONS, tmp_path / "tuning")
    plain = NNSelectOptions()
    same = replace(plain, loop=replace(plain.loop, epochs=OPTIONS.long, device="cpu"))
    chosen = with_parameters(same, Model.NNSELECT, report.best.values)
    trained = train_nnselect(index, wordy.split, chosen)
    assert max(trained.history.measures) == report.best.figure


def test_without_optuna_the_pip_command_is_named(
    wordy: Wordy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'citerec\[tune\]'"):
        tune(Model.NNSELECT, wordy.index, wordy.split, OPTIONS, tmp_path / "x")
