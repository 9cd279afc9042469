"""The copies of stored indexes on this machine: one to read, one to change.

CACHE/store/
├── objects/                        see `pull_index.ObjectCache`
├── read/KEY/my.index/              what was fetched to be asked
└── work/KEY/
    ├── my.index/                   what is built or changed here before it is brought to the store
    ├── begun.json                  what was in force on the store when that was begun
    └── begun-HASH.json             the same of a folder of the user's own (`build --out --store`)

KEY is a hash of the address. The files of all are links to `objects`, and take no room twice.
"""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from recsys.errors import ArtifactMissing, InputError, SourceUnreachable
from recsys.pipelines.remote.object_store import ObjectFolder, StoreAddress
from recsys.pipelines.remote.pull_index import ObjectCache, named_here, pull_index
from recsys.pipelines.remote.push_index import PushReport, push_index
from recsys.pipelines.remote.store_pointer import StorePointer, find_pointer, need_pointer
from recsys.protocols import Progress, silent
from recsys.store.artifacts import INDEX_KIND, INDEX_SCHEMA, fingerprint, load_manifest, write_json
from recsys.store.generations import pin

OFFLINE = "RECSYS_OFFLINE"
_STORE = "store"


def copy_to_read(address: StoreAddress, cache: Path, *, progress: Progress = silent) -> Path:
    """Return a folder with the index in force at an address, fetching what is not here.

    With $RECSYS_OFFLINE nothing is asked: what was fetched last is the answer.

    Raises:
        ArtifactError: there is no index, or it is damaged.
        OnlineError: the store does not answer.
        InputError: there is no such bucket.
    """
    index = cache / _STORE / "read" / address.key / address.name
    if os.environ.get(OFFLINE):
        if named_here(index) is None:
            raise ArtifactMissing(
                f"{OFFLINE} is set, and nothing of {address} was fetched before.",
                f"Unset {OFFLINE}.",
            )
        return index
    store = ObjectFolder(address)
    try:
        pointer = need_pointer(store)
    except SourceUnreachable as error:
        if named_here(index) is not None:
            error.hint += f" With {OFFLINE}=1, what was fetched before answers."
        raise
    pull_index(store, _objects(cache), index, pointer, whole=False, progress=progress)
    return index


@dataclass(frozen=True, slots=True)
class WorkingCopy:
    """A folder in which an index is built or changed, and the store that gets it.

    former: what was in force there when the work began; note: where that is written down.
    """

    store: ObjectFolder
    index: Path
    former: StorePointer | None
    note: Path
    objects: ObjectCache

    def push(self, *, anew: bool = False, progress: Progress = silent) -> PushReport:
        """Bring it to the store, see `push_index`."""
        report = push_index(self.store, self.index, self.former, anew=anew, progress=progress)
        _write(self.note, named_here(self.index))
        with pin(self.index) as folder:
            for name, facts in load_manifest(folder, INDEX_KIND, INDEX_SCHEMA).files.items():
                self.objects.learn(str(facts["sha256"]), folder / name)
        return report


def copy_to_change(
    address: StoreAddress, cache: Path, *, new: bool = False, progress: Progress = silent
) -> WorkingCopy:
    """Give a folder with all of an index that shall be changed.

    What was done there and did not reach the store is kept, so that the same command continues,
    unless another has been put in force on the store since.

    Args:
        address: the index.
        cache: folder of copies.
        new: whether there need not be one.
        progress: told of the megabytes that are fetched.

    Raises:
        ArtifactError: there is no index, or it is damaged.
        OnlineError: the store does not answer.
        InputError: it shall not be asked.
    """
    _check_online(address)
    store = ObjectFolder(address)
    former = find_pointer(store) if new else need_pointer(store)
    folder = cache / _STORE / "work" / address.key
    index, note = folder / address.name, folder / "begun.json"
    folder.mkdir(parents=True, exist_ok=True)
    begun = _read(note)
    if former is not None and former.sha256 not in (named_here(index), begun):
        former = pull_index(store, _objects(cache), index, former, whole=True, progress=progress)
    _write(note, None if former is None else former.sha256)
    return WorkingCopy(store, index, former, note, _objects(cache))


def copy_of_own(address: StoreAddress, cache: Path, index: Path, *, force: bool) -> WorkingCopy:
    """Have a folder of the user's own brought to a store; nothing is fetched into it.

    Args:
        address: where it goes.
        cache: folder of copies.
        index: the folder, in which there may be nothing yet.
        force: whether another index there may be replaced.

    Raises:
        InputError: another index is there, or the store shall not be asked.
        OnlineError: the store does not answer.
    """
    _check_online(address)
    store = ObjectFolder(address)
    former = find_pointer(store)
    own = fingerprint(str(index.resolve()))
    note = cache / _STORE / "work" / address.key / f"begun-{own}.json"
    note.parent.mkdir(parents=True, exist_ok=True)
    if former is not None and former.sha256 not in (named_here(index), _read(note)) and not force:
        raise InputError(
            f"{address} holds another index than {index}.",
            "Give another --store, or replace it with --force.",
        )
    _write(note, None if former is None else former.sha256)
    return WorkingCopy(store, index, former, note, _objects(cache))


def _check_online(address: StoreAddress) -> None:
    if os.environ.get(OFFLINE):
        raise InputError(
            f"{OFFLINE} is set: {address} can be read, and not be changed.", f"Unset {OFFLINE}."
        )


def _objects(cache: Path) -> ObjectCache:
    return ObjectCache(cache / _STORE / "objects")


def _read(note: Path) -> str | None:
    with suppress(OSError, ValueError, LookupError, TypeError):
        return str(json.loads(note.read_text(encoding="utf-8"))["sha256"])
    return None


def _write(note: Path, checksum: str | None) -> None:
    write_json(note, {"sha256": checksum})
