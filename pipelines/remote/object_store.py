"""Speak with an object store, by obstore; what it cannot do is said as an error of ours.

Keys and endpoint are those of the environment, see docs/reference/environment.md. Every request is
bounded: one that is not answered is tried again for some seconds, and then given up.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from recsys.extras import need
from recsys.pipelines.remote.store_address import StoreAddress
from recsys.pipelines.remote.store_failures import failure_of, own_endpoint

if TYPE_CHECKING:
    from obstore import PutMode, UpdateVersion
    from obstore.store import ClientConfig, ObjectStore, RetryConfig, S3Config

PIECE = 8 << 20
"""Bytes of a request for a part of a file: few enough for a slow line, enough for a fast one."""
_MOST_PARTS = 9000
"""Of one file that is sent; the stores take 10,000."""
_AT_ONCE = 2
"""Parts of a file that are on their way: eight files are, and all lie in memory."""
_CONNECT = timedelta(seconds=4)
_SHORT, _LONG = timedelta(seconds=10), timedelta(seconds=120)
"""How long a small request may take, and one for a piece."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An object as a list of them tells it."""

    size: int
    changed: datetime


@dataclass(frozen=True, slots=True)
class Seen:
    """What a small object said when it was read; version: what it is then replaced by."""

    content: bytes
    version: Mapping[str, str]


class ObjectFolder:
    """All that lies below an address; names are relative to it.

    Every method raises KeyRefused, InputError (no such bucket) or SourceUnreachable.
    """

    def __init__(self, address: StoreAddress) -> None:
        """Prepare to ask; nothing is sent yet.

        Raises:
            MissingExtraError: obstore is not installed.
        """
        need("obstore", f"An index at {address.scheme}://")
        self.address = address
        with self._told():
            self._quick, self._patient = _opened(address, _SHORT), _opened(address, _LONG)

    def read(self, name: str) -> Seen | None:
        """Read a small object; None: it is not there."""
        from obstore import get

        with self._told():
            try:
                found = get(self._quick, name)
                content = bytes(found.bytes())
            except FileNotFoundError as error:
                _unless_bucket_is_missing(error)
                return None
            kept = ((key, found.meta[key]) for key in ("e_tag", "version"))
            return Seen(content, {key: str(value) for key, value in kept if value is not None})

    def piece(self, name: str, start: int, length: int) -> bytes | None:
        """Read a part of an object, as far as it goes; None: it is not there."""
        from obstore import get_range

        with self._told():
            try:
                return bytes(get_range(self._patient, name, start=start, length=length))
            except FileNotFoundError as error:
                _unless_bucket_is_missing(error)
                return None
            except Exception as error:
                if "InvalidRange" in str(error) or "416 " in str(error):
                    return b""
                raise

    def send(self, name: str, content: Path | bytes) -> None:
        """Put a file or some bytes there, whole or not at all."""
        from obstore import put

        size = len(content) if isinstance(content, bytes) else content.stat().st_size
        chunk = max(PIECE, -(-size // _MOST_PARTS))
        with self._told():
            put(self._patient, name, content, chunk_size=chunk, max_concurrency=_AT_ONCE)

    def replace(self, name: str, content: bytes, seen: Seen | None) -> bool:
        """Put bytes there unless the object has changed since it was read; tell whether it is done.

        seen: what was read; None: there was nothing.
        """
        from obstore import put
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        with self._told():
            try:
                put(self._quick, name, content, mode=_mode(seen))
            except (AlreadyExistsError, PreconditionError, FileNotFoundError) as error:
                _unless_bucket_is_missing(error)
                return False
            return True

    def copy(self, name: str, also: str) -> bool:
        """Let the store copy an object; False: it cannot, or there is none."""
        from obstore import copy
        from obstore.exceptions import BaseError

        try:
            copy(self._patient, name, also)
        except (BaseError, OSError):  # Above all: more bytes than it copies in one step.
            return False
        return True

    def listed(self, folder: str) -> dict[str, Stored]:
        """List the objects below a folder by their names."""
        from obstore import list as objects

        with self._told():
            found = [each for several in objects(self._quick, folder) for each in several]
        return {each["path"]: Stored(each["size"], each["last_modified"]) for each in found}

    def remove(self, names: Sequence[str]) -> None:
        """Remove objects; those that are gone are no matter."""
        from obstore import delete

        with self._told():
            for start in range(0, len(names), 500):
                delete(self._patient, list(names[start : start + 500]))

    @contextmanager
    def _told(self) -> Iterator[None]:
        from obstore.exceptions import BaseError

        try:
            yield
        except (BaseError, OSError, ValueError) as error:
            raise failure_of(error, self.address) from error


def _unless_bucket_is_missing(error: Exception) -> None:
    if "NoSuchBucket" in str(error) or "specified bucket" in str(error):
        raise error


def _mode(seen: Seen | None) -> "PutMode":
    if seen is None:
        return "create"
    known: UpdateVersion = {}
    if "e_tag" in seen.version:
        known["e_tag"] = seen.version["e_tag"]
    if "version" in seen.version:
        known["version"] = seen.version["version"]
    return known


def _opened(address: StoreAddress, longest: timedelta) -> "ObjectStore":
    from obstore.store import from_url

    client: ClientConfig = {"connect_timeout": _CONNECT, "timeout": longest}
    own = own_endpoint(address)
    if own and own.startswith("http://"):  # Then somebody has said so.
        client["allow_http"] = True
    again: RetryConfig = {
        "max_retries": 3,
        "retry_timeout": timedelta(seconds=12),
        "backoff": {
            "init_backoff": timedelta(milliseconds=200),
            "max_backoff": timedelta(seconds=2),
            "base": 2,
        },
    }
    given: S3Config = {} if own is None else {"endpoint": own}
    return from_url(str(address), config=given, client_options=client, retry_config=again)
