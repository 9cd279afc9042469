"""Fetch the index in force on a store into a folder of this machine, as an index of its own.

Files come once, by their content, and get the names that they have in a generation; that is put in
force when all of it is there. What is searched on the store itself (folders `*.lance`) stays there:
`remote.json` in the generation says where.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import TypeVar

from recsys.errors import ArtifactError
from recsys.pipelines.jobs.index_writer import writing
from recsys.pipelines.remote.object_cache import ObjectCache, Wanted
from recsys.pipelines.remote.object_store import ObjectFolder
from recsys.pipelines.remote.store_pointer import (
    StoredGeneration,
    StorePointer,
    need_pointer,
    read_generation,
    torn,
)
from recsys.progress import Progress, silent
from recsys.store.artifacts import MANIFEST, REMOTE, lies_on_store, tree_to_disk, write_json
from recsys.store.generations import GENERATIONS, read_pointer, remove_unless_read

Done = TypeVar("Done")
AT_ONCE = 8
"""Files that are on their way at a time."""
_TRIES = 3
_NEW = ".new"
_ONE_BY_ONE = threading.Lock()
"""The lock of an index refuses a second thread of one process, and lets other processes wait."""
MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Pull:
    """store: from where. cache: of files. whole: whether also what is searched on the store."""

    store: ObjectFolder
    cache: ObjectCache
    whole: bool
    progress: Progress = silent


def pull_index(pull: Pull, index: Path, pointer: StorePointer) -> StorePointer:
    """Make a folder the index that is in force on a store; do nothing if it is that already.

    Args:
        pull: from where, and how much.
        index: the folder; nothing of what it was stays, but for its readers.
        pointer: what was in force a moment ago.

    Returns:
        What is in force there now, and is so here.

    Raises:
        ArtifactError: there is none any more, or a file of it is not what it must be.
        OnlineError: the store does not answer.
    """
    if holds(index, pointer):
        return pointer
    index.parent.mkdir(parents=True, exist_ok=True)
    with _ONE_BY_ONE, writing(index, new=True, wait=True, progress=pull.progress) as writer:
        pointer = _put_in_force(pull, writer.index, pointer)
    pull.cache.sweep()
    return pointer


def holds(index: Path, pointer: StorePointer) -> bool:
    """Tell whether a folder has in force what a store has."""
    return named_here(index) == pointer.sha256


def named_here(index: Path) -> str | None:
    """Return the hash of the manifest in force in a folder; None: there is no index."""
    with suppress(ArtifactError):
        here = read_pointer(index)
        if here is not None and (index / GENERATIONS / str(here["generation"])).is_dir():
            return str(here["sha256"])
    return None


def _put_in_force(pull: Pull, index: Path, pointer: StorePointer) -> StorePointer:
    for _ in range(_TRIES):
        if holds(index, pointer) or _brought(pull, index, pointer):
            write_json(index / MANIFEST, pointer.value)
            return pointer
        # Gone while it came: another has been put in force, or it was never whole.
        former, pointer = pointer, need_pointer(pull.store)
        if pointer == former:
            break
    raise torn(pull.store, pointer.folder)


def _brought(pull: Pull, index: Path, pointer: StorePointer) -> bool:
    """Fetch a generation beside the others; False: it, or a file of it, is not on the store."""
    stored = read_generation(pull.store, pointer)
    if stored is None:
        return False
    finished = index / pointer.folder
    remove_unless_read(finished)
    new = finished.with_name(f"{finished.name}{_NEW}")
    rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    if not _fill(pull, new, pointer, stored):
        return False
    (new / MANIFEST).write_bytes(stored.manifest)
    tree_to_disk(new)
    new.rename(finished)
    return True


def _fill(pull: Pull, new: Path, pointer: StorePointer, stored: StoredGeneration) -> bool:
    """Bring the files of a generation into an empty folder."""
    names = [name for name in stored.files if pull.whole or not lies_on_store(name)]
    if len(names) < len(stored.files):
        write_json(new / REMOTE, {"uri": pull.store.address.below(pointer.folder)})
    count = Counted(
        f"pull {pull.store.address}, MB",
        sum(stored.files[name]["bytes"] for name in names),
        pull.progress,
    )
    for folder in {(new / name).parent for name in names}:
        folder.mkdir(parents=True, exist_ok=True)

    def bring(name: str) -> bool:
        facts = stored.files[name]
        wanted = Wanted(f"{pointer.folder}/{name}", facts["bytes"], facts["sha256"])
        return pull.cache.bring(pull.store, wanted, new / name, count)

    return all(at_once(bring, names, count))


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
