"""Read a draft out of a PDF: what its print looks like is all there is to go by.

Only the first and the last pages are read. Text is taken in the order in which it was written,
which is the reading order, in columns too, for what TeX, word processors and browsers write.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recsys.errors import DraftError
from recsys.formats.drafts.pdf_front import AFTER_ABSTRACT, Front, close_lines, read_front
from recsys.formats.drafts.pdf_pages import Line, Pages, is_readable
from recsys.formats.drafts.pdf_references import find_list, find_markers, read_list
from recsys.formats.drafts.pdf_wording import joined, without_running_heads, words_of
from recsys.formats.drafts.stated_keyphrases import stated_on_lines
from recsys.formats.drafts.wording import counted
from recsys.formats.files import display_name
from recsys.records import Manuscript, Reference

FRONT_PAGES = 3
"""Pages on which title and abstract are looked for."""
BACK_PAGES = 30
"""Pages at the end among which the list of references is looked for."""
_KEYWORD_LINES = 5


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


def read(raw: bytes, path: Path) -> Manuscript:
    """Read a PDF file."""
    return read_pdf(raw, display_name(path))


def read_pdf(raw: bytes, name: str) -> Manuscript:
    """Read title, authors, abstract and references; notes say what of it is a guess.

    Raises:
        DraftError: it is no PDF, is encrypted or damaged, or has no text.
        MissingExtraError: pypdf is not installed.
    """
    read = read_pages(Pages(raw, name), name)
    return Manuscript(
        title=read.front.title,
        abstract=read.front.abstract,
        authors=read.front.authors,
        references=read.references,
        notes=(*read.front.notes, *read.notes),
        keyphrases=_keyphrases(read.lines, words_of(read.lines)),
    )


def read_pages(pages: Pages, name: str) -> PdfText:
    """Read a PDF that is open; see `read_pdf`."""
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


def _keyphrases(lines: Sequence[Line], vocabulary: Counter[str]) -> tuple[str, ...]:
    """Return the keywords that the first pages state: on a line, and on those that continue it."""
    for place, line in enumerate(lines):
        if not stated_on_lines(line.text):
            continue
        end = place + 1
        while (
            end < len(lines)
            and end - place < _KEYWORD_LINES
            and _continues(*lines[end - 1 : end + 1])
        ):
            end += 1
        if found := stated_on_lines(joined(lines[place:end], vocabulary)):
            return found
    return ()


def _continues(line: Line, following: Line) -> bool:
    """Whether a list goes on in the next line: after a mark, or with a small letter."""
    if not close_lines(line, following) or AFTER_ABSTRACT.match(following.text):
        return False
    return line.text.endswith((",", ";", "-", "\u00b7", "\u2022")) or following.text[:1].islower()


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
