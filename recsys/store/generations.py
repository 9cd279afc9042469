"""The generations of an index: what a reader sees is one of them, whatever writers do meanwhile.

my.index/
├── manifest.json       {kind, schema, generation, sha256}: names the one in force, and the hash of
│                       its manifest
├── generations/
│   ├── 3/              complete, and never written again; see `recsys.store.artifacts`
│   └── 4/
├── unfinished/         what a build or a training under way has done so far
└── lock                held by the one process that may change the index

A writer makes a new generation and then replaces the small file in one step. A reader holds a
shared lock on the manifest of its generation; the next writer removes generations that are neither
in force nor so held. The system releases the lock of a reader that dies.
"""

import hashlib
import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows removes no file that is open: that is a lock, too.
    fcntl = None  # type: ignore[assignment]  # The module is None where there is none.

from recsys.errors import ArtifactCorrupt
from recsys.store.artifacts import (
    CORPUS,
    INDEX_KIND,
    INDEX_SCHEMA,
    MANIFEST,
    TEXT,
    VECTORS,
    Manifest,
    check_schema,
    fingerprint,
    json_bytes,
    load_manifest,
    manifest_bytes,
    sha256,
    write_json,
)

GENERATIONS = "generations"
_AGAIN = "Build it again with --force."


class Lease:
    """Keeps a generation from being removed until it is closed or forgotten."""

    def __init__(self, manifest: Path) -> None:
        """Take it.

        Raises:
            FileNotFoundError: the generation is being removed, or never was.
        """
        self._descriptor = os.open(manifest, os.O_RDONLY)
        if not _lock(self._descriptor, exclusive=False):
            return  # Somewhere without locks: readers have their files open, at least.
        if os.fstat(self._descriptor).st_nlink == 0:  # Removed while this waited.
            raise FileNotFoundError(manifest)

    def read(self) -> bytes:
        """Read the manifest that is held."""
        with os.fdopen(os.dup(self._descriptor), "rb") as file:
            file.seek(0)
            return file.read()

    def close(self) -> None:
        """Let the generation go."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __del__(self) -> None:
        """Let the generation go with its last reader."""
        if hasattr(self, "_descriptor"):
            self.close()


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation of an index, which stays as long as this value does."""

    folder: Path
    lease: Lease

    def manifest(self) -> Manifest:
        """Read what it says about itself.

        Raises:
            ArtifactError: it is missing, unfinished, damaged, or of another kind or schema.
        """
        return load_manifest(self.folder, INDEX_KIND, INDEX_SCHEMA)

    def has(self, name: str) -> bool:
        """Tell whether a model was made for it, by the name of its folder."""
        return f"{name}/{MANIFEST}" in self.manifest().files

    def __enter__(self) -> Path:
        """Give the folder, for a block that reads it."""
        return self.folder

    def __exit__(self, *_: object) -> None:
        """Let it go."""
        self.lease.close()


def pin(index: Path) -> Generation:
    """Take the generation of an index that is in force now; given one of them, take that.

    Raises:
        ArtifactError: the index is missing, unfinished, damaged, or of another kind or schema.
    """
    while True:
        pointer, folder = read_pointer(index), index
        if pointer is not None:
            name = pointer["generation"]
            if not (isinstance(name, str) and name.isdigit()):
                raise ArtifactCorrupt(f"{index / MANIFEST} names no generation.", _AGAIN)
            # Resolved: a link may name another index by the time that a file is opened.
            folder = index.resolve() / GENERATIONS / name
        if not (folder / MANIFEST).is_file() and pointer is None:
            load_manifest(index, INDEX_KIND, INDEX_SCHEMA)  # Says what is missing.
        try:
            lease = Lease(folder / MANIFEST)
        except FileNotFoundError as error:
            if read_pointer(index) != pointer:
                continue  # Replaced between the two looks.
            raise ArtifactCorrupt(f"{folder / MANIFEST} is missing.", _AGAIN) from error
        held = b""
        with suppress(OSError):  # A folder in its place, or a disk that fails.
            held = lease.read()
        if pointer is not None and hashlib.sha256(held).hexdigest() != pointer["sha256"]:
            what = f"{folder / MANIFEST} does not have the checksum in {index / MANIFEST}."
            raise ArtifactCorrupt(what, _AGAIN)
        return Generation(folder, lease)


def read_pointer(index: Path) -> dict[str, Any] | None:
    """Read which generation is in force; None: this is a generation itself, or no index.

    Raises:
        ArtifactCorrupt: the file was changed.
        ArtifactMismatch: another version wrote it.
    """
    path = index / MANIFEST
    try:
        content = manifest_bytes(path)
        value = json.loads(content)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise ArtifactCorrupt(f"{path} is not a readable manifest ({error}).", _AGAIN) from error
    if not isinstance(value, dict) or "generation" not in value:
        return None
    schema = value.get("schema")
    check_schema(index, INDEX_KIND, schema, INDEX_SCHEMA)
    if content != json_bytes(_pointer(schema, value.get("generation"), value.get("sha256"))):
        raise ArtifactCorrupt(f"{path} was changed after it was written.", _AGAIN)
    return value


def point(index: Path, generation: Path) -> None:
    """Put a generation into force, in one step."""
    named = _pointer(INDEX_SCHEMA, generation.name, sha256(generation / MANIFEST))
    write_json(index / MANIFEST, named)


def in_force(index: Path) -> Path:
    """Name the folder of the generation in force; it may go with the next change of the index."""
    return pin(index).folder


def root_of(folder: Path) -> Path:
    """Name the index that a generation belongs to."""
    inside = folder.parent.name == GENERATIONS and folder.name.isdigit()
    return folder.parent.parent if inside else folder


def is_index(path: Path) -> bool:
    """Tell an index, or one of its generations, from other things by its manifest."""
    return (path / MANIFEST).is_file()


def content_key(index: Path) -> str:
    """Hash what an index knows of its papers; its models do not count."""
    with pin(index) as folder:
        files = load_manifest(folder, INDEX_KIND, INDEX_SCHEMA).files
    parts = (CORPUS, TEXT, VECTORS)
    return fingerprint({name: files[name] for name in files if name.split("/")[0] in parts})


def remove_unless_read(generation: Path) -> bool:
    """Remove a generation that nobody reads, its manifest first; tell whether it is gone."""
    manifest = generation / MANIFEST
    with suppress(FileNotFoundError):  # A killed writer left it without one.
        descriptor = os.open(manifest, os.O_RDONLY)
        try:
            if not _lock(descriptor, exclusive=True):
                return False
            if fcntl is None:
                os.close(descriptor)  # Or Windows would not remove it for ourselves.
            manifest.unlink()
        except PermissionError:  # Windows: somebody has it open.
            return False
        finally:
            with suppress(OSError):
                os.close(descriptor)  # Readers that waited until now find it without a name.
    shutil.rmtree(generation, ignore_errors=True)
    return not generation.exists()


def _lock(descriptor: int, *, exclusive: bool) -> bool:
    """Lock a manifest until its descriptor is closed; who wants it alone does not wait."""
    if fcntl is None:
        return exclusive
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB if exclusive else fcntl.LOCK_SH)
    except OSError:  # Held by others, or a file system without locks.
        return False
    return True


def _pointer(schema: object, generation: object, checksum: object) -> dict[str, Any]:
    return {"kind": INDEX_KIND, "schema": schema, "generation": generation, "sha256": checksum}
