"""List and read the files of a project: what lies below its folder."""

import os
from collections.abc import Iterator
from pathlib import Path

from recsys.errors import DraftError
from recsys.formats.drafts.archive import LARGEST_ENTRY, MOST_BYTES, MOST_ENTRIES
from recsys.formats.drafts.wording import short
from recsys.formats.files import read_bytes


class Project:
    """The files below a folder of the disk, by their names from there; `read` reads one.

    What is hidden is passed over, and so is what a link leads to outside.
    """

    def __init__(self, folder: Path) -> None:
        """List a folder.

        Raises:
            DraftError: it has more files than a project has.
        """
        self.name = str(folder)
        self._root = folder.resolve()
        self._left = MOST_BYTES
        self._known: dict[str, bytes] = {}
        self.names = frozenset(self._listed())

    def _listed(self) -> Iterator[str]:
        count = 0
        for at, folders, files in os.walk(self._root):
            folders[:] = sorted(each for each in folders if not each.startswith((".", "__")))
            for name in sorted(files):
                count += 1
                if count > MOST_ENTRIES:
                    raise DraftError(
                        f"{self.name} has more than {MOST_ENTRIES:,} files.",
                        "Give the main file of the draft.",
                    )
                path = Path(at, name)
                if not name.startswith(".") and path.resolve().is_relative_to(self._root):
                    yield path.relative_to(self._root).as_posix()

    def read(self, name: str) -> bytes:
        """Read a file.

        Raises:
            InputError: it cannot be read, or (DraftError) is too large.
        """
        if name in self._known:
            return self._known[name]
        raw = read_bytes(self._root / name)
        if len(raw) > min(LARGEST_ENTRY, self._left):
            raise DraftError(
                f"{short(name)} in {self.name} is too large to be read with the others.",
                "Give the main file of the draft.",
            )
        self._left -= len(raw)
        self._known[name] = raw
        return raw
