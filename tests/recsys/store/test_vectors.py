"""The vectors of an index, whichever way they lie there, and their products with queries."""

from dataclasses import replace
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recsys.errors import ArtifactCorrupt
from recsys.indexes.backends import BACKENDS, build_index, holds_vectors
from recsys.indexes.exact import blocks
from recsys.store.arrays import Floats
from recsys.store.collection import check_vectors
from recsys.store.kernels.dispatch import Split, unsplit
from recsys.store.vectors import (
    HIGHEST,
    OFF,
    PLACES_FILE,
    RESTS_FILE,
    SCALES_FILE,
    JoinedVectors,
    SplitVectors,
    dot_cache,
    dots,
    dots_of_any,
    known_products,
    load_vectors,
    multiplied,
    products,
    remembered_dots,
    row_dots,
    split,
)
from tests.indexes.small_indexes import random_vectors
from tests.rows import each_row

# Split vectors are read as an array is, wherever their rows lie.

N, D = 40, 12
SLICES = st.slices(N)


def made(*, moved: bool, n: int = N) -> tuple[SplitVectors, Floats]:
    """Make split vectors, and the array that they are read as."""
    rng = np.random.default_rng(n)
    vectors = rng.standard_normal((n, D)).astype(np.float32)
    places = rng.permutation(n).astype(np.int32) if moved else np.arange(n, dtype=np.int32)
    put = np.empty_like(vectors)
    put[places] = vectors
    parts = split(put)
    return SplitVectors(parts, places if moved else None), unsplit(parts, places)


@each_row("moved", [False, True])
def test_what_an_index_holds_and_what_is_new_is_read_as_one_array(moved: bool) -> None:
    old, array = made(moved=moved)
    fresh = np.random.default_rng(5).standard_normal((7, D)).astype(np.float32)
    order = np.random.default_rng(6).permutation(N + 7)
    rows = np.concatenate([np.arange(N), ~np.arange(7)]).astype(np.int32)[order]
    vectors, whole = JoinedVectors(old, rows, fresh), np.concatenate([array, fresh])[order]
    assert vectors.shape == whole.shape and len(vectors) == len(whole)
    for key in (3, slice(2, 30, 3), [5, 1], np.array([[4, 4], [0, 46]]), rows < 0):
        np.testing.assert_array_equal(vectors[key], whole[key])
    new = np.flatnonzero(rows < 0).astype(np.int32)
    vectors[new] = np.ones((7, D), np.float32)
    assert (vectors[new] == 1).all() and (fresh == 1).all()


@each_row("moved", [False, True])
def test_what_is_asked_for_is_what_an_array_gives(moved: bool) -> None:
    vectors, array = made(moved=moved)
    mask = np.arange(N) % 3 == 0
    rows = np.array([5, 5, 0, 39], np.int32)
    for key in (7, np.int32(7), rows, rows.astype(np.int64), rows[:0], mask, [3, 1]):
        found = vectors[key]
        np.testing.assert_array_equal(found, array[key])
        assert found.dtype == np.float32 and type(found) is np.ndarray
    assert vectors.shape == array.shape and len(vectors) == N


@given(SLICES, st.booleans())
def test_slices_are_those_of_an_array(part: slice, moved: bool) -> None:
    vectors, array = made(moved=moved)
    np.testing.assert_array_equal(vectors[part], array[part])


@each_row("moved", [False, True])
@each_row("n", [1, N, 2500])
def test_products_are_those_of_an_array(n: int, moved: bool) -> None:
    vectors, array = made(moved=moved, n=n)
    queries = np.random.default_rng(1).standard_normal((5, D)).astype(np.float32)
    rows = np.arange(0, n, 3, dtype=np.int32)
    np.testing.assert_allclose(vectors @ queries[0], array @ queries[0], atol=1e-5)
    np.testing.assert_allclose(multiplied(vectors, queries), queries @ array.T, atol=1e-5)
    np.testing.assert_allclose(vectors.dots(rows, queries), queries @ array[rows].T, atol=1e-5)
    with dot_cache():
        assert products(vectors, queries[0]) is products(vectors, queries[0])


@each_row("row", [N, -N - 1])
@each_row("moved", [False, True])
def test_rows_that_are_not_there_are_refused(row: int, moved: bool) -> None:
    vectors, _ = made(moved=moved)
    with pytest.raises(IndexError):
        vectors[np.array([1, row], np.int32)]
    with pytest.raises(IndexError):
        vectors.dots(np.array([row], np.int32), np.zeros(D, np.float32))


