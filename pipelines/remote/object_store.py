"""Speak with an object store, by obstore; what it cannot do is said as an error of ours.

Keys and endpoint are those of the environment, see docs/reference/environment.md. Every request is
bounded: one that is not answered is tried again for some seconds, and then given up.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from recsys.errors import InputError, KeyRefused, RecsysError, SourceUnreachable, UsageError, need
from recsys.store.artifacts import fingerprint

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
SCHEMES = ("s3", "gs", "az")
# A path keeps one stroke of the two, and Windows turns it.
_FORM = re.compile(rf"(?P<scheme>{'|'.join(SCHEMES)}):[/\\]+(?P<place>.+)", re.DOTALL)
_NO_BUCKET = re.compile(r"NoSuchBucket|ContainerNotFound|The specified bucket does not exist")
_REFUSED = re.compile(
    r"\b40[13] (?:Unauthorized|Forbidden)|AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch"
    r"|ExpiredToken|InvalidToken"
)
_NOT_GIVEN = re.compile(r"169\.254\.\d+\.\d+|metadata\.google\.internal|must be specified")
"""Where machines of the clouds find keys: it is asked when the environment has none."""
_CODE = re.compile(r"<Code>(\w+)</Code>")
_STATUS = re.compile(r"status code: (\d{3} [A-Z][A-Za-z ]*)")
_ELSEWHERE = re.compile(r"\b30[17] |redirect|PermanentRedirect|AuthorizationHeaderMalformed")
_ENDPOINT = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
"""What names the server, the first of them that is set."""
_USUAL = {"s3": "The store of AWS", "gs": "Google's store", "az": "Azure's store"}
"""The servers that are asked where none is named."""
_KEYS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
}
"""What holds the key, see docs/reference/environment.md."""


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """place: the bucket, and the path in it, without a stroke at either end."""

    scheme: str
    place: str

    @property
    def bucket(self) -> str:
        """The name of the bucket."""
        return self.place.partition("/")[0]

    @property
    def name(self) -> str:
        """What the index is called: the last part."""
        return self.place.rpartition("/")[2]

    @property
    def key(self) -> str:
        """Name a folder for what is kept of this address."""
        return fingerprint(str(self))

    def below(self, *names: str) -> str:
        """Name something that lies below it."""
        return "/".join((str(self), *names))

    def __str__(self) -> str:
        """Write it as people do."""
        return f"{self.scheme}://{self.place}"


def store_address(word: str | Path) -> StoreAddress | None:
    """Read the address of an index on a store; None: this is a path, or something else.

    A path that was made of such a word is read, too, though it has lost a stroke.

    >>> str(store_address(Path("s3://bucket/my.index/")))
    's3://bucket/my.index'
    """
    form = _FORM.fullmatch(str(word))
    if form is None:
        return None
    parts = [part for part in re.split(r"[/\\]", form["place"]) if part not in ("", ".")]
    if len(parts) < 2 or ".." in parts:
        given = "/".join(parts)
        raise UsageError(
            f"'{form['scheme']}://{given}' names no place in a bucket: s3://BUCKET/PATH does."
        )
    return StoreAddress(form["scheme"], "/".join(parts))


def failure_of(error: Exception, address: StoreAddress) -> RecsysError:
    """Tell what happened, and what to do next."""
    said, keys = str(error), _KEYS[address.scheme]
    server = own_endpoint(address) or _USUAL[address.scheme]
    code = f" ({match[1]})" if (match := _CODE.search(said)) else ""
    if _NOT_GIVEN.search(said):
        return KeyRefused(
            f"There is no key for {address}.", f"Set {keys}, or what else your store asks for."
        )
    if _NO_BUCKET.search(said):
        return InputError(
            f"There is no bucket {address.bucket!r} at {server}.",
            "Create it, or correct the address.",
        )
    if _ELSEWHERE.search(said):
        return InputError(
            f"The bucket {address.bucket!r} is in another region.", "Set AWS_REGION to its own."
        )
    if _REFUSED.search(said):
        return KeyRefused(
            f"{server} refuses the key for {address}{code}.",
            f"Set {keys} to those of somebody who may read and write there.",
        )
    if found := _STATUS.search(said):
        return SourceUnreachable(
            f"{server} answers {found[1].strip()!r} for {address}{code}.",
            "Run the same command again: it continues.",
        )
    return SourceUnreachable(
        f"{server} cannot be reached, which holds {address}.",
        f"Check {'AWS_ENDPOINT_URL and ' if address.scheme == 's3' else ''}the network, and run "
        "the same command again.",
    )


def own_endpoint(address: StoreAddress) -> str | None:
    """Return the address of a store that is not that of AWS; None: nothing is said of one."""
    named = filter(None, map(os.environ.get, _ENDPOINT))
    return next(named, None) if address.scheme == "s3" else None


@dataclass(frozen=True, slots=True)
class Stored:
    """An object as a list of them tells it."""

    size: int
    changed: datetime


@dataclass(frozen=True, slots=True)
class Seen:
    """What a small object said when it was read; version: what it is then replaced by."""

    content: bytes
    version: "UpdateVersion"


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
            self._quick, self._patient = opened(address, _SHORT), opened(address, _LONG)

    def read(self, name: str) -> Seen | None:
        """Read a small object; None: it is not there."""
        from obstore import get

        with self._told(FileNotFoundError):
            found = get(self._quick, name)
            content = bytes(found.bytes())
            version: UpdateVersion = {}
            if found.meta["e_tag"] is not None:
                version["e_tag"] = str(found.meta["e_tag"])
            if found.meta["version"] is not None:
                version["version"] = str(found.meta["version"])
            return Seen(content, version)
        return None

    def piece(self, name: str, start: int, length: int) -> bytes | None:
        """Read a part of an object, as far as it goes; None: it is not there."""
        from obstore import get_range

        with self._told(FileNotFoundError):
            try:
                return bytes(get_range(self._patient, name, start=start, length=length))
            except Exception as error:
                if "InvalidRange" in str(error) or "416 " in str(error):
                    return b""
                raise
        return None

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

        with self._told(AlreadyExistsError, PreconditionError, FileNotFoundError):
            mode: PutMode = "create" if seen is None else seen.version
            put(self._quick, name, content, mode=mode)
            return True
        return False

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
    def _told(self, *absent: type[Exception]) -> Iterator[None]:
        """Say failures as errors of ours. absent: what ends the block where an object is not there.

        A bucket that is not there is a failure in any case.
        """
        from obstore.exceptions import BaseError

        try:
            yield
        except (BaseError, OSError, ValueError) as error:
            no_bucket = "NoSuchBucket" in str(error) or "specified bucket" in str(error)
            if no_bucket or not isinstance(error, absent):
                raise failure_of(error, self.address) from error


def opened(address: StoreAddress, longest: timedelta) -> "ObjectStore":
    """Open a store; no request takes longer. Nothing is asked yet."""
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
