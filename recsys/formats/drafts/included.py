"""Put a draft together out of the files that one another include, whatever its format.

They are opened in one place, which keeps them below the draft's folder, few, and out of circles.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import PurePath, PurePosixPath

from recsys.errors import DraftError, InputError
from recsys.formats.bodies.running_text import Lines
from recsys.formats.drafts.draft_files import Folder
from recsys.formats.drafts.wording import short
from recsys.formats.files import decode_or_guess

LONGEST_SOURCE = 8 * 2**20
"""A draft with more text than this (characters, all files together) is refused."""
MOST_FILES, DEEPEST = 1_000, 20
"""How many inputs are followed, and how far one within another."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file: its text as it stands there, the file, and where in it the part begins."""

    text: str
    file: PurePath
    start: int


@dataclass(frozen=True, slots=True)
class Source:
    """A draft in one piece.

    text: what is no text of the draft removed, inputs put in their places. enclosed: the files that
    it carries within itself, by name. notes: what was left out. pieces: what `text` is made of.
    files: the whole text of each file that was read.
    """

    text: str
    enclosed: Mapping[str, str]
    notes: tuple[str, ...]
    pieces: tuple[Piece, ...] = ()
    files: Mapping[PurePath, str] = field(default_factory=dict)


@dataclass(slots=True)
class Inputs:
    """What has been read so far of the files of a draft. name: of the draft; kind: its format."""

    name: str
    folder: Folder
    kind: str
    notes: list[str] = field(default_factory=list)
    texts: dict[PurePath, str] = field(default_factory=dict)
    _followed: int = 0
    _length: int = 0

    def take(self, file: PurePath, text: str) -> None:
        """Count the text of a file that is put into the draft.

        Raises:
            DraftError: the draft is too long.
        """
        self.texts[file] = text
        self._length += len(text)
        if self._length > LONGEST_SOURCE:
            raise DraftError(
                f"{self.name} has more than {LONGEST_SOURCE // 2**20} MB of {self.kind}.",
                "Give the title and the abstract in a file of their own.",
            )

    def open(
        self, name: str, suffixes: Sequence[str], open_files: Sequence[PurePath]
    ) -> tuple[PurePath, str] | None:
        """Open a file that a draft inputs; None, and a note, where it is not read.

        Args:
            name: as the draft writes it.
            suffixes: what the name may lack.
            open_files: the file that inputs it, last, and those that input that one.
        """
        self._followed += 1
        if self._followed > MOST_FILES:
            if self._followed == MOST_FILES + 1:
                self.notes.append(f"Only the first {MOST_FILES:,} inputs are followed.")
            return None
        try:
            path = self.folder.find(name, suffixes, near=open_files[-1].parent)
            if path in open_files:
                raise DraftError(f"{short(name)} was not read again: it inputs itself.")
            if len(open_files) > DEEPEST:
                raise DraftError(f"{short(name)} was not read: too many files input one another.")
            text, note = decode_or_guess(self.folder.read(path), short(name))
        except InputError as error:
            self.notes.append(error.what)
            return None
        self.notes += [note] if note else []
        return path, text

    def source(self, pieces: Iterable[Piece], enclosed: Mapping[str, str] | None = None) -> Source:
        """Put the pieces of a draft together, in their order."""
        listed = tuple(pieces)
        text = "".join(piece.text for piece in listed)
        return Source(text, enclosed or {}, tuple(self.notes), listed, self.texts)


class Places:
    """The files that a draft is made of: tells where an offset of its text stands; see `Origin`."""

    def __init__(self, source: Source, draft: PurePath) -> None:
        """Measure the pieces of a draft, whose place in its folder is given."""
        self._pieces = source.pieces
        lengths = (len(piece.text) for piece in source.pieces)
        self._starts = [0, *accumulate(lengths)]
        self._files = source.files
        self._lines = {file: Lines(text) for file, text in source.files.items()}
        # A file of a project is called as its archive does, or as seen from the draft's folder.
        folder = draft.parent if draft.is_absolute() else PurePosixPath()
        self.names = dict.fromkeys(source.files, "")
        for file in source.files if len(source.files) > 1 else ():
            within = file.is_relative_to(folder)
            self.names[file] = file.relative_to(folder).as_posix() if within else file.name

    def place(self, offset: int) -> tuple[str, int, int]:
        """Return where a character stands; see `Origin`."""
        file, at = self._place_in_file(offset)
        _, line, column = self._lines[file].place(at)
        return self.names[file], line, column

    def printed(self, start: int, end: int) -> str:
        """Return what stands in the file, comments and all; see `Origin`."""
        file, first = self._place_in_file(start)
        until, last = self._place_in_file(max(start, end - 1))
        return self._files[file][first : last + 1] if until == file else ""

    def _place_in_file(self, offset: int) -> tuple[PurePath, int]:
        # Of pieces that begin here, the last one is not empty.
        number = max(0, min(bisect_right(self._starts, offset), len(self._pieces)) - 1)
        piece = self._pieces[number]
        return piece.file, piece.start + offset - self._starts[number]
