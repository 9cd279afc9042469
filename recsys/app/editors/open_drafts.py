"""Read drafts as they stand in an editor, and what is being typed there."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePath

from recsys.errors import InputError
from recsys.formats.drafts.bundle import parse_files
from recsys.formats.drafts.draft_files import DiskFolder, Folder, Project, bundle_of, folder_of
from recsys.formats.drafts.draft_formats import OpenDraft, parse_draft
from recsys.formats.files import read_bytes
from recsys.formats.local_answers.filled_drafts import (
    BibFile,
    cites_by,
    citing_command,
    is_latex,
)
from recsys.records import Body, Gap, Manuscript, Reference, Sentence

SUFFIXES: Mapping[str, str] = {
    **dict.fromkeys(("latex", "tex", "plaintex"), ".tex"),
    **dict.fromkeys(("markdown", "pandoc"), ".md"),
    **dict.fromkeys(("rmd", "rmarkdown"), ".Rmd"),
    "quarto": ".qmd",
    "typst": ".typ",
    "bibtex": ".bib",
}
"""Language of an editor -> the suffix of files that hold it, for files whose name tells nothing."""
NEW_BOOK = "references.bib"
"""The bibliography that is begun beside a draft that has none."""
_WHOLE = re.compile(r"(?m)^[^%\n]*\\document(?:class|style)(?![A-Za-z])")


@dataclass(frozen=True, slots=True)
class EditedDraft:
    """A draft as it stands in an editor.

    path: of its file. manuscript: of the whole draft, where the file is one of several. sentences:
    those of the file. books: the BibTeX files that it names, or the one to begin. command: what
    cites in it, see `cites_by`.
    """

    path: Path
    text: str
    manuscript: Manuscript
    sentences: tuple[Sentence, ...]
    books: tuple[BibFile, ...]
    command: str | None

    @property
    def entries(self) -> tuple[Reference, ...]:
        """The works of its bibliographies, each key once."""
        entries: dict[str, Reference] = {}
        listed = [entry for book in self.books for entry in book.references]
        for entry in (*listed, *self.manuscript.references):
            entries.setdefault(entry.key, entry)
        return tuple(entry for key, entry in entries.items() if key)

    def entry(self, key: str) -> Reference | None:
        """Return the work of a key, whatever its case."""
        same = (each for each in self.entries if each.key.casefold() == key.casefold())
        return next(same, None)


@dataclass(frozen=True, slots=True)
class _OpenFolder:
    """The folder of a draft, where what an editor has open is read as it stands there.

    opened: path -> text. named: the BibTeX files that the draft names, there or not.
    """

    folder: Folder
    opened: Mapping[Path, str]
    named: dict[Path, None] = field(default_factory=dict)

    @property
    def draft(self) -> PurePath:
        """The draft's own place; see `Folder`."""
        return self.folder.draft

    def find(self, name: str, suffixes: Sequence[str], *, near: PurePath | None = None) -> PurePath:
        """Find a file; see `Folder`."""
        is_book = ".bib" in suffixes or name.endswith(".bib")
        try:
            found = self.folder.find(name, suffixes, near=near)
        except InputError:
            if is_book:
                start = Path(self.draft).parent
                self.named[start / f"{name.removesuffix('.bib')}.bib"] = None
            raise
        if is_book and found.suffix == ".bib":
            self.named[Path(found)] = None
        return found

    def read(self, path: PurePath) -> bytes:
        """Read a file as it stands in the editor, else on the disk; see `Folder`."""
        return content(Path(path), self.opened) or self.folder.read(path)

    def beside(self, suffixes: Sequence[str]) -> tuple[str, ...]:
        """Name files of the draft's own folder; see `Folder`."""
        return self.folder.beside(suffixes)


class _OpenProject:
    """The files of a project, where what an editor has open is read as it stands there."""

    def __init__(self, root: Path, opened: Mapping[Path, str]) -> None:
        self._root, self._opened, self._project = root.resolve(), opened, Project(root)
        self.name, self.names = self._project.name, self._project.names
        self.contents: dict[Path, bytes] = {}

    def read(self, name: str) -> bytes:
        """Read a file; see `Files`."""
        path = self._root / name
        self.contents[path] = content(path, self._opened) or self._project.read(name)
        return self.contents[path]


def content(path: Path, opened: Mapping[Path, str]) -> bytes:
    """Return what stands in the editor; nothing where the file is not open."""
    return opened.get(path, "").encode("utf-8", "replace")


@lru_cache(maxsize=8)
def book_of(path: Path, raw: bytes | None) -> BibFile:
    """Read a BibTeX file; None is one that is not there yet.

    Raises:
        InputError: it is no BibTeX.
    """
    return BibFile(path, None) if raw is None else BibFile.of(path, raw)


