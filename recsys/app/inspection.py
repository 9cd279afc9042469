"""Say what an artifact is, and whether its files are what they were when it was written."""

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from recsys.app.terminal import wrapped
from recsys.errors import ArtifactError
from recsys.indexes.opening import open_collection
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
    manifest_bytes,
    verify,
)
from recsys.store.generations import pin, read_pointer

SCHEMA = "recsys.inspection/1"
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
    """Check an artifact and those stored inside it: their sizes.

    hashes: the checksums, too, and whether the numbers of an index fit each other.

    Raises:
        ArtifactError: nothing is there, or a file is missing or changed.
    """
    with nullcontext(folder) if read_pointer(folder) is None else pin(folder) as generation:
        nested = sorted(path.parent for path in generation.glob(f"*/**/{MANIFEST}"))
        return [_inspect(each, generation, hashes=hashes) for each in (generation, *nested)]


def _inspect(folder: Path, index: Path, *, hashes: bool) -> Inspection:
    try:  # A broken manifest is reported when it is loaded.
        named = json.loads(manifest_bytes(folder / MANIFEST))
        kind, schema = str(named["kind"]), int(named["schema"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        kind, schema = INDEX_KIND, INDEX_SCHEMA
    manifest = load_manifest(folder, kind, schema)
    check_sizes(folder, manifest)
    if hashes:
        verify(folder, manifest)
        if kind == INDEX_KIND and len(files_here(folder, manifest.files)) == len(manifest.files):
            open_collection(folder, whole=True)  # It may have been written wrong.
    config, until, years = manifest.config, manifest.config.get(UNTIL), index / CORPUS / YEARS
    if isinstance(until, int) and years.is_file():
        with suppress(ArtifactError):  # Whoever opens the index is told.
            # Of a model: the share of the papers that is newer than what it learned from.
            newer = float((load_array(years) > until).mean())
            config = {**config, UNTIL: f"{newer:.1%} of the papers are newer than {until}"}
    return Inspection(
        path=str(folder),
        kind=manifest.kind,
        schema=manifest.schema,
        created_by=manifest.created_by,
        files=len(manifest.files),
        bytes=sum(facts["bytes"] for facts in manifest.files.values()),
        verified=hashes,
        config=config,
        on_store=len(manifest.files) - len(files_here(folder, manifest.files)),
    )


def inspection_json(found: Sequence[Inspection]) -> str:
    """Write as one JSON object of schema `recsys.inspection/1`."""
    value = {"schema": SCHEMA, "artifacts": [asdict(each) for each in found]}
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def inspection_table(found: Sequence[Inspection], columns: int | None = None) -> str:
    """Write as text, one paragraph per artifact; columns: of the terminal, None: do not wrap."""
    paragraphs = []
    for each in found:
        state = "checksums match" if each.verified else "sizes match (--verify checks checksums)"
        if each.on_store:
            state += f"; {each.on_store} are still on the store and were not checked"
        rows = {
            "kind": f"{each.kind}, schema {each.schema}, written by {each.created_by}",
            "files": f"{each.files} files, {each.bytes / 1e6:,.1f} MB, {state}",
        } | {key: _flat(value) for key, value in each.config.items()}
        width = max(map(len, rows))
        lines = "".join(
            f"  {'' if number else key:<{width}}  {line}\n"
            for key, value in rows.items()
            for number, line in enumerate(
                wrapped(value, columns and columns - width - 4).split("\n")
            )
        )
        paragraphs.append(f"{each.path}\n{lines}")
    return "\n".join(paragraphs)


def _flat(value: object) -> str:
    """Write a value on one line, sentences on one each; of a long list, its length and range."""
    if isinstance(value, list) and value and all(" " in str(each) for each in value):
        return "\n".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}={_flat(item)}" for key, item in value.items())
    if isinstance(value, list) and len(value) > MOST_SHOWN:
        if all(isinstance(each, int | float) for each in value):
            return f"{len(value):,} numbers from {min(value):g} to {max(value):g}"
        return f"{len(value):,}, from {_flat(value[0])} to {_flat(value[-1])}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
