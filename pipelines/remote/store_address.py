"""The address of an index on an object store: `s3://bucket/path`."""

import re
from dataclasses import dataclass
from pathlib import Path

from recsys.errors import UsageError
from recsys.store.artifacts import fingerprint

SCHEMES = ("s3", "gs", "az")
# A path keeps one stroke of the two, and Windows turns it.
_FORM = re.compile(rf"(?P<scheme>{'|'.join(SCHEMES)}):[/\\]+(?P<place>.+)", re.DOTALL)


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
