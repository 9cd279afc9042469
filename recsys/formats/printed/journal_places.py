"""Read where a work appeared out of what follows its title: journal, volume, first page, year."""

import re
from dataclasses import dataclass

_Y = r"(?:1[5-9]\d\d|20\d\d)"
_NUMBER = r"[A-Za-z]{0,2}\d{1,7}"
_DAY = rf"\d{{1,2}}, {_Y}(?! ?[(\u2013-])\b"
_VOLUMES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?i)[,.]? ?\bvol(?:ume|\.)? ?(?P<volume>\w{1,6})",
        rf"(?<![\w\u2013-])(?P<volume>\d{{1,4}}), ?\d{{1,3}} \((?:[A-Z][a-z]+\.? )?{_Y}\)[,:] ",
        # No space may be left before what is set in another font.
        rf"(?<![\d\u2013-])(?P<volume>\d{{1,4}}) ?\((?!{_Y}\))[^()]{{1,16}}\)",
        r";\s?(?P<volume>\d{1,4}) ?[:(]",
        rf"(?<![\w\u2013-])(?P<volume>\d{{1,4}}) \({_Y}\) {_NUMBER}",
        rf"(?<![\d\u2013(-])(?!{_Y}\b|{_DAY})(?P<volume>\d{{1,4}}) ?[,:] ?{_NUMBER}\b",
        rf"(?<![\w\u2013(-])(?!{_Y}\b)(?P<volume>\d{{1,4}}) \({_Y}\)",
    )
)
_PAGES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:[,.;(] ?|\b)(?:pp?|[Pp]ages?|[Aa]rticle|Art)\b\.? ?(?:no\.? ?|number )?"
        rf"(?P<page>{_NUMBER})\b",
        rf"(?<=[\d)]): ?(?P<page>{_NUMBER})\b(?!\))",
        rf"(?<![\w.\u2013-])(?P<page>{_NUMBER}) ?[\u2013\u2014-] ?[A-Za-z]{{0,2}}\d{{1,7}}\b",
        rf"(?<![\w\u2013(-])\d{{1,4}}, ?(?P<page>{_NUMBER}) \({_Y}\)",
        rf"\({_Y}\),? (?P<page>{_NUMBER})\b",
    )
)
_YEAR_MARKED = re.compile(rf"[(\[](?:[^()\[\]]{{0,20}}[ ,])?({_Y})[a-z]?[)\]]")
_YEAR = re.compile(rf"(?<![\w/\u2013-])({_Y})[a-z]?(?![\w/-])(?! ?\u2013)")
_SPAN = re.compile(r"\d+ ?[\u2013\u2014-] ?\d+")
_CUT = re.compile(
    rf"[,.;] ?\(?{_Y}|\({_Y}|\(pp|\barXiv:|\bdoi\b|https?:|[,;] ?(?:no|vol|issue)\b\.?|;"
)
_INTRODUCED = re.compile(
    r"\A[\s,.;:(]*(?:[Dd]ated: )?(?:[Pp]ublished )?"
    r"(?:(?:[Ii]n|IN)(?:: | (?=[^a-z])|(?=Proc))|[Ii]n: )?"
)
_EDITED = re.compile(r"\A.{3,150}?(?:\b[Ee]ditors?,|\([Ee]ds?\.?\)[,.:]?|\b[Ee]ds?\.,?) ")
_ENDING_YEAR = re.compile(rf"[ ,.]+{_Y}[ ,.;:]*\Z")
_PARTS = re.compile(r"(?<=[a-z\u00df-\u00ff]{7})[.] +(?=[A-Z])|, +(?:edited by|pages?|pp?\.)")
"""A full stop after a long word is none of an abbreviation."""


@dataclass(frozen=True, slots=True)
class PrintedPlace:
    """Where a work appeared, each None where nothing says so."""

    venue: str | None = None
    volume: str | None = None
    page: str | None = None
    year: int | None = None


def place_of(text: str) -> PrintedPlace:
    """Read what follows a title."""
    volume = next(filter(None, (pattern.search(text) for pattern in _VOLUMES)), None)
    page = next(filter(None, (pattern.search(text) for pattern in _PAGES)), None)
    ends = [match.start() for match in (volume, page, _CUT.search(text)) if match]
    return PrintedPlace(
        _venue(text[: min(ends, default=len(text))]),
        volume["volume"] if volume else None,
        page["page"] if page else None,
        year_of(text),
    )


def year_of(text: str) -> int | None:
    """Return the year in brackets, else the last one that belongs to no span of pages."""
    found = _YEAR_MARKED.findall(text) or _YEAR.findall(_SPAN.sub(" ", text))
    return int(found[-1]) if found else None


def _venue(text: str) -> str | None:
    """Take the editors, and what goes before and after, off the name of a journal or book."""
    plain = _EDITED.sub("", _INTRODUCED.sub("", text, count=1), count=1)
    undated = _ENDING_YEAR.sub("", _PARTS.split(plain, maxsplit=1)[0])
    venue = undated.strip(" ,.;:()[]\u201c\u201d\"'")
    return venue if sum(map(str.isalpha, venue)) > 2 and len(venue) < 250 else None
