"""Read what a PDF prints of itself: its own DOI and arXiv id, and the year in which it appeared."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recsys.formats.bodies.printed_works import PrintedPlace, place_of
from recsys.formats.drafts.pdf import find_list
from recsys.formats.drafts.pdf_front import letters
from recsys.formats.drafts.pdf_pages import Line, Pages
from recsys.formats.identifiers import arxiv, doi

EARLIEST_YEAR = 1900
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
_NOWHERE = PrintedPlace()


@dataclass(frozen=True, slots=True)
class Imprint:
    """What a paper says of itself. guessed: whether the year is only that of the file.

    place: the journal, volume and first page, where a line tells all of them and the year.
    """

    doi: str | None = None
    arxiv: str | None = None
    year: int | None = None
    guessed: bool = False
    place: PrintedPlace = _NOWHERE


def imprint_of(pages: Pages, lines: Sequence[Line], title: str, head: int | None) -> Imprint:
    """Read the imprint.

    Args:
        pages: the file.
        lines: of the first pages.
        title: as printed; a year in it tells nothing.
        head: how many lines come before the abstract.
    """
    own = list(_before_list(lines))
    margin = pages.margin(0)
    stamped = arxiv(margin) or next(filter(None, map(_stamp, own)), None)
    created = _CREATED.match(pages.fact("/CreationDate"))
    latest = int(created[1]) + 1 if created else None
    place = _place(own, head)
    year = place.year or _year(own, margin, title, head)
    if year and (latest is None or year <= latest):
        return Imprint(_own_doi(pages, own), stamped, year, place=place)
    guess = _year_of_id(stamped) or (int(created[1]) if created else None)
    return Imprint(_own_doi(pages, own), stamped, guess, guess is not None)


def _place(lines: Sequence[Line], head: int | None) -> PrintedPlace:
    """Read a line such as "Journal of Nests 12, 34 (2010)" above the abstract or at the edges."""
    above = lines[: 12 if head is None else min(head, 12)]
    for line in dict.fromkeys([*above, *lines[-6:]]):
        if len(line.text.split()) <= LONGEST_LINE and _PLACE.search(line.text):
            place = place_of(line.text)
            if place.venue and place.volume and place.page and place.year:
                return place
    return _NOWHERE


def _before_list(lines: Sequence[Line]) -> Iterator[Line]:
    """Give the lines of the first page, as far as the list of references."""
    first = [line for line in lines if line.page == 0]
    yield from first[: find_list(first)]


def _stamp(line: Line) -> str | None:
    """Return the arXiv id of a line that begins with it."""
    return arxiv(line.text) if re.match(r"(?i)arxiv:", line.text) else None


def _own_doi(pages: Pages, lines: Sequence[Line]) -> str | None:
    """Return the DOI of the file's own information, else the only one in lines by themselves."""
    for key in ("/doi", "/DOI", "/WPS-ARTICLEDOI", "/Subject"):
        if found := doi(pages.fact(key)):
            return found
    short = [line.text for line in lines if len(line.text.split()) <= LONGEST_LINE]
    printed = {found for text in short if "10." in text and (found := doi(text))}
    whole = {one for one in printed if not any(one != two and one in two for two in printed)}
    return whole.pop() if len(whole) == 1 else None


def _year(lines: Sequence[Line], margin: str, title: str, head: int | None) -> int | None:
    """Return the year of the stamp, of publication, of the copyright, of a date, of a heading."""
    texts = [line.text for line in lines]
    if stamped := next(filter(None, map(_STAMP.search, [margin, *texts])), None):
        return int(stamped[1])
    for pattern in (_PUBLISHED, _COPYRIGHT):
        if years := [int(found[1]) for text in texts if (found := pattern.search(text))]:
            return max(years)
    above, known = texts[: 0 if head is None else head], letters(title)
    if years := [int(found[1]) for text in texts[: head or 30] if (found := _DATED.match(text))]:
        return max(years)
    tail = texts[-6:] + texts[:4]
    years = [
        int(_YEAR.findall(text)[-1])
        for text in dict.fromkeys([*above, *(text for text in tail if _MEETING.search(text))])
        if len(text.split()) <= LONGEST_LINE and _YEAR.search(text) and letters(text) not in known
    ]
    return max(years, default=None)


def _year_of_id(arxiv_id: str | None) -> int | None:
    """Return the year that an arXiv id begins with, after the archive."""
    digits = (arxiv_id or "").rpartition("/")[2][:2]
    if not digits.isdecimal():
        return None
    return (1900 if int(digits) > 90 else 2000) + int(digits)
