"""Which generation of an index on a store is in force, and what that holds.

s3://bucket/my.index/
├── manifest.json                   names the generation in force, and the hash of its manifest
└── generations/
    └── 3004151623730951/           as in an index on a disk, see `recsys.store.artifacts`

A generation is called by its number and by digits of the hash of its manifest: two writers never
write into one folder, and a writer that was killed finds again what it had sent. `manifest.json`
is replaced last, and only if it is still what the writer began with.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recsys.errors import ArtifactCorrupt, ArtifactMissing
from recsys.pipelines.remote.object_store import ObjectFolder, Seen
from recsys.store.artifacts import INDEX_KIND, INDEX_SCHEMA, MANIFEST, check_schema, json_bytes
from recsys.store.generations import GENERATIONS

_OF_THE_HASH = 10**15
"""So many digits tell the folders of writers apart."""


@dataclass(frozen=True, slots=True)
class StorePointer:
    """What `manifest.json` on a store says.

    seen: the object as it was read. value: its content. sha256: of the generation's manifest.
    """

    seen: Seen
    value: Mapping[str, Any]
    generation: str
    sha256: str

    @property
    def folder(self) -> str:
        """Where the generation lies, from the address on."""
        return f"{GENERATIONS}/{self.generation}"

    @property
    def number(self) -> int:
        """How many were before."""
        return int(self.generation) // _OF_THE_HASH


@dataclass(frozen=True, slots=True)
class StoredGeneration:
    """manifest: as it lies there. files: size and SHA-256 by name."""

    manifest: bytes
    files: Mapping[str, Mapping[str, Any]]


def find_pointer(store: ObjectFolder) -> StorePointer | None:
    """Read which generation is in force; None: there is no index.

    Raises:
        ArtifactCorrupt: it is not what `recsys` writes.
        ArtifactMismatch: another version wrote it.
        OnlineError, InputError: the store does not answer.
    """
    seen = store.read(MANIFEST)
    if seen is None:
        return None
    place = store.address.below(MANIFEST)
    try:
        value = json.loads(seen.content)
        generation, checksum = value["generation"], value["sha256"]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise ArtifactCorrupt(
            f"{place} is not the manifest of an index.", "Correct the address, or remove it."
        ) from error
    check_schema(str(store.address), INDEX_KIND, value.get("schema"), INDEX_SCHEMA)
    if not (isinstance(generation, str) and generation.isdecimal() and generation.isascii()):
        raise ArtifactCorrupt(f"{place} names no generation.", "Push the index again.")
    return StorePointer(seen, value, generation, str(checksum))


def need_pointer(store: ObjectFolder) -> StorePointer:
    """Read which generation is in force.

    Raises:
        ArtifactMissing: there is no index.
    """
    pointer = find_pointer(store)
    if pointer is None:
        raise ArtifactMissing(
            f"There is no index at {store.address}.",
            f"Make one with `recsys build PAPERS --store {store.address}`.",
        )
    return pointer


def new_pointer(manifest: bytes, former: StorePointer | None) -> StorePointer:
    """Name the generation of a manifest, as the one that comes after another."""
    checksum = hashlib.sha256(manifest).hexdigest()
    number = 1 if former is None else former.number + 1
    generation = str(number * _OF_THE_HASH + int(checksum, 16) % _OF_THE_HASH)
    value = {
        "kind": INDEX_KIND,
        "schema": INDEX_SCHEMA,
        "generation": generation,
        "sha256": checksum,
    }
    return StorePointer(Seen(json_bytes(value), {}), value, generation, checksum)


def read_generation(store: ObjectFolder, pointer: StorePointer) -> StoredGeneration | None:
    """Read what a generation holds; None: it is gone.

    Raises:
        ArtifactCorrupt: it is not the one that is meant, or names files outside itself.
    """
    place = f"{pointer.folder}/{MANIFEST}"
    seen = store.read(place)
    if seen is None:
        return None
    if hashlib.sha256(seen.content).hexdigest() != pointer.sha256:
        raise torn(store, place)
    try:
        files = {
            str(name): {"bytes": int(facts["bytes"]), "sha256": str(facts["sha256"])}
            for name, facts in json.loads(seen.content)["files"].items()
        }
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise torn(store, place) from error
    parts = [part for name in files for part in name.split("/")]
    if any(part in ("", ".", "..") or set(part) & set("\\:\0") for part in parts):
        raise ArtifactCorrupt(
            f"{store.address.below(place)} names files outside the index.", "Do not use it."
        )
    return StoredGeneration(seen.content, files)


def torn(store: ObjectFolder, name: str) -> ArtifactCorrupt:
    """Say that an object is not what the manifest says."""
    return ArtifactCorrupt(
        f"{store.address.below(name)} does not have the checksum in its manifest.",
        "It was changed or cut short on the store: build the index again with --force.",
    )
