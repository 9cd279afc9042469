"""How reference lists tell a work: what is lost and what goes wrong is drawn from shares.

The shares are guesses at what careless authors and indexing services do; a format adds its own.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.written_corpora.known_works import KnownCorpus, KnownWork
from recsys.formats.references.people import Name

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
"""How often each happens; online first is what makes most years differ."""
DOI, PLACE, OTHER = "DOI", "author, year, volume, page", "less"
"""What a citation tells, at most."""


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

    @property
    def tells(self) -> str:
        """Say by what it could be found, the surest first."""
        if self.doi:
            return DOI
        return PLACE if self.authors and self.year and self.volume and self.page else OTHER


Cite = Callable[[KnownWork], list[Citation]]
"""Gives the citations of a work, always the same ones."""


def citing(corpus: KnownCorpus, *, dois: float, seed: int) -> Cite:
    """Return what draws the citations of a work; `dois`: the share of known DOIs that are told."""

    def cite(work: KnownWork) -> list[Citation]:
        rng = np.random.default_rng((seed, work.number))
        return [_drawn(corpus, corpus.works[number], dois, rng) for number in work.cites]

    return cite


def cited_pairs(corpus: KnownCorpus, cite: Cite) -> Iterator[tuple[int, int, str]]:
    """Give the links between records, and by what each could be found."""
    written = frozenset(corpus.written)
    for work in corpus.records():
        for each in cite(work):
            if each.work.number in written:
                yield work.number, each.work.number, each.tells


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
        first = Name(misspelt(authors[0].family, rng), authors[0].given, authors[0].suffix)
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


def initials(name: Name, dot: str = "") -> str:
    """Return the initials of the given names: "JA"; of "JA", as an index has it, each letter."""
    letters = []
    for part in name.given.replace("-", " ").replace(".", " ").split():
        letters += list(part) if part.isupper() and len(part) <= 3 else [part[0].upper()]
    return "".join(letter + dot for letter in letters if letter.isalpha())


def last_page(page: str) -> str:
    """Invent the last page of a span."""
    return str(int(page) + 7 + int(page) % 9) if page.isdigit() else page