def read_draft(path: Path, opened: Mapping[Path, str], root: Path | None = None) -> EditedDraft:
    """Read a draft that is open; what cannot be read of it is left out.

    Args:
        path: of its file, by whose suffix its format is told.
        opened: all that is open, path -> text.
        root: the folder that is open in the editor.
    """
    text = opened[path]
    within = root is not None and path.resolve().is_relative_to(root.resolve())
    folder = _OpenFolder(folder_of(path, root if within else None), opened)
    manuscript, body, name = Manuscript(), Body(), path.name
    with suppress(InputError):
        draft = parse_draft(text.encode("utf-8", "replace"), path, folder)
        with suppress(InputError):
            manuscript = draft.manuscript
        body = draft.body
    named, sources = [*folder.named], [text]
    if is_latex(name) and not _WHOLE.search(text) and isinstance(folder.folder, DiskFolder):
        with suppress(InputError):  # A chapter: the whole that inputs it has title and references.
            project = _OpenProject(folder.folder.root, opened)
            whole = OpenDraft(parse_files(project), project.name, "folder")
            part = path.resolve().relative_to(folder.folder.root.resolve()).as_posix()
            if any(sentence.file == part for sentence in whole.body.sentences):
                manuscript, body, name = whole.manuscript, whole.body, part
                named = [each for each in project.contents if each.suffix == ".bib"]
                raws = (raw for each, raw in project.contents.items() if is_latex(each.name))
                sources += [raw.decode("utf-8", "replace") for raw in raws]
    return EditedDraft(
        path,
        text,
        manuscript,
        tuple(each for each in body.sentences if each.file in ("", name)),
        tuple(_books(named or _beside(folder), opened)),
        cites_by(path.name, citing_command(sources)),
    )


def _beside(folder: _OpenFolder) -> list[Path]:
    """Return what serves a draft that names no bibliography: the one beside it, or a new one."""
    names, start = folder.beside((".bib",)), Path(folder.draft).parent
    return [start / (names[0] if len(names) == 1 else NEW_BOOK)]


def _books(paths: Sequence[Path], opened: Mapping[Path, str]) -> Iterator[BibFile]:
    """Read BibTeX files, those first that are there; what is none is left out."""
    for path in sorted(paths, key=lambda path: not path.is_file()):
        with suppress(InputError):
            raw = content(path, opened) or (read_bytes(path) if path.is_file() else None)
            yield book_of(path, raw)


# A citation that is being typed.

_KEY = r"[^\s,;{}\[\]()<>\\@]*"
_REST = re.compile(r"(?:[^\s,;{}\[\]()<>\\@.:]|[.:](?=\w))*")
"""What follows the cursor of a key: no full stop that ends a sentence."""
_LATEX = (
    r"\\(?!nocite)[A-Za-z]*[Cc]ite[A-Za-z]*\*?\s?(?:\[[^\[\]]{0,200}\]){0,2}"
    rf"\{{(?:[^{{}}\\]*,)?\s*(?P<key>{_KEY})\Z",
    "}",
)
_PANDOC = (
    (rf"\[(?:[^\[\]]{{0,500}}[\s;])?-?@(?P<key>{_KEY})\Z", "]"),
    (rf"(?<![\w.@\\/])-?@(?P<key>{_KEY})\Z", ""),
)
_TYPST = (
    (rf"(?<![\w.@\\])@(?P<key>{_KEY})\Z", ""),
    (rf"#cite\(\s*<(?P<key>{_KEY})\Z", ">)"),
)
"""Patterns of what stands before a key that is being typed, and what closes the citation."""
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n")
_LONGEST_PARAGRAPH = 5_000
"""Characters on each side of the place that are read."""


@dataclass(frozen=True, slots=True)
class TypedKey:
    """A key that is being typed. start, end: where it stands in the text. typed: up to the cursor.

    gap: its sentence, in which it is what is missing; None where it stands in none.
    """

    start: int
    end: int
    typed: str
    gap: Gap | None


def typed_key(path: Path, text: str, at: int) -> TypedKey | None:
    """Find the key that is being typed at a place of a text; None where there is none.

    The paragraph is read as if a gap stood in the place of the key, so that the sentence is whole.
    """
    ends = [match.end() for match in _PARAGRAPH_END.finditer(text, 0, at)]
    first = max(at - _LONGEST_PARAGRAPH, ends[-1] if ends else 0)
    behind = _PARAGRAPH_END.search(text, at)
    last = min(at + _LONGEST_PARAGRAPH, behind.start() if behind else len(text))
    before = text[first:at]
    for pattern, closing in _ways(path):
        if typed := re.search(pattern, before):
            rest = _REST.match(text, at, last)
            start, end = first + typed.start("key"), rest.end() if rest else at
            after = text[end:last]
            closed = re.match(rf"[^{{}}<>\[\]\n]*{re.escape(closing[:1])}", after)
            mended = f"{text[first:start]}?{'' if closed else closing}{after}"
            return TypedKey(start, end, typed["key"], _gap_in(path, mended, start - first))
    return None


def _ways(path: Path) -> tuple[tuple[str, str], ...]:
    if is_latex(path.name):
        return (_LATEX,)
    return _TYPST if path.suffix.lower() == ".typ" else (*_PANDOC, _LATEX)


def _gap_in(path: Path, paragraph: str, at: int) -> Gap | None:
    """Read a paragraph, and return the sentence in which a place is marked as a gap."""
    raw = paragraph.encode("utf-8", "replace")
    with suppress(InputError):
        body = parse_draft(raw, path, bundle_of(path.name, {path.name: raw})).parsed.body(())
        line = paragraph.count("\n", 0, at) + 1
        column = at - (paragraph.rfind("\n", 0, at) + 1) + 1
        for sentence in body.sentences if body else ():
            for mark in sentence.marks:
                span = mark.span
                if mark.gap and span and (span.line, span.column) <= (line, column):
                    if (line, column) < (span.end_line, span.end_column):
                        return Gap(sentence, mark.at, mark)
    return None
