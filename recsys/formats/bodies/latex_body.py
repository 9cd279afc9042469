"""Read the running text of a LaTeX draft, with the files that it inputs."""

import re
from bisect import bisect_right
from pathlib import PurePath, PurePosixPath

from recsys.formats.bodies.latex_walk import Walker
from recsys.formats.bodies.running_text import Lines, RunningText
from recsys.formats.drafts.wording import counted
from recsys.formats.latex.latex_definitions import definitions
from recsys.formats.latex.latex_files import Source
from recsys.passages import Sentence

_BEGIN = re.compile(r"\\begin\s*\{document\}")


def read_body(source: Source, draft: PurePath) -> tuple[tuple[Sentence, ...], tuple[str, ...]]:
    """Return the sentences of a source, and notes; see `LatexDraft.body`."""
    begin = next(reversed(list(_BEGIN.finditer(source.text))), None)
    text = RunningText()
    walker = Walker(text, definitions(source.text))
    walker.walk(source.text, begin.end() if begin else 0, len(source.text))
    notes = [*source.notes]
    if walker.unclosed:
        names = ", ".join(sorted(walker.unclosed)[:5])
        notes.append(f"{counted(len(walker.unclosed), 'environment')} never closed: {names}.")
    return text.sentences(Pieces(source, draft)), tuple(notes)


class Pieces:
    """The files that a LaTeX source is made of: tells where an offset of its text stands."""

    def __init__(self, source: Source, draft: PurePath) -> None:
        self._pieces = source.pieces
        self._starts = [0]
        for piece in source.pieces:
            self._starts.append(self._starts[-1] + len(piece.text))
        self._files = source.files
        self._lines = {file: Lines(text) for file, text in source.files.items()}
        several = len(source.files) > 1
        self._names = {file: _name(file, draft) if several else "" for file in source.files}

    def place(self, offset: int) -> tuple[str, int, int]:
        """Return where a character stands; see `Origin`."""
        file, at = self._found(offset)
        _, line, column = self._lines[file].place(at)
        return self._names[file], line, column

    def printed(self, start: int, end: int) -> str:
        """Return what stands in the file, comments and all; see `Origin`."""
        file, first = self._found(start)
        until, last = self._found(max(start, end - 1))
        return self._files[file][first : last + 1] if until == file else ""

    def _found(self, offset: int) -> tuple[PurePath, int]:
        # Of pieces that begin here, the last one is not empty.
        number = min(bisect_right(self._starts, offset), len(self._pieces)) - 1
        piece = self._pieces[max(0, number)]
        return piece.file, piece.start + offset - self._starts[max(0, number)]


def _name(file: PurePath, draft: PurePath) -> str:
    """Name a file of a project: as its archive does, or as seen from the folder of its draft."""
    folder = draft.parent if draft.is_absolute() else PurePosixPath()
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name
