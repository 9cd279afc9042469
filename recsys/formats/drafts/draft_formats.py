"""Read a draft in any format: by the suffix of its file, else by what is in it.

A new format is a module with `read`, and a row of FORMATS.
"""

import re
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from recsys.errors import DraftError
from recsys.formats.drafts.wording import clean
from recsys.formats.files import display_name, read_bytes
from recsys.formats.latex.sweave import SUFFIXES as WOVEN
from recsys.records import Draft, Manuscript

if TYPE_CHECKING:
    from recsys.formats.drafts.folder import Folder

LONGEST_TITLE, LONGEST_ABSTRACT = 2_000, 100_000
"""Characters of a title and of an abstract that are kept."""


@dataclass(frozen=True, slots=True)
class Format:
    """One row of the table of formats.

    sign: what is found among the first characters of such a file.
    module: has `read`, which takes the bytes and the path of a draft and gives a `Manuscript`.
    names_files: such a draft may name others; `read` takes the folder that holds them, too.
    """

    name: str
    suffixes: tuple[str, ...]
    sign: re.Pattern[str]
    module: str
    names_files: bool = False

    def read(self, raw: bytes, path: Path, folder: "Folder | None" = None) -> Manuscript:
        """Read a draft of the format; see `parse_manuscript`."""
        read = import_module(self.module).read
        manuscript: Manuscript = read(raw, path, folder) if self.names_files else read(raw, path)
        return manuscript


def read_manuscript(
    path: Path,
    *,
    title: str | None = None,
    abstract: str | None = None,
    root: Path | None = None,
) -> Manuscript:
    """Read a draft, or standard input when the path is `-`.

    Args:
        path: the file, or the folder of a project; `title` and `abstract` go before what it says.
        title: the title of the draft.
        abstract: the abstract of the draft.
        root: the folder that holds the files that the draft may name; unless given, its
            repository, else its own folder.

    Raises:
        InputError: the file cannot be read, or (DraftError) it is of the wrong shape or says
            nothing: no title, no abstract and no reference.
        MissingExtraError: its format needs a package that is not installed.
    """
    from recsys.formats.drafts.folder import folder_of

    if path.is_dir():
        from recsys.formats.drafts.project import read_project

        return _finished(read_project(path), display_name(path), title, abstract)
    raw, folder = read_bytes(path), folder_of(path, root)
    return parse_manuscript(raw, path, title=title, abstract=abstract, folder=folder)


def parse_manuscript(
    raw: bytes,
    path: Path,
    *,
    title: str | None = None,
    abstract: str | None = None,
    folder: "Folder | None" = None,
) -> Manuscript:
    """Read the bytes of a draft; the suffix of `path`, else they themselves tell the format.

    Args:
        raw: the draft.
        path: what it is called.
        title: goes before the draft's own.
        abstract: goes before the draft's own.
        folder: the files that it may name; unless given, those of its folder on the disk.

    Raises:
        InputError, MissingExtraError: see `read_manuscript`.
    """
    name = display_name(path)
    if not raw.strip():
        raise DraftError(f"{name} is empty.", "Give a draft with a title or an abstract.")
    return _finished(format_of(path, raw).read(raw, path, folder), name, title, abstract)


def _finished(
    manuscript: Manuscript, name: str, title: str | None, abstract: str | None
) -> Manuscript:
    """Put what was given apart in its place, and bring all of it into one shape.

    Raises:
        DraftError: it says nothing.
    """
    if title is not None:
        manuscript = replace(manuscript, title=title)
    if abstract is not None:
        manuscript = replace(manuscript, abstract=abstract)
    manuscript = _tidied(manuscript)
    if not (manuscript.title or manuscript.abstract or manuscript.references):
        raise DraftError(
            f"{name} has neither a title nor an abstract, and no reference either.",
            "Give at least a title; an abstract makes the answer much better.",
        )
    return manuscript


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
    head = _head(raw)
    found = next((row for row in FORMATS if suffix in row.suffixes), None)
    if found is not None:
        return found
    for sign, what in _UNREADABLE:
        if sign.match(head):
            raise DraftError(
                f"{display_name(path)} is {what}.", "Save it as PDF, Markdown or plain text."
            )
    return next(row for row in FORMATS if row.sign.search(head))


def _head(raw: bytes) -> str:
    """Decode the first characters as well as may be: signs of formats are ASCII."""
    wide = raw[:4].startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"))
    head = raw[:_HEAD].replace(b"\0", b"") if wide else raw[:_HEAD]
    return head.lstrip(b"\xef\xbb\xbf\xff\xfe").decode("latin-1").replace("\r\n", "\n").lstrip()


