"""Artifacts: directories with a manifest, replaced whole or not at all.

`manifest.json` holds {kind, schema, created_by, config, files: {name: {bytes, sha256}}}. A writer
fills a folder beside it and renames that into place, so a reader sees the old artifact or the new
one, never a mixture. Loading compares kind, schema and file sizes; `verify` also hashes. An index
is replaced in another way, because it is read for longer: see `recsys.store.generations`; inside a
generation of an index lies:

vis.index/generations/3/
├── manifest.json    of every file below, those of the models included
├── corpus/          Parquet columns, what is shown of papers, ids, citation graph
├── text/            terms of each paper, BM25 postings
├── vectors/         the vectors, see `recsys.store.vectors`, and what searches them
├── encoder/         an artifact of its own: the ONNX model that made the vectors; not there where
│                    they came from elsewhere without one
├── ranker/          an artifact of its own, written by `recsys train ranker`
├── ranker-no-metadata/
├── nnselect/        an artifact of its own, written by `recsys train nnselect`
├── nnselect-folds/  its vectors for train queries that it has not seen, to train rankers with
├── nnrank/          an artifact of its own, written by `recsys train nnrank`
├── nnrank-no-metadata/
├── arrivals/        which update brought each paper, see `recsys.store.arrivals`; not there before
│                    the first one
└── contexts/        an artifact of its own: citing sentences, see `recsys.store.contexts`
"""

import ctypes
import glob
import hashlib
import json
import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, ArtifactMissing, InputError, near_path
from recsys.machine import is_running, remove_leftovers, temporary_name

VERSION = "1.0.0rc1"
"""The one place where it is written: the build of the package reads it, and a tag says it again."""
CREATED_BY = f"recsys {VERSION}"
"""How artifacts name the program that wrote them; no key depends on it, so that a new version
continues what another one began."""

# Where things lie inside a generation of an index.

INDEX_KIND = "index"
# Raised when what is stored is read in another way; versions promise it, as they do the interfaces.
# Every stage of a build depends on it. A file that no change has touched stays as it was written.
INDEX_SCHEMA = 6
CORPUS = "corpus"
TEXT = "text"
YEARS = "years.npy"
FRONT_MATTER = "front_matter.npy"
VECTORS = "vectors"
VECTOR_FILE = "vectors.npy"
FOREST_FILE = "forest.ann"
ENCODER = "encoder"
NNSELECT = "nnselect"
NNRANK = "nnrank"
CONTEXTS = "contexts"
REMOTE = "remote.json"
"""In a generation that was fetched from an object store: where it lies there, as {"uri": ...}."""
ON_STORE = ".lance"
"""Ends the names of folders that are searched on the store itself, and are not fetched."""
BY_WORDS = "by-words"
"""Begins the fingerprint of what stands in for the encoder of vectors from elsewhere."""
UNTIL = "learned until"
"""What the manifest of a model calls the year of the newest query that it learned from."""
WORD_SEARCH = "words"
"""What the manifest of an index calls what searches its words, if that was chosen."""
KEYPHRASES = "keyphrases"
"""What the record of how papers were read calls what their abstracts begin with, if anything."""
DROPPED = "dropped"
"""What the manifest of an index calls the models that went when it was built again."""


def ranker_folder(index: Path, *, metadata: bool) -> Path:
    """Name the folder of an index's own ranker, or of the shipped one below its data folder."""
    return index / ("ranker" if metadata else "ranker-no-metadata")


def nnrank_folder(index: Path, *, metadata: bool) -> Path:
    """Name the folder of an index's NNRank."""
    return index / (NNRANK if metadata else f"{NNRANK}-no-metadata")


def lies_on_store(name: str) -> bool:
    """Tell a file that is not fetched, by its name in the manifest."""
    return any(part.endswith(ON_STORE) for part in name.split("/")[:-1])


# Let two folders take each other's place in one step, where the system can.

_HERE = -100
"""AT_FDCWD of Linux: paths are those of the process."""
_EXCHANGE = 2
"""RENAME_EXCHANGE of renameat2(2), which Linux and the larger of its file systems know."""


def atomic_swap(one: Path, other: Path) -> bool:
    """Give each of two paths what lies at the other; tell whether that was done.

    Whoever looks at either finds something there at every moment. Nothing is done where the system
    or the file system cannot, or where one of them does not exist.
    """
    call = _renameat2()
    paths = _HERE, os.fsencode(one), _HERE, os.fsencode(other)
    return call is not None and bool(call(*paths, _EXCHANGE) == 0)


@cache
def _renameat2() -> Any:  # noqa: ANN401 - What ctypes finds has no type.
    if sys.platform != "linux":
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)


MANIFEST = "manifest.json"
LARGEST_MANIFEST = 8 * 2**20
"""Bytes: JSON may take thirty times as many once it is decoded; no index has a tenth."""
_UNREADABLE = (
    *(ValueError, LookupError, TypeError, AttributeError),
    *(OverflowError, RecursionError, OSError),
)
"""What reading a manifest may raise: strangers write infinite sizes, or put a folder there."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an artifact says about itself."""

    kind: str
    schema: int
    config: Mapping[str, Any]
    files: Mapping[str, Mapping[str, Any]]
    created_by: str = CREATED_BY


