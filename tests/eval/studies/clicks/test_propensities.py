"""Tables of propensities: looked up, read and written."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.propensities import (
    Propensities,
    read_propensities,
    write_propensities,
)
from tests.rows import each_row

POSITIVE = st.floats(min_value=0, exclude_min=True, allow_infinity=False)


def table(*values: float) -> Propensities:
    return Propensities("given", np.array(values, np.float64))


def test_columns_of_any_shape_are_looked_up() -> None:
    found = table(1.0, 0.5, 0.25).at(np.array([[2, 0], [1, 1]], np.int32))
    assert found.tolist() == [[0.25, 1.0], [0.5, 0.5]]
    assert table(1.0).at(np.array([], np.int64)).shape == (0,)


@each_row(("column", "position"), [(3, 4), (-1, 0)])
def test_a_position_beyond_the_table_has_no_propensity(column: int, position: int) -> None:
    with pytest.raises(InputError, match=f"Position {position} is not one of the 3"):
        table(1.0, 0.5, 0.25).at(np.array([0, column]))


@each_row("wrong", [0.0, -0.5, np.nan, np.inf])
def test_clicks_are_only_divided_by_what_is_above_0_and_finite(wrong: float) -> None:
    with pytest.raises(InputError, match=f"The propensity of position 2 is {wrong}"):
        table(1.0, wrong, 0.5)


@each_row("bounds", [[1.0], [1.0, np.nan], [1.0, np.inf], [1.0, 1.0, 1.0]])
def test_every_position_has_its_finite_bounds(bounds: list[float]) -> None:
    with pytest.raises(InputError, match="2 propensities cannot have the bounds"):
        Propensities("swap", np.array([1.0, 0.5]), low=np.array(bounds))


def test_scidocs_own_form_is_read(tmp_path: Path) -> None:
    path = tmp_path / "propensity_scores.json"
    path.write_text('{"scores": [1, 0.5], "source": "unknown keys are passed over"}')
    read = read_propensities(path)
    assert (read.method, read.values.tolist()) == ("read from propensity_scores.json", [1.0, 0.5])
    assert (read.low, read.high, read.impressions) == (None, None, None)


@given(
    values=arrays(np.float64, st.integers(1, 8), elements=POSITIVE),
    bounds=st.booleans(),
    impressions=st.none() | st.integers(0),
)
def test_what_is_written_reads_back(
    tmp_path_factory: pytest.TempPathFactory,
    values: Doubles,
    bounds: bool,
    impressions: int | None,
) -> None:
    path = tmp_path_factory.getbasetemp() / "p.json"
    low, high = (values / 2, values * 0.99) if bounds else (None, None)
    write_propensities(path, Propensities("swap", values, low, high, impressions))
    read = read_propensities(path)
    assert (read.method, read.impressions) == ("swap", impressions)
    np.testing.assert_array_equal(read.values, values)
    if low is None or read.low is None or high is None or read.high is None:
        assert low is read.low is high is read.high is None
    else:
        np.testing.assert_array_equal([read.low, read.high], [low, high])
    assert json.loads(path.read_text())["scores"] == values.tolist()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"scores": [' + "9" * 5000 + "]}", "is not JSON"),
        ("[1, 0.5]", "holds no JSON object"),
        ('{"score": [1]}', "has no scores. Give {"),
        ('{"scores": 1}', "scores is no list of numbers"),
        ('{"scores": []}', "has no positions"),
        ('{"scores": [1, "x"]}', "Position 2 of 'scores' is 'x', no number"),
        ('{"scores": [1, true]}', "Position 2 of 'scores' is True, no number"),
        ('{"scores": [1' + "0" * 400 + "]}", "A number of 'scores' is too large"),
        ('{"scores": [1, 0]}', "The propensity of position 2 is 0.0"),
        ('{"scores": [1, -1]}', "The propensity of position 2 is -1.0"),
        ('{"scores": [1, NaN]}', "The propensity of position 2 is nan"),
        ('{"scores": [1, 0.5], "low": [1]}', "2 propensities cannot have the bounds [1.]"),
        ('{"scores": [1], "high": 1}', "high is no list of numbers"),
    ],
)
def test_a_broken_table_is_refused_with_its_path(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_propensities(path)
    assert str(caught.value).startswith(str(path))
    assert what in str(caught.value)


def test_a_missing_table_is_an_error_too(tmp_path: Path) -> None:
    (tmp_path / "propensities.json").touch()
    with pytest.raises(InputError, match=r"Did you mean 'propensities\.json'"):
        read_propensities(tmp_path / "propensity.json")


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "p.json"
    path.write_bytes(content)
    with pytest.raises(InputError):
        read_propensities(path)
