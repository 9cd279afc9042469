"""Find papers by their titles, as reference lists tell them; a second field has to agree."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from recsys.query.matching import (
    THRESHOLD,
    Title,
    named_among,
    score,
    title_of,
)
from recsys.records import Paper, Reference
from recsys.store.arrays import Mask, Rows
from recsys.store.words import author_key, fold

NOWHERE = -1
"""The row of what is not found."""
_HEAD = 20
"""Letters by which a title is looked up that lacks its end, or has a typing error there."""
MOST_OFFERED = 50
"""Papers compared with one title at most: more share only the beginning of a phrase."""
FEWER_ALIKE = 0.02
"""A second paper whose score is so near makes a title ambiguous."""
_NOT_LETTERS = re.compile(r"[\W_]+")


def link_titles(cited: pa.Table, papers: pa.Table) -> tuple[Rows, Mask]:
    """Find the papers of that title, and that first author or about that year.

    Args:
        cited: with the columns title, author (its key) and year.
        papers: with the columns title, authors and year.

    Returns:
        (m,) int32, NOWHERE for none; (m,) bool, where several are equally good.
    """
    titles = _Titles(papers)
    found: dict[tuple[str, str | None, int | None], tuple[int, bool]] = {}
    rows, unsure = np.full(cited.num_rows, NOWHERE, np.int32), np.zeros(cited.num_rows, bool)
    columns = (cited.column(name).to_pylist() for name in ("title", "author", "year"))
    for place, wanted in enumerate(zip(*columns, strict=True)):
        if wanted not in found:
            found[wanted] = titles.find(*wanted)
        rows[place], unsure[place] = found[wanted]
    return rows, unsure


@dataclass(slots=True)
class _Titles:
    """The titles of papers by their letters, by their beginnings, and by author and year."""

    papers: pa.Table
    _titles: Sequence[str] = field(init=False)
    _authors: Sequence[Sequence[str] | None] = field(init=False)
    _years: Sequence[int | None] = field(init=False)
    _rows: Mapping[str, list[int]] = field(init=False)
    _prepared: dict[int, tuple[Paper, Title]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._titles, self._authors, self._years = (
            self.papers.column(name).to_pylist() for name in ("title", "authors", "year")
        )
        rows: dict[str, list[int]] = defaultdict(list)
        for row, (title, authors, year) in enumerate(
            zip(self._titles, self._authors, self._years, strict=True)
        ):
            for key in title_keys(title, author_key(authors[0]) if authors else None, year):
                rows[key].append(row)
        self._rows = rows

    def find(self, title: str, author: str | None, year: int | None) -> tuple[int, bool]:
        """Find the paper that a title means; the second value: whether several would do."""
        rows = self._offered(title, author, year)
        if not rows:
            return NOWHERE, False
        reference, wanted = described(title, author, year)
        scores = [(self._score(reference, wanted, row), row) for row in rows]
        best, row = max(scores, key=lambda each: (each[0], -each[1]))
        if best < THRESHOLD:
            return NOWHERE, False
        if sum(best - each <= FEWER_ALIKE for each, _ in scores) > 1:
            return NOWHERE, True
        return row, False

    def _offered(self, title: str, author: str | None, year: int | None) -> list[int]:
        found: dict[int, None] = {}
        for key in wanted_keys(title, author, year):
            rows = self._rows.get(key, ())
            if len(rows) <= MOST_OFFERED:
                found |= dict.fromkeys(rows)
        return list(found)

    def _score(self, reference: Reference, wanted: Title, row: int) -> float:
        """Score a paper; 0 where neither the first author nor the year agrees."""
        if row not in self._prepared:
            paper = Paper(
                "", self._titles[row], None, self._years[row], tuple(self._authors[row] or ())
            )
            self._prepared[row] = paper, title_of(paper.title)
        return score_titles(reference, wanted, *self._prepared[row])


def described(title: str, author: str | None, year: int | None) -> tuple[Reference, Title]:
    """Prepare what a reference list tells of a work; author: a key."""
    authors = (author.rpartition(" ")[0] or author,) if author else ()
    return Reference(title=title, authors=authors, year=year), title_of(title)


def score_titles(reference: Reference, wanted: Title, paper: Paper, offered: Title) -> float:
    """Score a paper by its title; 0 where neither the first author nor the year agrees."""
    near = reference.year and paper.year and abs(reference.year - paper.year) <= 1
    if not near and not named_among(reference.authors, paper.authors):
        return 0.0
    return score(reference, wanted, paper, offered)


def title_keys(title: str, author: str | None, year: int | None) -> list[str]:
    """List the keys under which a paper is found: whole title, its beginning, author and year."""
    letters = _NOT_LETTERS.sub("", fold(title))
    keys = [letters, f"{letters[:_HEAD]}\u2026"] if letters else []
    if author and year is not None:
        keys.append(f"{author.partition(' ')[0]}|{year}")
    return keys


def wanted_keys(title: str, author: str | None, year: int | None) -> list[str]:
    """List the keys under which a cited work is looked up; author: its key."""
    keys = title_keys(title, author, year)
    if year is not None and author:
        surname = author.partition(" ")[0]
        keys += [f"{surname}|{year - 1}", f"{surname}|{year + 1}"]
    return keys
