"""Read a draft in any format, once: its front matter, references, sentences and marks.

The suffix of the file tells the format, else what is in it. A new format is a module with `read`,
and a row of FORMATS.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from recsys.errors import DraftError, InputError
from recsys.formats.drafts.wording import clean
from recsys.formats.files import WOVEN, display_name, read_bytes
from recsys.records import Body, Draft, Manuscript, Reference, Sentence

if TYPE_CHECKING:
    from recsys.formats.drafts.draft_files import Folder

LONGEST_TITLE, LONGEST_ABSTRACT = 2_000, 100_000
"""Characters of a title and of an abstract that are kept."""


class ParsedDraft(Protocol):
    """A draft whose file has been taken apart; what is asked for is read out of that."""

    def manuscript(self) -> Manuscript:
        """Return front matter and references.

        Raises:
            InputError: they cannot be read.
        """

    def body(self, references: Sequence[Reference]) -> Body | None:
        """Return sentences and marks; None where the format has no running text.

        references: what the draft cites; `Body.references` are these, unless the format itself
        ties marks to entries of a list.

        Raises:
            InputError: they cannot be read.
        """


@dataclass(frozen=True, slots=True)
class FactsAlone:
    """A draft of a format without running text."""

    facts: Manuscript

    def manuscript(self) -> Manuscript:
        """Return front matter and references."""
        return self.facts

    def body(self, references: Sequence[Reference]) -> None:
        """Return None: there is no text."""


@dataclass(frozen=True, slots=True)
class Format:
    """One row of the table of formats.

    sign: a regular expression that is found among the first characters of such a file.
    module, reader: a function that takes the bytes and the path of a draft and gives a
    `Manuscript`; `parse`, for formats with running text, gives a `ParsedDraft`.
    names_files: such a draft may name others; the reader takes the folder that holds them, too.
    """

    name: str
    suffixes: tuple[str, ...]
    sign: str
    module: str
    reader: str = "read"
    names_files: bool = False

    @property
    def has_text(self) -> bool:
        """Whether such drafts have running text."""
        return self.reader == "parse"

    def parse(self, raw: bytes, path: Path, folder: "Folder | None" = None) -> ParsedDraft:
        """Take a draft of the format apart; see `parse_draft`."""
        read = getattr(import_module(self.module), self.reader)
        draft = read(raw, path, folder) if self.names_files else read(raw, path)
        parsed: ParsedDraft = draft if self.has_text else FactsAlone(draft)
        return parsed


class OpenDraft:
    """A draft that has been read: front matter and references, and its running text.

    name: what errors call it. kind: the name of its format.
    """

    def __init__(
        self,
        parsed: ParsedDraft,
        name: str,
        kind: str,
        *,
        title: str | None = None,
        abstract: str | None = None,
    ) -> None:
        """Keep what was parsed; title and abstract, where given, go before the draft's own."""
        self.name, self.kind = name, kind
        self._parsed, self._title, self._abstract = parsed, title, abstract

    @cached_property
    def manuscript(self) -> Manuscript:
        """Front matter and references, in one shape.

        Raises:
            InputError: they cannot be read, or (DraftError) there are none.
        """
        manuscript = self._parsed.manuscript()
        title = clean(manuscript.title if self._title is None else self._title)
        abstract = manuscript.abstract if self._abstract is None else self._abstract
        abstract = clean(abstract or "")
        notes = [clean(note) for note in manuscript.notes]
        if len(abstract) > LONGEST_ABSTRACT:
            notes.append(
                f"Only the first {LONGEST_ABSTRACT:,} characters of the abstract are read."
            )
        authors = filter(None, map(clean, manuscript.authors))
        manuscript = replace(
            manuscript,
            title=title[:LONGEST_TITLE],
            abstract=abstract[:LONGEST_ABSTRACT].strip() or None,
            authors=tuple(dict.fromkeys(authors)),
            venue=clean(manuscript.venue or "") or None,
            notes=tuple(dict.fromkeys(notes)),
        )
        if not (manuscript.title or manuscript.abstract or manuscript.references):
            raise DraftError(
                f"{self.name} has neither a title nor an abstract, and no reference either.",
                "Give at least a title; an abstract makes the answer much better.",
            )
        return manuscript

    @cached_property
    def body(self) -> Body:
        """The running text; its references are those of the manuscript.

        Raises:
            InputError: it cannot be read, or (DraftError) there is none.
        """
        try:
            references = self.manuscript.references
        except InputError:  # A part of a draft has neither a title nor references.
            references = ()
        return self.body_citing(references)

    def body_citing(self, references: Sequence[Reference]) -> Body:
        """Read the running text of a draft whose references are told apart from it; see `body`."""
        body = self._parsed.body(references)
        if body is None:
            raise DraftError(
                f"{self.name} is {self.kind}: it has no running text to look for gaps in.",
                "Give the draft itself: LaTeX, Markdown, Word, PDF or plain text.",
            )
        if not body.sentences:
            raise DraftError(
                f"{self.name} has no sentence of running text.",
                "Title, abstract, tables, captions and lists of references do not count.",
            )
        # The keys of marks are spelt as the bibliography does.
        cited = tuple(dict.fromkeys(key for sentence in body.sentences for key in sentence.cited))
        listed = {work.key for work in body.references}
        folded = {work.key.casefold(): work.key for work in reversed(body.references)}
        spelling = {key: folded.get(key.casefold(), key) for key in cited if key not in listed}

        def spelt(sentence: Sentence) -> Sentence:
            marks = (
                replace(mark, keys=tuple(spelling.get(key, key) for key in mark.keys))
                for mark in sentence.marks
            )
            return replace(sentence, marks=tuple(marks))

        sentences = body.sentences
        if any(key != spelling[key] for key in spelling):
            sentences = tuple(map(spelt, sentences))
        from recsys.formats.drafts.draft_files import resolve

        notes = resolve(cited, body.references).notes if cited else ()
        notes = tuple(dict.fromkeys((*body.notes, *notes)))
        return replace(body, sentences=sentences, notes=notes)


