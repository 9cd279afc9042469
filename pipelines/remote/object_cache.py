"""Files of stores by their content: whatever index or generation holds a file, it comes once.

CACHE/store/objects/
└── 9f/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
"""

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from recsys.leftovers import remove_leftovers, temporary_name
from recsys.pipelines.remote.object_store import PIECE, ObjectFolder
from recsys.pipelines.remote.store_pointer import torn
from recsys.store.artifacts import link_or_copy, to_disk

_YOUNG = 3600
"""Seconds for which a file that no index uses may be one that an index is about to use."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file of a generation: where it lies on the store, and what it must be."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ObjectCache:
    """folder: where they lie."""

    folder: Path

    def place(self, sha256: str) -> Path:
        """Name the file of a content, which may not be there."""
        return self.folder / sha256[:2] / sha256

    def bring(
        self, store: ObjectFolder, wanted: Wanted, also: Path, told: Callable[[int], None]
    ) -> bool:
        """Give a file of a store another name here, and fetch it unless its content is known.

        told: called with the number of bytes that have come.

        Returns:
            Whether it is there; else it is gone from the store.

        Raises:
            ArtifactCorrupt: it is not what it must be.
        """
        place = self.place(wanted.sha256)
        if not (place.is_file() and place.stat().st_size == wanted.size):
            if not _fetch(store, wanted, place, told):
                return False
        else:
            told(wanted.size)
        link_or_copy(place, also)
        return True

    def learn(self, sha256: str, file: Path) -> None:
        """Remember a file that lies here already, so that nobody fetches it."""
        place = self.place(sha256)
        if not place.exists():
            with suppress(OSError):  # On another disk it would have to be copied.
                place.parent.mkdir(parents=True, exist_ok=True)
                os.link(file, place)

    def sweep(self) -> None:
        """Remove what no index here uses any more."""
        for place in self.folder.glob("*/*"):
            try:
                facts = place.stat()
                if facts.st_nlink < 2 and facts.st_mtime < time.time() - _YOUNG:
                    place.unlink()
            except OSError:  # Another has removed it.
                continue


def _fetch(store: ObjectFolder, wanted: Wanted, place: Path, told: Callable[[int], None]) -> bool:
    place.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(place.parent)
    free = shutil.disk_usage(place.parent).free
    if free < wanted.size:
        raise OSError(28, "No space left on device", str(place.parent))
    temporary = place.with_name(temporary_name())
    hashed = hashlib.sha256()
    try:
        with temporary.open("wb") as file:
            for start in range(0, wanted.size, PIECE):
                length = min(PIECE, wanted.size - start)
                piece = store.piece(wanted.name, start, length)
                if piece is None:
                    if start:
                        raise torn(store, wanted.name)
                    return False
                file.write(piece)
                hashed.update(piece)
                told(len(piece))
        if hashed.hexdigest() != wanted.sha256:
            raise torn(store, wanted.name)
        to_disk(temporary)
        temporary.replace(place)
    finally:
        temporary.unlink(missing_ok=True)
    return True
