"""Read the PDF of a paper as a work of a corpus: what it says of itself, and what it cites.

Everything is read off its print, so labels name the fields that are a guess; authors that are not
sure are left out.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from recsys.errors import DraftError
from recsys.formats.bodies.printed_works import place_of
from recsys.formats.drafts.pdf import PdfDraft, find_list, read_pages
from recsys.formats.drafts.pdf_front import letters
from recsys.formats.drafts.pdf_pages import Line, Pages
from recsys.formats.files import MAX_BYTES
from recsys.formats.identifiers import arxiv, doi
from recsys.formats.references.bibliography import Problem
from recsys.records import Reference

REVISION = 3
"""Of this reader: what an older one read is read again."""
LONGEST_LINE = 18
"""Words of a line that may be an imprint; a sentence of the text that names a DOI is longer."""

_Y = r"(19\d\d|20\d\d)"
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|"
    r"Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_STAMP = re.compile(rf"(?i)arxiv:\s?\S+(?:\s+\[[\w.-]+\])?\s+\d{{1,2}}\s+{_MONTH}\s+{_Y}")
_COPYRIGHT = re.compile(rf"(?:\u00a9|\([cC]\)|[Cc]opyright|COPYRIGHT)\D{{0,60}}?{_Y}(?!\d)")
_PUBLISHED = re.compile(rf"(?i)(?:published|available)(?: online)?\b\D{{0,20}}.{{0,20}}?{_Y}(?!\d)")
_DATED = re.compile(
    rf"(?i)\A\(?(?:dated:? ?|draft (?:of|version)?:? ?)?(?:\d{{1,2}}(?:st|nd|rd|th)?\.? )?{_MONTH} "
    rf"(?:\d{{1,2}},? )?{_Y}\)?\Z"
)
_MEETING = re.compile(
    r"(?i)\b(?:proc(?:eedings|\.)?|conference|symposium|workshop|journal|transactions|letters|"
    rf"annual|vol(?:ume|\.)|issn|accepted|published|preprint|{_MONTH})\b"
)
_PLACE = re.compile(rf"\d.{{0,20}}\({_Y}\)|\({_Y}\).{{0,6}}\d")
_YEAR = re.compile(r"(?<![\d./-])(19\d\d|20\d\d)(?![\d/])")
_CREATED = re.compile(r"\A(?:D:)?(19\d\d|20\d\d)")
# Why a PDF cannot be read: part of what the error says -> a few words, to be counted.
_REASONS = {
    "is encrypted": "encrypted",
    "has no text": "no text",
    "has no pages": "no pages",
    "fonts do not say": "text unreadable",
    "is larger than": "too large",
}


def read(path: Path) -> Iterator[Reference | Problem]:
    """Read one PDF: a work, and what is wrong with it; nothing but a problem where it is none.

    Raises:
        MissingExtraError: pypdfium2 is not installed.
    """
    name = path.name
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            most = f"{MAX_BYTES // 2**20} MB"
            raise DraftError(f"{name} is larger than {most}.", "Print it with smaller pictures.")
        pages = Pages(raw, name)
        text = read_pages(pages, name)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        yield Problem(f"{name} cannot be read: {reason}.", "unreadable PDF")
    except DraftError as error:
        reasons = (reason for part, reason in _REASONS.items() if part in error.what)
        yield Problem(error.what, next(reasons, "unreadable PDF"))
    else:
        yield from _work(pages, text, name)


def _work(pages: Pages, text: PdfDraft, name: str) -> Iterator[Reference | Problem]:
    front = text.front
    first = [line for line in text.lines if line.page == 0]
    lines = first[: find_list(first)]
    # In the margin, or on a line that begins with it.
    stamps = (arxiv(line.text) for line in lines if line.text[:6].lower() == "arxiv:")
    own_doi = _own_doi(pages, lines)
    stamped = arxiv(pages.margin(0)) or next(filter(None, stamps), None)
    if not (front.title or own_doi or stamped):
        yield Problem(f"{name}: no title was found on its first pages.", "no title")
        return
    place = _place(lines, front.head)
    created = _CREATED.match(pages.fact("CreationDate"))
    year = place.year or _year(lines, pages.margin(0), front.title, front.head)
    guessed = list(front.guessed)
    if not year or (created and year > int(created[1]) + 1):
        place = Reference()
        digits = (stamped or "").rpartition("/")[2][:2]  # An arXiv id begins with the year.
        if digits.isdecimal():
            year = (1900 if int(digits) > 90 else 2000) + int(digits)
        else:
            year = int(created[1]) if created else None
        guessed += ["year"] if year is not None else []
    cites = tuple(  # By which a work could be found.
        work
        for work in text.references
        if work.title
        or work.doi
        or work.arxiv
        or work.acl
        or (work.authors and work.year and (work.page or work.venue))
    )
    yield Reference(
        key=name,
        title=front.title or None,
        authors=front.authors,
        year=year,
        abstract=front.abstract,
        doi=own_doi,
        arxiv=stamped,
        venue=place.venue,
        volume=place.volume,
        page=place.page,
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


def _own_doi(pages: Pages, lines: Sequence[Line]) -> str | None:
    """Return the DOI of the file's own information, else the only one in lines by themselves."""
    for key in ("doi", "DOI", "WPS-ARTICLEDOI", "Subject"):
        if own := doi(pages.fact(key)):
            return own
    short = [line.text for line in lines if len(line.text.split()) <= LONGEST_LINE]
    printed = {own for text in short if "10." in text and (own := doi(text))}
    whole = {one for one in printed if not any(one != two and one in two for two in printed)}
    return whole.pop() if len(whole) == 1 else None


def _place(lines: Sequence[Line], head: int | None) -> Reference:
    """Read a line such as "Journal of Nests 12, 34 (2010)" above the abstract or at the edges.

    head: how many lines come before the abstract.
    """
    above = lines[: 12 if head is None else min(head, 12)]
    for line in dict.fromkeys([*above, *lines[-6:]]):
        if len(line.text.split()) <= LONGEST_LINE and _PLACE.search(line.text):
            place = place_of(line.text)
            if place.venue and place.volume and place.page and place.year:
                return place
    return Reference()


def _year(lines: Sequence[Line], margin: str, title: str, head: int | None) -> int | None:
    """Return the year of the stamp, of publication, of the copyright, of a date, of a heading.

    title: as printed; a year in it tells nothing. head: how many lines come before the abstract.
    """
    texts = [line.text for line in lines]
    if stamped := next(filter(None, map(_STAMP.search, [margin, *texts])), None):
        return int(stamped[1])
    for pattern in (_PUBLISHED, _COPYRIGHT):
        if years := [int(match[1]) for text in texts if (match := pattern.search(text))]:
            return max(years)
    if years := [int(match[1]) for text in texts[: head or 30] if (match := _DATED.match(text))]:
        return max(years)
    above, known = texts[: 0 if head is None else head], letters(title)
    tail = texts[-6:] + texts[:4]
    years = [
        int(_YEAR.findall(text)[-1])
        for text in dict.fromkeys([*above, *(text for text in tail if _MEETING.search(text))])
        if len(text.split()) <= LONGEST_LINE and _YEAR.search(text) and letters(text) not in known
    ]
    return max(years, default=None)
