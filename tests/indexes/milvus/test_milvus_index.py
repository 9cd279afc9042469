"""What the contract suites do not ask of a search by Milvus: places, generations, years, files."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymilvus import MilvusClient

from recsys.errors import ArtifactCorrupt, InputError
from recsys.indexes.backends import FILES, Former, build_index, carry_index, open_built, summary
from recsys.indexes.exact import ExactIndex
from recsys.indexes.milvus import milvus_collection, milvus_index
from recsys.indexes.milvus.milvus_collection import said
from recsys.indexes.milvus.milvus_files import TREE_FILE
from recsys.indexes.milvus.milvus_index import IDS_FILE, MilvusIndex
from recsys.indexes.milvus.milvus_places import TOKEN, URI
from recsys.indexes.row_conditions import RowConditions
from recsys.protocols import VectorIndex
from recsys.store.arrays import Floats, Mask
from recsys.store.artifacts import sha256
from recsys.store.graph import UNKNOWN_YEAR, Years
from tests.indexes.milvus.lite_server import lite_server
from tests.indexes.small_indexes import random_vectors
from tests.indexes.test_carried_index import changed

N = 300


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with lite_server(tmp_path_factory.mktemp("milvus")) as uri:
        yield uri


@pytest.fixture
def served(address: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(URI, address)
    monkeypatch.setenv(TOKEN, "root:secret")
    return address


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where rows are scanned: the engine is asked, or nothing."""
    monkeypatch.setattr(milvus_index, "search_allowed", None)


def years_of(n: int, *, seed: int = 0) -> Years:
    rng = np.random.default_rng(seed)
    years = rng.integers(1990, 2020, n).astype(np.int16)
    years[rng.random(n) < 0.1] = UNKNOWN_YEAR
    return years


def built(folder: Path, vectors: Floats, years: Years | None = None) -> Former:
    folder.mkdir()
    facts = json.loads(json.dumps(build_index("milvus", vectors, folder, years=years)))
    return Former(folder, facts, np.arange(len(vectors), dtype=np.int32))


def carried(folder: Path, vectors: Floats, former: Former, years: Years | None = None) -> Former:
    folder.mkdir()
    facts = carry_index("milvus", vectors, folder, former, years=years)
    rows = np.arange(len(vectors), dtype=np.int32)
    return Former(folder, json.loads(json.dumps(facts)), rows)


def opened(vectors: Floats, index: Former) -> MilvusIndex:
    found = open_built(vectors, index.folder, index.facts)
    assert isinstance(found, MilvusIndex)
    return found


def agrees(index: VectorIndex, vectors: Floats, allowed: Mask | None = None) -> None:
    exact, queries = ExactIndex(vectors), vectors[::60]
    for query, (rows, _) in zip(
        queries, index.search_many(queries, 9, allowed=allowed), strict=True
    ):
        assert rows.tolist() == exact.search(query, 9, allowed=allowed)[0].tolist()


@pytest.mark.usefixtures("asked")
def test_a_server_holds_the_vectors_and_the_token_stays_secret(served: str, tmp_path: Path) -> None:
    vectors = random_vectors(N)
    index = built(tmp_path / "a", vectors)
    assert index.facts["uri"] == served and index.facts["collection"].startswith("recsys_")
    assert served in summary(index.facts, N)
    assert sorted(path.name for path in index.folder.iterdir()) == ["engine.years.npy", IDS_FILE]
    assert not any(b"secret" in path.read_bytes() for path in index.folder.iterdir())
    assert "secret" not in json.dumps(index.facts)
    agrees(opened(vectors, index), vectors)


