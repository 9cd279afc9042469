"""Read a draft out of a PDF: what its print looks like is all there is to go by.

Only the first and the last pages are read. Text is taken in the order in which it was written,
which is the reading order, in columns too, for what TeX, word processors and browsers write.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recsys.errors import DraftError
from recsys.formats.drafts.pdf_front import Front, printed_keyphrases, read_front
from recsys.formats.drafts.pdf_pages import Line, Pages, is_readable
from recsys.formats.drafts.pdf_references import find_list, find_markers, read_list
from recsys.formats.drafts.pdf_wording import without_running_heads, words_of
from recsys.formats.drafts.wording import counted
from recsys.formats.files import display_name
from recsys.passages import Body
from recsys.records import Manuscript, Reference

FRONT_PAGES = 3
"""Pages on which title and abstract are looked for."""
BACK_PAGES = 30
"""Pages at the end among which the list of references is looked for."""


@dataclass(frozen=True, slots=True)
class PdfText:
    """What was read: the front, the lines of the first pages, the references, notes on those.

    listed: the lines from the first one of the list of references on.
    """

    front: Front
    lines: tuple[Line, ...]
    references: tuple[Reference, ...]
    notes: tuple[str, ...]
    listed: tuple[Line, ...] = ()


def parse(raw: bytes, path: Path) -> "PdfDraft":
    """Open a PDF and read its first and its last pages.

    Raises:
        DraftError: it is no PDF, is encrypted or damaged, or has no text.
        MissingExtraError: pypdf is not installed.
    """
    name = display_name(path)
    pages = Pages(raw, name)
    return PdfDraft(pages, read_pages(pages, name))


@dataclass(frozen=True, slots=True)
class PdfDraft:
    """A PDF: its pages, and what the first and the last ones say."""

    pages: Pages
    read: PdfText

    def manuscript(self) -> Manuscript:
        """Return title, authors, abstract and references; notes say what of it is a guess."""
        front, lines = self.read.front, self.read.lines
        return Manuscript(
            title=front.title,
            abstract=front.abstract,
            authors=front.authors,
            references=self.read.references,
            notes=(*front.notes, *self.read.notes),
            keyphrases=printed_keyphrases(lines, words_of(lines)),
        )

    def body(self, references: Sequence[Reference]) -> Body:
        """Read the sentences; their marks name entries of the printed list."""
        from recsys.formats.drafts.pdf_body import read_body  # Few commands need sentences.

        return read_body(self.pages, self.read)


def read_pages(pages: Pages, name: str) -> PdfText:
    """Read the first and the last pages of a PDF; see `parse` for what it raises."""
    lines = [line for page in range(min(FRONT_PAGES, len(pages))) for line in pages.lines(page)]
    if not lines:
        raise DraftError(
            f"{name} has no text on its first pages: it may be scanned.",
            "Give title and abstract in a text file, or run OCR on it.",
        )
    if not is_readable(lines):
        raise DraftError(
            f"The text of {name} cannot be read: its fonts do not say which letters they draw.",
            "Give title and abstract in a text file, or export the PDF again.",
        )
    listed = without_running_heads(_listed(pages), lines)
    vocabulary = words_of([*lines, *listed])
    front = read_front(lines, (pages.fact("/Title"), pages.fact("/Author")), vocabulary)
    references, notes = read_list(listed, vocabulary) if listed else ((), ())
    if pages.failures:
        notes += (f"{counted(pages.failures, 'page')} could not be read.",)
    return PdfText(front, tuple(lines), references, notes, tuple(listed))


def _listed(pages: Pages) -> list[Line]:
    """Return the lines after the heading "References", searched from the last page on.

    Without such a heading, the list begins at the last marker "[1]".
    """
    after: list[Line] = []
    for page in reversed(range(max(len(pages) - BACK_PAGES, 0), len(pages))):
        lines = pages.lines(page)
        start = find_list(lines)
        if start is not None:
            listed = [*lines[start:], *after]
            return listed[find_markers(listed, last=False) or 0 :]
        after = [*lines, *after]
    start = find_markers(after, last=True)
    return [] if start is None else after[start:]
