"""The vectors of an index are those in its folder, whichever way they lie there."""

from pathlib import Path

import numpy as np
import pytest

from recsys.errors import ArtifactCorrupt
from recsys.indexes.backends import BACKENDS, build_index, holds_vectors
from recsys.indexes.exact import blocks
from recsys.store.soundness import check_vectors
from recsys.store.vectors.stored_vectors import (
    PLACES_FILE,
    RESTS_FILE,
    SCALES_FILE,
    SplitVectors,
    load_vectors,
    row_dots,
    vector_files,
)
from tests.indexes.small_indexes import random_vectors


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


@pytest.mark.parametrize("name", ["int8", "ivf"])
def test_only_what_is_read_is_named(name: str, tmp_path: Path) -> None:
    vectors = random_vectors(60)
    build_index(name, vectors, tmp_path)
    for path in tmp_path.iterdir():
        if path.name not in vector_files(tmp_path):
            path.unlink()
    np.testing.assert_allclose(load_vectors(tmp_path)[:], vectors, atol=1e-7)


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


def test_whole_ones_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArtifactCorrupt, match=r"vectors\.npy"):
        check_vectors(tmp_path, random_vectors(60), 61)
