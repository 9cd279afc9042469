"""What every writer says about a paper: its names, its address, its abstract, on one line each."""

import re
from urllib.parse import quote

from recsys.formats import identifiers
from recsys.records import Paper

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")
_IN_PATH = "/:;()!$&'*+,=@"  # Beside letters, digits, and `-._~`.
_RESOLVER = re.compile(r"(?i)^(https?://(dx\.)?doi\.org/|doi:\s*)")


def one_line(text: str) -> str:
    """Collapse white space and drop control characters: no title may steer a terminal."""
    return " ".join(_CONTROL.sub(" ", text).split())


def names_of(paper: Paper) -> list[str]:
    """List the authors' names, each on one line, empty ones left out."""
    return [name for name in map(one_line, paper.authors) if name.strip("{} ")]


def bare_doi(paper: Paper) -> str | None:
    """Return a paper's DOI without the resolver: its id and aliases may be one, old ones hold <."""
    doi = _RESOLVER.sub("", one_line(paper.doi or ""))
    doi = re.sub(r"[\s{}\\]", "", doi)
    if doi.startswith("10."):
        return doi
    names = (_RESOLVER.sub("", one_line(name)) for name in (paper.id, *paper.aliases))
    dois = (name for name in names if name.startswith("10."))  # Nothing may stand beside it.
    return next((name for name in dois if identifiers.doi(name) == name.lower()), None)


def own_abstract(paper: Paper) -> str:
    """Return a paper's abstract on one line; nothing where somebody else wrote it."""
    return "" if paper.abstract_note else one_line(paper.abstract or "")


def web_address(paper: Paper) -> str | None:
    """Return the web address that a paper has beside its DOI, None when it has none."""
    address, doi = _address(paper), bare_doi(paper)
    same = doi and address and _RESOLVER.sub("", address).lower() == doi.lower()
    return None if same else address


def paper_link(paper: Paper) -> str | None:
    """Return the web address of a paper, its DOI's first; None when it has none."""
    doi = bare_doi(paper)
    return f"https://doi.org/{quote(doi, safe=_IN_PATH)}" if doi else _address(paper)


def _address(paper: Paper) -> str | None:
    """Return the web address in a paper's `url`, None where there is none."""
    if not paper.url:
        return None
    from recsys.formats.references.bibliography import address_in  # It knows much beside.

    return address_in(paper.url)
