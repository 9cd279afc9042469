"""Differences from a reference: paired, corrected, and of the same queries only."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from recsys.eval.measures import Interval
from recsys.eval.significance import holm, randomisation_test
from recsys.eval.studies.encoders.report_encoders import (
    ACCURACY,
    RECALL,
    Encoders,
    Figure,
    bounded,
    differences,
    from_record,
    map_of,
    map_record,
)
from recsys.eval.studies.probes.maps import ClassMap
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


def test_figures_and_maps_survive_json() -> None:
    found = bounded(Interval(0.5, 0.4, 0.6), np.array([0.25, 0.75]), "abc")
    for figure in (found, Figure(0.5)):
        assert from_record(json.loads(json.dumps(asdict(figure)))) == figure
    assert found.interval == Interval(0.5, 0.4, 0.6) and Figure(0.5).interval is None
    drawn = ClassMap("one", np.array([[0.5, 1], [2, 3]]), np.array([1, 0]), ("a", "b"))
    again = map_of("one", json.loads(json.dumps(map_record(drawn))))
    assert (again.title, again.names) == ("one", ("a", "b"))
    assert (again.points == drawn.points).all() and (again.labels == drawn.labels).all()
