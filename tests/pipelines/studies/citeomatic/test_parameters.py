"""The table of parameters, and the file that holds a choice."""

from pathlib import Path

import pytest

from recsys.errors import InputError
from recsys.pipelines.studies.citeomatic.nnrank import NNRankOptions
from recsys.pipelines.studies.citeomatic.nnselect import NNSelectOptions
from recsys.pipelines.studies.citeomatic.tuning import (
    SPACE,
    USUAL,
    Model,
    read_parameters,
    space_of,
    usual,
    with_parameters,
)

VALUES = {"rate": 0.1, "l1": 1e-3, "l2": 1e-4, "dropout": 0.35, "gamma": 0.5, "dim": 175.0}


def test_the_table_is_that_of_the_paper() -> None:
    # Tables 6 and 7 of Bhagavatula et al. 2018.
    assert [rate for rate in SPACE["rate"] if rate != 5e-4] == [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]
    assert SPACE["l1"] == SPACE["l2"] == (0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
    assert (len(SPACE["dropout"]), max(SPACE["dropout"])) == (16, 0.75)
    assert SPACE["gamma"] == (0.5, 0.75, 1, 1.25, 1.5)
    dims = [25, 50, 75, 100, 125, 150, 175, 200, 225, 250, 275, 300, 325]
    assert list(SPACE["dim"]) == dims
    assert list(SPACE["metadata_dim"]) == [5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55]
    for values in SPACE.values():
        assert list(values) == sorted(values)


def test_the_usual_parameters_are_in_the_space_and_change_nothing() -> None:
    for model in Model:
        for name, values in space_of(model).items():
            assert usual(model)[name] in values
        assert with_parameters(USUAL[model], model, usual(model)) == USUAL[model]
        assert with_parameters(USUAL[model], model, {}) == USUAL[model]


def test_parameters_take_their_places() -> None:
    chosen = with_parameters(NNSelectOptions(), Model.NNSELECT, VALUES)
    assert (chosen.model.dim, chosen.model.dropout, chosen.model.margins.gamma) == (175, 0.35, 0.5)
    assert (chosen.model.penalty.l1, chosen.model.penalty.l2, chosen.loop.rate) == (1e-3, 1e-4, 0.1)
    ranker = with_parameters(NNRankOptions(), Model.NNRANK, {**VALUES, "metadata_dim": 45})
    assert (ranker.model.size.words, ranker.model.size.metadata) == (175, 45)
    assert (ranker.model.size.penalty.l1, ranker.model.size.penalty.l2) == (1e-3, 1e-4)
    assert (ranker.model.dropout, ranker.model.margins.gamma, ranker.loop.rate) == (0.35, 0.5, 0.1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "holds no JSON object"),
        ('{"schema": "recsys.parameters/1"}', "holds no parameters"),
        (
            '{"schema": "recsys.parameters/1", "model": "nnselect", "parameters": {"drop_out": 1}}',
            "nnselect has no parameter 'drop_out'. Did you mean 'dropout'",
        ),
        (
            '{"schema": "recsys.parameters/1", "model": "nnselect", "parameters": {"dim": "x"}}',
            "dim is 'x'",
        ),
        (
            '{"schema": "recsys.parameters/1", "model": "nnselect", "parameters": {"rate": -1}}',
            "rate is -1",
        ),
    ],
)
def test_what_is_no_choice_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "parameters.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_parameters(path, Model.NNSELECT)
