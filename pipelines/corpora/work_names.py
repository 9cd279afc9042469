"""Names by which works are known: identifiers, and how a reference list calls a work."""

import re

from recsys.formats import identifiers
from recsys.records import Reference
from recsys.store.name_keys import author_key

CITED_AS = "cite:"
"""Begins a name made of first author, year, volume and page: `cite:smith j|2010|12|345`."""

_ARXIV_DOI = "10.48550/arxiv."
_ARXIV_VERSION = re.compile(r"v[0-9]{1,3}$")
_NOT_COUNTED = re.compile(r"^(?:vol(?:ume)?|pp?|pages?|art(?:icle)?|no)\b\.?|[^0-9a-z]+")
_FROM_TO = re.compile("\\s*[-\u2010-\u2015]+\\s*")


def names_of(work: Reference) -> list[str]:
    """List the names of a work, the surest first: the file's own id, then its identifiers.

    A DOI is bare and in lower case; others have their scheme. What arXiv registered as a DOI is
    known by its arXiv id, too; an id that is a DOI, as one.
    """
    doi = (work.doi or "").lower()
    names = [work.id or "", doi]
    if not doi and work.id and work.id.startswith("10.") and identifiers.doi(work.id):
        names.append(work.id.lower())
    if work.arxiv:
        names.append(f"arxiv:{work.arxiv.lower()}")
    elif doi.startswith(_ARXIV_DOI):
        names.append(f"arxiv:{_ARXIV_VERSION.sub('', doi.removeprefix(_ARXIV_DOI))}")
    if work.pmid:
        names.append(f"pmid:{work.pmid}")
    if work.acl:
        names.append(f"acl:{work.acl}")
    if work.ids:
        names += work.ids
    return list(dict.fromkeys(filter(None, names)))


def first_author(work: Reference) -> str | None:
    """Return the key of the first author, "surname f"; None when nobody is named."""
    return author_key(work.authors[0]) if work.authors else None


def printed_place(work: Reference, author: str | None) -> str | None:
    """Return "surname f|volume|page", the year apart; None unless all three are known.

    >>> printed_place(Reference(volume="Vol. 012", page="e17-e25"), "smith j")
    'smith j|12|e17'
    """
    if not (author and work.volume and work.page):
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
