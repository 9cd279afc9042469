"""Sums over samples of a log."""

import numpy as np
import pytest

from recsys.eval.measures import draw
from recsys.eval.studies.clicks import estimators as clicked_places
from recsys.eval.studies.clicks.estimators import group, resample


def test_sums_are_those_of_the_units_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = np.random.default_rng(0).normal(size=(7, 3))
    drawn = draw(7, rng=np.random.default_rng(1), samples=25)
    for chunk in (1, 22, 4_000_000):
        monkeypatch.setattr(clicked_places, "_CHUNK", chunk)
        found = resample(columns, rng=np.random.default_rng(1), samples=25)
        assert found == pytest.approx(drawn @ columns, abs=1e-12)
    assert found[0] == pytest.approx(columns.sum(0))


def test_groups_are_added_up() -> None:
    columns = np.array([[1.0, 10], [2, 20], [4, 40]])
    assert group(columns, np.array([5, 3, 5])).tolist() == [[2, 20], [5, 50]]