def _tidied(manuscript: Manuscript) -> Manuscript:
    title, abstract = clean(manuscript.title), clean(manuscript.abstract or "")
    notes = [clean(note) for note in manuscript.notes]
    if len(abstract) > LONGEST_ABSTRACT:
        notes.append(f"Only the first {LONGEST_ABSTRACT:,} characters of the abstract are read.")
    authors = (clean(author) for author in manuscript.authors)
    return replace(
        manuscript,
        title=title[:LONGEST_TITLE],
        abstract=abstract[:LONGEST_ABSTRACT].strip() or None,
        authors=tuple(dict.fromkeys(author for author in authors if author)),
        venue=clean(manuscript.venue or "") or None,
        notes=tuple(dict.fromkeys(notes)),
    )


_HEAD = 4_000
_ENTRY = (
    r"(?i:article|book|booklet|conference|in(?:book|collection|proceedings)|manual|misc|online)"
)
_THESIS = r"(?i:comment|(?:masters|phd)?thesis|preamble|proceedings|string|techreport|unpublished)"

FORMATS = (  # Signs are tried in this order; the last one fits all.
    Format("PDF", (".pdf",), re.compile(r"%PDF-"), "recsys.formats.drafts.pdf"),
    # A document of Word is a zip: what is in it tells.
    Format("Word", (".docx", ".docm"), re.compile(r"(?!)"), "recsys.formats.drafts.word_draft"),
    Format(
        "OpenDocument", (".odt", ".ott"), re.compile(r"(?!)"), "recsys.formats.drafts.opendocument"
    ),
    Format("ZIP", (".zip",), re.compile(r"\APK\x03\x04"), "recsys.formats.drafts.bundle"),
    Format(
        "notebook",
        (".ipynb",),
        re.compile(
            r"\A\{\s*\"(?:cells|nbformat|metadata|worksheets)\"\s*:(?=.*\"cell_type\")", re.DOTALL
        ),
        "recsys.formats.drafts.notebook",
        names_files=True,
    ),
    Format(
        "JSON",
        (".json",),
        re.compile(r"\A(?:\{\s*(?:[\"}]|\Z)|\[\s*(?:[\[{\"\]]|\Z))"),
        "recsys.formats.drafts.objects",
    ),
    Format(
        "BibTeX",
        (".bib", ".bibtex", ".biblatex"),
        re.compile(rf"(?m)^\s*@(?:{_ENTRY}|{_THESIS})\s*[{{(]"),
        "recsys.formats.drafts.reading_list",
    ),
    Format("RIS", (".ris",), re.compile(r"(?m)^TY {1,2}- "), "recsys.formats.drafts.reading_list"),
    Format("CSV", (".csv", ".tsv"), re.compile(r"(?!)"), "recsys.formats.drafts.reading_list"),
    # What Web of Science, PubMed and EndNote export, as text or as XML.
    Format(
        "export",
        (".ciw", ".enw", ".nbib", ".xml"),
        re.compile(r"\A(?:FN |PT [BCJPS]\n|PMID- |%0 [A-Z]|<\?xml |<!DOCTYPE (?!html))"),
        "recsys.formats.drafts.reading_list",
    ),
    Format(
        "LaTeX",
        (".tex", ".ltx", ".latex", *WOVEN),
        re.compile(r"\\(?:documentclass|documentstyle|begin\s*\{(?:document|abstract)\}|title\b)"),
        "recsys.formats.drafts.latex_draft",
        names_files=True,
    ),
    Format(
        "Typst",
        (".typ",),
        re.compile(r"(?m)^#(?:set|show|import|let)[^\S\n]"),
        "recsys.formats.drafts.typst",
        names_files=True,
    ),
    Format(
        "Org",
        (".org",),
        re.compile(r"(?im)^#\+(?:title|author|begin_abstract)\b"),
        "recsys.formats.drafts.org",
        names_files=True,
    ),
    Format(
        "Markdown",
        (".md", ".markdown", ".qmd", ".rmd"),
        re.compile(r"\A---[^\S\n]*\n|(?m:^#{1,3} \S)|\A[^\n]+\n={3,}\n"),
        "recsys.formats.drafts.markdown_draft",
        names_files=True,
    ),
    Format("plain text", (), re.compile(""), "recsys.formats.drafts.plain"),
)

_UNREADABLE = (
    (re.compile(r"\xd0\xcf\x11\xe0"), "an old Word file"),
    (re.compile(r"\{\\rtf"), "RTF"),
    (re.compile(r"(?i)<(?:!doctype html|html)\b"), "HTML"),
)