def open_draft(
    path: Path,
    *,
    title: str | None = None,
    abstract: str | None = None,
    root: Path | None = None,
) -> OpenDraft:
    """Read a draft, or standard input when the path is `-`.

    Args:
        path: the file, or the folder of a project.
        title: goes before the draft's own.
        abstract: goes before the draft's own.
        root: the folder that holds the files that the draft may name; unless given, its
            repository, else its own folder.

    Raises:
        InputError: the file cannot be read, or (DraftError) is of the wrong shape.
        MissingExtraError: its format needs a package that is not installed.
    """
    from recsys.formats.drafts.draft_files import folder_of

    if path.is_dir():
        from recsys.formats.drafts.bundle import parse_files
        from recsys.formats.drafts.draft_files import Project

        parsed = parse_files(Project(path))
        return OpenDraft(parsed, display_name(path), "folder", title=title, abstract=abstract)
    raw, folder = read_bytes(path), folder_of(path, root)
    return parse_draft(raw, path, title=title, abstract=abstract, folder=folder)


def parse_draft(
    raw: bytes,
    path: Path,
    *,
    title: str | None = None,
    abstract: str | None = None,
    folder: "Folder | None" = None,
) -> OpenDraft:
    """Read the bytes of a draft; the suffix of `path`, else they themselves tell the format.

    Args:
        raw: the draft.
        path: what it is called.
        title: goes before the draft's own.
        abstract: goes before the draft's own.
        folder: the files that it may name; unless given, those of its folder on the disk.

    Raises:
        InputError, MissingExtraError: see `open_draft`.
    """
    name = display_name(path)
    if not raw.strip():
        raise DraftError(f"{name} is empty.", "Give a draft with a title or an abstract.")
    row = format_of(path, raw)
    parsed = row.parse(raw, path, folder)
    return OpenDraft(parsed, name, row.name, title=title, abstract=abstract)


def read_manuscript(
    path: Path,
    *,
    title: str | None = None,
    abstract: str | None = None,
    root: Path | None = None,
) -> Manuscript:
    """Read front matter and references of a draft.

    Raises:
        InputError: see `open_draft`; or (DraftError) it says nothing: no title, no abstract and no
            reference.
        MissingExtraError: see `open_draft`.
    """
    return open_draft(path, title=title, abstract=abstract, root=root).manuscript


def parse_manuscript(
    raw: bytes,
    path: Path,
    *,
    title: str | None = None,
    abstract: str | None = None,
    folder: "Folder | None" = None,
) -> Manuscript:
    """Read front matter and references out of the bytes of a draft; see `parse_draft`.

    Raises:
        InputError, MissingExtraError: see `read_manuscript`.
    """
    return parse_draft(raw, path, title=title, abstract=abstract, folder=folder).manuscript


def read_draft(path: Path) -> Draft:
    """Read a draft whose references are ids of corpus papers; what else it cites is left out.

    Raises:
        InputError, MissingExtraError: see `read_manuscript`.
    """
    manuscript = read_manuscript(path)
    return Draft(
        title=manuscript.title,
        abstract=manuscript.abstract,
        authors=manuscript.authors,
        venue=manuscript.venue,
        references=tuple(work.id for work in manuscript.references if work.id),
        as_of=manuscript.as_of,
        paper_id=manuscript.paper_id,
        keyphrases=manuscript.keyphrases,
    )


