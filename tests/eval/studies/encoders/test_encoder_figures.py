"""Figures of encoders as values and as JSON."""

import json

import numpy as np

from recsys.eval.measures import Interval
from recsys.eval.studies.encoders.report_encoders import (
    Figure,
    as_record,
    bounded,
    from_record,
    map_of,
    map_record,
)
from recsys.eval.studies.probes.maps import ClassMap


def test_a_figure_survives_json() -> None:
    found = bounded(Interval(0.5, 0.4, 0.6), np.array([0.25, 0.75]), "abc")
    assert from_record(json.loads(json.dumps(as_record(found)))) == found
    assert found.interval == Interval(0.5, 0.4, 0.6)
    bare = Figure(0.5)
    assert from_record(json.loads(json.dumps(as_record(bare)))) == bare
    assert bare.interval is None


def test_a_map_survives_json() -> None:
    drawn = ClassMap("one", np.array([[0.5, 1], [2, 3]]), np.array([1, 0]), ("a", "b"))
    again = map_of("one", json.loads(json.dumps(map_record(drawn))))
    assert (again.title, again.names) == ("one", ("a", "b"))
    assert (again.points == drawn.points).all() and (again.labels == drawn.labels).all()
