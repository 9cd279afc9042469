from threading import Thread

import numpy as np
import pytest

from recsys.store.arrays import Floats
from recsys.store.products import known_products, multiplied, products, remembered_products


def normal(*shape: int) -> Floats:
    return np.random.default_rng(len(shape)).normal(size=shape).astype(np.float32)


VECTORS = normal(1000, 8)
QUERIES = normal(3, 8)


@pytest.mark.parametrize("small", [1, 24 * 100, 10**6])
def test_a_product_in_pieces_is_the_product(monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    monkeypatch.setattr("recsys.store.products.SMALL", small)
    found = multiplied(VECTORS, QUERIES)
    assert found.shape == (3, 1000) and found.dtype == np.float32 and found.flags.c_contiguous
    np.testing.assert_allclose(found, (VECTORS.astype(np.float64) @ QUERIES.T).T, atol=1e-5)
    np.testing.assert_allclose(multiplied(VECTORS, QUERIES[1]), found[1], atol=1e-5)


def test_nothing_makes_an_empty_product() -> None:
    assert multiplied(VECTORS, QUERIES[:0]).shape == (0, 1000)
    assert multiplied(VECTORS[:0], QUERIES).shape == (3, 0)


def test_a_product_is_made_once_for_the_same_vectors_and_queries() -> None:
    with remembered_products():
        once = products(VECTORS, QUERIES[0])
        assert products(VECTORS, QUERIES[0].copy()) is once
        assert known_products(VECTORS, QUERIES[0]) is once
        assert known_products(VECTORS, QUERIES[1]) is None
        assert known_products(VECTORS.copy(), QUERIES[0]) is None
        assert products(VECTORS, QUERIES) is not once


def test_a_query_is_not_a_list_of_one() -> None:
    with remembered_products():
        assert products(VECTORS, QUERIES[0]).shape == (1000,)
        assert products(VECTORS, QUERIES[:1]).shape == (1, 1000)


def test_products_are_forgotten_at_the_end_even_of_a_failure() -> None:
    with pytest.raises(RuntimeError), remembered_products():
        products(VECTORS, QUERIES[0])
        raise RuntimeError
    assert known_products(VECTORS, QUERIES[0]) is None
    products(VECTORS, QUERIES[0])
    assert known_products(VECTORS, QUERIES[0]) is None


def test_what_is_remembered_inside_is_forgotten_outside() -> None:
    with remembered_products():
        outer = products(VECTORS, QUERIES[0])
        with remembered_products():
            assert known_products(VECTORS, QUERIES[0]) is None
        assert known_products(VECTORS, QUERIES[0]) is outer


def test_other_threads_remember_their_own() -> None:
    seen: list[Floats | None] = []
    with remembered_products():
        products(VECTORS, QUERIES[0])
        thread = Thread(target=lambda: seen.append(known_products(VECTORS, QUERIES[0])))
        thread.start()
        thread.join()
    assert seen == [None]


def test_what_others_may_read_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        products(VECTORS, QUERIES[0])[0] = 1
