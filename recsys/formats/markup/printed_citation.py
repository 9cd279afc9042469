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
    r"(?:\s?\([^()]{0,40}\))?(?:\s?:\s?([A-Za-z]{0,3}\d[\w.]{0,15}))?"
)
# What others print there: "Journal 12, 33-49" or "12(3), 33".
_VOLUME = re.compile(
    r"(?<=[\s,])(\d{1,4})\s?(?:\(\d{1,4}(?:[-\u2013/]\d{1,4})?\))?\s?[,:]\s?"
    r"(?:pp?\.\s?)?([A-Za-z]{0,3}\d{1,6})(?=[-\u2013.,;\s]|\Z)"
)
_NAME = re.compile(r"([^\W\d_][^\d,.:;]{0,60}?) ([A-Z]{1,4})(?=[,.;]|\s+et\s+al|\Z)")
_SENTENCE = re.compile(r"(?<=[.?!])\s+")
_DOI_HINT, _ARXIV_HINT = "10.", "rxiv"


def cited_work(text: str | None) -> Reference:
    """Read one cited work; what is not understood is unknown."""
    plain = text_in((text or "")[:LONGEST]) or ""
    numbers = _NUMBERS.search(plain)
    work = _medical(plain, numbers) if numbers else _other(plain)
    return replace(
        work,
        doi=identifiers.doi(plain) if _DOI_HINT in plain else None,
        arxiv=identifiers.arxiv(plain) if _ARXIV_HINT in plain else None,
    )


def _medical(plain: str, numbers: re.Match[str]) -> Reference:
    """Read "Smith J, Doe A. Title. Journal. 2001;12(3):45", of which the first two may lack."""
    before = plain[: numbers.start()].strip()
    parts = [part.strip(" .") for part in _SENTENCE.split(before) if part.strip(" .")]
    name = _NAME.match(parts[0]) if len(parts) > 1 else None
    rest = parts[1:] if name else parts
    return Reference(
        title=rest[0] if len(rest) > 1 else None,
        authors=(natural(f"{name[1]}, {name[2]}"),) if name else (),
        year=int(numbers[1]),
        venue=". ".join(rest[1:]) if len(rest) > 1 else next(iter(rest), None),
        volume=numbers[2],
        page=numbers[3],
    )


def _other(plain: str) -> Reference:
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
