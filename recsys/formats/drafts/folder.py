"""Find the files that a draft names: only below its own folder, or among those given with it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath, PurePosixPath
from typing import Protocol

from recsys.errors import DraftError
from recsys.formats.drafts.wording import short
from recsys.formats.files import STDIN, read_bytes

_TOP = PurePosixPath()
_REPOSITORIES = (".git", ".hg", ".svn")


class Folder(Protocol):
    """The files that a draft may name."""

    @property
    def draft(self) -> PurePath:
        """The draft's own place among them."""

    def find(self, name: str, suffixes: Sequence[str], *, near: PurePath | None = None) -> PurePath:
        """Find a file that a draft names, with one of the suffixes added or as it is.

        Args:
            name: the file, relative to the draft's folder.
            suffixes: what the name may lack, such as ".tex".
            near: a folder that is tried next.

        Raises:
            DraftError: there is no such file, or it lies outside, by a link or otherwise.
        """

    def read(self, path: PurePath) -> bytes:
        """Read a file that was found.

        Raises:
            InputError: it cannot be read.
        """

    def spare(self, suffix: str) -> PurePath | None:
        """Return the one file of a suffix that may stand in for one that is not there, if any."""


def folder_of(draft: Path, root: Path | None = None) -> Folder:
    """Return the folder in which a draft lies, every link resolved; none for standard input.

    root: nothing outside it is read; unless given, the repository of the draft, else its folder.

    Raises:
        DraftError: the draft lies outside of `root`.
    """
    if draft == STDIN:
        return Nowhere()
    resolved = draft.resolve()
    # A draft that is a link is read where the link is.
    at = draft.parent.resolve() / draft.name
    within = root.resolve() if root else _repository(at.parent)
    if not at.is_relative_to(within):
        raise DraftError(f"{draft} is outside of {root}.", "Give a folder that holds the draft.")
    return DiskFolder(within, resolved, at.parent)


def _repository(folder: Path) -> Path:
    """Return the root of the repository that a folder is in, else the folder itself.

    A home is no repository of one paper, though some keep their settings so.
    """
    for parent in (folder, *folder.parents):
        if parent == parent.parent or parent == _home():
            break
        if any((parent / each).exists() for each in _REPOSITORIES):
            return parent
    return folder


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except (RuntimeError, OSError):
        return None


@dataclass(frozen=True, slots=True)
class DiskFolder:
    """A folder of the disk. root: nothing outside it is read. start: where names begin."""

    root: Path
    draft: Path
    start: Path

    def find(self, name: str, suffixes: Sequence[str], *, near: PurePath | None = None) -> PurePath:
        """Find a file below the root; see `Folder`."""
        outside = False
        for start in dict.fromkeys((self.start, Path(near or self.start))):
            for suffix in (*suffixes, ""):
                try:
                    path = (start / f"{name}{suffix}").resolve()
                    within = path.is_relative_to(self.root)
                    if within and path.is_file():
                        return path
                except (OSError, ValueError, RuntimeError):  # Too long, a NUL, a circle of links.
                    continue
                outside = outside or not within
        raise _above(name) if outside else _missing(name)

    def read(self, path: PurePath) -> bytes:
        """Read a file of the disk; see `Folder`."""
        return read_bytes(Path(path))

    def spare(self, suffix: str) -> PurePath | None:
        """Return nothing: what lies beside a draft need not be meant."""
        return None


@dataclass(frozen=True, slots=True)
class Nowhere:
    """The folder that standard input has not."""

    draft: PurePath = STDIN

    def find(self, name: str, suffixes: Sequence[str], *, near: PurePath | None = None) -> PurePath:
        """Find nothing; see `Folder`."""
        raise DraftError(f"{short(name)} was not read: standard input has no folder.")

    def read(self, path: PurePath) -> bytes:
        """Read nothing: nothing is ever found."""
        raise _missing(str(path))

    def spare(self, suffix: str) -> PurePath | None:
        """Return nothing; see `Folder`."""
        return None


@dataclass(frozen=True, slots=True)
class Bundle:
    """Files that are in memory, or packed: what they are called never meets the disk.

    names: normalised (`inside`). content: gives the bytes of a name. loose: the files have lost
    their folders, so that the last part of a name is enough. opened: the names read so far.
    """

    draft: PurePosixPath
    names: frozenset[str]
    content: Callable[[str], bytes]
    loose: bool = False
    opened: set[str] = field(default_factory=set)

    def find(self, name: str, suffixes: Sequence[str], *, near: PurePath | None = None) -> PurePath:
        """Find a file of the bundle; see `Folder`."""
        outside = False
        start = self.draft.parent
        for folder in dict.fromkeys((start, PurePosixPath(near or start))):
            for suffix in (*suffixes, ""):
                path = inside(name + suffix, folder)
                if path is not None and str(path) in self.names:
                    return path
                outside = outside or path is None
        for suffix in (*suffixes, "") if self.loose else ():
            last = PurePosixPath(name + suffix).name
            if len(alike := [each for each in self.names if PurePosixPath(each).name == last]) == 1:
                return PurePosixPath(alike[0])
        raise _outside(name) if outside else _missing(name)

    def read(self, path: PurePath) -> bytes:
        """Read a file of the bundle; see `Folder`."""
        self.opened.add(str(path))
        return self.content(str(path))

    def spare(self, suffix: str) -> PurePath | None:
        """Return the only file of a suffix."""
        found = [name for name in self.names if name.lower().endswith(suffix)]
        return PurePosixPath(found[0]) if len(found) == 1 else None


def bundle_of(draft: str, files: Mapping[str, bytes]) -> Bundle:
    """Make a bundle of files that were given together, under normalised names."""
    return Bundle(PurePosixPath(draft), frozenset(files), files.__getitem__, loose=True)


def inside(name: str, folder: PurePosixPath = _TOP) -> PurePosixPath | None:
    """Normalise a name below a folder; None where it leads out of the bundle.

    >>> inside("./b/../c.tex", PurePosixPath("a")), inside("../../c"), inside("/c")
    (PurePosixPath('a/c.tex'), None, None)
    """
    if name.startswith("/"):
        return None
    return _walked((*folder.parts, *name.split("/")))


def _walked(parts: Iterable[str]) -> PurePosixPath | None:
    way: list[str] = []
    for part in parts:
        if part == "..":
            if not way:
                return None
            way.pop()
        elif part not in ("", "."):
            way.append(part)
    return PurePosixPath(*way)


def _outside(name: str) -> DraftError:
    return DraftError(f"{short(name)} was not read: it is outside the draft's folder.")


def _above(name: str) -> DraftError:
    return DraftError(
        f"{short(name)} was not read: it is outside the draft's folder; --root DIR lets it be read."
    )


def _missing(name: str) -> DraftError:
    return DraftError(f"{short(name)} was not read: there is no such file in the draft's folder.")
