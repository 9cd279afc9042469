"""Read a cited work that a list of references gives as text, without fields."""

import re
from dataclasses import replace

from recsys.formats import identifiers
from recsys.formats.drafts.pdf_references import printed_work
from recsys.formats.references.bibliography import text_in
from recsys.formats.references.people import natural
from recsys.records import Reference

LONGEST = 2_000
"""Characters that are read of one cited work."""

# What medical journals print after the name of the journal: "2001 Mar 5;12(3):45-50".
_NUMBERS = re.compile(
    r"(?<![\d/.:-])(1[89]\d\d|20\d\d)[a-z]?\b[^;:\d]{0,12}\d{0,2};\s?([A-Za-z]?\d[\w-]{0,9})?"
    r"(?:\s?(?:Suppl|Pt)\s?\d{0,3})?(?:\s?\([^()]{0,40}\))?(?:\s?:\s?([A-Za-z]{0,3}\d[\w.]{0,15}))?"
)
# What others print there: "Journal 12, 33-49" or "12(3), 33".
_VOLUME = re.compile(
    r"(?<=[\s,])(\d{1,4})\s?(?:\(\d{1,4}(?:[-\u2013/]\d{1,4})?\))?\s?[,:]\s?"
    r"(?:pp?\.\s?)?([A-Za-z]{0,3}\d{1,6})(?=[-\u2013.,;\s]|\Z)"
)
_YEAR = re.compile(r"(?<![\d/.:-])(?:1[89]\d\d|20\d\d)(?![\d/:-])")
# "Smith J, Doe A." before a title; without the full stop at the end it is a title itself.
_NAME = re.compile(r"([^\W\d_][^\d,.:;]{0,60}?) ([A-Z]{1,4})(?=[.;,]|\s+et\s+al)")
_SENTENCE = re.compile(r"(?<=[.?!])\s+")
_DOI_HINT, _ARXIV_HINT = "10.", "rxiv"


def cited_work(text: str | None) -> Reference:
    """Read one cited work; what is not understood is unknown."""
    plain = text_in((text or "")[:LONGEST]) or ""
    numbers = _NUMBERS.search(plain)
    name = _NAME.match(plain)
    work = _medical(plain, numbers, name) if numbers or name else _other(plain)
    return replace(
        work,
        doi=identifiers.doi(plain) if _DOI_HINT in plain else None,
        arxiv=identifiers.arxiv(plain) if _ARXIV_HINT in plain else None,
    )


def _medical(plain: str, numbers: re.Match[str] | None, name: re.Match[str] | None) -> Reference:
    """Read "Smith J, Doe A. Title. Journal. 2001;12(3):45", of which each may lack."""
    years = [numbers[1]] if numbers else _YEAR.findall(plain)
    volume = _VOLUME.search(plain) if numbers is None else None
    before = plain[: numbers.start()] if numbers else plain
    parts = [part for each in _SENTENCE.split(before) if (part := each.strip(" ."))]
    rest = parts[1:] if name else parts
    # Where the numbers stand, a journal stands before them; elsewhere a title comes first.
    titled = len(rest) > 1 or (numbers is None and len(rest) == 1)
    venue = ". ".join(rest[titled:]) if numbers else None
    return Reference(
        title=rest[0] if titled else None,
        authors=(natural(f"{name[1]}, {name[2]}"),) if name else (),
        year=int(years[-1]) if years else None,
        venue=venue or None,
        volume=numbers[2] if numbers else volume[1] if volume else None,
        page=numbers[3] if numbers else volume[2] if volume else None,
    )


def _other(plain: str) -> Reference:
    """Read what is printed in another way, as the lists in PDFs are read."""
    work = printed_work(plain)
    volume = _VOLUME.search(plain)
    return replace(
        work,
        key="",
        authors=tuple(map(natural, work.authors)),
        acl=None,
        volume=volume[1] if volume else None,
        page=volume[2] if volume else None,
    )