@pytest.mark.parametrize("where", ["served", "in files"])
@pytest.mark.usefixtures("asked")
def test_readers_of_the_generation_before_keep_their_answers(
    where: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if where == "served":
        request.getfixturevalue("served")
    old = random_vectors(N, seed=11)
    first = built(tmp_path / "old", old)
    reader = opened(old, first)
    before = reader.search_many(old[:20], 12)
    # Two copies of the index change in different ways, and one of them once more.
    for seed in (1, 2):
        vectors, rows = changed(old, gone=20, new=30, seed=seed)
        second = carried(tmp_path / f"{seed}", vectors, replace(first, rows=rows))
        agrees(opened(vectors, second), vectors)
    later, rows = changed(vectors, gone=5, new=4, seed=3)
    third = carried(tmp_path / "later", later, replace(second, rows=rows))
    agrees(opened(later, third), later)
    agrees(opened(vectors, second), vectors)
    for (rows, cosines), again in zip(before, reader.search_many(old[:20], 12), strict=True):
        np.testing.assert_array_equal(rows, again[0])
        np.testing.assert_array_equal(cosines, again[1])
    same = first.facts["collection"] == second.facts["collection"] == third.facts["collection"]
    assert same and len(third.facts["batches"]) == 3


@pytest.mark.usefixtures("served", "asked")
def test_a_killed_build_goes_on_in_its_collection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = random_vectors(N, seed=21)
    monkeypatch.setattr(milvus_collection, "AT_ONCE", 100 * vectors[:1].nbytes)
    insert = MilvusClient.insert
    sent: list[object] = []

    def one_request(client: MilvusClient, *args: object, **kwargs: object) -> object:
        if sent:
            raise KeyboardInterrupt
        sent.append(insert(client, *args, **kwargs))
        return sent[0]

    with monkeypatch.context() as killed:
        killed.setattr(MilvusClient, "insert", one_request)
        with pytest.raises(KeyboardInterrupt):
            built(tmp_path / "killed", vectors)
    index = built(tmp_path / "again", vectors)
    again = built(tmp_path / "another", vectors)
    assert index.facts == again.facts
    known = opened(vectors, index)
    client = known.connection.client()
    (told,) = client.query(index.facts["collection"], filter="", output_fields=["count(*)"])
    assert told["count(*)"] == N
    agrees(known, vectors)


@pytest.mark.parametrize("where", ["served", "in files"])
def test_papers_that_change_their_years_are_found_by_the_new_ones(
    where: str, tmp_path: Path, request: pytest.FixtureRequest, asked: None
) -> None:
    if where == "served":
        request.getfixturevalue("served")
    vectors, years = random_vectors(N, seed=31), years_of(N)
    first = built(tmp_path / "old", vectors, years)
    later = np.where(np.arange(N) % 10 == 0, np.int16(1980), years)
    second = carried(tmp_path / "new", vectors, first, later)
    for index, told in ((first, years), (second, later)):
        for newest in (2004, 2018):
            agrees(opened(vectors, index), vectors, told <= newest)
            agrees(opened(vectors, index), vectors, (told <= newest) & (np.arange(N) != 60))


@pytest.mark.usefixtures("served")
def test_a_collection_of_which_much_is_gone_is_left_for_another(tmp_path: Path) -> None:
    old = random_vectors(N, seed=41)
    first = built(tmp_path / "old", old)
    vectors, rows = changed(old, gone=80, new=10)
    second = carried(tmp_path / "new", vectors, replace(first, rows=rows))
    assert second.facts["collection"] != first.facts["collection"]
    assert second.facts["stored"] == len(vectors)
    agrees(opened(vectors, second), vectors)
    agrees(opened(old, first), old)


def test_an_index_in_files_moves_to_a_server_that_is_named(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = random_vectors(N, seed=51)
    first = built(tmp_path / "old", old)
    assert "uri" not in first.facts
    monkeypatch.setenv(URI, address)
    vectors, rows = changed(old, gone=3, new=4)
    second = carried(tmp_path / "new", vectors, replace(first, rows=rows))
    assert second.facts["uri"] == address
    agrees(opened(vectors, second), vectors)
    monkeypatch.delenv(URI)
    with pytest.raises(InputError, match=f"lie on the Milvus server at {address}. .*{URI}"):
        opened(vectors, second).search(vectors[5], 1)
    with pytest.raises(InputError, match="lie on the Milvus server"):
        carried(tmp_path / "later", vectors, second)


def test_several_read_the_files_of_an_index_and_none_writes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    vectors = random_vectors(N)
    index = built(tmp_path / "a", vectors)
    hashes = {path.name: sha256(path) for path in index.folder.iterdir()}
    readers = [opened(vectors, index) for _ in range(2)]
    for reader in readers:
        agrees(reader, vectors)
    assert len(list((tmp_path / "temporary").iterdir())) == 2
    assert {path.name: sha256(path) for path in index.folder.iterdir()} == hashes
    del reader, readers
    assert not list((tmp_path / "temporary").iterdir())


def test_a_carried_index_lives_without_its_former(tmp_path: Path) -> None:
    old = random_vectors(N)
    first = built(tmp_path / "old", old)
    vectors, rows = changed(old, gone=3, new=4)
    hashes = {path.name: sha256(path) for path in first.folder.iterdir()}
    second = carried(tmp_path / "new", vectors, replace(first, rows=rows))
    assert {path.name: sha256(path) for path in first.folder.iterdir()} == hashes
    shutil.rmtree(first.folder)
    agrees(opened(vectors, second), vectors)
    assert not any(path.is_dir() for path in second.folder.iterdir())


@pytest.mark.parametrize("suffix", [".parquet", ".idx"])
def test_files_of_which_a_byte_changed_are_not_followed(suffix: str, tmp_path: Path) -> None:
    vectors = random_vectors(N)
    index = built(tmp_path / "a", vectors)
    hashes = {path.name: sha256(path) for path in index.folder.iterdir()}
    (path,) = index.folder.glob(f"*{suffix}")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    known = open_built(vectors, index.folder, {**index.facts, FILES: hashes})
    with pytest.raises(ArtifactCorrupt, match="does not have the checksum"):
        known.search(vectors[0], 3)


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"files": {"../../stolen.parquet": "milvus.0000.parquet"}}, "leads elsewhere"),
        ({"files": {"a.parquet": "/etc/passwd"}}, "leads elsewhere"),
        ({"files": {"a.parquet": "milvus.none.parquet"}}, "is missing"),
        ({"folders": 3}, "not iterable"),
    ],
)
def test_a_list_of_files_that_was_changed_is_refused(
    told: dict[str, object], why: str, tmp_path: Path
) -> None:
    np.save(tmp_path / IDS_FILE, np.arange(N))
    np.save(tmp_path / "engine.years.npy", np.zeros(N, np.int16))
    tree = {"folders": [], "files": {}, "texts": {}} | told
    (tmp_path / TREE_FILE).write_text(json.dumps(tree), encoding="utf-8")
    facts = {"backend": "milvus", "collection": "papers", "stored": N, "expansion": 0}
    vectors = random_vectors(N)
    with pytest.raises(ArtifactCorrupt, match=why):
        open_built(vectors, tmp_path, facts).search(vectors[0], 3)


