"""What every writer says about a paper: its kind, its address, its key, on one line each."""

import re
from collections.abc import Iterable, Sequence
from itertools import count
from urllib.parse import quote

from recsys.formats import identifiers
from recsys.records import Paper
from recsys.store.words import STOP_WORDS, fold

JOURNAL, MEETING, OTHER = "article-journal", "paper-conference", "document"
"""The kinds that a venue's name tells, as CSL 1.0.2 calls them."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")
_SUFFIX = re.compile(r"(?i)(jr|sr|ii|iii|iv)\.?")
_JOURNAL = re.compile(
    r"(?i)\b(journal|transactions|letters|review|reviews|annals|magazine)\b|"
    r"\b(?:arxiv|biorxiv|medrxiv|corr|preprints?)\b"
)
_MEETING = re.compile(
    r"(?i)\b(proceedings|proc|conference|conf|workshop|symposium|congress|meeting)\b"
)
_ACRONYM = re.compile(r"[A-Z][A-Za-z]*[A-Z][A-Za-z]*(?:[-/ ][A-Z]+)*(?: ?'?\d{2,4})?")
_LONGEST_ACRONYM = 30
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


def kind_of(paper: Paper) -> str:
    """Guess from the venue's name what a paper is: JOURNAL, MEETING, or OTHER without a venue."""
    venue = one_line(paper.venue or "")
    if not venue:
        return OTHER
    if _JOURNAL.search(venue) and not venue.lower().startswith("proc"):
        return JOURNAL
    acronym = len(venue) <= _LONGEST_ACRONYM and _ACRONYM.fullmatch(venue)
    return MEETING if acronym or _MEETING.search(venue) else JOURNAL


def citation_keys(papers: Sequence[Paper], taken: Iterable[str] = ()) -> list[str]:
    """Name each paper by surname, year and first title word, distinct ignoring case.

    taken: keys that others have.
    """
    taken = {key.casefold() for key in taken}
    numbers: dict[str, int] = {}
    keys = []
    for paper in papers:
        surname = "Anonymous"
        if paper.authors:
            name, comma, _ = paper.authors[0].partition(",")
            parts = [part for part in name.split() if not _SUFFIX.fullmatch(part)]
            surname = re.sub(r"[^a-z]", "", fold(name if comma or not parts else parts[-1]))
        words: list[str] = re.findall(r"[a-z0-9]+", fold(paper.title))
        telling = [word for word in words if word not in STOP_WORDS and len(word) > 1]
        first = next(iter(telling or words), "").capitalize()
        stem = f"{surname[:1].upper()}{surname[1:]}{paper.year or ''}{first}" or "Paper"
        folded = stem.casefold()
        for number in count(numbers.get(folded, 1)):
            key = stem if number == 1 else f"{stem}-{number}"
            if key.casefold() not in taken:
                break
        numbers[folded] = number
        taken.add(key.casefold())
        keys.append(key)
    return keys
