"""Take apart the references of a record of Scopus: free text, joined by "; ".

Two spellings are known. The older one, `Lee, A., Li, B., Title (2010) Journal, 12 (3), pp. 4-5`,
has the year between title and journal; the newer one, `Lee A., Li B., Title, Journal, 12, 3,
pp. 4-5, (2010)`, at the end. A field that is not certain stays empty.
"""

import re
from typing import TypeAlias

from recsys.formats import identifiers
from recsys.formats.papers.paper_fields import cleaned
from recsys.records import Reference

_LONGEST_CELL = 1_000_000
_LONGEST_ITEM = 4_000
_LONGEST_NAME = 60
_FEW_WORDS = 4
_YEAR = r"(1[5-9]\d\d|20\d\d)[a-z]?"
_YEAR_AT_END = re.compile(rf"[\s,.]*(?:\({_YEAR}\)|,\s?{_YEAR})[\s.,]*$")
_YEAR_INSIDE = re.compile(rf"\({_YEAR}\)")
_INITIALS = r"(?:[^\W\d_a-z](?:\.|(?=[-\s,A-Z]|$))[- ]?){1,5}"
_WORDS = r"[^\W\d_][\w'\u2019\u02bc.\-]*(?: [^\W\d_][\w'\u2019\u02bc.\-]*){0,3}"
_PERSON = re.compile(rf"({_WORDS}?) ({_INITIALS})(?:\[\.?)?")
_FAMILY = re.compile(rf"{_WORDS}")
_GIVEN = re.compile(r"(?:[^\W\d_a-z]\.[- ]?){1,5}(?:\[\.)?")
_DOTS = (".", "[")
_OTHERS = re.compile(r"(?i)(?:jr|sr|ii|iii|iv)\.?|et al\.{0,2}|\.\.\.|\u2026")
_STARTS = re.compile(rf"{_WORDS},? {_INITIALS},")
_PAGES = re.compile(r"(?i)pp?\.? ?([a-z]{0,4}\d[\w.]{0,12})(?:\s?[-\u2013\u2014+].*)?$")
_ARTICLE = re.compile(r"(?i)art(?:icle)?\.? ?(?:no\.?|number) ?([\w.\-]{1,20})$")
_NUMBER = re.compile(
    r"(?i)(?:vol(?:ume)?\.? ?|no\.? ?|issue ?|suppl\.? ?|part ?)?"
    r"([a-z]{0,3}\d{1,6}[a-z]?(?:[-\u2013/]\d{1,6})?(?: [A-Z]{2,8}(?: [A-Z]{2,8})?)?)"
    r"(?: \([^()]{0,30}\))?$"
)
_SPAN = re.compile(r"\d+[-\u2013/]\d+")
_YEARS = re.compile(r"(?:1[5-9]|20)\d\d(?:[-\u2013/](?:(?:1[5-9]|20)?\d\d))?")
_DOI = re.compile(r"(?i)(?:\bdoi:?\s*)?(?:https?://(?:dx\.)?doi\.org/)?\b10\.\d{4,9}/[^\s,]+")
_ADDRESS = re.compile(r"(?i)(?:\b(?:available|retrieved)[^,;]{0,30}?)?\bhttps?://\S+")
_MEETING = re.compile(r"(?:19|20)\d\d [A-Z\d]|\d{1,3}(?:st|nd|rd|th) [A-Z]")
_LAST_DOT = re.compile(r"(?<=[\d)])\.\s*$")
_LETTER = re.compile(r"[^\W\d_]")


_Parts: TypeAlias = tuple[str | None, str | None, str | None, str | None, str | None]
"""First author, title, venue, volume, page."""


def cited_in(cell: str) -> tuple[Reference, ...]:
    """Return what a cell of references cites, each with its first author, in their order."""
    items: list[list[str]] = []
    complete = True  # Split at the semicolons between references, not at those within titles.
    for piece in cleaned(cell[:_LONGEST_CELL]).split("; "):
        if stripped := piece.strip(" ;"):
            if complete or _STARTS.match(stripped[:_LONGEST_NAME]):
                items.append([])
            items[-1].append(stripped)
            complete = bool(_YEAR_INSIDE.search(stripped) or _YEAR_AT_END.search(stripped[-12:]))
    return tuple(_cited("; ".join(parts)) for parts in items)


def _cited(item: str) -> Reference:
    if len(item) > _LONGEST_ITEM:
        return Reference(title=item[:200])
    doi = None
    if "10." in item and (match := _DOI.search(item)):
        doi = identifiers.doi(match[0])
        item = item[: match.start()] + item[match.end() :]
    if "://" in item:
        item = _ADDRESS.sub("", item)
    year = None
    if match := _YEAR_AT_END.search(item, max(0, len(item) - _LONGEST_NAME)):
        year, parts = int(match[1] or match[2]), _newer(item[: match.start()])
    elif years := list(_YEAR_INSIDE.finditer(item)):
        followed = [each for each in years if item[each.end() : each.end() + 2].strip(" .,")]
        match = (followed or years)[-1]
        year, parts = int(match[1]), _older(item[: match.start()], item[match.end() :])
    else:
        parts = _newer(item)
    author, title, venue, volume, page = parts
    if title is not None:
        title = title.strip(" .,") if _LETTER.search(title) else None
    return Reference(
        title=title or None,
        authors=(author,) if author else (),
        year=year,
        venue=venue.strip(" ,") if venue else None,
        doi=doi,
        volume=volume,
        page=page and page.rstrip("."),
    )


