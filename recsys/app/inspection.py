"""Say what an artifact is, and whether its files are what they were when it was written."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from recsys.errors import ArtifactError, RecsysError
from recsys.store.arrays import load_array
from recsys.store.artifacts import (
    CORPUS,
    INDEX_KIND,
    INDEX_SCHEMA,
    MANIFEST,
    UNTIL,
    YEARS,
    check_sizes,
    files_here,
    load_manifest,
    verify,
)
from recsys.store.generations import pin, read_pointer

SCHEMA = "recsys.inspection/1"
_DEFAULT_KIND = (INDEX_KIND, INDEX_SCHEMA)
MOST_SHOWN = 12
"""Items of a list that people are shown; `inspection_json` has all of them."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """One artifact: an index, or one that is stored inside it.

    on_store: how many of its files stayed on an object store, and were not looked at.
    """

    path: str
    kind: str
    schema: int
    created_by: str
    files: int
    bytes: int
    verified: bool
    config: Mapping[str, Any]
    on_store: int = 0


def inspect_artifact(folder: Path, *, hashes: bool = False) -> list[Inspection]:
    """Check an artifact and those stored inside it: sizes always, checksums on request.

    Raises:
        ArtifactError: nothing is there, or a file is missing or changed.
    """
    if read_pointer(folder) is None:
        return _inspect_all(folder, hashes=hashes)
    with pin(folder) as generation:
        return _inspect_all(generation, hashes=hashes)


def _inspect_all(folder: Path, *, hashes: bool) -> list[Inspection]:
    nested = sorted(path.parent for path in folder.glob(f"*/**/{MANIFEST}"))
    found = [_inspect(each, hashes=hashes) for each in (folder, *nested)]
    return [_with_age(each, folder) for each in found]


def _with_age(found: Inspection, index: Path) -> Inspection:
    """Add to a model which share of the papers is newer than the queries that it learned from."""
    until = found.config.get(UNTIL)
    if not isinstance(until, int) or not (index / CORPUS / YEARS).is_file():
        return found
    try:
        years = load_array(index / CORPUS / YEARS)
    except ArtifactError:  # Whoever opens the index is told.
        return found
    newer = f"{float((years > until).mean()):.1%} of the papers are newer than {until}"
    return replace(found, config={**found.config, UNTIL: newer})


@contextmanager
def damage_named(index: Path | None) -> Iterator[None]:
    """Check an index whose use fails in an unforeseen way: a changed byte is the likely cause.

    Raises:
        ArtifactError: instead of the failure, when a checksum does not match.
    """
    try:
        yield
    except RecsysError:
        raise
    except Exception:
        if index is not None:
            inspect_artifact(index, hashes=True)
        raise


def inspection_json(found: Sequence[Inspection]) -> str:
    """Write as one JSON object of schema `recsys.inspection/1`."""
    value = {"schema": SCHEMA, "artifacts": [asdict(each) for each in found]}
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def inspection_table(found: Sequence[Inspection]) -> str:
    """Write as text, one paragraph per artifact."""
    return "\n".join(_paragraph(each) for each in found)


def _inspect(folder: Path, *, hashes: bool) -> Inspection:
    kind, schema = _named_kind(folder / MANIFEST)
    manifest = load_manifest(folder, kind, schema)
    check_sizes(folder, manifest)
    if hashes:
        verify(folder, manifest)
    return Inspection(
        path=str(folder),
        kind=manifest.kind,
        schema=manifest.schema,
        created_by=manifest.created_by,
        files=len(manifest.files),
        bytes=sum(facts["bytes"] for facts in manifest.files.values()),
        verified=hashes,
        config=manifest.config,
        on_store=len(manifest.files) - len(files_here(folder, manifest.files)),
    )


def _named_kind(path: Path) -> tuple[str, int]:
    """Read what the manifest calls itself; a broken one is reported when it is loaded."""
    try:
        value = json.loads(path.read_bytes())
        return str(value["kind"]), int(value["schema"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return _DEFAULT_KIND


def _paragraph(found: Inspection) -> str:
    state = "checksums match" if found.verified else "sizes match (--verify compares checksums)"
    if found.on_store:
        state += f"; {found.on_store} stayed on the store, and were not looked at"
    rows = {
        "kind": f"{found.kind}, schema {found.schema}, written by {found.created_by}",
        "files": f"{found.files} files, {found.bytes / 1e6:,.1f} MB, {state}",
    } | {key: _flat(value) for key, value in found.config.items()}
    width = max(map(len, rows))
    return f"{found.path}\n" + "".join(f"  {key:<{width}}  {rows[key]}\n" for key in rows)


def _flat(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={_flat(item)}" for key, item in value.items())
    if isinstance(value, list) and len(value) > MOST_SHOWN:
        return _told(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _told(values: Sequence[Any]) -> str:
    """Tell how many there are, and the range of numbers, or the first and the last of others."""
    if all(isinstance(each, int | float) for each in values):
        return f"{len(values):,} numbers from {min(values):g} to {max(values):g}"
    return f"{len(values):,}, from {_flat(values[0])} to {_flat(values[-1])}"
