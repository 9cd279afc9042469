"""Vectors are read in blocks, and what was mapped is let go."""

from pathlib import Path

import numpy as np
import pytest

from recsys.indexes.exact import ExactIndex, blocks, nearest
from recsys.store.arrays import load_array, release
from tests.indexes.small_indexes import random_vectors
from tests.rows import each_row


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recsys.indexes.exact.BLOCK", 4 * 16 * 7)  # Seven vectors.


def test_blocks_are_the_vectors_in_order(tmp_path: Path) -> None:
    vectors = random_vectors(40)
    np.save(tmp_path / "v.npy", vectors)
    for read in (vectors, load_array(tmp_path / "v.npy")):
        found = list(blocks(read))
        assert [begin for begin, _ in found] == list(range(0, 40, 7))
        np.testing.assert_array_equal(np.concatenate([block for _, block in found]), vectors)
        assert all(type(block) is np.ndarray and block.base is None for _, block in found)
        np.testing.assert_array_equal(read, vectors)  # It can be read again.


def test_what_is_written_to_a_map_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "v.npy"
    vectors = np.lib.format.open_memmap(path, "w+", np.float32, (40, 16))
    vectors[:] = 3
    release(vectors[4:])
    assert (vectors == 3).all() and (np.load(path) == 3).all()
    private = np.load(path, mmap_mode="c")
    private[:] = 5  # In memory alone: to let it go would lose it.
    release(private[4:])
    assert (private == 5).all() and (np.load(path) == 3).all()


@each_row("k", [1, 5, 40, 60])
def test_the_nearest_are_found_across_blocks(k: int) -> None:
    vectors, queries = random_vectors(40), random_vectors(3, seed=4)
    for (rows, cosines), query in zip(nearest(vectors, queries, k), queries, strict=True):
        best = ExactIndex(vectors).search(query, k)
        assert rows.tolist() == best[0].tolist() and rows.dtype == np.int32
        np.testing.assert_allclose(cosines, best[1], atol=1e-6)
