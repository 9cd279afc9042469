"""Differences from a reference: paired, corrected, and of the same queries only."""

from dataclasses import replace

import numpy as np
import pytest

from recsys.eval.significance import holm, randomisation_test
from recsys.eval.studies.encoders.report_encoders import (
    ACCURACY,
    AVERAGE,
    F1,
    RECALL,
    SPEED,
    Encoders,
    differences,
)
from tests.eval.studies.encoders.invented_encoders import invented_encoders, invented_row


def test_differences_are_the_means_of_what_is_tested() -> None:
    found = differences(invented_encoders())
    assert found["best"][RECALL].change.value == pytest.approx(0.2)
    assert found["random"][ACCURACY].change.value == pytest.approx(-0.4)
    best = found["best"][ACCURACY]
    assert best.change.low < 0.4 < best.change.high and best.p < 0.001
    assert found["other/sample"][RECALL].change.value == 0
    assert found["other/sample"][RECALL].p == 1


def test_p_is_that_of_the_randomisation_test_corrected_over_the_encoders() -> None:
    rows = [invented_row("minilm", 0.5), invented_row("one", 0.52), invented_row("two", 0.6)]
    found = differences(Encoders(tuple(rows), "minilm", "small", "test"))
    base, *others = (np.array(row.figures[ACCURACY].values) for row in rows)
    rng = np.random.default_rng
    alone = np.array([randomisation_test(each, base, rng=rng(0)) for each in others])
    expected = dict(zip(("one", "two"), holm(alone), strict=True))
    assert {name: found[name][ACCURACY].p for name in expected} == pytest.approx(expected)
    assert alone[1] == pytest.approx(2 / 2**6)  # Six papers more, all of one sign.


def test_what_is_not_tested_or_of_others_is_not_compared() -> None:
    found = differences(invented_encoders())
    assert found["minilm"] == found["absent"] == {}
    assert set(found["best"]) == {RECALL, F1, ACCURACY}
    assert set(found["other/sample"]) == {RECALL, F1}
    assert not {AVERAGE, SPEED} & {column for each in found.values() for column in each}


def test_without_the_reference_nothing_is_compared() -> None:
    found = differences(replace(invented_encoders(), reference="absent"))
    assert all(each == {} for each in found.values())
