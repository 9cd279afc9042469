"""Several queries of a scan: rounded vectors find what the exact ones would."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.indexes.exact import ExactIndex, ScanningIndex
from recsys.indexes.int8_index import SPARE
from recsys.store import products
from tests.indexes.small_indexes import random_vectors, share
from tests.indexes.test_rounded_search import coarse


@given(st.integers(1, 300), st.integers(0, 99), st.integers(0, 60), st.sampled_from([None, 0.5]))
def test_it_finds_the_same_rows_in_the_same_order(
    n: int, seed: int, k: int, part: float | None
) -> None:
    vectors, queries = coarse((n, 12), seed), coarse((3, 12), seed + 100)
    allowed = None if part is None else share(n, part, seed=seed)
    found = ScanningIndex(vectors).search_many(queries, k, allowed=allowed)
    for (rows, cosines), query in zip(found, queries, strict=True):
        best = ExactIndex(vectors).search(query, k, allowed=allowed)
        assert rows.tolist() == best[0].tolist()
        assert cosines.tolist() == best[1].tolist()


def test_where_rounding_hides_who_is_nearest_all_are_compared() -> None:
    rng = np.random.default_rng(0)
    # Hundreds of vectors are so near each other that their codes hardly tell them apart.
    vectors = random_vectors(1, dim=64) + 1e-3 * rng.standard_normal((900, 64))
    unit = np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)
    found = ScanningIndex(unit).search_many(unit[:3], 10)
    for (rows, cosines), query in zip(found, unit[:3], strict=True):
        expected = ExactIndex(unit).search(query, 10)
        assert rows.tolist() == expected[0].tolist()
        np.testing.assert_allclose(cosines, expected[1], atol=5e-7)


def test_few_rows_are_multiplied_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = random_vectors(2000, dim=128)
    compared = []
    usual = products.multiplied
    monkeypatch.setattr(products, "multiplied", lambda *given: compared.append(usual(*given)))
    found = ScanningIndex(vectors).search_many(vectors[:4], 10)
    assert [rows[0] for rows, _ in found] == [0, 1, 2, 3]
    assert compared == [] and len(vectors) > 10 * (10 + SPARE)
