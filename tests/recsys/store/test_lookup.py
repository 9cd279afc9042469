import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recsys.store.arrays import Rows
from recsys.store.lookup import distinct, spread, tally

ROWS = arrays(np.int32, st.integers(0, 60), elements=st.integers(0, 40))


@given(ROWS)
def test_distinct_rows_are_those_of_unique(rows: Rows) -> None:
    found = distinct(rows)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, np.unique(rows))


@given(ROWS)
def test_a_tally_is_a_bincount(rows: Rows) -> None:
    weights = np.linspace(0, 1, len(rows), dtype=np.float32)
    np.testing.assert_allclose(tally(rows, weights, 41), np.bincount(rows, weights, minlength=41))


def test_values_are_spread_over_zeros() -> None:
    table = spread(np.array([3, 1], np.int32), np.array([5, 7], np.float32), 5)
    assert table.tolist() == [0, 7, 0, 5, 0] and table.dtype == np.float32
