"""How reference lists call works that they give no identifier of: by where they were printed."""

import re

from recsys.records import Reference
from recsys.store.name_keys import author_key

CITED_AS = "cite:"
"""Begins a name made of first author, year, volume and page: `cite:smith j|2010|12|345`."""

_NOT_COUNTED = re.compile(r"^(?:vol(?:ume)?|pp?|pages?|art(?:icle)?|no)\b\.?|[^0-9a-z]+")
_FROM_TO = re.compile("\\s*[-\u2010-\u2015]+\\s*")


def first_author(work: Reference) -> str | None:
    """Return the key of the first author, "surname f"; None when nobody is named."""
    return author_key(work.authors[0]) if work.authors else None


def printed_place(work: Reference) -> str | None:
    """Return "surname f|volume|page", the year apart; None unless all three are known.

    >>> printed_place(Reference(authors=("J. Smith",), volume="Vol. 012", page="e17-e25"))
    'smith j|12|e17'
    """
    if not (work.volume and work.page) or (author := first_author(work)) is None:
        return None
    volume, page = counted(work.volume), counted(work.page)
    return f"{author}|{volume}|{page}" if volume and page else None


def cited_as(place: str, year: int) -> str:
    """Return the name under which reference lists without identifiers know a work."""
    author, _, rest = place.partition("|")
    return f"{CITED_AS}{author}|{year}|{rest}"


def counted(text: str) -> str:
    """Bring a volume or a first page to one spelling: no "vol.", no zeros before, no range."""
    first = _FROM_TO.split(text.strip().lower(), maxsplit=1)[0]
    return _NOT_COUNTED.sub("", first).lstrip("0")