def test_places_out_of_a_file_are_not_believed() -> None:
    vectors, _ = made(moved=True)
    assert vectors.places is not None
    damaged = replace(vectors, places=vectors.places + 1)
    with pytest.raises(IndexError):
        damaged[:]


def test_they_become_no_array_unasked() -> None:
    vectors, _ = made(moved=False)
    with pytest.raises(TypeError, match="say which rows"):
        np.asarray(vectors)


@each_row("moved", [False, True])
def test_they_are_read_from_files(moved: bool, tmp_path: Path) -> None:
    vectors, array = made(moved=moved)
    np.save(tmp_path / "codes.npy", vectors.parts.codes)
    np.save(tmp_path / "rests.npy", vectors.parts.rests)
    np.save(tmp_path / "scales.npy", vectors.parts.scales)
    if vectors.places is not None:
        np.save(tmp_path / "places.npy", vectors.places)
    np.testing.assert_array_equal(SplitVectors.load(tmp_path)[:], array)


# Vectors that are split lose next to nothing, and nothing at all the second time.

NUMBERS = st.floats(-1, 1, width=32)
MATRICES = arrays(np.float32, st.tuples(st.integers(0, 6), st.integers(1, 9)), elements=NUMBERS)


def together(parts: Split) -> Floats:
    return unsplit(parts, np.arange(len(parts.codes), dtype=np.int32))


def same(one: Split, other: Split) -> bool:
    pairs = ((one.codes, other.codes), (one.rests, other.rests), (one.scales, other.scales))
    return all(np.array_equal(*pair) for pair in pairs)


@given(MATRICES)
def test_no_number_moves_by_more_than_some_steps_and_none_the_second_time(vectors: Floats) -> None:
    parts = split(vectors)
    assert parts.codes.dtype == np.int8 and parts.rests.dtype == np.int16
    assert parts.scales.dtype == np.float32
    largest = np.abs(vectors).max(axis=1, initial=0)[:, None]
    off = np.abs(together(parts).astype(np.float64) - vectors)
    assert (off <= np.maximum((OFF + 1) * largest / HIGHEST, 2.0**-100)).all()
    rounded = parts.codes * parts.scales[:, None].astype(np.float64)  # By the codes alone.
    assert (np.abs(rounded - vectors) <= 0.501 * largest / 127 + 2.0**-100).all()
    assert same(split(together(parts)), parts)


def test_so_it_does_where_the_largest_number_is_next_to_a_longer_step() -> None:
    """The step of a row grows where its largest number passes a bound: neither side may slip."""
    rng = np.random.default_rng(0)
    bounds = (rng.integers(2048, 4096, 4000) * 2.0**-35 * HIGHEST).astype(np.float32)
    vectors = (rng.random((4000, 3)) * bounds[:, None]).astype(np.float32)
    for _ in range(6):
        vectors[:, 0] = bounds
        parts = split(vectors)
        assert same(split(together(parts)), parts)
        bounds = np.nextafter(bounds, np.float32(0))


def test_cosines_stay_what_they_were() -> None:
    vectors = np.random.default_rng(0).standard_normal((500, 384)).astype(np.float64)
    unit = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    again = together(split(unit)).astype(np.float64)
    assert np.abs(again @ again[0] - unit.astype(np.float64) @ unit[0]).max() < 1e-7


# The vectors of an index are those in its folder.


@pytest.mark.parametrize("name", BACKENDS)
def test_what_a_backend_leaves_beside_whole_vectors_can_be_read_alone(
    name: str, tmp_path: Path
) -> None:
    vectors = random_vectors(60)
    facts = build_index(name, vectors, tmp_path)
    if not holds_vectors(facts):
        np.save(tmp_path / "vectors.npy", vectors)
    found = load_vectors(tmp_path)
    assert isinstance(found, SplitVectors) is holds_vectors(facts) is BACKENDS[name].splits
    check_vectors(tmp_path, found, 60)
    rows, query = np.array([3, 50, 3], np.int32), vectors[0]
    np.testing.assert_allclose(found[:], vectors, atol=1e-7)
    np.testing.assert_allclose(row_dots(found, rows, query), vectors[rows] @ query, atol=1e-6)
    np.testing.assert_array_equal(np.concatenate([part for _, part in blocks(found)]), found[:])


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("codes.npy", np.zeros((59, 16), np.int8)),
        ("codes.npy", np.zeros(60, np.int8)),
        ("codes.npy", np.zeros((60, 16), np.uint8)),
        (RESTS_FILE, np.zeros((60, 15), np.int16)),
        (RESTS_FILE, np.zeros((60, 16), np.uint16)),
        (SCALES_FILE, np.zeros(61, np.float32)),
        (PLACES_FILE, np.zeros(59, np.int32)),
        (PLACES_FILE, np.full(60, 60, np.int32)),
        (PLACES_FILE, np.full(60, -1, np.int32)),
    ],
)
def test_parts_that_do_not_fit_are_refused(
    name: str, bad: np.ndarray[tuple[int, ...], np.dtype[np.generic]], tmp_path: Path
) -> None:
    build_index("ivf", random_vectors(60), tmp_path)
    np.save(tmp_path / name, bad)
    with pytest.raises(ArtifactCorrupt, match=name):
        check_vectors(tmp_path, load_vectors(tmp_path), 60)