def format_of(path: Path, raw: bytes) -> Format:
    """Tell the format of a draft by the suffix of its file, else by what is in it.

    Raises:
        DraftError: it is of a format that nobody reads here.
    """
    suffix = path.suffix.lower()
    if named := [row for row in FORMATS if suffix in row.suffixes]:
        return named[0]
    # Signs are ASCII, which in UTF-16 and UTF-32 has zeros around it.
    wide = raw[:4].startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"))
    begin = raw[:_HEAD].replace(b"\0", b"") if wide else raw[:_HEAD]
    head = begin.lstrip(b"\xef\xbb\xbf\xff\xfe").decode("latin-1")
    head = head.replace("\r\n", "\n").lstrip()
    for sign, what in _UNREADABLE:
        if re.match(sign, head):
            raise DraftError(
                f"{display_name(path)} is {what}.", "Save it as PDF, Markdown or plain text."
            )
    return next(row for row in FORMATS if re.search(row.sign, head))


_HEAD = 4_000
_NEVER = r"(?!)"
_ENTRY = (
    r"(?i:article|book|booklet|conference|in(?:book|collection|proceedings)|manual|misc|online)"
)
_THESIS = r"(?i:comment|(?:masters|phd)?thesis|preamble|proceedings|string|techreport|unpublished)"

FORMATS = (  # Signs are tried in this order; the last one fits all.
    Format("PDF", (".pdf",), r"%PDF-", "recsys.formats.drafts.pdf", "parse"),
    # A document of Word is a zip: what is in it tells.
    Format("Word", (".docx", ".docm"), _NEVER, "recsys.formats.drafts.word_draft", "parse"),
    Format(
        "OpenDocument",
        (".odt", ".ott"),
        _NEVER,
        "recsys.formats.drafts.word_draft",
        "read_open_document",
    ),
    Format("ZIP", (".zip",), r"\APK\x03\x04", "recsys.formats.drafts.bundle", "parse"),
    Format(
        "notebook",
        (".ipynb",),
        r"(?s)\A\{\s*\"(?:cells|nbformat|metadata|worksheets)\"\s*:(?=.*\"cell_type\")",
        "recsys.formats.drafts.markdown_draft",
        "read_notebook",
        names_files=True,
    ),
    Format(
        "JSON",
        (".json",),
        r"\A(?:\{\s*(?:[\"}]|\Z)|\[\s*(?:[\[{\"\]]|\Z))",
        "recsys.formats.drafts.objects",
    ),
    Format(
        "BibTeX",
        (".bib", ".bibtex", ".biblatex"),
        rf"(?m)^\s*@(?:{_ENTRY}|{_THESIS})\s*[{{(]",
        "recsys.formats.drafts.objects",
        "read_list",
    ),
    Format("RIS", (".ris",), r"(?m)^TY {1,2}- ", "recsys.formats.drafts.objects", "read_list"),
    Format("CSV", (".csv", ".tsv"), _NEVER, "recsys.formats.drafts.objects", "read_list"),
    # What Web of Science, PubMed and EndNote export, as text or as XML.
    Format(
        "export",
        (".ciw", ".enw", ".nbib", ".xml"),
        r"\A(?:FN |PT [BCJPS]\n|PMID- |%0 [A-Z]|<\?xml |<!DOCTYPE (?!html))",
        "recsys.formats.drafts.objects",
        "read_list",
    ),
    Format(
        "LaTeX",
        (".tex", ".ltx", ".latex", *WOVEN),
        r"\\(?:documentclass|documentstyle|begin\s*\{(?:document|abstract)\}|title\b)",
        "recsys.formats.latex.latex_draft",
        "parse",
        names_files=True,
    ),
    Format(
        "Typst",
        (".typ",),
        r"(?m)^#(?:set|show|import|let)[^\S\n]",
        "recsys.formats.drafts.org_typst",
        "read_typst",
        names_files=True,
    ),
    Format(
        "Org",
        (".org",),
        r"(?im)^#\+(?:title|author|begin_abstract)\b",
        "recsys.formats.drafts.org_typst",
        "read_org",
        names_files=True,
    ),
    Format(
        "Markdown",
        (".md", ".markdown", ".qmd", ".rmd"),
        r"\A---[^\S\n]*\n|(?m:^#{1,3} \S)|\A[^\n]+\n={3,}\n",
        "recsys.formats.drafts.markdown_draft",
        "parse",
        names_files=True,
    ),
    Format("plain text", (), "", "recsys.formats.drafts.plain", "parse"),
)

_UNREADABLE = (
    (r"\xd0\xcf\x11\xe0", "an old Word file"),
    (r"\{\\rtf", "RTF"),
    (r"(?i)<(?:!doctype html|html)\b", "HTML"),
)
