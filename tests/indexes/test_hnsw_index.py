"""A graph of neighbours: what is asked of it, and what is not opened."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import ArtifactCorrupt
from recsys.indexes.backends import FILES, Former, build_index, carry_index, open_built, summary
from recsys.indexes.exact import ExactIndex
from recsys.indexes.hnsw_index import GRAPH_FILE, ITEMS_FILE, MOST_DEAD, HnswIndex
from recsys.store.arrays import Floats
from recsys.store.artifacts import sha256
from tests.indexes.small_indexes import random_vectors, share
from tests.indexes.test_carried_index import changed


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> HnswIndex:
    vectors, folder = random_vectors(1500, dim=24), tmp_path_factory.mktemp("graph")
    found = open_built(vectors, folder, build_index("hnsw", vectors, folder))
    assert isinstance(found, HnswIndex)
    return found


@pytest.mark.parametrize("part", [1.0, 0.7])
def test_the_graph_finds_nearly_what_the_exact_search_finds(
    index: HnswIndex, part: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "recsys.indexes.hnsw_index.search_allowed", None
    )  # It is asked, not scanned.
    allowed, exact = share(1500, part), ExactIndex(index.vectors)
    shares = [
        len(np.intersect1d(index.search(query, 8, allowed=allowed)[0], best)) / 8
        for query in index.vectors[:40]
        for best in [exact.search(query, 8, allowed=allowed)[0]]
    ]
    assert np.mean(shares) > 0.95


def test_new_rows_are_added_and_gone_ones_never_found(tmp_path: Path) -> None:
    old = random_vectors(400)
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    facts = build_index("hnsw", old, tmp_path / "old")
    today, rows = changed(old, gone=20, new=30)
    now = carry_index("hnsw", today, tmp_path / "new", Former(tmp_path / "old", facts, rows))
    assert len(np.load(tmp_path / "new" / ITEMS_FILE)) == 430
    index = open_built(today, tmp_path / "new", now)
    for row in range(0, 410, 9):
        assert index.search(today[row], 1)[0].tolist() == [row]
    assert summary(now, 410).endswith("of the 200 nearest.")


def test_where_much_is_gone_another_graph_is_made(tmp_path: Path) -> None:
    old = random_vectors(300)
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    facts = build_index("hnsw", old, tmp_path / "old")
    today, rows = changed(old, gone=int(300 * MOST_DEAD), new=0)
    carry_index("hnsw", today, tmp_path / "new", Former(tmp_path / "old", facts, rows))
    assert len(np.load(tmp_path / "new" / ITEMS_FILE)) == 240


def test_the_same_vectors_give_the_same_bytes(tmp_path: Path) -> None:
    vectors = random_vectors(200)
    for name in "ab":
        (tmp_path / name).mkdir()
        build_index("hnsw", vectors, tmp_path / name)
    assert (tmp_path / "a" / GRAPH_FILE).read_bytes() == (tmp_path / "b" / GRAPH_FILE).read_bytes()


def test_an_answer_can_be_encoded_after_the_graph_was_opened() -> None:
    program = "import usearch.index, onnxruntime"  # In the order in which an index is opened.
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


@pytest.fixture
def built(tmp_path: Path) -> tuple[Floats, Path, dict[str, object]]:
    vectors = random_vectors(50)
    facts = build_index("hnsw", vectors, tmp_path)
    return vectors, tmp_path, {**facts, FILES: {GRAPH_FILE: sha256(tmp_path / GRAPH_FILE)}}


def test_a_graph_of_which_a_byte_changed_is_not_mapped(
    built: tuple[Floats, Path, dict[str, object]],
) -> None:
    vectors, folder, facts = built
    open_built(vectors, folder, facts)
    content = bytearray((folder / GRAPH_FILE).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / GRAPH_FILE).unlink()  # What is open keeps its own.
    (folder / GRAPH_FILE).write_bytes(content)
    with pytest.raises(ArtifactCorrupt, match="does not have the checksum"):
        open_built(vectors, folder, facts)


def test_what_is_no_graph_is_refused(built: tuple[Floats, Path, dict[str, object]]) -> None:
    vectors, folder, facts = built
    (folder / GRAPH_FILE).unlink()
    (folder / GRAPH_FILE).write_bytes(b"no graph at all")
    with pytest.raises(ArtifactCorrupt, match="cannot be read as a graph"):
        open_built(vectors, folder, {**facts, FILES: {}})


@pytest.mark.parametrize(
    "bad", [np.arange(49, dtype=np.int32), np.full(50, 50, np.int32), np.full(50, -2, np.int32)]
)
def test_items_that_do_not_fit_are_refused(
    built: tuple[Floats, Path, dict[str, object]], bad: np.ndarray[tuple[int], np.dtype[np.int32]]
) -> None:
    vectors, folder, facts = built
    np.save(folder / ITEMS_FILE, bad)
    with pytest.raises(ArtifactCorrupt, match=r"does not fit|are none of the"):
        open_built(vectors, folder, facts)


def test_what_the_graph_does_not_reach_is_scanned(index: HnswIndex) -> None:
    items = replace(index.items, rows=np.full(1500, -1, np.int32))
    lost = replace(index, items=items)
    rows, _ = lost.search(index.vectors[7], 5)
    assert rows[0] == 7 and len(rows) == 5
