"""Where the vectors of an index lie in Milvus, and how to get there.

On the server that RECSYS_MILVUS_URI names, or else in files beside the vectors, which milvus-lite
reads: another engine than a server's, made for trials and tests, behind the same client.
"""

import logging
import os
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import grpc
from pymilvus import MilvusClient, MilvusException

from recsys.errors import (
    AnswerNotUnderstood,
    ArtifactMissing,
    InputError,
    KeyRefused,
    MissingExtraError,
    SourceUnreachable,
)
from recsys.extras import installed
from recsys.indexes.milvus.milvus_files import unpack

URI, TOKEN = "RECSYS_MILVUS_URI", "RECSYS_MILVUS_TOKEN"
LOCAL = "papers"
"""The collection of an index that has Milvus for itself."""
PATIENCE = 10.0
"""Seconds in which a server has to answer a question."""
_CONNECTING = 10.0
_NOT_FOUND = 100
"""What Milvus answers where a collection is not there."""
_NO_RIGHT = (1800, 1801)
"""What it answers to who is nobody it knows, or may not do that."""
_REFUSALS = grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED


@dataclass(frozen=True, slots=True)
class Place:
    """A collection. uri: of its server; None: milvus-lite has it among the files of an index."""

    uri: str | None
    collection: str

    def facts(self) -> dict[str, Any]:
        """Tell the manifest. The token is no part of it."""
        return {"collection": self.collection} | ({} if self.uri is None else {"uri": self.uri})

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> "Place":
        """Find what was built, on the server that the environment names."""
        uri = facts.get("uri")
        return cls(uri if uri is None else server() or str(uri), str(facts["collection"]))

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Say in our words what Milvus says when it cannot do something.

        Raises:
            SourceUnreachable: the server does not answer.
            KeyRefused: it does not accept the token.
            ArtifactMissing: the collection is not there.
            AnswerNotUnderstood: it cannot do what it was asked to.
        """
        try:
            yield
        except (MilvusException, grpc.RpcError) as error:
            raise self._said(error) from error

    def _said(self, error: Exception) -> Exception:
        name = self.uri or "milvus-lite"
        code = error.code if isinstance(error, MilvusException) else None
        states = set(_grpc_states(error))
        if states.intersection(_REFUSALS) or code in _NO_RIGHT:
            return KeyRefused(
                f"The Milvus server at {name} does not accept who asks.",
                f"Give a token that it knows in {TOKEN}, as USER:PASSWORD or an API key.",
            )
        if code == _NOT_FOUND:
            return ArtifactMissing(
                f"The Milvus server at {name} has no collection {self.collection}.",
                f"If {URI} names the right server, build the index again with --force.",
            )
        if states or (isinstance(error, MilvusException) and "connect" in error.message):
            return SourceUnreachable(
                f"The Milvus server at {name} does not answer.",
                f"Start it, or name another in {URI}.",
            )
        return AnswerNotUnderstood(
            f"The Milvus server at {name} refuses ({error}).",
            f"Look whether {URI} names a server of Milvus 2.4 or later.",
        )


def _grpc_states(error: BaseException | None) -> Iterator[grpc.StatusCode]:
    """List what went wrong on the way to a server, by an error and what led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:  # pymilvus raises errors from themselves.
        seen.add(id(error))
        if isinstance(error, grpc.RpcError) and callable(getattr(error, "code", None)):
            yield error.code()
        cause = error.__cause__
        error = error.__context__ if cause is None or cause is error else cause


def server() -> str | None:
    """Return the address that the environment names; None: files are used.

    Raises:
        InputError: it is no address, or holds a password: it will be read in the manifest.
    """
    uri = os.environ.get(URI, "").strip()
    if not uri:
        return None
    parts = urlsplit(uri)
    if parts.scheme not in ("http", "https", "tcp") or not parts.hostname:
        raise InputError(
            f"{URI} is {uri!r}, which is no address of a server.",
            "Write it like http://localhost:19530; without it, vectors lie in files.",
        )
    if parts.username is not None or parts.password is not None:
        raise InputError(
            f"{URI} holds a name or a password, which every reader of the index would see.",
            f"Put them into {TOKEN}, as USER:PASSWORD.",
        )
    return uri


@dataclass(slots=True, weakref_slot=True)
class Connection:
    """A way to a place, which is taken when it is first needed, and left with its last user.

    folder: of the files of an index. hashes: their SHA-256, by name. Several processes read them,
    and milvus-lite locks and writes what it opens: each works in a folder of its own with links to
    what is never written.
    """

    place: Place
    folder: Path
    hashes: Mapping[str, str] = field(default_factory=dict)
    _client: MilvusClient | None = field(default=None, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)

    def client(self) -> MilvusClient:
        """Connect, unless that is done.

        Raises:
            RecsysError: see `Place.asked`.
        """
        with self._lock:
            if self._client is None:
                if self.place.uri is not None:
                    client = connect(self.place)
                    weakref.finalize(self, client.close)
                else:
                    client = self._of_files()
                with self.place.asked():
                    client.load_collection(self.place.collection, timeout=None)
                self._client = client
            return self._client

    def _of_files(self) -> MilvusClient:
        own = TemporaryDirectory(prefix="recsys-milvus-")
        try:
            unpack(self.folder, database(own.name), self.hashes)
            client = open_files(database(own.name))
        except BaseException:
            own.cleanup()
            raise
        weakref.finalize(self, _leave, client, own)
        return client


def _leave(client: MilvusClient, own: "TemporaryDirectory[str]") -> None:
    close_files(client, database(own.name))
    own.cleanup()


def database(folder: Path | str) -> Path:
    """Name the folder of milvus-lite below another: it knows its own by the end of the name."""
    return Path(folder) / "papers.db"


def connect(place: Place) -> MilvusClient:
    """Connect to a server, if the environment names one.

    An index may be a stranger's: where it lies does not decide who is told drafts and a token.

    Raises:
        InputError: it names none.
        RecsysError: see `Place.asked`.
    """
    if server() is None:
        raise InputError(
            f"The vectors of this index lie on the Milvus server at {place.uri}.",
            f"To ask that, set {URI}={place.uri}, and {TOKEN} where it wants one.",
        )
    _hush()
    token = os.environ.get(TOKEN, "")
    with place.asked():
        return MilvusClient(place.uri, token=token, timeout=_CONNECTING)


def open_files(folder: Path) -> MilvusClient:
    """Open a folder of milvus-lite, which nobody else may have open.

    Raises:
        MissingExtraError: milvus-lite is not installed.
    """
    if not installed("milvus_lite"):
        raise MissingExtraError(
            "Without a server, Milvus needs milvus-lite, which is not installed.",
            f"Name a server in {URI}, or `pip install milvus-lite`.",
        )
    _hush()
    with Place(None, LOCAL).asked():
        return MilvusClient(str(folder), timeout=_CONNECTING)


def close_files(client: MilvusClient, folder: Path) -> None:
    """Close what `open_files` opened; all is written then."""
    from milvus_lite.server_manager import server_manager_instance

    with suppress(MilvusException):
        client.close()
    server_manager_instance.release_server(str(folder))


def _hush() -> None:
    """Have errors said once, by us: these packages write them down with all that led to them."""
    if "RECSYS_DEBUG" not in os.environ:
        for name in ("pymilvus", "milvus_lite", "grpc"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
