"""Gather a LaTeX draft from its files into one source without comments and verbatim text."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from recsys.errors import DraftError, InputError
from recsys.formats.drafts.folder import Folder, folder_of
from recsys.formats.drafts.wording import short
from recsys.formats.files import decode_or_guess, display_name
from recsys.formats.latex.sweave import SUFFIXES as WOVEN
from recsys.formats.latex.sweave import blanked

LONGEST_SOURCE = 8 * 2**20
"""A draft with more LaTeX than this (characters, all files together) is refused."""
MOST_FILES, DEEPEST = 1_000, 20
"""How many inputs are followed, and how far one within another."""

_TOKEN = re.compile(
    r"""
    \\begin\s*\{(?P<verbatim>verbatim\*?|[BL]?Verbatim\*?|lstlisting|minted|comment|filecontents\*?)\}
    | \\(?:verb|lstinline)(?![A-Za-z@])\*?(?:\[[^\]\n]{0,200}\])?
        (?P<mark>[^A-Za-z\s*{\[])[^\n]{0,2000}?(?P=mark)
    | \\(?:url|path|nolinkurl|href)\s*\{[^{}\n]{0,2000}\}
    | (?P<end>\\endinput(?![A-Za-z@])|\\end\s*\{document\})
    | (?P<never>\\iffalse(?![A-Za-z@]))
    | \\(?P<input>(?:sub)?(?:input|include)(?:from)?|(?:sub)?import|subfile(?:include)?|@input
        |InputIfFileExists)(?![A-Za-z@])\*?\s*
        (?:\{(?P<first>[^{}]{0,500})\}(?:\s*\{(?P<second>[^{}]{0,500})\})?
        |"?(?P<bare>[^\s\\{}%"]{1,500})"?)
    | (?:\\[^A-Za-z])+
    | (?P<comment>(?:%[^\n]*\n?[^\S\n]*)+)
    """,
    re.VERBOSE | re.DOTALL,
)
_FILE_CONTENTS = re.compile(r"\s*(?:\[[^\]\n]*\])?\s*\{([^{}\n]{1,500})\}")
_WORDS = re.compile(r"[\w .,:;/+=()-]+")
_NEW_IF = re.compile(r"\\newif\s*\\(if[A-Za-z@]{1,50})")
_CONDITIONAL = re.compile(r"\\(if[A-Za-z@]*|else|fi)(?![A-Za-z@])")
_PRIMITIVES = (
    "if ifcat ifx ifnum ifdim ifodd ifmmode ifvmode ifhmode ifinner ifvoid ifhbox ifvbox ifeof "
    "iftrue iffalse ifcase ifdefined ifcsname iffontchar ifpdf ifluatex ifxetex"
).split()


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file: its text as it stands there, the file, and where in it the part begins."""

    text: str
    file: PurePath
    start: int


@dataclass(frozen=True, slots=True)
class Source:
    """A LaTeX draft in one piece.

    text: comments, verbatim text and `\\iffalse` removed, inputs put in their places.
    enclosed: the files that it carries within itself, by name. notes: what was left out.
    pieces: what `text` is made of. files: the whole text of each file that was read.
    """

    text: str
    enclosed: dict[str, str]
    notes: tuple[str, ...]
    pieces: tuple[Piece, ...] = ()
    files: Mapping[PurePath, str] = field(default_factory=dict)


def gather(raw: bytes, path: Path, folder: Folder | None = None) -> Source:
    """Put a LaTeX draft together; what it inputs must lie below its folder.

    folder: the files that it may input; unless given, those below its folder on the disk.

    Raises:
        InputError: the draft is no text, or (DraftError) too long.
    """
    gatherer = _Gatherer(path, folder or folder_of(path))
    text, note = decode_or_guess(raw, display_name(path))
    gatherer.notes += [note] if note else []
    text = blanked(text) if path.suffix.lower() in WOVEN else text
    pieces = tuple(gatherer.pieces(text, [gatherer.folder.draft]))
    whole = "".join(piece.text for piece in pieces)
    if gatherer.files > MOST_FILES:
        gatherer.notes.append(f"Only the first {MOST_FILES:,} inputs are followed.")
    notes = tuple(gatherer.notes)
    return Source(whole, gatherer.enclosed, notes, pieces, gatherer.texts)


class _Gatherer:
    """What has been gathered so far."""

    def __init__(self, path: Path, folder: Folder) -> None:
        self.name = display_name(path)
        self.folder = folder
        self.notes: list[str] = []
        self.enclosed: dict[str, str] = {}
        self.texts: dict[PurePath, str] = {}
        self.files = 0
        self.length = 0

    def pieces(self, text: str, open_files: list[PurePath]) -> Iterator[Piece]:
        """Yield a file's text piece by piece; `open_files` are the file and those that input it."""
        self.length += len(text)
        if self.length > LONGEST_SOURCE:
            raise DraftError(
                f"{self.name} has more than {LONGEST_SOURCE // 2**20} MB of LaTeX.",
                "Give the title and the abstract in a file of their own.",
            )
        file = open_files[-1]
        self.texts[file] = text
        at, conditionals = 0, set[str]()
        while match := _TOKEN.search(text, at):
            yield Piece(text[at : match.start()], file, at)
            at = match.end()
            if match["end"]:
                return
            if match["verbatim"]:
                at = self._verbatim(text, match)
            elif match["never"]:
                conditionals = conditionals or {*_PRIMITIVES, *_NEW_IF.findall(text)}
                at = _after_conditional(text, at, conditionals)
            elif match["input"]:
                pair = match["second"] is not None and "import" in match["input"]
                at = at if pair or match["second"] is None else match.end("first") + 1
                yield from self._input(match, open_files)
            elif not match["comment"]:
                yield from _kept(match, file)
        yield Piece(text[at:], file, at)

    def _verbatim(self, text: str, match: re.Match[str]) -> int:
        """Skip an environment, whose content is kept if it is a file; return where it ends."""
        kind = match["verbatim"]
        end = text.find(f"\\end{{{kind}}}", match.end())
        if end < 0:
            return len(text)
        if kind.startswith("filecontents"):
            head = _FILE_CONTENTS.match(text, match.end())
            if head is not None:
                self.enclosed.setdefault(head[1].strip(), text[head.end() : end])
        return end + len(f"\\end{{{kind}}}")

    def _input(self, match: re.Match[str], open_files: list[PurePath]) -> Iterator[Piece]:
        name = (match["bare"] or match["first"] or "").strip().strip('"')
        if "import" in match["input"] or "from" in match["input"]:
            name = f"{name}/{(match['second'] or '').strip()}"
        if not name or "#" in name:  # The body of a definition.
            return
        self.files += 1
        if self.files > MOST_FILES:
            return
        try:
            path = self.folder.find(name, (".tex",), near=open_files[-1].parent)
            if path in open_files:
                raise DraftError(f"{short(name)} was not read again: it inputs itself.")
            if len(open_files) > DEEPEST:
                raise DraftError(f"{short(name)} was not read: too many files input one another.")
            text, note = decode_or_guess(self.folder.read(path), short(name))
        except InputError as error:
            self.notes.append(error.what)
            return
        self.notes += [note] if note else []
        text = blanked(text) if path.suffix.lower() in WOVEN else text
        yield from self.pieces(text, [*open_files, path])
        yield Piece("\n", open_files[-1], match.end() - 1)


def _kept(match: re.Match[str], file: PurePath) -> Iterator[Piece]:
    """Yield a token as it is; of `\\verb` its words, for signs would be taken for LaTeX."""
    if not match["mark"]:
        yield Piece(match[0], file, match.start())
        return
    start = match.end("mark")
    words = match.string[start : match.end() - 1]
    if _WORDS.fullmatch(words):
        yield Piece(words, file, start)


def _after_conditional(text: str, at: int, conditionals: set[str]) -> int:
    """Return where text counts again after an `\\iffalse`: behind its `\\else` or `\\fi`."""
    depth = 1
    for match in _CONDITIONAL.finditer(text, at):
        if match[1] == "fi":
            depth -= 1
        elif match[1] in conditionals:
            depth += 1
        if depth == 0 or (depth == 1 and match[1] == "else"):
            return match.end()
    return len(text)
