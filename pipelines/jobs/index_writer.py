"""Change an index: make a new generation of it, and put that into force in one step.

A process killed at any moment leaves the old generation in force or the new one, and nothing that
the next writer does not remove.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recsys.errors import ArtifactError
from recsys.leftovers import remove_leftovers
from recsys.pipelines.jobs.locks import discard, holding
from recsys.pipelines.jobs.staged_folder import StagedFolder
from recsys.progress import Progress, silent
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


@dataclass(frozen=True, slots=True)
class IndexWriter:
    """The right to change an index, which one process has at a time; see `writing`."""

    index: Path

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
        return StagedFolder(place)

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
            link_tree(folder, new / name)
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
        known = self._known()
        files = {}
        for path in sorted(each for each in new.rglob("*") if each.is_file()):
            facts = known.get(_identity(path))
            files[path.relative_to(new).as_posix()] = facts or facts_of_file(path)
        return files

    def _known(self) -> dict[tuple[int, int], Any]:
        with suppress(ArtifactError), pin(self.index) as base:
            files = load_manifest(base, INDEX_KIND, INDEX_SCHEMA).files
            there = ((base / name, facts) for name, facts in files.items())
            return {_identity(path): facts for path, facts in there if path.exists()}
        return {}

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
        writer = IndexWriter(folder)
        if first:
            writer.tidy()
        try:
            yield writer
        finally:
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


def link_tree(folder: Path, copy: Path) -> None:
    """Give every file of a folder a second name below another; links cannot be copied wrong."""
    shutil.copytree(folder, copy, copy_function=link_or_copy)


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino
