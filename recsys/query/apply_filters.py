"""Apply filters: each says which papers it lets through, and counts what it takes away."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import translate

import numpy as np

from recsys.query.filters import Filters
from recsys.records import Draft
from recsys.store.arrays import Mask, Rows
from recsys.store.corpus import Corpus, paper_type
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.words import fold, venue_key

REMOVED = "removed by "
"""How the stage of a filter is called in an answer, before the name of the filter."""
FRONT_MATTER = "the rule on front matter (--keep-front-matter lifts it)"
"""What removes front matter; no mask does it, for a query wants none: see `Query.withheld`."""
MOST_NAMED = 5
"""So many venues or types of the corpus are named to somebody who asked for another."""


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter.

    setting: what it is set to, in words; None: it is off. passes: (n,) bool, the papers that it
    lets through. advice: what to tell of the corpus when there is none.
    """

    option: str
    setting: Callable[[Filters], str | None]
    passes: Callable[[Corpus, Draft, Filters], Mask]
    advice: Callable[[Corpus], str] = lambda corpus: ""


@dataclass(frozen=True, slots=True)
class Applied:
    """A filter that is on. name: option and setting. passes: (n,) bool. advice: see `Filter`."""

    name: str
    passes: Mask
    advice: str


@dataclass(frozen=True, slots=True)
class Filtering:
    """The filters that are on, in the order in which they are applied."""

    filters: tuple[Applied, ...]

    @property
    def keep(self) -> Mask | None:
        """(n,) bool, what passes all of them; None when there is none."""
        masks = [each.passes for each in self.filters]
        return np.logical_and.reduce(masks) if masks else None

    def removed(self, rows: Rows) -> dict[str, int]:
        """Count what each filter takes away of what those before it have left of some rows."""
        counts = {}
        for each in self.filters:
            left = rows[each.passes[rows]]
            counts[each.name] = len(rows) - len(left)
            rows = left
        return counts

    def advice(self, wanted: Mask) -> str:
        """Say which filter to loosen when none of the wanted papers passes all of them."""
        for each in self.filters:
            if not each.passes.any():
                return f"No paper of the corpus passes {each.name}. {each.advice}".strip()
        counts = [self._left_without(each, wanted) for each in self.filters]
        if left := max(counts):
            name = self.filters[counts.index(left)].name
            papers = "1 paper" if left == 1 else f"{left:,} papers"
            return f"Loosen {name}: without it there would be {papers}."
        return f"Loosen more than one of {', '.join(each.name for each in self.filters)}."

    def _left_without(self, one: Applied, wanted: Mask) -> int:
        masks = [each.passes for each in self.filters if each is not one]
        return int(np.count_nonzero(np.logical_and.reduce([wanted, *masks])))


def apply_filters(filters: Filters, corpus: Corpus, draft: Draft) -> Filtering:
    """Ask each filter that is on.

    Raises:
        InputError: a value makes no sense, see `Filters.check`.
    """
    filters.check()
    applied = []
    for row in FILTERS:
        if (setting := row.setting(filters)) is not None:
            passes = row.passes(corpus, draft, filters)
            advice = "" if passes.any() else row.advice(corpus)
            applied.append(Applied(f"{row.option} {setting}".strip(), passes, advice))
    return Filtering(tuple(applied))


def _in_years(corpus: Corpus, least: int | None, most: int | None) -> Mask:
    passes: Mask = corpus.years != UNKNOWN_YEAR
    if least is not None:
        passes &= corpus.years >= least
    if most is not None:
        passes &= corpus.years <= most
    return passes


def _in_venues(corpus: Corpus, globs: tuple[str, ...]) -> Mask:
    pattern = re.compile("|".join(translate(fold(glob.strip())) for glob in globs))

    def fits(venue: str) -> bool:
        return any(form and pattern.match(form) for form in (fold(venue), venue_key(venue)))

    return corpus.venue_names.holds(fits)


def _of_types(corpus: Corpus, names: tuple[str, ...]) -> Mask:
    wanted = {paper_type(name) for name in names}
    return corpus.types.holds(lambda types: not wanted.isdisjoint(types))


def _not_by(corpus: Corpus, authors: Rows) -> Mask:
    return _without(corpus, corpus.papers_of_author.take(authors)[1])


def _without(corpus: Corpus, rows: Rows) -> Mask:
    passes = np.ones(len(corpus), bool)
    passes[rows] = False
    return passes


def _years(corpus: Corpus) -> str:
    known = corpus.years[corpus.years != UNKNOWN_YEAR]
    return f"Its years are {known.min()} to {known.max()}." if len(known) else "It has no years."


def _venues(corpus: Corpus) -> str:
    names = [name for name in corpus.venue_names.common() if name][:MOST_NAMED]
    return f"Its most frequent venues are {'; '.join(names)}." if names else "It has no venues."


def _types(corpus: Corpus) -> str:
    names = dict.fromkeys(name for types in corpus.types.common() for name in types)
    return f"Its types are {', '.join([*names][:MOST_NAMED])}." if names else "It has no types."


def _year(year: int | None) -> str | None:
    return None if year is None else str(year)


def _listed(values: tuple[str, ...]) -> str | None:
    return ", ".join(values) or None


def _switch(on: object) -> str | None:
    return "" if on else None


# fmt: off
FILTERS = (
    Filter("--min-year", lambda f: _year(f.min_year),
           lambda corpus, draft, f: _in_years(corpus, f.min_year, None), _years),
    Filter("--max-year", lambda f: _year(f.max_year),
           lambda corpus, draft, f: _in_years(corpus, None, f.max_year), _years),
    Filter("--venue", lambda f: _listed(f.venues),
           lambda corpus, draft, f: _in_venues(corpus, f.venues), _venues),
    Filter("--type", lambda f: _listed(f.types),
           lambda corpus, draft, f: _of_types(corpus, f.types), _types),
    Filter("--exclude-author", lambda f: _listed(f.exclude_authors),
           lambda corpus, draft, f: _not_by(corpus, corpus.namesakes(f.exclude_authors))),
    Filter("--exclude-own", lambda f: _switch(f.exclude_own),
           lambda corpus, draft, f: _not_by(corpus, corpus.author_codes(draft.authors))),
    Filter("--exclude-library", lambda f: _switch(f.library),
           lambda corpus, draft, f: _without(corpus, corpus.rows(f.library))),
)
# fmt: on
"""In the order in which they are applied."""