def test_ids_of_other_papers_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / IDS_FILE, np.arange(N))
    with pytest.raises(ArtifactCorrupt, match="does not hold the ids of 299 papers"):
        open_built(random_vectors(299), tmp_path, {"backend": "milvus"})


@given(
    years=st.lists(st.sampled_from([UNKNOWN_YEAR, 1990, 1991, 1992]), min_size=1, max_size=30),
    seed=st.integers(0, 2**32),
    newest=st.sampled_from([None, UNKNOWN_YEAR, 1990, 1991, 1993]),
)
def test_a_mask_is_said_in_words_that_mean_it(
    years: list[int], seed: int, newest: int | None
) -> None:
    rng, told = np.random.default_rng(seed), np.array(years, np.int16)
    mask = rng.random(len(told)) < 0.5 if newest is None else told <= newest
    mask ^= rng.random(len(told)) < 0.1
    ids = rng.permutation(len(told)).astype(np.int64) + 7
    condition = RowConditions.of(told).of_mask(mask)
    assert condition is not None
    words = said(condition, int(told.max()), ids)
    # What is said of numbers means the same in Python.
    meant = [
        not words or eval(words, {"year": int(year), "id": int(each)})
        for year, each in zip(told, ids, strict=True)
    ]
    assert meant == mask.tolist()


@pytest.mark.usefixtures("asked")
def test_a_graph_is_followed_far_enough_to_find_nearly_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(milvus_collection, "_FLAT_BELOW", 0)
    vectors, years = random_vectors(3000), years_of(3000)
    index = built(tmp_path / "a", vectors, years)
    assert index.facts["kind"] == "HNSW" and index.facts["recall"] >= 0.995
    allowed, exact = years <= 2015, ExactIndex(vectors)
    known, queries = opened(vectors, index), random_vectors(20, seed=5)
    found = known.search_many(queries, 200, allowed=allowed)
    shares = [
        np.isin(exact.search(query, 200, allowed=allowed)[0], rows).mean()
        for query, (rows, _) in zip(queries, found, strict=True)
    ]
    assert np.mean(shares) >= 0.98
