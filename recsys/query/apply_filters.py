"""Apply filters: each says which papers it lets through, and counts what it takes away."""

import re
from dataclasses import dataclass
from fnmatch import translate

import numpy as np

from recsys.query.question_schema import Filters
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
class AppliedFilter:
    """A filter that is on.

    name: option and setting. passes: (n,) bool, the papers that it lets through. advice: what to
    tell of the corpus where there is none.
    """

    name: str
    passes: Mask
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Filtering:
    """The filters that are on, in the order in which they are applied."""

    filters: tuple[AppliedFilter, ...]

    @property
    def keep(self) -> Mask | None:
        """(n,) bool, what passes all of them; None when there is none."""
        masks = [applied.passes for applied in self.filters]
        return np.logical_and.reduce(masks) if masks else None

    def removed(self, rows: Rows) -> dict[str, int]:
        """Count what each filter takes away of what those before it have left of some rows."""
        counts = {}
        for applied in self.filters:
            left = rows[applied.passes[rows]]
            counts[applied.name] = len(rows) - len(left)
            rows = left
        return counts

    def advice(self, wanted: Mask) -> str:
        """Say which filter to loosen when none of the wanted papers passes all of them."""
        left_without = {}
        for applied in self.filters:
            if not applied.passes.any():
                return f"No paper of the corpus passes {applied.name}. {applied.advice}".strip()
            others = [other.passes for other in self.filters if other is not applied]
            left_without[applied.name] = int(np.logical_and.reduce([wanted, *others]).sum())
        name = max(left_without, key=left_without.__getitem__)
        if left := left_without[name]:
            papers = "1 paper" if left == 1 else f"{left:,} papers"
            return f"Loosen {name}: without it there would be {papers}."
        return f"Loosen more than one of {', '.join(left_without)}."


def apply_filters(filters: Filters, corpus: Corpus, draft: Draft) -> Filtering:
    """Ask each filter that is on.

    Raises:
        InputError: a value makes no sense, see `Filters.check`.
    """
    filters.check()
    asked: list[AppliedFilter] = []
    if filters.min_year is not None or filters.max_year is not None:
        dated: Mask = corpus.years != UNKNOWN_YEAR
        years = corpus.years[dated]
        advice = "It has no years."
        if len(years):
            advice = f"Its years are {years.min()} to {years.max()}."
        if filters.min_year is not None:
            passes = dated & (corpus.years >= filters.min_year)
            asked.append(AppliedFilter(f"--min-year {filters.min_year}", passes, advice))
        if filters.max_year is not None:
            passes = dated & (corpus.years <= filters.max_year)
            asked.append(AppliedFilter(f"--max-year {filters.max_year}", passes, advice))
    if filters.venues:
        globs = (translate(fold(glob.strip())) for glob in filters.venues)
        pattern = re.compile("|".join(globs))
        passes = corpus.venue_names.holds(
            lambda venue: any(
                form and pattern.match(form) for form in (fold(venue), venue_key(venue))
            )
        )
        names = [name for name in corpus.venue_names.common() if name][:MOST_NAMED]
        advice = f"Its most frequent venues are {'; '.join(names)}."
        if not names:
            advice = "It has no venues."
        asked.append(AppliedFilter(f"--venue {', '.join(filters.venues)}", passes, advice))
    if filters.types:
        wanted = {paper_type(name) for name in filters.types}
        passes = corpus.types.holds(lambda types: not wanted.isdisjoint(types))
        known = [*dict.fromkeys(name for types in corpus.types.common() for name in types)]
        advice = f"Its types are {', '.join(known[:MOST_NAMED])}." if known else "It has no types."
        asked.append(AppliedFilter(f"--type {', '.join(filters.types)}", passes, advice))
    papers_of = corpus.papers_of_author
    left_out = []
    if filters.exclude_authors:
        name = f"--exclude-author {', '.join(filters.exclude_authors)}"
        left_out.append((name, papers_of.take(corpus.namesakes(filters.exclude_authors))[1]))
    if filters.exclude_own:
        own = papers_of.take(corpus.author_codes(draft.authors))[1]
        left_out.append(("--exclude-own", own))
    if filters.library:
        left_out.append(("--exclude-library", corpus.rows(filters.library)))
    for name, rows in left_out:
        passes = np.ones(len(corpus), bool)
        passes[rows] = False
        asked.append(AppliedFilter(name, passes))
    return Filtering(tuple(asked))
