"""What searches vectors goes on when a few of them change."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import ArtifactCorrupt
from recsys.indexes.annoy_index import ITEMS_FILE, AnnoyIndex
from recsys.indexes.backends import (
    BACKENDS,
    FILES,
    Former,
    build_index,
    carry_index,
    open_built,
    summary,
)
from recsys.indexes.exact import ExactIndex
from recsys.store.arrays import Floats, Rows
from recsys.store.artifacts import FOREST_FILE, sha256
from tests.indexes.small_indexes import lance_apart, random_vectors

N = 400


def changed(vectors: Floats, *, gone: int, new: int, seed: int = 0) -> tuple[Floats, Rows]:
    """Drop some vectors, and mix new ones under the rest: those of today, and where the old are."""
    rng = np.random.default_rng(seed)
    stay = np.sort(rng.permutation(len(vectors))[gone:])
    added = random_vectors(max(new, 1), dim=vectors.shape[1], seed=seed + 100)[:new]
    order = rng.permutation(len(stay) + new)
    rows = np.full(len(vectors), -1, np.int32)
    rows[stay] = np.argsort(order)[: len(stay)]
    return np.concatenate([vectors[stay], added])[order], rows


def built(name: str, folder: Path, vectors: Floats) -> Former:
    folder.mkdir()
    facts = json.loads(json.dumps(build_index(name, vectors, folder)))
    return Former(folder, facts, np.arange(len(vectors), dtype=np.int32))


def carried(name: str, folder: Path, vectors: Floats, former: Former) -> Former:
    folder.mkdir()
    facts = json.loads(json.dumps(carry_index(name, vectors, folder, former)))
    return Former(folder, facts, np.arange(len(vectors), dtype=np.int32))


@pytest.mark.parametrize("name", lance_apart(BACKENDS))
def test_every_backend_opens_what_it_carried(name: str, tmp_path: Path) -> None:
    old = random_vectors(N)
    vectors, rows = changed(old, gone=8, new=9)
    former = replace(built(name, tmp_path / "old", old), rows=rows)
    now = carried(name, tmp_path / "new", vectors, former)
    assert now.facts["backend"] == name and summary(now.facts, len(vectors)).endswith(".")
    index, exact = open_built(vectors, now.folder, now.facts), ExactIndex(vectors)
    for query in vectors[::20]:
        assert index.search(query, 9)[0].tolist() == exact.search(query, 9)[0].tolist()


def test_a_forest_is_carried_again_and_again(tmp_path: Path) -> None:
    vectors = random_vectors(N)
    former = built("annoy", tmp_path / "0", vectors)
    forest = (tmp_path / "0" / FOREST_FILE).read_bytes()
    for step in range(1, 5):
        vectors, rows = changed(vectors, gone=5, new=6, seed=step)
        former = carried("annoy", tmp_path / str(step), vectors, replace(former, rows=rows))
        assert (former.folder / FOREST_FILE).read_bytes() == forest
        items = np.load(former.folder / ITEMS_FILE)
        known = np.flatnonzero(items >= 0)
        assert len(items) == N and len(set(items[known].tolist())) == len(known)
        assert (former.facts["unknown"], former.facts["dead"]) == (
            len(vectors) - len(known),
            N - len(known),
        )
        opened = open_built(vectors, former.folder, {**former.facts, "search_k": 100})
        assert isinstance(opened, AnnoyIndex)
        trees = replace(opened, search_k=10**6)  # All entries: an error of rows would show.
        for row in range(0, len(vectors), 17):
            assert trees.approximate(vectors[row], 1)[0].tolist() == [row]


@pytest.mark.parametrize(
    ("gone", "new", "planted"), [(79, 0, True), (60, 0, False), (0, 44, False), (0, 45, True)]
)
def test_a_forest_that_knows_too_little_is_planted_anew(
    gone: int, new: int, planted: bool, tmp_path: Path
) -> None:
    old = random_vectors(N)
    vectors, rows = changed(old, gone=gone, new=new)
    former = replace(built("annoy", tmp_path / "old", old), rows=rows)
    now = carried("annoy", tmp_path / "new", vectors, former)
    assert (now.folder / ITEMS_FILE).exists() is not planted
    assert ("unknown" in now.facts) is not planted


def test_a_carried_forest_finds_nearly_what_the_exact_search_finds(tmp_path: Path) -> None:
    old = random_vectors(4000, dim=32)
    vectors, rows = changed(old, gone=300, new=350)
    AnnoyIndex.build(old, tmp_path / "a")
    AnnoyIndex.build(vectors, tmp_path / "b")
    one = AnnoyIndex.load(tmp_path / "a", vectors, search_k=3000, items=rows)
    other = AnnoyIndex.load(tmp_path / "b", vectors, search_k=3000)
    truth = [ExactIndex(vectors).search(query, 20)[0] for query in vectors[:100]]
    recalls = [
        np.mean(
            [
                len(np.intersect1d(index.approximate(query, 20)[0], best)) / 20
                for query, best in zip(vectors[:100], truth, strict=True)
            ]
        )
        for index in (one, other)
    ]
    assert recalls[1] < 1  # The forest is asked, nothing is scanned.
    assert recalls[0] > recalls[1] - 0.01


def test_the_former_folder_may_go_and_is_never_written(tmp_path: Path) -> None:
    old = random_vectors(N)
    vectors, rows = changed(old, gone=3, new=4)
    former = replace(built("annoy", tmp_path / "old", old), rows=rows)
    before = {path.name: path.read_bytes() for path in former.folder.iterdir()}
    now = carried("annoy", tmp_path / "new", vectors, former)
    assert {path.name: path.read_bytes() for path in former.folder.iterdir()} == before
    for path in former.folder.iterdir():
        path.unlink()
    assert open_built(vectors, now.folder, now.facts).search(vectors[5], 1)[0].tolist() == [5]


@pytest.mark.parametrize("bad", [np.array([0, 50], np.int32), np.array([-2, 0], np.int32)])
def test_rows_that_are_none_are_refused(bad: Rows, tmp_path: Path) -> None:
    vectors = random_vectors(50)
    former = built("annoy", tmp_path / "old", vectors)
    np.save(former.folder / ITEMS_FILE, bad)
    with pytest.raises(ArtifactCorrupt, match="names rows that are none of the 50"):
        open_built(vectors, former.folder, {**former.facts, "search_k": 10})


def test_a_forest_of_which_a_byte_changed_is_not_mapped(tmp_path: Path) -> None:
    vectors = random_vectors(50)
    former = built("annoy", tmp_path / "old", vectors)
    path = former.folder / FOREST_FILE
    files = {FOREST_FILE: sha256(path)}
    facts = {**former.facts, "search_k": 10, FILES: files}
    assert isinstance(open_built(vectors, former.folder, facts), AnnoyIndex)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.unlink()  # The forest that is open keeps its own.
    path.write_bytes(content)
    with pytest.raises(ArtifactCorrupt, match="does not have the checksum"):
        open_built(vectors, former.folder, facts)
    unasked = {**facts, "search_k": 50}
    assert isinstance(open_built(vectors, former.folder, unasked), ExactIndex)
