"""Works with known links, and where they were printed: volumes and pages are invented.

A venue has a volume a year, its papers their places in it; conferences have no volumes. Some
journals count pages anew in every issue, and short pieces of an author share a page, so that
author, year and volume, and at times the page, too, are those of several works.
"""

import gzip
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from recsys.formats import identifiers
from recsys.formats.references.people import Name, name_of

HELD_OUT = 0.15
"""Share of works that are cited, but have no record of their own."""
MOST_WRITTEN = 20_000
"""Records of a corpus at most; of a larger one those that cite come first."""
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


def read_known(path: Path, rng: np.random.Generator, most: int = MOST_WRITTEN) -> KnownCorpus:
    """Read a file of papers of ours, and draw which of them have records."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    works = known_works(rows)
    order = rng.permutation(len(works))[: round((1 - HELD_OUT) * len(works))]
    chosen = sorted(order.tolist(), key=lambda number: not works[number].cites)[:most]
    return KnownCorpus(works, tuple(sorted(chosen)))


def known_works(rows: Sequence[Mapping[str, Any]]) -> tuple[KnownWork, ...]:
    """Make works of papers of ours."""
    numbers = {row["id"]: number for number, row in enumerate(rows)}
    return tuple(_work(number, row, numbers) for number, row in enumerate(rows))


def shared_places(corpus: KnownCorpus) -> tuple[int, int, int]:
    """Count works with author, year, volume and page; those that share three of these, and all."""
    volumes: Counter[tuple[object, ...]] = Counter()
    pages: Counter[tuple[object, ...]] = Counter()
    for work in corpus.works:
        if work.authors and work.year and work.volume and work.page:
            volume = (work.authors[0].family.lower(), work.year, work.volume)
            volumes[volume] += 1
            pages[*volume, work.page] += 1
    in_volume, on_page = (sum(n for n in each.values() if n > 1) for each in (volumes, pages))
    return pages.total(), in_volume, on_page


def _work(number: int, row: Mapping[str, Any], numbers: Mapping[str, int]) -> KnownWork:
    names = row.get("authors") or ()
    authors = tuple(name_of(_NUMBERED_NAMES.sub("", name)) for name in names)
    cited = (numbers.get(each) for each in row.get("references") or ())
    venue, year = row.get("venue"), row.get("year")
    author = authors[0].family if authors else ""
    volume, page = _place(str(row["id"]), author, venue, year)
    return KnownWork(
        number=number,
        title=row["title"],
        abstract=row.get("abstract"),
        year=year,
        authors=authors,
        venue=venue,
        doi=(row.get("doi") or identifiers.doi(str(row["id"])) or "").lower() or None,
        volume=volume,
        page=page,
        cites=tuple(dict.fromkeys(each for each in cited if each not in (None, number))),
    )


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
