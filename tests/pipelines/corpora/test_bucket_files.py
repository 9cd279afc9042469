"""Files in a bucket are listed, told apart and fetched; what goes wrong is said, and soon."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recsys.errors import CorpusError
from recsys.pipelines.corpora import source_files as bucket_files
from recsys.pipelines.corpora.source_files import (
    fetched,
    hash_of,
    listed,
    source_files,
)
from tests.pipelines.corpora.bucket_server import bucket_server, put
from tests.pipelines.remote.store_server import REFUSED, StoreServer

pytestmark = pytest.mark.area("store")


@pytest.fixture
def server() -> Iterator[StoreServer]:
    with bucket_server() as found:
        yield found


def test_files_below_a_prefix_are_listed_by_name_but_for_hidden_ones(
    server: StoreServer, tmp_path: Path
) -> None:
    for name in ("works/b/1.gz", "works/a.gz", "works/.part/2", "works/.x", "workshop/3"):
        put(name, name.encode())
    found = [each.path for each in listed(Path("s3://dumps/works"))]
    assert found == [Path("s3:/dumps/works/a.gz"), Path("s3:/dumps/works/b/1.gz")]
    assert fetched(found[1], tmp_path).read_bytes() == b"works/b/1.gz"
    assert len(listed(Path("s3://dumps"))) == 3
    (alone,) = source_files([found[0]])
    assert (alone.named, alone.size) == (True, 10)


def test_another_content_is_another_hash(server: StoreServer) -> None:
    sources, hashes = [Path("s3://dumps/works")], []
    for content in (b"one", b"two", b"one"):
        put("works/a", content)
        hashes.append(hash_of(source_files(sources)))
    assert hashes[0] == hashes[2] != hashes[1]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("s3://dumps/none", "There is nothing at s3://dumps/none"),
        ("s3://dumps", "There are no files at s3://dumps"),
        ("s3://other/works", "There is nothing at s3://other/works"),
        ("s3://", "The address names no bucket"),
    ],
)
def test_what_is_not_there_is_said(server: StoreServer, source: str, told: str) -> None:
    with pytest.raises(CorpusError, match=told):
        listed(Path(source))


def test_a_stranger_is_told_which_keys_to_check(server: StoreServer, tmp_path: Path) -> None:
    put("a", b"1")
    refused: list[str] = []

    def refuse(method: str, path: str) -> tuple[str, bytes]:
        refused.append(path)
        return REFUSED

    server.failure = refuse
    for attempt in (
        lambda: listed(Path("s3://dumps")),
        lambda: fetched(Path("s3:/dumps/a"), tmp_path),
    ):
        with pytest.raises(CorpusError, match="refuses the key for s3://dumps") as error:
            attempt()
        assert "AWS_ACCESS_KEY_ID" in error.value.hint
    assert len(refused) == 2  # A refusal is not tried again.


def test_a_store_that_does_not_answer_is_given_up(
    server: StoreServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    bucket_files.store_of.cache_clear()
    with pytest.raises(CorpusError, match="cannot be reached") as error:
        listed(Path("s3://dumps"))
    assert "AWS_ENDPOINT_URL" in error.value.hint
