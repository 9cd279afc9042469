import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recsys.store.arrays import Rows
from recsys.store.graph import distinct, dots, dots_of_any, dots_of_many, remembered_dots
from recsys.store.products import products, remembered_products
from tests.rows import each_row

ROWS = arrays(np.int32, st.integers(0, 60), elements=st.integers(0, 40))


@given(ROWS)
def test_distinct_rows_are_those_of_unique(rows: Rows) -> None:
    found = distinct(rows)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, np.unique(rows))


@each_row("number", [3, 30])
@each_row("remembered", [False, True])
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


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_what_was_multiplied_before_is_not_again(seed: int, other: bool) -> None:
    rng = np.random.default_rng(seed)
    vectors, queries = (rng.normal(size=(n, 8)).astype(np.float32) for n in (90, 2))
    before = rng.permutation(90)[: rng.integers(0, 30)].astype(np.int32)
    rows = rng.integers(0, 90, rng.integers(0, 60)).astype(np.int32)
    query = queries[int(other)]
    with remembered_products():
        product = remembered_dots(vectors, before, queries[0])
        np.testing.assert_allclose(product, vectors[before] @ queries[0], atol=1e-5)
        product[:] = 7  # So that it shows which come from there.
        found = dots_of_any(vectors, rows, query)
    told = np.isin(rows, before) & (not other)
    assert (found[told] == 7).all()
    np.testing.assert_allclose(found[~told], (vectors[rows] @ query)[~told], atol=1e-5)
    remembered_dots(vectors, before, query)  # Outside of an answer nothing is kept.
    np.testing.assert_allclose(dots_of_any(vectors, rows, query), vectors[rows] @ query, atol=1e-5)
