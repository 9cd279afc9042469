"""Read the PDF of a paper as a work of a corpus: what it says of itself, and what it cites.

Everything is read off its print, so labels name the fields that are a guess; authors that are not
sure are left out.
"""

from collections.abc import Iterator
from pathlib import Path

from recsys.errors import DraftError
from recsys.formats.drafts.pdf import PdfText, read_pages
from recsys.formats.drafts.pdf_pages import Pages
from recsys.formats.files import MAX_BYTES
from recsys.formats.libraries.pdf_imprint import Imprint, imprint_of
from recsys.formats.references.bibliography import Problem
from recsys.records import Reference

REVISION = 2
"""Of this reader: what an older one read is read again."""


def read(path: Path) -> Iterator[Reference | Problem]:
    """Read one PDF: a work, and what is wrong with it; nothing but a problem where it is none.

    Raises:
        MissingExtraError: pypdf is not installed.
    """
    name = path.name
    try:
        raw = _content(path, name)
        pages = Pages(raw, name)
        text = read_pages(pages, name)
    except DraftError as error:
        yield Problem(error.what, _reason(error.what))
        return
    imprint = imprint_of(pages, text.lines, text.front.title, text.front.head)
    yield from _work(text, imprint, name)


def _content(path: Path, name: str) -> bytes:
    """Read the file.

    Raises:
        DraftError: it cannot be opened, or is too large.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DraftError(f"{name} cannot be read: {reason}.", "Give a file.") from error
    if len(raw) > MAX_BYTES:
        most = f"{MAX_BYTES // 2**20} MB"
        raise DraftError(f"{name} is larger than {most}.", "Print it with smaller pictures.")
    return raw


def _work(text: PdfText, imprint: Imprint, name: str) -> Iterator[Reference | Problem]:
    front = text.front
    if not (front.title or imprint.doi or imprint.arxiv):
        yield Problem(f"{name}: no title was found on its first pages.", "no title")
        return
    cites = tuple(filter(_says_enough, text.references))
    guessed = [*front.guessed, *(["year"] if imprint.guessed else [])]
    yield Reference(
        key=name,
        title=front.title or None,
        authors=front.authors,
        year=imprint.year,
        abstract=front.abstract,
        doi=imprint.doi,
        arxiv=imprint.arxiv,
        venue=imprint.place.venue,
        volume=imprint.place.volume,
        page=imprint.place.page,
        labels={"guessed": guessed} if guessed else {},
        cites=cites,
    )
    if not text.references:
        yield Problem(f"{name}: no list of references was found.", "no list of references")
    for note in text.notes:
        yield Problem(f"{name}: {note}", "read in part")
    if lost := len(text.references) - len(cites):
        yield Problem(
            f"{name}: {lost} of {len(text.references)} references could not be understood.",
            "references not understood",
        )


def _says_enough(work: Reference) -> bool:
    """Whether a work could be found by what is told of it."""
    named = work.title or work.doi or work.arxiv or work.acl
    return bool(named or (work.authors and work.year and (work.page or work.venue)))


def _reason(what: str) -> str:
    """Say in a few words why a PDF cannot be read, to be counted."""
    reasons = {
        "is encrypted": "encrypted",
        "has no text": "no text",
        "has no pages": "no pages",
        "fonts do not say": "text unreadable",
        "is larger than": "too large",
    }
    return next((reason for part, reason in reasons.items() if part in what), "unreadable PDF")
