"""Products with vectors and searches of them are those of numpy, compiled."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.store.kernels import adapted, codes_in_numpy, in_numpy, split_in_numpy
from recsys.store.kernels.codes_in_numpy import Coded
from recsys.store.kernels.split_in_numpy import Split
from tests.rows import each_row

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.integers(0, 40), st.integers(1, 70))
def test_dots_are_products(seed: int, m: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(30, d)).astype(np.float32)
    query = rng.normal(size=d).astype(np.float32)
    rows = rng.integers(0, 30, m).astype(np.int32)
    found = adapted.dots(vectors, rows, query)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, in_numpy.dots(vectors, rows, query), atol=1e-4)
    queries = rng.normal(size=(m % 11, d)).astype(np.float32)
    many = adapted.dots(vectors, rows, queries)
    assert many.shape == in_numpy.dots(vectors, rows, queries).shape == (m % 11, m)
    np.testing.assert_allclose(many, queries @ vectors[rows].T, atol=1e-4)


@given(SEEDS, st.integers(0, 6), st.integers(1, 70))
def test_each_query_is_multiplied_with_rows_of_its_own(seed: int, q: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    vectors, queries = (rng.normal(size=(n, d)).astype(np.float32) for n in (30, q))
    rows = [rng.integers(0, 30, rng.integers(0, 9)).astype(np.int32) for _ in queries]
    found, expected = (each.own_dots(vectors, rows, queries) for each in (adapted, in_numpy))
    assert found.shape == expected.shape == (sum(map(len, rows)),) and found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-4)
    split = made_split(rng, d)
    found = adapted.split_own_dots(split, rows, queries)
    expected = split_in_numpy.split_own_dots(split, rows, queries)
    assert found.shape == expected.shape and found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-2, rtol=1e-4)


def test_rows_of_a_query_that_are_not_there_are_refused() -> None:
    split = made_split(np.random.default_rng(0), 8)
    queries, astray = np.ones((2, 8), np.float32), [np.array([3]), np.array([30])]
    for rows in (astray, astray[:1], [*astray, astray[0]]):
        with pytest.raises(IndexError):
            adapted.own_dots(np.zeros((30, 8), np.float32), rows, queries)
        with pytest.raises(IndexError):
            adapted.split_own_dots(split, rows, queries)


@given(SEEDS, st.integers(0, 5), st.integers(-1, 40))
def test_the_best_of_each_list_come_first_and_ties_by_row(seed: int, q: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [rng.permutation(50)[: rng.integers(0, 50)].astype(np.int32) for _ in range(q)]
    values = rng.choice(np.array([-2, -0.5, 0, 1e-30, 3], np.float32), sum(map(len, rows)))
    found, expected = (each.best(rows, values, k) for each in (adapted, codes_in_numpy))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])
        assert one[0].dtype == np.int32 and one[1].dtype == np.float32
    with pytest.raises(IndexError):
        adapted.best([*rows, np.zeros(1, np.int32)], values, k)


@each_row("row", [-1, 30, 2**31 - 1, -(2**31)])
def test_dots_refuse_rows_that_are_not_there(row: int) -> None:
    vectors = np.zeros((30, 8), np.float32)
    with pytest.raises(IndexError, match="outside the vectors"):
        adapted.dots(vectors, np.array([3, row], np.int32), vectors[0])


def made_split(rng: np.random.Generator, d: int) -> Split:
    """Make any parts, also such as no vectors are split into: a file may be damaged."""
    codes = rng.integers(-128, 128, (30, d)).astype(np.int8)
    rests = rng.integers(-(1 << 15), 1 << 15, (30, d)).astype(np.int16)
    return Split(codes, rests, rng.random(30, np.float32))


@given(SEEDS, st.integers(0, 40), st.integers(1, 70))
def test_parts_are_joined_to_the_last_bit_and_multiplied(seed: int, m: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    split = made_split(rng, d)
    places = rng.integers(0, 30, m).astype(np.int32)
    whole = split.codes.astype(np.int64) * 65536 + split.rests
    exact = whole[places] * split.scales[places, None].astype(np.float64) / 65536
    for kernels in (split_in_numpy, adapted):
        joined = kernels.unsplit(split, places)
        assert joined.dtype == np.float32
        np.testing.assert_array_equal(joined, exact.astype(np.float32))
    for q in (0, 1, 4, 6):
        queries = rng.normal(size=(q, d)).astype(np.float32)
        many = adapted.split_dots(split, places, queries)
        assert many.shape == split_in_numpy.split_dots(split, places, queries).shape == (q, m)
        np.testing.assert_array_equal(
            many, adapted.dots(joined, np.arange(m, dtype=np.int32), queries)
        )
        np.testing.assert_allclose(many, queries @ joined.T, atol=1e-3, rtol=1e-4)
        for query, products in zip(queries, many, strict=True):
            alone = adapted.split_dots(split, places, query)
            np.testing.assert_allclose(alone, products, atol=1e-3, rtol=1e-4)


@each_row("place", [-1, 30, 2**31 - 1, -(2**31)])
def test_parts_that_are_not_there_are_refused(place: int) -> None:
    split, places = made_split(np.random.default_rng(0), 8), np.array([3, place], np.int32)
    with pytest.raises(IndexError, match="outside the vectors"):
        adapted.unsplit(split, places)
    with pytest.raises(IndexError, match="outside the vectors"):
        adapted.split_dots(split, places, np.zeros(8, np.float32))
    for short in (replace(split, rests=split.rests[:-1]), replace(split, scales=split.scales[1:])):
        with pytest.raises(IndexError, match="do not fit each other"):
            adapted.unsplit(short, places[:1])
        with pytest.raises(IndexError, match="do not fit each other"):
            adapted.split_dots(short, places[:1], np.zeros(8, np.float32))


@given(SEEDS, st.integers(0, 9), st.integers(1, 70))
def test_scans_are_exact(seed: int, q: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    codes, queries = (rng.integers(-127, 128, (n, d)).astype(np.int8) for n in (50, q))
    ends = rng.integers(0, 51, rng.integers(0, 6))
    begins = rng.integers(0, ends + 1)
    inside = [np.arange(*pair) for pair in zip(begins, ends, strict=True)]
    rows = np.concatenate([np.empty(0, np.int64), *inside])
    exact = queries.astype(np.int64) @ codes[rows].astype(np.int64).T
    for kernels in (in_numpy, adapted):
        found = kernels.scan(codes, begins, ends, queries)
        assert found.dtype == np.int32 and found.shape == exact.shape
        np.testing.assert_array_equal(found, exact)
        for query, products in zip(queries, exact, strict=True):
            np.testing.assert_array_equal(kernels.scan(codes, begins, ends, query), products)


@each_row("pair", [(-1, 3), (4, 3), (0, 51), (2**40, 2**41)])
def test_scans_refuse_ranges_that_are_not_there(pair: tuple[int, int]) -> None:
    codes = np.zeros((50, 4), np.int8)
    begin, end = np.array(pair)[:, None]
    with pytest.raises((IndexError, ValueError, MemoryError)):
        adapted.scan(codes, begin, end, codes[0])


@each_row("d", [1, 20, 64, 128])
@each_row("k", [0, 1, 7, 5000])
@each_row("q", [1, 6, 9, 20, 30, 33, 45])
def test_the_closest_are_those_of_numpy_to_the_last_bit(d: int, k: int, q: int) -> None:
    rng = np.random.default_rng(d + k)
    codes, queries = (rng.integers(-2, 3, (n, d)).astype(np.int8) for n in (1500, q))
    coded = Coded(codes * np.int8(63), rng.integers(1, 3, 1500).astype(np.float32))
    ranges = np.array([3, 40, 700, 700]), np.array([30, 40, 700, 1500])
    asked = queries * np.int8(-50), rng.random(q).astype(np.float32) - np.float32(0.3)
    shuffled = replace(coded, rows=rng.permutation(1500).astype(np.int32))
    for given_codes in (coded, shuffled):
        for allowed in (None, rng.random(1500) < 0.5):
            found = adapted.closest(given_codes, ranges, asked, allowed, k)
            expected = codes_in_numpy.closest(given_codes, ranges, asked, allowed, k)
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_array_equal(one[0], other[0])
                np.testing.assert_array_equal(one[1], other[1])
                assert one[0].dtype == np.int32 and one[1].dtype == np.float32


@each_row("q", [2, 20])
def test_what_is_close_is_not_looked_for_outside(q: int) -> None:
    coded = Coded(np.ones((50, 64), np.int8), np.ones(50, np.float32))
    asked = coded.codes[:q], coded.scales[:q]
    for pair in ((-1, 3), (4, 3), (0, 51)):
        with pytest.raises((IndexError, ValueError)):
            adapted.closest(coded, (np.array(pair[:1]), np.array(pair[1:])), asked, None, 3)
    astray = replace(coded, rows=np.full(50, 50, np.int32))
    with pytest.raises(IndexError, match="without a mark"):
        adapted.closest(astray, (np.array([0]), np.array([50])), asked, np.ones(50, bool), 3)


@given(SEEDS, st.integers(0, 9), st.integers(1, 70))
def test_vectors_are_rounded_alike(seed: int, n: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = (rng.normal(size=(n, d)) * rng.choice([0, 1e-40, 1, 1e9], (n, 1))).astype(np.float32)
    found, expected = adapted.rounded(vectors), codes_in_numpy.rounded(vectors)
    assert found[0].dtype == np.int8 and found[1].dtype == np.float32
    for one, other in zip(found[:2], expected[:2], strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(found[2], expected[2], rtol=1e-4, atol=1e-30)
