"""Works with known links, where they were printed, and how lists of references tell them.

Volumes and pages are invented. A venue has a volume a year, its papers their places in it;
conferences have no volumes. Some journals count pages anew in every issue, and short pieces of an
author share a page, so that author, year and volume, and at times the page, too, are those of
several works.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bench import read_papers
from recsys.formats import identifiers
from recsys.formats.references.people import Name, name_of

HELD_OUT = 0.15
"""Share of works that are cited, but have no record of their own."""
MOST_WRITTEN = 20_000
"""Records of a corpus at most; of a larger one those that cite come first."""
SHARES: Mapping[str, float] = {
    "anonymous": 0.01,
    "in press": 0.01,
    "year off by one": 0.03,
    "no volume": 0.01,
    "no page": 0.02,
    "a page inside": 0.015,
    "author misspelt": 0.01,
    "title misspelt": 0.05,
    "no title": 0.05,
    "another work's DOI": 0.002,
}
"""How often lists lose or distort what: guesses at careless authors and indexing services.

Online first is what makes most years differ.
"""
_MEETING = re.compile(
    r"(?i)\b(?:conf\w*|proc\w*|workshops?|meeting|symposium|lrec|acl|emnlp|naacl|eacl|chi|eurovis"
    r"|ieee (?:vis\w*|vast|infovis|scivis)|colloquium)\b"
)
_NUMBERED_NAMES = re.compile(r" \d{4}$")
_OTHER_PAGES = 0.15
"""Share of journals with numbers of articles, of meetings whose papers all begin on page 1; and of
those that count the pages of each issue."""
_SHORT_PIECES = 0.03
"""Share of authors whose pieces of one volume all begin on one page, such as reviews of books."""


@dataclass(frozen=True, slots=True)
class KnownWork:
    """A work and what it cites, by numbers of works; a number is a place in the corpus."""

    number: int
    title: str
    abstract: str | None
    year: int | None
    authors: tuple[Name, ...]
    venue: str | None
    doi: str | None
    volume: str | None
    page: str | None
    cites: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class KnownCorpus:
    """All works, and the numbers of those that have records, ascending."""

    works: tuple[KnownWork, ...]
    written: tuple[int, ...]

    def records(self) -> list[KnownWork]:
        """Return the works that have records."""
        return [self.works[number] for number in self.written]


@dataclass(frozen=True, slots=True)
class Citation:
    """A work as a list tells it: fields are None where the list leaves them out."""

    work: KnownWork
    authors: tuple[Name, ...]
    year: int | None
    title: str | None
    venue: str | None
    volume: str | None
    page: str | None
    doi: str | None


Cite = Callable[[KnownWork], list[Citation]]
"""Gives the citations of a work, always the same ones."""


def read_known(path: Path, rng: np.random.Generator, most: int = MOST_WRITTEN) -> KnownCorpus:
    """Read a file of papers of ours, and draw which of them have records."""
    works = known_works(read_papers(path))
    order = rng.permutation(len(works))[: round((1 - HELD_OUT) * len(works))]
    chosen = sorted(order.tolist(), key=lambda number: not works[number].cites)[:most]
    return KnownCorpus(works, tuple(sorted(chosen)))


def known_works(rows: Sequence[Mapping[str, Any]]) -> tuple[KnownWork, ...]:
    """Make works of papers of ours."""
    numbers = {row["id"]: number for number, row in enumerate(rows)}
    works = []
    for number, row in enumerate(rows):
        names = row.get("authors") or ()
        authors = tuple(name_of(_NUMBERED_NAMES.sub("", name)) for name in names)
        cited = (numbers.get(each) for each in row.get("references") or ())
        venue, year, name = row.get("venue"), row.get("year"), str(row["id"])
        volume, page = _place(name, authors[0].surname if authors else "", venue, year)
        works.append(
            KnownWork(
                number,
                row["title"],
                row.get("abstract"),
                year,
                authors,
                venue,
                (row.get("doi") or identifiers.doi(name) or "").lower() or None,
                volume,
                page,
                tuple(dict.fromkeys(each for each in cited if each not in (None, number))),
            )
        )
    return tuple(works)


def _place(
    name: str, author: str, venue: str | None, year: int | None
) -> tuple[str | None, str | None]:
    """Invent a volume and a first page."""
    if not venue or year is None:
        return None, None
    begun = 1900 + int(80 * _hashed("begun", venue))
    meeting = _MEETING.search(venue) is not None
    # A venue that seems younger than its papers takes the year for the volume, as some do.
    volume = None if meeting else str(year - begun + 1 if year >= begun else year)
    kind, place = _hashed("pages", venue), _hashed("page", name)
    if _hashed("short", author, venue, str(year)) < _SHORT_PIECES:
        place = _hashed("page", author, venue, str(year))
    if kind < _OTHER_PAGES:
        return volume, "1" if meeting else f"e{1000 + int(99_000 * place)}"
    in_issues = kind < 2 * _OTHER_PAGES
    return volume, str(1 + int((120 if in_issues else 1600) * place))


def _hashed(*parts: str) -> float:
    digest = blake2b("\n".join(parts).encode(), digest_size=6).digest()
    return int.from_bytes(digest) / 2**48


def citing(corpus: KnownCorpus, *, dois: float, seed: int) -> Cite:
    """Return what draws the citations of a work; `dois`: the share of known DOIs that are told."""

    def cite(work: KnownWork) -> list[Citation]:
        rng = np.random.default_rng((seed, work.number))
        return [_drawn(corpus, corpus.works[number], dois, rng) for number in work.cites]

    return cite


def cited_pairs(corpus: KnownCorpus, cite: Cite) -> Iterator[tuple[int, int]]:
    """Give the citations between records."""
    written = frozenset(corpus.written)
    for work in corpus.records():
        for each in cite(work):
            if each.work.number in written:
                yield work.number, each.work.number


def _drawn(corpus: KnownCorpus, work: KnownWork, dois: float, rng: np.random.Generator) -> Citation:
    happens = dict(zip(SHARES, rng.random(len(SHARES)) < list(SHARES.values()), strict=True))
    press = happens["in press"]
    doi = work.doi if work.doi and rng.random() < dois and not press else None
    if doi and happens["another work's DOI"]:
        doi = corpus.works[int(rng.integers(len(corpus.works)))].doi
    authors, title = work.authors, work.title
    if happens["anonymous"]:
        authors = ()
    elif happens["author misspelt"] and authors:
        first = Name(misspelt(authors[0].surname, rng), authors[0].given, authors[0].suffix)
        authors = (first, *authors[1:])
    if happens["title misspelt"]:
        title = misspelt(title, rng)
    year, page = work.year, work.page
    if year and happens["year off by one"]:
        year += 1 if rng.random() < 0.5 else -1
    if page and page.isdigit() and happens["a page inside"]:
        page = str(int(page) + int(rng.integers(1, 12)))
    return Citation(
        work,
        authors,
        None if press else year,
        None if happens["no title"] else title,
        work.venue,
        None if press or happens["no volume"] else work.volume,
        None if press or happens["no page"] else page,
        doi,
    )


def misspelt(text: str, rng: np.random.Generator) -> str:
    """Drop a letter inside a text."""
    if len(text) < 4:
        return text
    at = int(rng.integers(1, len(text) - 1))
    return text[:at] + text[at + 1 :]
