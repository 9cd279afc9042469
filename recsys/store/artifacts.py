"""Artifacts: directories with a manifest, replaced whole or not at all.

`manifest.json` holds {kind, schema, created_by, config, files: {name: {bytes, sha256}}}. A writer
fills a folder beside it and renames that into place, so a reader sees the old artifact or the new
one, never a mixture. Loading compares kind, schema and file sizes; `verify` also hashes.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, ArtifactMissing, near_miss
from recsys.version import CREATED_BY

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an artifact says about itself."""

    kind: str
    schema: int
    config: Mapping[str, Any]
    files: Mapping[str, Mapping[str, Any]]
    created_by: str = CREATED_BY


def sha256(path: Path) -> str:
    """Hash a file, reading a megabyte at a time."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fingerprint(value: object) -> str:
    """Hash a JSON-serialisable value, independent of key order: 16 hex digits."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write_json(path: Path, value: object) -> None:
    """Replace a JSON file atomically."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    temporary.replace(path)


def seal(folder: Path, kind: str, schema: int, config: Mapping[str, Any]) -> None:
    """Write the manifest over every file now in the folder (sub-artifacts' own files excluded)."""
    files = {
        name: {"bytes": (folder / name).stat().st_size, "sha256": sha256(folder / name)}
        for name in _own_files(folder)
    }
    value = {"kind": kind, "schema": schema, "created_by": CREATED_BY, "config": dict(config)}
    write_json(folder / MANIFEST, value | {"files": files})


def put_in_place(finished: Path, target: Path) -> None:
    """Rename a finished folder to its target; an old target is kept until the new one stands."""
    restore(target)
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


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Give an empty folder to fill; rename it to the target at the end, or remove it on failure."""
    partial = target.with_name(f".{target.name}.{os.getpid()}.new")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        yield partial
        put_in_place(partial, target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def load_manifest(folder: Path, kind: str, schema: int) -> Manifest:
    """Read a manifest and check kind, schema version and the size of every file.

    Raises:
        ArtifactMissing: no folder, or no manifest in it.
        ArtifactMismatch: another kind or schema version.
        ArtifactCorrupt: unreadable manifest, or a file missing or of another size.
    """
    _check_present(folder, kind)
    try:
        value = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        manifest = Manifest(
            value["kind"], value["schema"], value["config"], value["files"], value["created_by"]
        )
        sizes = {name: int(facts["bytes"]) for name, facts in manifest.files.items()}
        dict(manifest.config)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ArtifactCorrupt(
            f"{folder / MANIFEST} is not a readable manifest ({error}).", "Build it again."
        ) from error
    if manifest.kind != kind:
        raise ArtifactMismatch(
            f"{folder} is of kind {manifest.kind!r}, not {kind!r}.", f"Give the path of the {kind}."
        )
    if manifest.schema != schema:
        raise ArtifactMismatch(
            f"{folder} was written with schema {manifest.schema} of {kind!r}; this version reads "
            f"schema {schema}.",
            "Build it again with this version.",
        )
    for name, size in sizes.items():
        _check_size(folder / name, size)
    return manifest


def verify(folder: Path, manifest: Manifest) -> None:
    """Hash every file and compare with the manifest.

    Raises:
        ArtifactCorrupt: naming the first file whose content changed.
    """
    for name, facts in manifest.files.items():
        if sha256(folder / name) != facts["sha256"]:
            raise ArtifactCorrupt(
                f"{folder / name} does not have the checksum in its manifest.",
                "A byte changed on disk: build it again with --force.",
            )


def _own_files(folder: Path) -> list[str]:
    """Name the files below a folder, leaving out manifests' and sub-artifacts' own."""
    nested = {path.parent for path in folder.rglob(MANIFEST)} - {folder}
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MANIFEST and not nested.intersection(path.parents)
    )


def _check_present(folder: Path, kind: str) -> None:
    if not folder.exists():
        if aside(folder).exists():
            raise ArtifactMissing(
                f"The process that replaced the {kind} at {folder} was killed.",
                "Run its command again: it brings back the old one, and finishes the new one.",
            )
        siblings = [p.name for p in folder.parent.glob("*")] if folder.parent.is_dir() else []
        command = (
            "train ranker INDEX --split FILE" if kind == "ranker" else "build PAPERS --out DIR"
        )
        raise ArtifactMissing(
            f"There is no {kind} at {folder}.{near_miss(folder.name, siblings)}",
            f"Make one with `recsys {command}`.",
        )
    if not (folder / MANIFEST).is_file():
        raise ArtifactMissing(
            f"{folder} has no {MANIFEST}: it is not a finished {kind}.",
            "Run its `recsys build` command again; a killed build continues where it stopped.",
        )


def _check_size(path: Path, expected: int) -> None:
    actual = path.stat().st_size if path.is_file() else None
    if actual != expected:
        state = "is missing" if actual is None else f"has {actual} bytes instead of {expected}"
        raise ArtifactCorrupt(f"{path} {state}.", "Build it again.")
