"""Change an index: make a new generation of it, and put that into force in one step.

A process killed at any moment leaves the old generation in force or the new one, and nothing that
the next writer does not remove.
"""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recsys.errors import ArtifactError, InputError
from recsys.machine import remove_leftovers
from recsys.pipelines.jobs.kept_results import noted
from recsys.protocols import Progress, silent
from recsys.store.artifacts import (
    INDEX_KIND,
    INDEX_SCHEMA,
    facts_of_file,
    link_or_copy,
    load_manifest,
    to_disk,
    tree_to_disk,
    write_json,
    write_manifest,
)
from recsys.store.generations import (
    GENERATIONS,
    pin,
    point,
    read_pointer,
    remove_unless_read,
    root_of,
)

LOCK = "lock"
UNFINISHED = "unfinished"
_PURPOSE = "purpose.json"
_NEW = ".new"
"""Ends the name of a folder that is being filled."""


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Hold a lock file beside what is written, so that two processes do not mix their work.

    Raises:
        InputError: somebody else holds it.
        OSError: there cannot be a file.
    """
    path = out.with_name(f".{out.name}.lock")
    with holding(path, out):
        try:
            yield
        finally:
            discard(path)


@contextmanager
def holding(
    path: Path, out: Path, *, again: bool = False, wait: bool = False, progress: Progress = silent
) -> Iterator[bool]:
    """Hold a lock file, which stays. Gives whether the process did not hold it already.

    Args:
        path: the lock file.
        out: what it guards.
        again: whether a process that holds it may take it again.
        wait: whether to wait for another process, or to refuse.
        progress: told of the waiting.

    Raises:
        InputError: somebody else holds it.
        OSError: there cannot be a file.
    """
    from filelock import FileLock, Timeout  # Heavy to import, and only writers need it.

    lock = FileLock(path, is_singleton=True)
    path.touch()  # A place that cannot be written says so here: filelock would take it for held.
    refused = InputError(f"Another process is writing {out}.", "Wait for it, or stop it.")
    if lock.is_locked and not again:
        raise refused
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        if not wait:
            raise refused from error
        stage = f"waiting for the process that writes {out}"
        progress(stage, 0, 1)
        lock.acquire()
        progress(stage, 1, 1)
    try:
        yield lock.lock_counter == 1
    finally:
        lock.release()


def discard(path: Path) -> None:
    """Remove a lock file that is held, with what it guards.

    A process that had opened it before finds, once it has the lock, that the file has no name any
    more, and takes the lock for none (filelock looks at the number of links). After the release it
    would be too late: the file may be another's by then. Windows removes no open file: filelock
    does it there.
    """
    with suppress(OSError):
        path.unlink()


@dataclass(frozen=True, slots=True)
class Stage:
    """facts: what a stage has to say, as JSON. kept: whether an earlier process finished it."""

    facts: dict[str, Any]
    kept: bool


class FileHashes:
    """What manifests hold of files: those of an index are known, others are hashed beside work."""

    def __init__(self, index: Path) -> None:
        """Take over what the index says of its own."""
        self._threads = ThreadPoolExecutor(2)
        self._told: dict[tuple[int, ...], Future[dict[str, Any]] | Mapping[str, Any]] = {}
        with suppress(ArtifactError), pin(index) as base:
            stored = load_manifest(base, INDEX_KIND, INDEX_SCHEMA).files
            there = ((base / name, facts) for name, facts in stored.items())
            self._told |= {_identity(path): facts for path, facts in there if path.exists()}

    def begin(self, folder: Path) -> None:
        """Hash the files of a folder in other threads; none of them is written any more."""
        for path in (each for each in folder.rglob("*") if each.is_file()):
            if _identity(path) not in self._told:
                self._told[_identity(path)] = self._threads.submit(facts_of_file, path)

    def of(self, path: Path) -> Mapping[str, Any]:
        """Return what is to be told of a file."""
        told = self._told.get(_identity(path)) or facts_of_file(path)
        return told.result() if isinstance(told, Future) else told

    def close(self) -> None:
        """Hash no more."""
        self._threads.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True)
class StagedFolder:
    """A folder that is made in stages: what is finished survives a kill until all is in place.

    x.index/unfinished/build/
    ├── purpose.json        of `IndexWriter`
    ├── finished/
    │   └── corpus/         a finished stage
    ├── corpus.json         what that stage depended on, and what it has to say
    ├── text.unfinished/    a stage under way
    └── ...                 what a stage keeps for itself, such as vectors encoded so far

    All of it stays until the index has it, too: a process killed at any moment finds every finished
    stage again. place: where it lies; one process at a time may write there. hashes: of what is
    finished.
    """

    place: Path
    hashes: FileHashes | None = None

    @property
    def finished(self) -> Path:
        """The folders of finished stages."""
        return self.place / "finished"

    def stage(self, name: str, key: str, fill: Callable[[Path], dict[str, Any]]) -> Stage:
        """Run a stage unless it was finished before.

        Args:
            name: of the folder that it fills.
            key: hash of everything that it depends on.
            fill: fills an empty folder and returns its facts.
        """
        folder, unfinished = self.finished / name, self.place / f"{name}.unfinished"
        note = self.place / f"{name}.json"
        if (facts := _facts(note, key)) is not None:
            if unfinished.is_dir() and not folder.exists():
                folder.parent.mkdir(exist_ok=True)  # Empty, it may have been tidied away.
                unfinished.rename(folder)  # Killed between the two last lines below.
            if folder.is_dir():
                return Stage(facts, kept=True)
        note.unlink(missing_ok=True)  # First of all: no note of a folder that is half removed.
        for old in (folder, unfinished):
            shutil.rmtree(old, ignore_errors=True)
        self.finished.mkdir(parents=True, exist_ok=True)
        unfinished.mkdir()
        try:
            facts = fill(unfinished)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
        tree_to_disk(unfinished)  # Before the note that says so.
        write_json(note, {"key": key, "facts": facts})
        unfinished.rename(folder)
        if self.hashes is not None:
            self.hashes.begin(folder)
        return Stage(_facts(note, key) or {}, kept=False)

    def remove(self) -> None:
        """Forget the work."""
        shutil.rmtree(self.place, ignore_errors=True)


def _facts(note: Path, key: str) -> dict[str, Any] | None:
    facts = (noted(note, key) or {}).get("facts")
    return facts if isinstance(facts, dict) else None


@dataclass(frozen=True, slots=True)
class IndexWriter:
    """The right to change an index, which one process has at a time; see `writing`."""

    index: Path
    hashes: FileHashes

    @property
    def unfinished(self) -> Path:
        """Where work lies that a killed process may continue."""
        folder = self.index / UNFINISHED
        folder.mkdir(exist_ok=True)
        return folder

    def work(self, name: str, recipe: str | None = None) -> StagedFolder:
        """Give the place of a work in stages; a killed one continues there.

        recipe: of the index that it makes, if it could be the same after other changes. Without,
        the work is of no use once the index has changed.
        """
        place = self.unfinished / name
        place.mkdir(exist_ok=True)
        write_json(place / _PURPOSE, {"after": _name_in_force(self.index), "recipe": recipe})
        return StagedFolder(place, self.hashes)

    @contextmanager
    def member(self, name: str) -> Iterator[Path]:
        """Give an empty folder to fill; it becomes the index's ranker, or what the name says."""
        new = self.unfinished / f"{name}{_NEW}"
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir()
        try:
            yield new
            with pin(self.index) as base:
                config = load_manifest(base, INDEX_KIND, INDEX_SCHEMA).config
                self.commit(members_of(base) | {name: new}, config)
        finally:
            shutil.rmtree(new, ignore_errors=True)
            self.forget_unfinished()

    def commit(self, members: Mapping[str, Path], config: Mapping[str, Any]) -> Path:
        """Make a generation of these folders and put it into force; nothing is copied.

        Args:
            members: all its parts by name; folders of other generations, or below `unfinished`.
            config: what its manifest says.

        Returns:
            The folder of the new generation.
        """
        generations = self.index / GENERATIONS
        generations.mkdir(exist_ok=True)
        numbers = [int(each.name) for each in generations.iterdir() if each.name.isdigit()]
        finished = generations / str(max(numbers, default=0) + 1)
        new = finished.with_name(f"{finished.name}{_NEW}")
        shutil.rmtree(new, ignore_errors=True)  # Of a writer that was killed before any pointer.
        new.mkdir()
        for name, folder in members.items():
            # Every file gets a second name: links cannot be copied wrong.
            shutil.copytree(folder, new / name, copy_function=link_or_copy)
        write_manifest(new, INDEX_KIND, INDEX_SCHEMA, config, self._files(new))
        tree_to_disk(new)
        new.rename(finished)
        to_disk(generations)
        point(self.index, finished)
        self.sweep()
        return finished

    def tidy(self) -> None:
        """Remove what killed writers left."""
        remove_leftovers(self.index)
        for path in self.index.glob(f"{UNFINISHED}/*{_NEW}"):
            shutil.rmtree(path, ignore_errors=True)
        for path in self.index.glob(f"{UNFINISHED}/*/{_PURPOSE}"):
            if self._is_done(path):
                shutil.rmtree(path.parent, ignore_errors=True)
        self.sweep()

    def sweep(self) -> None:
        """Remove generations that nobody needs, and what was to become one."""
        for path in self.index.glob(f"{GENERATIONS}/*{_NEW}"):
            shutil.rmtree(path, ignore_errors=True)
        with suppress(ArtifactError):
            current = read_pointer(self.index)
            for path in self.index.glob(f"{GENERATIONS}/*"):
                if current is not None and path.name != current["generation"]:
                    remove_unless_read(path)
        self.forget_unfinished()

    def _is_done(self, purpose: Path) -> bool:
        """Tell work that the index has already, or that was meant for what it was before."""
        with suppress(ArtifactError, OSError, ValueError, LookupError, TypeError):
            meant = json.loads(purpose.read_text(encoding="utf-8"))
            if meant["after"] == _name_in_force(self.index):
                return False
            recipe = pin(self.index).manifest().config.get("recipe")
            return meant["recipe"] is None or meant["recipe"] == recipe
        return False

    def _files(self, new: Path) -> dict[str, Any]:
        """Tell what manifests hold of every file; those linked from before are not hashed again."""
        paths = sorted(each for each in new.rglob("*") if each.is_file())
        return {path.relative_to(new).as_posix(): self.hashes.of(path) for path in paths}

    def forget_unfinished(self) -> None:
        """Remove folders of unfinished work that hold none."""
        folder = self.index / UNFINISHED
        for path in folder.glob("*"):
            if {each.name for each in path.rglob("*") if each.is_file()} == {_PURPOSE}:
                shutil.rmtree(path, ignore_errors=True)
        for path in (*sorted(folder.glob("**/*/"), reverse=True), folder):
            with suppress(OSError):  # Not there, or not empty.
                path.rmdir()


