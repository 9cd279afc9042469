"""Click models: by hand, and as often as they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.simulation import (
    CLICK_MODELS,
    Cascade,
    ClickModel,
    PositionBased,
    TrustBias,
    decay,
)
from tests.rows import each_row

LISTS = np.array([[0.5, 0.2, 1.0], [0.1, 0.8, 0.0]])
ALL = np.ones(LISTS.shape, np.bool_)
MODELS = [build(3, 1.0) for build in CLICK_MODELS.values()]


def test_position_based_chances_are_products() -> None:
    model = PositionBased(np.array([1, 0.5, 0.25, 0.1]))
    assert model.chances(LISTS, ALL).tolist() == [[0.5, 0.1, 0.25], [0.1, 0.4, 0.0]]


def test_trust_takes_the_irrelevant_for_relevant() -> None:
    model = TrustBias(np.array([1, 0.5]), np.array([0.9, 0.8]), np.array([0.3, 0.1]))
    # .9 * .5 + .3 * .5; .5 * (.8 * 1 + .1 * 0).
    found = model.chances(np.array([[0.5, 1.0]]), ALL[:1, :2])
    assert found.tolist()[0] == pytest.approx([0.6, 0.4])


def test_nothing_is_clicked_where_nothing_is_shown() -> None:
    present = np.array([[True, True, False]])
    lists = np.array([[0.5, 0.5, 0.0]])
    for model in MODELS:
        assert model.chances(lists, present)[0, 2] == 0
        clicks = [model.click(lists, present, np.random.default_rng(i))[0, 2] for i in range(50)]
        assert not any(clicks)


def test_a_cascade_goes_on_from_the_top() -> None:
    model = Cascade(after_click=0.4, after_skip=0.9)
    # Going on: .5 * .4 + .5 * .9 = .65, then .2 * .4 + .8 * .9 = .8.
    found = model.chances(LISTS[:1], ALL[:1])
    assert found.tolist()[0] == pytest.approx([0.5, 0.65 * 0.2, 0.65 * 0.8])


def test_a_cascade_may_end_at_the_first_click() -> None:
    lists = np.random.default_rng(0).random((2000, 10))
    ended = Cascade(after_click=0, after_skip=1)
    assert ended.click(lists, lists >= 0, np.random.default_rng(1)).sum(1).max() == 1
    never = Cascade(after_click=1, after_skip=1)
    assert never.chances(lists, lists >= 0).tolist() == lists.tolist()


@each_row("model", MODELS)
def test_clicks_come_as_often_as_their_chances(model: ClickModel) -> None:
    many = 40_000
    clicks = model.click(
        np.repeat(LISTS, many, axis=0), ALL.repeat(many, 0), np.random.default_rng(2)
    )
    assert clicks.dtype == np.bool_
    rates = clicks.reshape(2, many, 3).mean(1)
    # Four standard errors of a rate near one half.
    assert rates == pytest.approx(model.chances(LISTS, ALL), abs=4 * 0.5 / many**0.5)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0, 3))
def test_chances_are_chances(relevance: list[float], eta: float) -> None:
    lists = np.array([relevance])
    for build in CLICK_MODELS.values():
        found = build(8, eta).chances(lists, np.ones(lists.shape, np.bool_))
        assert found.shape == lists.shape
        assert ((found >= 0) & (found <= 1)).all()


def test_examination_decays() -> None:
    assert decay(1, 4).tolist() == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4])
    assert decay(0, 3).tolist() == [1, 1, 1]


def test_lists_longer_than_the_model_are_refused() -> None:
    for model in (MODELS[0], MODELS[2]):
        with pytest.raises(InputError, match="4 positions, the click model only 3"):
            model.chances(np.zeros((1, 4)), np.ones((1, 4), np.bool_))


@each_row("values", [np.array([1, -0.1]), np.array([1.1]), np.array([np.nan])])
def test_a_chance_is_between_0_and_1(values: Doubles) -> None:
    with pytest.raises(InputError, match="examination"):
        PositionBased(values)
    with pytest.raises(InputError, match="mistaken"):
        TrustBias(np.ones(2), np.ones(2), values)
    with pytest.raises(InputError, match="after_skip"):
        Cascade(after_skip=float(values[-1]))