# Products.


def normal(*shape: int) -> Floats:
    return np.random.default_rng(len(shape)).normal(size=shape).astype(np.float32)


VECTORS = normal(1000, 8)
QUERIES = normal(3, 8)


@pytest.mark.parametrize("small", [1, 24 * 100, 10**6])
def test_a_product_in_pieces_is_the_product(monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    monkeypatch.setattr("recsys.store.vectors.SMALL", small)
    found = multiplied(VECTORS, QUERIES)
    assert found.shape == (3, 1000) and found.dtype == np.float32 and found.flags.c_contiguous
    np.testing.assert_allclose(found, (VECTORS.astype(np.float64) @ QUERIES.T).T, atol=1e-5)
    np.testing.assert_allclose(multiplied(VECTORS, QUERIES[1]), found[1], atol=1e-5)
    assert multiplied(VECTORS, QUERIES[:0]).shape == (0, 1000)
    assert multiplied(VECTORS[:0], QUERIES).shape == (3, 0)


def test_a_product_is_made_once_for_the_same_vectors_and_queries() -> None:
    query = QUERIES[0]
    with dot_cache():
        once = products(VECTORS, query)
        assert products(VECTORS, query.copy()) is once is known_products(VECTORS, query)
        assert known_products(VECTORS, QUERIES[1]) is None
        assert known_products(VECTORS.copy(), query) is None
        assert products(VECTORS, QUERIES[:1]).shape == (1, 1000)  # A list of one is no query.
        with dot_cache():
            assert known_products(VECTORS, query) is None
        assert known_products(VECTORS, query) is once
        with pytest.raises(ValueError, match="read-only"):
            once[0] = 1  # Others may be given the same.


def test_other_threads_remember_their_own() -> None:
    seen: list[Floats | None] = []
    with dot_cache():
        products(VECTORS, QUERIES[0])
        thread = Thread(target=lambda: seen.append(known_products(VECTORS, QUERIES[0])))
        thread.start()
        thread.join()
    assert seen == [None]


@each_row("number", [3, 30])
@each_row("remembered", [False, True])
def test_dots_are_products_of_the_rows(number: int, remembered: bool) -> None:
    rows = np.random.default_rng(number).integers(0, 40, number).astype(np.int32)
    vectors, wanted = VECTORS[:40], VECTORS[rows] @ QUERIES.T
    with dot_cache():
        if remembered:
            products(vectors, QUERIES[0])
        for found in (dots(vectors, rows, QUERIES[0]), dots_of_any(vectors, rows, QUERIES[0])):
            np.testing.assert_allclose(found, wanted[:, 0], atol=1e-5)
        np.testing.assert_allclose(row_dots(vectors, rows, QUERIES), wanted.T, atol=1e-5)


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_what_was_multiplied_before_is_not_again(seed: int, other: bool) -> None:
    rng = np.random.default_rng(seed)
    vectors, queries = (rng.normal(size=(n, 8)).astype(np.float32) for n in (90, 2))
    before = rng.permutation(90)[: rng.integers(0, 30)].astype(np.int32)
    rows = rng.integers(0, 90, rng.integers(0, 60)).astype(np.int32)
    query = queries[int(other)]
    with dot_cache():
        product = remembered_dots(vectors, before, queries[0])
        np.testing.assert_allclose(product, vectors[before] @ queries[0], atol=1e-5)
        product[:] = 7  # So that it shows which come from there.
        found = dots_of_any(vectors, rows, query)
    told = np.isin(rows, before) & (not other)
    assert (found[told] == 7).all()
    np.testing.assert_allclose(found[~told], (vectors[rows] @ query)[~told], atol=1e-5)
    remembered_dots(vectors, before, query)  # Outside of an answer nothing is kept.
    np.testing.assert_allclose(dots_of_any(vectors, rows, query), vectors[rows] @ query, atol=1e-5)
