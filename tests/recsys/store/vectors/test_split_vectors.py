"""Split vectors are read as an array is, wherever their rows lie."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.store.arrays import Floats
from recsys.store.kernels.split_in_numpy import unsplit
from recsys.store.products import multiplied, products, remembered_products
from recsys.store.vectors.stored_vectors import SplitVectors, split
from tests.rows import each_row

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
def test_what_is_asked_for_is_what_an_array_gives(moved: bool) -> None:
    vectors, array = made(moved=moved)
    mask = np.arange(N) % 3 == 0
    rows = np.array([5, 5, 0, 39], np.int32)
    for key in (7, np.int32(7), rows, rows.astype(np.int64), rows[:0], mask, [3, 1]):
        found = vectors[key]
        np.testing.assert_array_equal(found, array[key])
        assert found.dtype == np.float32 and type(found) is np.ndarray
    assert vectors.shape == array.shape and vectors.dtype == array.dtype
    assert (len(vectors), vectors.ndim, vectors.size) == (N, 2, N * D)
    np.testing.assert_array_equal(list(vectors), array)


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
    with remembered_products():
        assert products(vectors, queries) is products(vectors, queries)


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
