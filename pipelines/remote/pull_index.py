"""Fetch the index in force on a store into a folder of this machine, as an index of its own.

Files come once, by their content, and get the names that they have in a generation; that is put in
force when all of it is there. What is searched on the store itself (folders `*.lance`) stays there:
`remote.json` in the generation says where.
"""

import hashlib
import os
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from recsys.errors import ArtifactError
from recsys.machine import remove_leftovers, temporary_name
from recsys.pipelines.jobs.index_writer import writing
from recsys.pipelines.remote.object_store import PIECE, ObjectFolder
from recsys.pipelines.remote.store_pointer import StorePointer, need_pointer, read_generation, torn
from recsys.protocols import Progress, silent
from recsys.store.artifacts import (
    MANIFEST,
    REMOTE,
    lies_on_store,
    link_or_copy,
    to_disk,
    tree_to_disk,
    write_json,
)
from recsys.store.generations import GENERATIONS, read_pointer, remove_unless_read

AT_ONCE = 8
"""Files that are on their way at a time."""
MEGABYTE = 1_000_000
_YOUNG = 3600
"""Seconds for which a file that no index uses may be one that an index is about to use."""
_TRIES = 3
_NEW = ".new"
_ONE_BY_ONE = threading.Lock()
"""The lock of an index refuses a second thread of one process, and lets other processes wait."""

Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class ObjectCache:
    """Files of stores by their content: whatever index or generation holds a file, it comes once.

    folder: where they lie, `9f/9f86d081...` for the SHA-256 of each.
    """

    folder: Path

    def bring(
        self,
        store: ObjectFolder,
        name: str,
        facts: Mapping[str, Any],
        also: Path,
        count: Callable[[int], None],
    ) -> bool:
        """Give a file of a store another name here, and fetch it unless its content is known.

        Args:
            store: where it lies, by the name.
            name: of the object.
            facts: what it must be: `bytes` and `sha256`.
            also: the name that it gets.
            count: called with the number of bytes that have come.

        Returns:
            Whether it is there; else it is gone from the store.

        Raises:
            ArtifactCorrupt: it is not what it must be.
        """
        place, size = self._place(facts["sha256"]), facts["bytes"]
        if place.is_file() and place.stat().st_size == size:
            count(size)
            link_or_copy(place, also)
            return True
        place.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(place.parent)
        if shutil.disk_usage(place.parent).free < size:
            raise OSError(28, "No space left on device", str(place.parent))
        temporary, hashed = place.with_name(temporary_name()), hashlib.sha256()
        try:
            with temporary.open("wb") as file:
                for start in range(0, size, PIECE):
                    piece = store.piece(name, start, min(PIECE, size - start))
                    if piece is None and not start:
                        return False
                    if piece is None:
                        raise torn(store, name)
                    file.write(piece)
                    hashed.update(piece)
                    count(len(piece))
            if hashed.hexdigest() != facts["sha256"]:
                raise torn(store, name)
            to_disk(temporary)
            temporary.replace(place)
        finally:
            temporary.unlink(missing_ok=True)
        link_or_copy(place, also)
        return True

    def learn(self, sha256: str, file: Path) -> None:
        """Remember a file that lies here already, so that nobody fetches it."""
        place = self._place(sha256)
        if not place.exists():
            with suppress(OSError):  # On another disk it would have to be copied.
                place.parent.mkdir(parents=True, exist_ok=True)
                os.link(file, place)

    def sweep(self) -> None:
        """Remove what no index here uses any more."""
        for place in self.folder.glob("*/*"):
            with suppress(OSError):  # Another has removed it.
                facts = place.stat()
                if facts.st_nlink < 2 and facts.st_mtime < time.time() - _YOUNG:
                    place.unlink()

    def _place(self, sha256: str) -> Path:
        return self.folder / sha256[:2] / sha256


