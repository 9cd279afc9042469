from pathlib import Path

import pytest

from recsys.errors import ArtifactMissing, InputError, KeyRefused, SourceUnreachable, UsageError
from recsys.pipelines.remote.object_store import (
    ObjectFolder,
    StoreAddress,
    failure_of,
    store_address,
)
from recsys.pipelines.remote.store_pointer import find_pointer, need_pointer
from tests.pipelines.remote.store_server import REFUSED, StoreServer, folder_at
from tests.rows import each_row

pytestmark = [pytest.mark.area("store"), pytest.mark.usefixtures("server")]


def test_there_is_no_such_bucket() -> None:
    for ask in (find_pointer, lambda store: store.listed("x"), lambda store: store.send("x", b"")):
        with pytest.raises(InputError, match=r"There is no bucket 'none' at http://127\.0\.0\.1"):
            ask(ObjectFolder(StoreAddress("s3", "none/my.index")))


def test_there_is_no_index() -> None:
    with pytest.raises(ArtifactMissing, match="There is no index at s3://bucket/none") as caught:
        need_pointer(folder_at("none"))
    assert "recsys build PAPERS --store s3://bucket/none" in caught.value.hint


def test_a_store_that_cannot_even_be_opened_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME", raising=False)
    with pytest.raises(KeyRefused, match="There is no key for az://account/box/x") as caught:
        ObjectFolder(StoreAddress("az", "account/box/x"))
    assert "AZURE_STORAGE_ACCOUNT_NAME" in caught.value.hint


def test_the_key_is_refused(server: StoreServer) -> None:
    server.failure = lambda method, path: REFUSED
    with pytest.raises(KeyRefused, match=r"refuses the key for s3://bucket/x \(InvalidAccess"):
        find_pointer(folder_at("x"))
    with pytest.raises(KeyRefused, match="refuses the key"):
        folder_at("x").send("x", b"x")


@each_row(
    ("said", "error", "told"),
    [
        ("Error performing PUT http://169.254.169.254/latest/api/token", KeyRefused, "is no key"),
        ("status code: 301 Moved Permanently", InputError, "in another region"),
        ("error sending request", SourceUnreachable, "cannot be reached"),
        ("status code: 503 Slow Down", SourceUnreachable, "answers '503 Slow Down'"),
    ],
)
def test_other_failures_are_told_in_a_sentence(
    said: str, error: type[Exception], told: str
) -> None:
    failure = failure_of(OSError(said), StoreAddress("s3", "bucket/x"))
    assert isinstance(failure, error) and told in failure.what and failure.hint.endswith(".")


@each_row(
    ("word", "address"),
    [
        ("s3://bucket/my.index", "s3://bucket/my.index"),
        (Path("s3://bucket/a/b/"), "s3://bucket/a/b"),
        ("gs://bucket//b", "gs://bucket/b"),
        ("az://account/container/b", "az://account/container/b"),
    ],
)
def test_an_address_is_read_from_words_and_paths(word: str | Path, address: str) -> None:
    assert str(store_address(word)) == address


@each_row("word", ["s3://bucket", "s3://bucket/..", Path("s3://bucket")])
def test_an_address_names_a_place_in_a_bucket(word: str | Path) -> None:
    with pytest.raises(UsageError, match=r"'s3://bucket.* names no place in a bucket"):
        store_address(word)