def manifest_bytes(path: Path) -> bytes:
    """Read a manifest: no pipe, which would be waited for, and nothing that is far too large.

    Raises:
        OSError: it cannot be read, or is none.
    """
    facts = path.stat()
    if stat.S_ISFIFO(facts.st_mode) or facts.st_size > LARGEST_MANIFEST:
        raise OSError("a named pipe" if stat.S_ISFIFO(facts.st_mode) else "it is too large")
    return path.read_bytes()


def sha256(path: Path) -> str:
    """Hash a file, reading a megabyte at a time."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fingerprint(value: object) -> str:
    """Hash a JSON-serialisable value, independent of key order: 16 hex digits."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def json_bytes(value: object) -> bytes:
    """Write a value as our JSON files hold it."""
    text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
    return text.encode(errors="backslashreplace")  # A path that is no UTF-8 is JSON all the same.


def write_json(path: Path, value: object) -> None:
    """Replace a JSON file atomically; it survives a failure of power, once this returns."""
    remove_leftovers(path.parent)
    temporary = path.with_name(temporary_name())
    temporary.write_bytes(json_bytes(value))
    to_disk(temporary)
    temporary.replace(path)
    to_disk(path.parent)


def to_disk(path: Path) -> None:
    """Wait until a file, or what a folder names, is on the disk and not only in memory."""
    try:  # Windows opens no folders, and flushes only what may be written.
        descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def tree_to_disk(folder: Path) -> None:
    """Wait until everything below a folder is on the disk."""
    for path in (*folder.rglob("*"), folder):
        to_disk(path)


def facts_of_file(path: Path) -> dict[str, Any]:
    """Tell of a file what manifests hold."""
    return {"bytes": path.stat().st_size, "sha256": sha256(path)}


def seal(folder: Path, kind: str, schema: int, config: Mapping[str, Any]) -> None:
    """Write the manifest over every file now in the folder (sub-artifacts' own files excluded)."""
    nested = {path.parent for path in folder.rglob(MANIFEST)} - {folder}
    names = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MANIFEST and not nested.intersection(path.parents)
    )
    files = {name: facts_of_file(folder / name) for name in names}
    write_manifest(folder, kind, schema, config, files)


def write_manifest(
    folder: Path, kind: str, schema: int, config: Mapping[str, Any], files: Mapping[str, Any]
) -> None:
    """Write what an artifact says about itself. files: what `facts_of_file` says, by name."""
    value = {"kind": kind, "schema": schema, "created_by": CREATED_BY}
    write_json(folder / MANIFEST, value | {"config": dict(config), "files": dict(files)})


def put_in_place(finished: Path, target: Path) -> None:
    """Rename a finished folder to its target; an old target is kept until the new one stands.

    Where two folders can be exchanged in one step, there is no moment without the target.
    """
    restore(target)
    if atomic_swap(finished, target):
        shutil.rmtree(finished, ignore_errors=True)
        return
    if target.exists():
        target.rename(aside(target))
    try:
        finished.rename(target)
    except OSError:
        restore(target)
        raise
    shutil.rmtree(aside(target), ignore_errors=True)


def aside(target: Path) -> Path:
    """Name where an old folder waits while the new one is put in its place."""
    return target.with_name(f".{target.name}.old")


def restore(target: Path) -> None:
    """Undo a killed `put_in_place`: bring the old folder back unless the new one stands."""
    old = aside(target)
    if old.exists() and not target.exists():
        old.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def check_replaceable(target: Path) -> None:
    """Spare what is not the folder of an artifact.

    Raises:
        InputError: the target, or where it would lie, is a file, or the target holds other things.
    """
    _check_folder(target.parent)
    _check_folder(target)
    if target.is_dir() and any(target.iterdir()) and not (target / MANIFEST).is_file():
        raise InputError(f"{target} holds other things, which would be lost.", "Name another one.")