@contextmanager
def writing(
    index: Path,
    *,
    new: bool = False,
    again: bool = False,
    wait: bool = False,
    progress: Progress = silent,
) -> Iterator[IndexWriter]:
    """Take the right to change an index.

    Args:
        index: it, or one of its generations; a link stays a link.
        new: whether it may be made where nothing is.
        again: whether a process that has the right already may take it again.
        wait: whether to wait for another writer, or to refuse.
        progress: told of the waiting.

    Raises:
        ArtifactError: there is none, or it is damaged, and it is not to be made new.
        InputError: another process writes it.
        OSError: there cannot be one.
    """
    if not new:
        pin(index).manifest()  # Says what is wrong with it.
    folder = root_of(index).resolve()
    folder.mkdir(exist_ok=True)
    with holding(folder / LOCK, index, again=again, wait=wait, progress=progress) as first:
        folder.mkdir(exist_ok=True)  # The process that was waited for may have given it up.
        writer = IndexWriter(folder, FileHashes(folder))
        if first:
            writer.tidy()
        try:
            yield writer
        finally:
            writer.hashes.close()
            writer.sweep()
            if {each.name for each in folder.iterdir()} <= {LOCK, GENERATIONS}:
                discard(folder / LOCK)  # Nothing came of a first build.
                shutil.rmtree(folder, ignore_errors=True)


def _name_in_force(index: Path) -> str | None:
    """Name the generation in force; None where there is none, or none that can be told."""
    with suppress(ArtifactError):
        pointer = read_pointer(index)
        return None if pointer is None else str(pointer["generation"])
    return None


def members_of(generation: Path) -> dict[str, Path]:
    """Name the parts of a generation."""
    folders = (each for each in sorted(generation.iterdir()) if each.is_dir())
    return {each.name: each for each in folders if not each.name.startswith(".")}


def _identity(path: Path) -> tuple[int, ...]:
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
