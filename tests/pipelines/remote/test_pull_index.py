import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from recsys.app.inspection import inspect_artifact
from recsys.errors import (
    ArtifactCorrupt,
    ArtifactMismatch,
    ArtifactMissing,
    InputError,
    SourceUnreachable,
)
from recsys.pipelines.remote.push_index import push_index
from recsys.pipelines.remote.store_pointer import find_pointer, need_pointer, new_pointer
from recsys.pipelines.remote.working_copy import OFFLINE, copy_to_change, copy_to_read
from recsys.store.artifacts import INDEX_SCHEMA, json_bytes
from recsys.store.generations import Generation, pin
from tests.pipelines.remote.made_index import FILES, LANCE, files_of, make_index
from tests.pipelines.remote.store_server import StoreServer, folder_at

pytestmark = [pytest.mark.area("store"), pytest.mark.usefixtures("server")]

_numbers = count()
POINTER = b'{"kind": "index", "schema": %d, "generation": "%b", "sha256": "0"}'
SEARCHED_HERE = FILES | {"vectors/given.npy": b"here"}


@pytest.fixture
def place(server: StoreServer, tmp_path: Path) -> str:
    """An index in the bucket, part of which is searched there."""
    name = f"pull-{next(_numbers)}"
    put(name, tmp_path, FILES | LANCE)
    server.asked.clear()
    return name


def put(place: str, folder: Path, files: dict[str, bytes]) -> None:
    store = folder_at(place)
    push_index(store, make_index(folder / "my.index", files), find_pointer(store))


def fetched(server: StoreServer) -> list[str]:
    """Name the objects that were read, without their folders."""
    return sorted(path.rpartition("/")[2] for method, path in server.asked if method == "GET")


def read(place: str, folder: Path) -> Path:
    return copy_to_read(folder_at(place).address, folder / "cache")


def test_the_second_use_asks_for_the_small_file_alone(
    server: StoreServer, place: str, tmp_path: Path
) -> None:
    index = read(place, tmp_path)
    server.asked.clear()
    assert read(place, tmp_path) == index
    assert server.asked == [("GET", f"/bucket/{place}/manifest.json")]


def test_what_is_searched_on_the_store_stays_there(
    server: StoreServer, place: str, tmp_path: Path
) -> None:
    index = read(place, tmp_path)
    assert files_of(index) == SEARCHED_HERE
    assert not [path for method, path in server.asked if ".lance" in path]
    pointer = need_pointer(folder_at(place))
    with pin(index) as folder:
        told = json.loads((folder / "remote.json").read_text(encoding="utf-8"))
    assert told == {"uri": f"s3://bucket/{place}/generations/{pointer.generation}"}


def test_a_fetched_index_is_whole_without_what_stays_on_the_store(
    place: str, tmp_path: Path
) -> None:
    index = read(place, tmp_path)
    assert pin(index).manifest().files.keys() == {*FILES, *LANCE}
    assert pin(index).folder.name.isdigit()
    with pin(index) as folder:
        (folder / "encoder" / "manifest.json").unlink()  # Of a few bytes, it is no artifact.
        (folder / "vectors" / "given.npy").unlink()
    with pytest.raises(ArtifactCorrupt, match=r"given\.npy is missing"):
        inspect_artifact(index)


def test_files_come_once_whatever_holds_them(
    server: StoreServer, place: str, tmp_path: Path
) -> None:
    index = read(place, tmp_path)
    put(place, tmp_path, FILES | LANCE | {"text/postings.npy": b"others", "text/new": b"postings"})
    server.asked.clear()
    read(place, tmp_path)
    assert fetched(server) == ["manifest.json", "manifest.json", "postings.npy"]
    assert files_of(index)["text/new"] == b"postings"
    server.asked.clear()
    copy_to_change(folder_at(place).address, tmp_path / "cache")
    assert fetched(server) == ["1.lance", "manifest.json", "manifest.json"]


def test_a_reader_keeps_its_generation_and_the_next_gets_the_new_one(
    place: str, tmp_path: Path
) -> None:
    held: Generation = pin(read(place, tmp_path))
    put(place, tmp_path, {"text/new": b"new"})
    assert files_of(read(place, tmp_path)) == {"text/new": b"new"}
    assert (held.folder / "text" / "postings.npy").read_bytes() == FILES["text/postings.npy"]


def test_a_pull_that_fails_leaves_the_former_index_and_continues(
    server: StoreServer, place: str, tmp_path: Path
) -> None:
    index = read(place, tmp_path)
    put(place, tmp_path, {f"text/{number}": b"%d" % number for number in range(20)})
    server.failure = lambda method, path: (
        ("400 Bad Request", b"") if path.endswith("/text/17") else None
    )
    with pytest.raises(SourceUnreachable, match="answers '400 Bad Request'"):
        read(place, tmp_path)
    assert files_of(index) == SEARCHED_HERE
    server.work()
    read(place, tmp_path)
    assert len(files_of(index)) == 20
    again = [path for _, path in server.asked if "/text/" in path]
    assert any(path.endswith("/text/17") for path in again) and len(again) < 20