def _check_folder(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is a file, not a folder.", "Name another place.")


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Give an empty folder to fill; rename it to the target at the end, or remove it on failure.

    Raises:
        InputError: the target is a file.
    """
    _check_folder(target)
    partial = target.with_name(f".{target.name}.{os.getpid()}.new")
    for left in target.parent.glob(f".{glob.escape(target.name)}.*.new"):
        if not is_running(left.suffixes[-2][1:]):
            shutil.rmtree(left, ignore_errors=True)
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        yield partial
        tree_to_disk(partial)
        put_in_place(partial, target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def load_manifest(folder: Path, kind: str, schema: int) -> Manifest:
    """Read a manifest and check kind, schema version and the size of every file.

    Args:
        folder: the artifact.
        kind: what it has to be.
        schema: the version that can be read.

    Raises:
        ArtifactMissing: no folder, or no manifest in it.
        ArtifactMismatch: another kind or schema version.
        ArtifactCorrupt: unreadable manifest, or a file missing or of another size.
    """
    _check_present(folder, kind)
    try:
        value = json.loads(manifest_bytes(folder / MANIFEST))
        manifest = Manifest(
            value["kind"], value["schema"], value["config"], value["files"], value["created_by"]
        )
        sizes = {name: int(facts["bytes"]) for name, facts in manifest.files.items()}
        dict(manifest.config)
    except _UNREADABLE as error:
        what = f"{folder / MANIFEST} is not a readable manifest ({error})."
        raise ArtifactCorrupt(what, "Build it again.") from error
    if manifest.kind != kind:
        what = f"{folder} is of kind {manifest.kind!r}, not {kind!r}."
        raise ArtifactMismatch(what, f"Give the path of the {kind}.")
    check_schema(folder, kind, manifest.schema, schema)
    inside = {str(Path(name).parent) for name in sizes if name.endswith(f"/{MANIFEST}")}
    for name in files_here(folder, sizes):
        if name.split("/")[0] not in inside:  # What an artifact of its own holds is its matter.
            _check_size(folder / name, sizes[name])
    return manifest


def check_sizes(folder: Path, manifest: Manifest) -> None:
    """Compare the size of every file, those of artifacts inside it included.

    Raises:
        ArtifactCorrupt: naming the first that is missing or of another size.
    """
    for name in files_here(folder, manifest.files):
        _check_size(folder / name, manifest.files[name]["bytes"])


def check_schema(folder: Path | str, kind: str, schema: object, read: int) -> None:
    """Refuse what another version wrote in another way.

    Raises:
        ArtifactMismatch: naming both versions.
    """
    if schema != read:
        # Contexts are added to those that are there: they go when the index is built again.
        maker = _MAKERS.get(kind) if kind != "contexts" else None
        again = "Build it again" if maker is None else f"Run `{maker}` again"
        raise ArtifactMismatch(
            f"{folder} was written with schema {schema} of {kind!r}; this version reads "
            f"schema {read}.",
            f"{again} with this version.",
        )


def verify(folder: Path, manifest: Manifest) -> None:
    """Hash every file and compare with the manifest.

    Raises:
        ArtifactCorrupt: naming the first file whose content changed.
    """
    check_sizes(folder, manifest)
    check_hashes(folder, manifest, files_here(folder, manifest.files))


def check_hashes(folder: Path, manifest: Manifest, names: Iterable[str]) -> None:
    """Hash some files and compare with the manifest.

    Raises:
        ArtifactCorrupt: naming the first file whose content changed.
    """
    for name in names:
        if sha256(folder / name) != manifest.files[name]["sha256"]:
            what = f"{folder / name} does not have the checksum in its manifest."
            raise ArtifactCorrupt(what, "A byte changed on disk: build it again with --force.")


def files_here(folder: Path, names: Iterable[str]) -> list[str]:
    """Leave out the files that stay on an object store, where a generation was fetched from one."""
    fetched = (folder / REMOTE).is_file()
    return [name for name in names if not (fetched and lies_on_store(name))]


_MAKERS: Mapping[str, str] = {
    "ranker": "recsys train ranker INDEX --split FILE",
    "local-ranker": "recsys train local INDEX CONTEXTS",
    "contexts": "recsys add-contexts INDEX FILES",
    "needs-citation": "python -m benchmarks.needs --texts DIR --out DIR",
}
"""What makes an artifact of a kind, where `recsys build` does not."""


def _check_present(folder: Path, kind: str) -> None:
    if not folder.exists():
        if aside(folder).exists():
            what = f"The process that replaced the {kind} at {folder} was killed."
            hint = "Run its command again: it brings back the old one, and finishes the new one."
            raise ArtifactMissing(what, hint)
        what = f"There is no {kind} at {folder}.{near_path(folder)}"
        hint = f"Make one with `{_MAKERS.get(kind, 'recsys build PAPERS --out DIR')}`."
        raise ArtifactMissing(what, hint)
    if not (folder / MANIFEST).is_file():
        raise ArtifactMissing(
            f"{folder} has no {MANIFEST}: it is not a finished {kind}.",
            f"Run its `{_MAKERS[kind]}` command again."
            if kind in _MAKERS
            else "Run its `recsys build` command again; an interrupted build continues.",
        )


def _check_size(path: Path, expected: int) -> None:
    actual = path.stat().st_size if path.is_file() else None
    if actual != expected:
        state = "is missing" if actual is None else f"has {actual} bytes instead of {expected}"
        raise ArtifactCorrupt(f"{path} {state}.", "Build it again.")


# Give a file that is never written again a second name, instead of a copy.


def link_or_copy(file: Path | str, also: Path | str) -> None:
    """Link a file under another name; copy it where the file system has no links."""
    try:
        os.link(file, also)
    except OSError:
        shutil.copyfile(file, also)
