"""How reference lists call works that they give no identifier of: by where they were printed."""

import re

import pyarrow as pa
import pyarrow.compute as pc

from recsys.records import Reference
from recsys.store.words import author_key

CITED_AS = "cite:"
"""Begins a name made of first author, year, volume and page: `cite:smith j|2010|12|345`."""

_NOT_COUNTED = re.compile(r"^(?:vol(?:ume)?|pp?|pages?|art(?:icle)?|no)\b\.?|[^0-9a-z]+")
_FROM_TO = re.compile("\\s*[-\u2010-\u2015]+\\s*")


def first_author(work: Reference) -> str | None:
    """Return the key of the first author, "surname f"; None when nobody is named."""
    return author_key(work.authors[0]) if work.authors else None


def printed_place(work: Reference) -> str | None:
    """Return "surname f|volume|page", the year apart; None unless author and page are known.

    Where there is no volume, as in proceedings, the year stands for it, and so has to be the same;
    and the page must tell something: where each paper begins on page 1, it does not.

    >>> printed_place(Reference(authors=("J. Smith",), volume="Vol. 012", page="e17-e25"))
    'smith j|12|e17'
    >>> printed_place(Reference(authors=("J. Smith",), year=2004, page="345-352"))
    'smith j|y2004|345'
    """
    if not work.page or (author := first_author(work)) is None:
        return None
    page = counted(work.page)
    volume = counted(work.volume) if work.volume else ""
    if not volume and work.year is not None and len(page) > 1:
        volume = f"y{work.year}"
    return f"{author}|{volume}|{page}" if volume and page else None


def cited_as(place: str, year: int) -> str:
    """Return the name under which reference lists without identifiers know a work."""
    author, _, rest = place.partition("|")
    return f"{CITED_AS}{author}|{year}|{rest}"


def cited_as_all(places: pa.Array, years: pa.Array) -> pa.Array:
    """Return `cited_as` of each place and year, null where one of them is not known."""
    author, rest = (
        pc.replace_substring_regex(places, pattern=pattern, replacement="")
        for pattern in (r"\|.*", r"^[^|]*\|")
    )
    name = pc.binary_join_element_wise(pa.scalar(CITED_AS), author, "")
    return pc.binary_join_element_wise(name, years.cast(pa.string()), rest, "|")


def counted(text: str) -> str:
    """Bring a volume or a first page to one spelling: no "vol.", no zeros before, no range."""
    first = _FROM_TO.split(text.strip().lower(), maxsplit=1)[0]
    return _NOT_COUNTED.sub("", first).lstrip("0")
