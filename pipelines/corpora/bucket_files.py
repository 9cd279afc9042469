"""Files of works in a bucket of an object store: listed, told apart, and fetched one at a time.

An address is `s3://bucket/prefix`. A Path of it has lost one slash (`s3:/bucket/prefix`), which is
how it travels among the paths of other files. What is needed to get in is read from the
environment, see docs/reference/environment.md.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from recsys.errors import CorpusError
from recsys.extras import need

if TYPE_CHECKING:
    from obstore.store import S3Store

SCHEME = "s3:"
_ATTEMPTS = 3
_PATIENCE = timedelta(seconds=30)
_CONNECTING = timedelta(seconds=5)
_SILENCE = timedelta(seconds=60)
_PIECE = 8 << 20


@dataclass(frozen=True, slots=True)
class BucketFile:
    """An object. path: its address. mark: what changes with its content."""

    path: Path
    size: int
    mark: str


def is_remote(path: Path) -> bool:
    """Tell an address in an object store."""
    return path.parts[:1] == (SCHEME,)


def address(path: Path) -> str:
    """Write an address as people do."""
    return f"s3://{'/'.join(path.parts[1:])}" if is_remote(path) else str(path)


def listed(source: Path) -> list[BucketFile]:
    """List the objects at or below an address by name, but for hidden ones.

    Raises:
        CorpusError: there are none, or the store does not answer, or refuses.
        MissingExtraError: the package that speaks to stores is not installed.
    """
    import obstore

    prefix = "/".join(source.parts[2:])
    with _told(source):
        store = store_of(_bucket(source))
        found = [each for page in obstore.list(store, prefix or None) for each in page]
        if not found and prefix:
            one = obstore.head(store, prefix)
            found = [one]
    files = [
        BucketFile(
            Path(SCHEME, _bucket(source), *PurePosixPath(each["path"]).parts),
            int(each["size"]),
            f"{each.get('e_tag')} {each['size']}",
        )
        for each in found
        if each["size"] and not _hidden(each["path"], prefix)
    ]
    if not files:
        raise CorpusError(f"There are no files at {address(source)}.", "Check the address.")
    return sorted(files, key=lambda each: each.path.parts)


def fetched(path: Path, folder: Path) -> Path:
    """Return a path that can be read here: of an object, that of a copy in a folder.

    Raises:
        CorpusError: the store does not answer, or refuses.
    """
    if not is_remote(path):
        return path
    import obstore

    copy = folder / path.name
    with _told(path), copy.open("wb") as file:
        answer = obstore.get(store_of(_bucket(path)), "/".join(path.parts[2:]))
        for piece in answer.stream(min_chunk_size=_PIECE):
            file.write(piece)
    return copy


def _bucket(path: Path) -> str:
    if len(path.parts) < 2:
        raise CorpusError("The address names no bucket.", "Give s3://BUCKET/PREFIX.")
    return path.parts[1]


def _hidden(key: str, prefix: str) -> bool:
    below = key.removeprefix(prefix)
    return any(part.startswith(".") for part in PurePosixPath(below).parts)


@cache
def store_of(bucket: str) -> "S3Store":
    """Open a bucket of the store that the environment names; nothing is asked yet."""
    need("obstore", "Reading from an object store")
    from obstore.store import S3Store

    server = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    return S3Store(
        bucket,
        config={"endpoint": server} if server else {},
        client_options={
            "connect_timeout": _CONNECTING,
            "timeout": _SILENCE,
            "allow_http": (server or "").startswith("http:"),
        },
        retry_config={"max_retries": _ATTEMPTS, "retry_timeout": _PATIENCE},
    )


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say in our words what a store says."""
    need("obstore", "Reading from an object store")
    from obstore import exceptions as told

    try:
        yield
    except (told.BaseError, FileNotFoundError) as error:
        raise _failure(path, error) from error


def _failure(path: Path, error: Exception) -> CorpusError:
    """Say what happened; where files are listed, only the line tells what the store answered."""
    from obstore import exceptions as told

    line, name = _line(error), address(path)
    refused = isinstance(error, told.PermissionDeniedError | told.UnauthenticatedError)
    if refused or "403 Forbidden" in line or "401 Unauthorized" in line:
        return CorpusError(
            f"The store refuses to let {name} be read ({line}).",
            "Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and what they may read.",
        )
    if isinstance(error, told.NotFoundError | FileNotFoundError) or "404 Not Found" in line:
        return CorpusError(
            f"There is nothing at {name} ({line}).",
            "Check the bucket, the prefix, and AWS_ENDPOINT_URL.",
        )
    return CorpusError(
        f"The store of {name} does not answer ({line}).",
        "Check AWS_ENDPOINT_URL, AWS_REGION and the network.",
    )


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def forget() -> None:
    """Forget the stores that are open: the environment names others now."""
    store_of.cache_clear()