def pull_index(
    store: ObjectFolder,
    cache: ObjectCache,
    index: Path,
    pointer: StorePointer,
    *,
    whole: bool,
    progress: Progress = silent,
) -> StorePointer:
    """Make a folder the index that is in force on a store; do nothing if it is that already.

    Args:
        store: from where.
        cache: of files.
        index: the folder; nothing of what it was stays, but for its readers.
        pointer: what was in force a moment ago.
        whole: whether also what is searched on the store is fetched.
        progress: told of the megabytes that come.

    Returns:
        What is in force there now, and is so here.

    Raises:
        ArtifactError: there is none any more, or a file of it is not what it must be.
        OnlineError: the store does not answer.
    """
    if named_here(index) == pointer.sha256:
        return pointer
    index.parent.mkdir(parents=True, exist_ok=True)
    with _ONE_BY_ONE, writing(index, new=True, wait=True, progress=progress) as writer:
        folder = writer.index
        for _ in range(_TRIES):
            here = named_here(folder) == pointer.sha256
            if here or _brought(store, cache, folder, pointer, whole, progress):
                write_json(folder / MANIFEST, pointer.value)
                break
            # Gone while it came: another has been put in force, or it was never whole.
            former, pointer = pointer, need_pointer(store)
            if pointer == former:
                raise torn(store, pointer.folder)
        else:
            raise torn(store, pointer.folder)
    cache.sweep()
    return pointer


def named_here(index: Path) -> str | None:
    """Return the hash of the manifest in force in a folder; None: there is no index."""
    with suppress(ArtifactError):
        here = read_pointer(index)
        if here is not None and (index / GENERATIONS / str(here["generation"])).is_dir():
            return str(here["sha256"])
    return None


def _brought(
    store: ObjectFolder,
    cache: ObjectCache,
    index: Path,
    pointer: StorePointer,
    whole: bool,
    progress: Progress,
) -> bool:
    """Fetch a generation beside the others; False: it, or a file of it, is not on the store."""
    stored = read_generation(store, pointer)
    if stored is None:
        return False
    finished = index / pointer.folder
    remove_unless_read(finished)
    new = finished.with_name(f"{finished.name}{_NEW}")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    names = [name for name in stored.files if whole or not lies_on_store(name)]
    if len(names) < len(stored.files):
        write_json(new / REMOTE, {"uri": store.address.below(pointer.folder)})
    size = sum(stored.files[name]["bytes"] for name in names)
    count = Counted(f"pull {store.address}, MB", size, progress)
    for folder in {(new / name).parent for name in names}:
        folder.mkdir(parents=True, exist_ok=True)

    def bring(name: str) -> bool:
        return cache.bring(store, f"{pointer.folder}/{name}", stored.files[name], new / name, count)

    if not all(at_once(bring, names, count)):
        return False
    (new / MANIFEST).write_bytes(stored.manifest)
    tree_to_disk(new)
    new.rename(finished)
    return True


class Counted:
    """Adds up bytes of several threads and tells of them in megabytes; stops them when asked."""

    def __init__(self, stage: str, total: int, progress: Progress) -> None:
        self._stage, self._total, self._progress = stage, max(1, -(-total // MEGABYTE)), progress
        self._done, self._lock, self._stopped = 0, threading.Lock(), False
        progress(stage, 0, self._total)

    def __call__(self, more: int) -> None:
        """Add some bytes.

        Raises:
            InterruptedError: the work was given up meanwhile.
        """
        with self._lock:
            if self._stopped:
                raise InterruptedError
            self._done += more
            self._progress(self._stage, min(self._done // MEGABYTE, self._total - 1), self._total)

    def stop(self) -> None:
        """Have every thread stop that adds more."""
        self._stopped = True

    def finish(self) -> None:
        """Tell that all is done."""
        self._progress(self._stage, self._total, self._total)


def at_once(do: Callable[[str], Done], names: Sequence[str], count: Counted) -> list[Done]:
    """Do something with several names at a time; the first failure ends all of it."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        under_way = [pool.submit(do, name) for name in names]
        try:
            for each in as_completed(under_way):
                each.result()
        except BaseException:
            count.stop()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    count.finish()
    return [each.result() for each in under_way]
