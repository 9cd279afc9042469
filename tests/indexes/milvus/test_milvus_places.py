"""What is said where Milvus cannot be asked."""

import socket
from pathlib import Path

import pytest

from recsys.errors import (
    AnswerNotUnderstood,
    ArtifactMissing,
    InputError,
    KeyRefused,
    MissingExtraError,
    SourceUnreachable,
)
from recsys.indexes.backends import build_index, open_built
from recsys.indexes.milvus import milvus_places
from recsys.indexes.milvus.milvus_places import TOKEN, URI, Place, connect, server
from tests.indexes.milvus.lite_server import lite_server, refusing_server
from tests.indexes.small_indexes import random_vectors

N = 300


@pytest.mark.parametrize("uri", ["localhost:19530", "papers.db", "http://", "ftp://host:1"])
def test_what_is_no_address_is_refused(uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URI, uri)
    with pytest.raises(InputError, match="no address of a server"):
        server()


def test_a_password_is_kept_out_of_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URI, "http://root:secret@host:19530")
    with pytest.raises(InputError, match=TOKEN) as raised:
        server()
    assert "secret" not in str(raised.value)


def test_without_an_address_there_is_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URI, " ")
    assert server() is None


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def test_a_server_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setenv(URI, uri)
    with pytest.raises(SourceUnreachable, match=f"{uri} does not answer. .*{URI}"):
        build_index("milvus", random_vectors(N), tmp_path)


def test_a_token_that_is_refused_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with refusing_server() as uri:
        monkeypatch.setenv(URI, uri)
        monkeypatch.setenv(TOKEN, "root:wrong")
        with pytest.raises(KeyRefused, match=f"does not accept who asks. .*{TOKEN}") as raised:
            build_index("milvus", random_vectors(N), tmp_path)
        assert "wrong" not in str(raised.value)


def test_a_collection_that_is_gone_and_a_server_that_goes_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = random_vectors(N)
    with lite_server(tmp_path) as uri:
        monkeypatch.setenv(URI, uri)
        facts = build_index("milvus", vectors, tmp_path)
        reader = open_built(vectors, tmp_path, facts)
        late = open_built(vectors, tmp_path, facts)
        assert reader.search(vectors[5], 1)[0].tolist() == [5]
        client = connect(Place.of_facts(facts))
        client.release_collection(facts["collection"])  # As a server does that is short of memory.
        assert reader.search(vectors[5], 1)[0].tolist() == [5]
        client.drop_collection(facts["collection"])
        for gone in (reader, late):
            with pytest.raises(ArtifactMissing, match=r"has no collection recsys_.*--force"):
                gone.search(vectors[5], 1)
    with pytest.raises(SourceUnreachable, match="does not answer"):
        reader.search(vectors[5], 1)


def test_what_milvus_cannot_do_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with lite_server(tmp_path) as uri:
        monkeypatch.setenv(URI, uri)
        place = Place(uri, "papers")
        client = connect(place)
        client.create_collection("papers", dimension=4)
        with pytest.raises(AnswerNotUnderstood, match="refuses"), place.asked():
            client.query("papers", filter="no condition")


def test_files_need_milvus_lite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(milvus_places, "installed", lambda module: False)
    with pytest.raises(MissingExtraError, match=f"milvus-lite, .*{URI}"):
        build_index("milvus", random_vectors(N), tmp_path)