def _newer(text: str) -> _Parts:
    """Read authors, title, venue, volume, issue, pages, in this order, commas between them."""
    author, rest = _people(_segments(text))
    page: str | None = None
    while rest and (match := _PAGES.match(rest[-1]) or _ARTICLE.match(rest[-1])):
        page = match[1]
        rest.pop()
    numbers: list[str] = []
    bare = False
    while rest and len(numbers) < 3 and (match := _NUMBER.fullmatch(rest[-1])):
        if _YEARS.fullmatch(match[1]) and not (page and match[1].isdigit()):
            break
        numbers.append(match[1])
        bare = bare or rest[-1][:1].isdigit()
        rest.pop()
    volume = numbers[-1] if numbers else None
    if volume and page is None and len(numbers) == 1 and _SPAN.fullmatch(volume):
        volume = None  # It may as well be pages.
    placed = bool(volume or page)
    if author is None and not placed and rest and rest[0].count(" ") < _FEW_WORDS:
        title, venue = ", ".join(rest), None  # The first segment may be an organisation.
    elif len(rest) == 1 and bare:
        title, venue = None, rest[0]
    else:
        title, venue = _title_and_venue(rest, placed)
    return author, title, venue, volume, page


def _older(before: str, after: str) -> _Parts:
    """Read authors and title from before the year, venue, volume, pages from after it."""
    author, rest = _people(_segments(before))
    title = ", ".join(rest) or None
    segments = _segments(_LAST_DOT.sub("", after.split(" , ")[0]))
    found: list[str] = []
    volume = page = None
    for segment in segments:
        if match := _PAGES.match(segment) or _ARTICLE.match(segment):
            page = page or match[1]
        elif found and (match := _NUMBER.match(segment)) and not _YEARS.fullmatch(match[1]):
            volume = volume or match[1]
        elif volume is None and page is None:
            found.append(segment)
    venue = ", ".join(found) or None
    if title is None and volume is None:
        title, venue = venue, None  # A book stands where others have their journal.
    return author, title, venue, volume, page


def _segments(text: str) -> list[str]:
    return [part for each in text.split(", ") if (part := each.strip(" ,"))]


def _people(segments: list[str]) -> tuple[str | None, list[str]]:
    """Return the first author and what follows all authors."""
    first: str | None = None
    dotted = False
    place = 0
    while place < len(segments):
        name, width = _person(segments, place, dotted=dotted)
        if not width and first and _OTHERS.fullmatch(segments[place][:_LONGEST_NAME]):
            name, width = first, 1
        short = segments[place].count(" ") < _FEW_WORDS - 1
        if not width and short and _LETTER.match(segments[place]):
            # A single name, or a group: somebody with initials follows.
            name, width = segments[place], int(_person(segments, place + 1, dotted=True)[1] > 0)
        if not width:
            break
        first = first or name
        dotted = dotted or "." in first.rpartition(" ")[0]
        place += width
    return first, segments[place:]


def _person(segments: list[str], place: int, *, dotted: bool) -> tuple[str, int]:
    """Return the person who is named at a place and in how many segments, 0 for none.

    dotted: whether initials must have full stops, as those of the authors before have.
    """
    segment = segments[place] if place < len(segments) else ""
    if not segment or len(segment) > _LONGEST_NAME:
        return "", 0
    # Most segments are told by their last letter; a pattern takes ten times as long.
    if segment[-1] in _DOTS or segment[-1].isupper():
        match = _PERSON.fullmatch(segment)
        if match and not (dotted and "." not in match[2]):
            return f"{match[2].strip()} {match[1]}", 1
    given = segments[place + 1] if place + 1 < len(segments) else ""
    if given[-1:] in _DOTS and _GIVEN.fullmatch(given) and _FAMILY.fullmatch(segment):
        return f"{given.removesuffix('[.')} {segment}", 2
    return "", 0


def _title_and_venue(segments: list[str], placed: bool) -> tuple[str | None, str | None]:
    """Tell a title from the venue after it."""
    if len(segments) < 2:
        return next(iter(segments), None), None
    start = len(segments) - 1
    while start > 1:
        rest = ", ".join(segments[start:])  # May go on a title, or close a bracket of it.
        if not rest.startswith(("and ", "& ")) and rest.count("(") >= rest.count(")"):
            break
        start -= 1
    last = segments[start]
    if not ((_LETTER.match(last) and (placed or last[0].isupper())) or _MEETING.match(last)):
        return ", ".join(segments), None
    return ", ".join(segments[:start]), ", ".join(segments[start:])
