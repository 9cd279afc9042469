"""Which papers of a corpus a sentence names: by surnames and year, or by the name of a system."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from recsys.local.named_mentions import Mention, find_mentions, readable
from recsys.local.named_misspelt import find_resembling
from recsys.local.named_systems import SystemName, find_system_names
from recsys.local.named_titles import TitleNames
from recsys.records import Reason
from recsys.store.arrays import Floats, Longs, Mask, Rows
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR, Years

Named: TypeAlias = Mention | SystemName

NEXT_YEAR, NO_YEAR, UNDATED_PAPER = 0.45, 0.3, 0.5
"""Factors: the year is off by one, the sentence says none, the corpus knows none."""
LEAST = 0.05
"""Scores below are no match."""
CLEARLY_WORSE = 0.4
"""What matches a name less than so many times as well as another paper is not meant."""


@dataclass(frozen=True, slots=True)
class NamedRows:
    """Papers that a sentence names, best first, ties by ascending row.

    rows: (m,) int32, each once. scores: (m,) float32 in (0, 1], how well names and year agree.
    shares: (m,) float32 in (0, 1], the score's part of all scores for the same name: 1 where
    nothing else could be meant. named: what names each of them.
    """

    rows: Rows
    scores: Floats
    shares: Floats
    named: tuple[Named, ...]

    def among(self, wanted: Mask) -> "NamedRows":
        """Keep the papers that a (n,) bool mask allows."""
        kept = np.flatnonzero(wanted[self.rows])
        return NamedRows(
            self.rows[kept],
            self.scores[kept],
            self.shares[kept],
            tuple(self.named[place] for place in kept.tolist()),
        )

    def reason(self, place: int) -> Reason:
        """Say what names the paper at a place of `rows`."""
        return named_reason(self.named[place])


NO_NAMES = NamedRows(np.empty(0, np.int32), np.empty(0, np.float32), np.empty(0, np.float32), ())
"""Of a sentence that names no paper."""


def named_reason(named: Named) -> Reason:
    """Return the reason for a paper that a sentence names."""
    said = readable(named) if isinstance(named, Mention) else str(named)
    return Reason(kind="named", text=f"named in the sentence: {said}")


def find_names(text: str) -> tuple[Named, ...]:
    """Find all that a sentence names: works by author and year first, then systems."""
    mentions = find_mentions(text)
    spans = [(mention.start, mention.end) for mention in mentions]
    return (*mentions, *find_system_names(text, taken=spans))


@dataclass(frozen=True)
class NamedWorks:
    """Resolves names against a corpus; made once for a collection, its tables when first needed."""

    collection: Collection

    def resolve(
        self, named: Sequence[Named], *, as_of: int | None = None, allowed: Mask | None = None
    ) -> NamedRows:
        """Find the papers that are named: O(log n) and the papers of the authors named.

        Args:
            named: what `find_names` found in a sentence.
            as_of: papers of later years are left out; None leaves out none.
            allowed: (n,) bool, papers that may be found; None allows all.
        """
        best: dict[int, tuple[float, float, Named]] = {}
        known = self._known(as_of, allowed)
        for name in named:
            rows, scores = self._candidates(name, known)
            shares = scores / max(float(scores.sum()), 1e-9)
            for row, score, share in zip(
                rows.tolist(), scores.tolist(), shares.tolist(), strict=True
            ):
                if row not in best or (score, share) > best[row][:2]:
                    best[row] = score, share, name
        order = sorted(best, key=lambda row: (-best[row][0], -best[row][1], row))
        return NamedRows(
            np.array(order, np.int32),
            np.array([best[row][0] for row in order], np.float32),
            np.array([best[row][1] for row in order], np.float32),
            tuple(best[row][2] for row in order),
        )

    @cached_property
    def _titles(self) -> TitleNames:
        return TitleNames(self.collection)

    def _known(self, as_of: int | None, allowed: Mask | None) -> Mask:
        """Tell which papers a name may mean: others never speak against one of them."""
        years = self.collection.corpus.years
        known = np.ones(len(years), bool) if as_of is None else years <= as_of
        return known if allowed is None else known & allowed

    def _candidates(self, name: Named, known: Mask) -> tuple[Rows, Floats]:
        if isinstance(name, SystemName):
            return self._titles.find(name, known)
        ranges = [self._namesakes(surname) for surname in name.surnames]
        # "In Prague, Ash and Elm" begins with no author.
        for skipped in range(max(1, len(ranges) - 1)):
            rows, scores = _among(known, *self._by_authors(name, ranges[skipped:]))
            if len(rows):
                kept = scores >= CLEARLY_WORSE * scores.max()
                return rows[kept], scores[kept]
        return _among(known, *find_resembling(self.collection.corpus, name, ranges))

    def _namesakes(self, surname: str) -> tuple[int, int]:
        """Return the codes of those who bear a surname: begin, end."""
        keys = self.collection.corpus.author_keys
        begin = bisect_left(keys, f"{surname} ")
        return begin, bisect_left(keys, f"{surname}!", lo=begin)

    def _by_authors(
        self, mention: Mention, ranges: Sequence[tuple[int, int]]
    ) -> tuple[Rows, Floats]:
        """Return papers whose first authors are so called: rows ascending, scores."""
        corpus = self.collection.corpus
        papers, (begin, end) = corpus.papers_of_author, ranges[0]
        rows = papers.values[papers.starts[begin] : papers.starts[end]]
        rows = np.unique(rows[_year_fits(corpus.years[rows], mention.year) > 0])
        fits = _year_fits(corpus.years[rows], mention.year)
        starts, counts = corpus.authors.starts[rows], corpus.authors.lengths(rows)
        for place, (low, high) in enumerate(ranges):
            there = counts > place
            codes = corpus.authors.values[np.where(there, starts + place, 0)]
            fits = fits * (there & (codes >= low) & (codes < high))
        scores: Floats = fits * _count_fits(counts, len(ranges), more=mention.more)
        kept = scores >= LEAST
        return rows[kept], scores[kept]


def _among(known: Mask, rows: Rows, scores: Floats) -> tuple[Rows, Floats]:
    kept = known[rows]
    return rows[kept], scores[kept]


def _year_fits(years: Years, year: int | None) -> Floats:
    if year is None:
        return np.full(len(years), NO_YEAR, np.float32)
    apart = np.abs(years.astype(np.int32) - year)
    fits = np.select([apart == 0, apart == 1], [1.0, NEXT_YEAR], 0.0)
    return np.where(years == UNKNOWN_YEAR, UNDATED_PAPER, fits).astype(np.float32)


def _count_fits(counts: Longs, named: int, *, more: bool) -> Floats:
    """Score how the number of authors fits: "A and B" are two, "A et al." three or more."""
    if more:
        fits = np.select([counts > named + 1, counts == named + 1], [1.0, 0.6], 0.15)
    else:
        fits = np.select([counts == named, counts > named], [1.0, 0.35], 0.0)
    return fits.astype(np.float32)
