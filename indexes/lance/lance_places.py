"""Where a table of LanceDB lies: in a folder of the index, or below its address on a store."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from recsys.errors import ArtifactCorrupt, ArtifactMissing, SourceUnreachable
from recsys.store.artifacts import REMOTE

os.environ.setdefault(
    "LANCEDB_LOG", "error"
)  # Read once, when it is imported: it warns of trifles.
import lancedb

_FROM_ENVIRONMENT: Mapping[str, tuple[str, ...]] = {
    "aws_access_key_id": ("AWS_ACCESS_KEY_ID",),
    "aws_secret_access_key": ("AWS_SECRET_ACCESS_KEY",),
    "aws_session_token": ("AWS_SESSION_TOKEN",),
    "aws_region": ("AWS_REGION", "AWS_DEFAULT_REGION"),
    "aws_endpoint": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
}
_PATIENCE = {"connect_timeout": "5s", "timeout": "60s", "client_retry_timeout": "10"}
"""Of a store that does not answer: an error within seconds."""


def address(folder: Path) -> str | None:
    """Tell where a folder of a generation lies on a store; None: all of it is here.

    Raises:
        ArtifactCorrupt: the note that says so is damaged.
    """
    note = folder.parent / REMOTE
    if not note.is_file():
        return None
    try:
        return f"{str(json.loads(note.read_bytes())['uri']).rstrip('/')}/{folder.name}"
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ArtifactCorrupt(
            f"{note} does not say where the index lies ({error}).", "Fetch the index again."
        ) from error


def storage_options(environ: Mapping[str, str]) -> dict[str, str]:
    """Tell LanceDB what the usual variables of S3 say."""
    found = dict(_PATIENCE)
    for option, names in _FROM_ENVIRONMENT.items():
        for name in names:
            if environ.get(name):
                found.setdefault(option, environ[name])
    if found.get("aws_endpoint", "").startswith("http://"):
        found["allow_http"] = "true"
    return found


def connection(folder: Path) -> Any:  # noqa: ANN401 - lancedb ships no types.
    """Connect to the tables of a folder, wherever they lie."""
    place = address(folder)
    if place is None:
        return lancedb.connect(folder)
    return lancedb.connect(place, storage_options=storage_options(os.environ))


@contextmanager
def failed(folder: Path, name: str) -> Iterator[None]:
    """Say in a sentence why a table cannot be opened or asked.

    Raises:
        ArtifactError: it is not there, or damaged.
        SourceUnreachable: the store does not answer.
    """
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        place = address(folder)
        what = f"the table {name!r} of LanceDB in {place or folder}"
        if place is None:
            raise ArtifactCorrupt(
                f"Cannot read {what} ({_short(error)}).", "Build the index again with --force."
            ) from error
        if "not found" in str(error):
            raise ArtifactMissing(
                f"There is no {what.removeprefix('the ')}.", "Build the index again, with --store."
            ) from error
        raise SourceUnreachable(
            f"Cannot read {what} ({_short(error)}).",
            "Look whether the store is reachable, and what AWS_ENDPOINT_URL and the keys say.",
        ) from error


def _short(error: Exception) -> str:
    """Leave out where in the engine it happened."""
    return str(error).partition(", /")[0].partition("\n")[0]
