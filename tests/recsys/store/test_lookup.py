import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recsys.store.arrays import Rows
from recsys.store.lookup import distinct, dots, dots_of_any, dots_of_many
from recsys.store.products import products, remembered_products

ROWS = arrays(np.int32, st.integers(0, 60), elements=st.integers(0, 40))


@given(ROWS)
def test_distinct_rows_are_those_of_unique(rows: Rows) -> None:
    found = distinct(rows)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, np.unique(rows))


@pytest.mark.parametrize("number", [3, 30])
@pytest.mark.parametrize("remembered", [False, True])
def test_dots_are_products_of_the_rows(number: int, remembered: bool) -> None:
    rng = np.random.default_rng(number)
    vectors, queries = (rng.normal(size=(n, 8)).astype(np.float32) for n in (40, 5))
    rows = rng.integers(0, 40, number).astype(np.int32)
    wanted = vectors[rows] @ queries.T
    with remembered_products():
        if remembered:
            products(vectors, queries)
            products(vectors, queries[0])
        for found in (dots(vectors, rows, queries[0]), dots_of_any(vectors, rows, queries[0])):
            np.testing.assert_allclose(found, wanted[:, 0], atol=1e-5)
        np.testing.assert_allclose(dots_of_many(vectors, rows, queries), wanted.T, atol=1e-5)