def test_an_index_that_is_replaced_while_it_comes_is_fetched_as_it_is_then(
    server: StoreServer, place: str, tmp_path: Path
) -> None:
    store, first = folder_at(place), iter((True,))
    pointer = need_pointer(store)
    old = sorted(store.listed(pointer.folder))

    def replace(method: str, path: str) -> None:
        if path.endswith("generations/" + pointer.generation + "/manifest.json"):
            if next(first, False):
                put(place, tmp_path, {"text/new": b"new"})
                store.remove(old)

    server.failure = replace
    assert files_of(read(place, tmp_path)) == {"text/new": b"new"}


@pytest.mark.parametrize("name", ["manifest.json", "text/postings.npy"])
def test_a_generation_that_is_not_whole_is_said_to_be_so(
    place: str, tmp_path: Path, name: str
) -> None:
    store = folder_at(place)
    pointer = need_pointer(store)
    store.remove([f"{pointer.folder}/{name}"])
    with pytest.raises(ArtifactCorrupt, match="does not have the checksum"):
        read(place, tmp_path)


@pytest.mark.parametrize("content", [b"cut", b"Postings", b"postings and more"])
@pytest.mark.parametrize("name", ["manifest.json", "text/postings.npy"])
def test_a_file_that_was_changed_on_the_store_is_refused(
    place: str, tmp_path: Path, name: str, content: bytes
) -> None:
    store = folder_at(place)
    pointer = need_pointer(store)
    if content == b"postings and more" and name != "manifest.json":
        content = b""  # What follows the end is never asked for.
    store.send(f"{pointer.folder}/{name}", content)
    with pytest.raises(ArtifactCorrupt, match=f"{name} does not have the checksum"):
        read(place, tmp_path)


@pytest.mark.parametrize(
    "name", ["../outside", "/outside", "a/../../b", "C:/x", "a\\..\\b", "a//b"]
)
def test_an_index_of_a_stranger_writes_nowhere_else(place: str, tmp_path: Path, name: str) -> None:
    store = folder_at(place)
    pointer = need_pointer(store)
    manifest = json_bytes({"files": {name: {"bytes": 1, "sha256": "0"}}})
    new = new_pointer(manifest, pointer)
    store.send(f"{new.folder}/manifest.json", manifest)
    assert store.replace("manifest.json", new.seen.content, pointer.seen)
    with pytest.raises(ArtifactCorrupt, match="names files outside the index"):
        read(place, tmp_path)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"<html>", ArtifactCorrupt),
        (b"[]", ArtifactCorrupt),
        (POINTER % (INDEX_SCHEMA, b"../x"), ArtifactCorrupt),
        (POINTER % (INDEX_SCHEMA - 1, b"1"), ArtifactMismatch),
        (POINTER % (INDEX_SCHEMA + 1, b"1"), ArtifactMismatch),
    ],
)
def test_what_is_no_index_of_this_version_is_refused(
    tmp_path: Path, content: bytes, error: type[Exception]
) -> None:
    place = f"pull-{next(_numbers)}"
    folder_at(place).send("manifest.json", content)
    with pytest.raises(error, match=f"s3://bucket/{place}"):
        read(place, tmp_path)


def test_without_the_store_what_was_fetched_answers_only_when_asked_to(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OFFLINE, "1")
    with pytest.raises(ArtifactMissing, match=r"nothing of s3://bucket/.* was fetched before"):
        read(place, tmp_path)
    monkeypatch.delenv(OFFLINE)
    index = read(place, tmp_path)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(SourceUnreachable, match=r"http://127\.0\.0\.1:9 cannot be reached") as told:
        read(place, tmp_path)
    assert f"With {OFFLINE}=1, what was fetched before answers." in told.value.hint
    monkeypatch.setenv(OFFLINE, "1")
    assert read(place, tmp_path) == index
    with pytest.raises(InputError, match="can be read, and not be changed"):
        copy_to_change(folder_at(place).address, tmp_path / "cache")


def test_several_at_once_fetch_an_index_once(
    server: StoreServer, place: str, tmp_path: Path
) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(lambda _: read(place, tmp_path), range(4)))
    assert [files_of(index) for index in found] == [SEARCHED_HERE]
    assert fetched(server).count("postings.npy") == 1


def test_files_that_no_index_uses_leave_the_cache_after_a_while(place: str, tmp_path: Path) -> None:
    read(place, tmp_path)
    objects = tmp_path / "cache" / "store" / "objects"
    before = {path.name: path for path in objects.glob("*/*")}
    past = time.time() - 2 * 3600
    for path in before.values():
        os.utime(path, (past, past))
    put(place, tmp_path, {"text/postings.npy": FILES["text/postings.npy"], "text/new": b"new"})
    read(place, tmp_path)
    put(place, tmp_path, {"text/new": b"newer"})
    read(place, tmp_path)
    left = [path.read_bytes() for path in objects.glob("*/*")]
    assert sorted(left) == [b"new", b"newer"]
