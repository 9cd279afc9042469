"""Read a cited work that a list of references gives as text, without fields."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from recsys.formats import identifiers
from recsys.formats.bodies.printed_works import printed_work
from recsys.formats.references.bibliography import text_in
from recsys.formats.references.people import natural
from recsys.records import Reference

Known: TypeAlias = Mapping[str, Any]
"""Fields of a reference by name."""
LONGEST = 2_000
"""Characters that are read of one cited work."""

# What medical journals print after the name of the journal: "2001 Mar 5;12(3):45-50".
_NUMBERS = re.compile(
    r"(?<![\d/.:-])(1[89]\d\d|20\d\d)[a-z]?\b[^;:\d]{0,12}[\d-]{0,5};\s?([A-Za-z]?\d[\w-]{0,9})?"
    r"(?:\s?(?:Suppl|Pt)\s?\d{0,3})?(?:\s?\([^()]{0,40}\))?(?:\s?:\s?([A-Za-z]{0,3}\d[\w.]{0,15}))?"
)
# What others print there: "Journal 12, 33-49", "12(3), 33" or "12: pp. 33".
_VOLUME = re.compile(
    r"(?<=[\s,])(\d{1,4})\s?(?:\(\d{1,4}(?:[-\u2013/]\d{1,4})?\))?\s?[,:]\s?"
    r"(?:pp?\.\s?)?([A-Za-z]{0,3}\d{1,6})(?=[-\u2013.,;\s]|\Z)"
)
_YEAR = re.compile(r"(?<![\d/.:-])(?:1[89]\d\d|20\d\d)(?![\d/:-])")
# A year between authors and title: "Smith J, Doe A (2001) Title" or "Smith, J. (2001). Title".
_DATED = re.compile(r"\A(.{2,600}?)[,.]?\s?\((1[89]\d\d|20\d\d)[a-z]?\)[.,:]?\s+(?=\S)")
# "Smith J, Doe A." and "Smith, J., & Doe, A.": the first of the authors.
_NAME = re.compile(r"([^\W\d_][^\d,.:;()]{0,60}?) ([A-Z]{1,4})(?=[.;,]|\s+et\s+al)")
_LAST = re.compile(r"([^\W\d_][^\d,.:;()]{0,60}?) ([A-Z]{1,4})\Z")
_INDEXED = re.compile(r"([^\W\d_][^\d,.:;()]{0,60}), ((?:[A-Z]\.[\s-]?){1,4})")
_SENTENCE = re.compile(r"(?<=[.?!])\s+")
_BETWEEN = re.compile(r",|;|\s(?:and|&|et al)\b")
_NOTHING: Known = MappingProxyType({})
_DOI_HINT, _ARXIV_HINT = "10.", "rxiv"


def cited_work(text: str | None, known: Known = _NOTHING) -> Reference:
    """Read one cited work; what is not understood is unknown.

    known: fields of the work that are told elsewhere, and are not looked for in the text.
    """
    plain = text_in((text or "")[:LONGEST]) or ""
    known = {**_named(plain), **known} if _DOI_HINT in plain or _ARXIV_HINT in plain else known
    if numbers := _NUMBERS.search(plain):
        return _medical(plain, numbers, known)
    if dated := _DATED.match(plain):
        return _dated(plain, dated, known)
    return (_undated if _NAME.match(plain) else _other)(plain, known)


def _named(plain: str) -> Known:
    return {"doi": identifiers.doi(plain), "arxiv": identifiers.arxiv(plain)}


def _medical(plain: str, numbers: re.Match[str], known: Known) -> Reference:
    """Read "Smith J, Doe A. Title. Journal. 2001;12(3):45", of which each may lack."""
    authors, rest = _sentences(plain[: numbers.start()])
    titled = len(rest) > 1
    return Reference(
        title=rest[0] if titled else None,
        authors=authors,
        year=int(numbers[1]),
        venue=". ".join(rest[titled:]) or None,
        volume=numbers[2],
        page=numbers[3],
        **known,
    )


def _dated(plain: str, dated: re.Match[str], known: Known) -> Reference:
    """Read "Smith, J., & Doe, A. (2001). Title. Journal, 12, 45"."""
    title, *after = _SENTENCE.split(plain[dated.end() :], maxsplit=1)
    rest = after[0] if after else ""
    volume = _VOLUME.search(f" {rest}")
    return Reference(
        title=title.strip(" .") or None,
        authors=_first_author(dated[1]),
        year=int(dated[2]),
        venue=rest[: max(volume.start() - 1, 0)].strip(" ,.") or None if volume else None,
        volume=volume[1] if volume else None,
        page=volume[2] if volume else None,
        **known,
    )


def _undated(plain: str, known: Known) -> Reference:
    """Read "Smith J. Title. Publisher; 2001"."""
    authors, rest = _sentences(plain)
    years, volume = _YEAR.findall(plain), _VOLUME.search(plain)
    return Reference(
        title=rest[0] if rest else None,
        authors=authors,
        year=int(years[-1]) if years else None,
        volume=volume[1] if volume else None,
        page=volume[2] if volume else None,
        **known,
    )


def _other(plain: str, known: Known) -> Reference:
    """Read what is printed in another way, as the lists in PDFs are read."""
    work = printed_work(plain)
    volume = _VOLUME.search(plain)
    return Reference(
        title=work.title,
        authors=tuple(map(natural, work.authors)),
        year=work.year,
        volume=volume[1] if volume else None,
        page=volume[2] if volume else None,
        **known,
    )


def _sentences(text: str) -> tuple[tuple[str, ...], list[str]]:
    """Split off the first author; return the sentences after all authors."""
    parts = [part for each in _SENTENCE.split(text) if (part := each.strip(" ."))]
    name = _NAME.match(text)
    return ((f"{name[2]} {name[1]}",), parts[1:]) if name else ((), parts)


def _first_author(people: str) -> tuple[str, ...]:
    """Return the first of the people before a year, in any order of the names."""
    name = _INDEXED.match(people) or _NAME.match(people) or _LAST.match(people)
    if name:
        return (f"{name[2].strip()} {name[1]}",)
    first = _BETWEEN.split(people, maxsplit=1)[0].strip(" .")
    return (first,) if 0 < len(first.split()) <= 5 else ()
