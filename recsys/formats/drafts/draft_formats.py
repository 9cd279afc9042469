"""Read a draft in any format, once: its front matter, references, sentences and marks.

The suffix of the file tells the format, else what is in it. A new format is a module with `read`,
and a row of FORMATS.
"""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from recsys.errors import DraftError, InputError
from recsys.formats.bodies.headings import is_beside_title, is_section_name
from recsys.formats.drafts.wording import GUESSED_TITLE, NO_TITLE, clean, short
from recsys.formats.files import WOVEN, display_name, read_bytes
from recsys.records import Body, Draft, Manuscript, Mark, Reference

if TYPE_CHECKING:
    from recsys.formats.drafts.draft_files import Folder

LONGEST_TITLE, LONGEST_ABSTRACT = 2_000, 100_000
"""Characters of a title and of an abstract that are kept."""
MOST_SAID = 3
"""Notes that an error repeats where nothing of a draft was understood."""


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
    reader: module below `recsys.formats` and function, which takes the bytes and the path of a
    draft and gives a `Manuscript`; `parse`, for formats with running text, gives a `ParsedDraft`.
    names_files: such a draft may name others; the reader takes the folder that holds them, too.
    """

    name: str
    suffixes: tuple[str, ...]
    sign: str
    reader: str
    names_files: bool = False

    def parse(self, raw: bytes, path: Path, folder: "Folder | None" = None) -> ParsedDraft:
        """Take a draft of the format apart; see `parse_draft`."""
        module, _, function = self.reader.partition(":")
        read = getattr(import_module(f"recsys.formats.{module}"), function)
        draft = read(raw, path, folder) if self.names_files else read(raw, path)
        parsed: ParsedDraft = draft if function == "parse" else FactsAlone(draft)
        return parsed


@dataclass(frozen=True)
class OpenDraft:
    """A draft that has been read: front matter and references, and its running text.

    name: what errors call it. kind: the name of its format. title, abstract: where given, they go
    before the draft's own. remark: that it is of another format than its name says.
    """

    parsed: ParsedDraft
    name: str
    kind: str
    title: str | None = None
    abstract: str | None = None
    remark: str = ""

    @cached_property
    def manuscript(self) -> Manuscript:
        """Front matter and references, in one shape.

        Raises:
            InputError: they cannot be read, or (DraftError) there are none.
        """
        manuscript = self.parsed.manuscript()
        title = clean(manuscript.title if self.title is None else self.title)
        abstract = clean((manuscript.abstract if self.abstract is None else self.abstract) or "")
        notes = [clean(note) for note in (self.remark, *manuscript.notes) if note]
        if self.title is not None:
            notes = [note for note in notes if note not in (NO_TITLE, GUESSED_TITLE)]
        elif title and (is_section_name(title) or is_beside_title(title)):
            notes.append(f"{short(title)} may be no title of a paper: give --title if it is wrong.")
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
            said = "".join(f" {note}" for note in manuscript.notes[:MOST_SAID])
            raise DraftError(
                f"{self.name} has neither a title nor an abstract, and no reference either.{said}",
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
        body = self.parsed.body(references)
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
        spelling = {
            key: folded[key.casefold()]
            for key in cited
            if key not in listed and key.casefold() in folded
        }

        def spelt(mark: Mark) -> Mark:
            return replace(mark, keys=tuple(spelling.get(key, key) for key in mark.keys))

        sentences = body.sentences
        if spelling:
            sentences = tuple(
                replace(sentence, marks=tuple(map(spelt, sentence.marks))) for sentence in sentences
            )
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

        draft = OpenDraft(parse_files(Project(path)), display_name(path), "folder")
    else:
        draft = parse_draft(read_bytes(path), path, folder_of(path, root))
    return replace(draft, title=title, abstract=abstract)


def parse_draft(raw: bytes, path: Path, folder: "Folder | None" = None) -> OpenDraft:
    """Read the bytes of a draft; the suffix of `path`, else they themselves tell the format.

    Args:
        raw: the draft.
        path: what it is called.
        folder: the files that it may name; unless given, those of its folder on the disk.

    Raises:
        InputError, MissingExtraError: see `open_draft`.
    """
    name = display_name(path)
    if not raw.strip():
        raise DraftError(f"{name} is empty.", "Give a draft with a title or an abstract.")
    row = format_of(path, raw)
    named = next((each for each in FORMATS if path.suffix.lower() in each.suffixes), row)
    remark = "" if row is named else f"{name} is {row.name}, not {named.name}: read as {row.name}."
    return OpenDraft(row.parse(raw, path, folder), name, row.name, remark=remark)


def read_draft(path: Path) -> Draft:
    """Read a draft whose references are ids of corpus papers; what else it cites is left out.

    Raises:
        InputError, MissingExtraError: see `open_draft`.
    """
    manuscript = open_draft(path).manuscript
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
    if named := next((row for row in FORMATS if suffix in row.suffixes), None):
        name = named.name  # What a suffix of text names may be PDF, or a JSON object.
        if named.names_files and raw.startswith(b"%PDF-"):
            name = "PDF"
        elif named.names_files and name != "notebook" and raw.lstrip()[:1] == b"{":
            with suppress(ValueError, RecursionError):
                name = "JSON" if isinstance(json.loads(raw), dict) else name
        return next(row for row in FORMATS if row.name == name)
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
    Format("PDF", (".pdf",), r"%PDF-", "drafts.pdf:parse"),
    # A document of Word is a zip: what is in it tells.
    Format("Word", (".docx", ".docm"), _NEVER, "drafts.word_draft:parse"),
    Format("OpenDocument", (".odt", ".ott"), _NEVER, "drafts.word_draft:read_open_document"),
    Format("ZIP", (".zip",), r"\APK\x03\x04", "drafts.bundle:parse"),
    Format(
        "notebook",
        (".ipynb",),
        r"(?s)\A\{\s*\"(?:cells|nbformat|metadata|worksheets)\"\s*:(?=.*\"cell_type\")",
        "drafts.markdown_files:read_notebook",
        names_files=True,
    ),
    Format(
        "JSON", (".json",), r"\A(?:\{\s*(?:[\"}]|\Z)|\[\s*(?:[\[{\"\]]|\Z))", "drafts.objects:read"
    ),
    Format(
        "BibTeX",
        (".bib", ".bibtex", ".biblatex"),
        rf"(?m)^\s*@(?:{_ENTRY}|{_THESIS})\s*[{{(]",
        "drafts.objects:read_list",
    ),
    Format("RIS", (".ris",), r"(?m)^TY {1,2}- ", "drafts.objects:read_list"),
    Format("CSV", (".csv", ".tsv"), _NEVER, "drafts.objects:read_list"),
    Format("YAML", (".yaml", ".yml", ".cff"), _NEVER, "drafts.objects:read_list"),
    # What Web of Science, PubMed and EndNote export, as text or as XML.
    Format(
        "export",
        (".ciw", ".enw", ".nbib", ".xml"),
        r"\A(?:FN |PT [BCJPS]\n|PMID- |%0 [A-Z]|<\?xml |<!DOCTYPE (?!html))",
        "drafts.objects:read_list",
    ),
    Format(
        "LaTeX",
        (".tex", ".ltx", ".latex", *WOVEN),
        r"\\(?:documentclass|documentstyle|begin\s*\{(?:document|abstract)\}|title\b)",
        "latex.latex_draft:parse",
        names_files=True,
    ),
    Format(
        "Typst",
        (".typ",),
        r"(?m)^#(?:set|show|import|let)[^\S\n]",
        "drafts.typst_draft:parse",
        names_files=True,
    ),
    Format(
        "Org",
        (".org",),
        r"(?im)^#\+(?:title|author|begin_abstract)\b",
        "drafts.org_draft:read",
        names_files=True,
    ),
    Format(
        "Markdown",
        (".md", ".markdown", ".qmd", ".rmd"),
        r"\A---[^\S\n]*\n|(?m:^#{1,3} \S)|\A[^\n]+\n={3,}\n",
        "drafts.markdown_files:parse",
        names_files=True,
    ),
    # Told by their names alone: their signs are those of other formats, too.
    Format("reStructuredText", (".rst",), _NEVER, "drafts.converted:read", names_files=True),
    Format("AsciiDoc", (".adoc", ".asciidoc"), _NEVER, "drafts.converted:read", names_files=True),
    Format("plain text", (), "", "drafts.plain:parse"),
)

_UNREADABLE = (
    (r"\xd0\xcf\x11\xe0", "an old Word file"),
    (r"\{\\rtf", "RTF"),
    (r"(?i)<(?:!doctype html|html)\b", "HTML"),
)
