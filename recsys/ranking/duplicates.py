"""Versions of one work in a ranking: the best-ranked stands, the others are told beside it.

Comparing all candidates pairwise would cost more than ranking them. So only pairs are looked at
that have the same set of title terms, or the same set of authors and nearly all title terms of the
shorter title; `one_work` judges them. Only papers that the query may see are ever compared.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from operator import eq

import numpy as np
from numpy.typing import NDArray

from recsys.query.matching import Title, numerals, title_of
from recsys.store.arrays import Longs, Mask, Ragged, Rows
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.names import contradict

# Tell whether two papers are versions of one work: a preprint, a talk, what stood in a journal.
#
# Titles have to agree, and what speaks against it must be absent: other numbers (Part I and II,
# reports of two years), no author in common, years far apart. One title may lack words of the
# other, or stand in the same venue in another year, only where the abstracts are known and are
# one, because so are named what continues a paper, and reports that come every year. A reprint of
# one title, authors and abstract may come any number of years later. Thresholds were chosen by
# reading pairs of five corpora: see docs/how-it-works/names.md.

SAME_TEXT = 0.7
"""Share of the distinct terms of two papers from which on their abstracts are one: versions with
one abstract have .75 and more, extended ones .6 and less."""
ALIKE = 0.75
"""Cosine from which on papers of one title with two abstracts may be a paper and its extension."""
YEARS_APART, WITH_ABSTRACTS = 1, 3
"""Years between versions at most: where titles are all that is known, and where abstracts are,
unless they and the titles are one."""
ABSTRACT = 15
"""Terms beyond those of its title that tell that a paper has an abstract."""
TELLING, UNSIGNED, LEAST = 4, 5, 2
"""Telling words of a title that is enough: as a rule, where authors are unknown, and where the
abstracts are one."""
_LONG_TITLE, _LONG_WORD = 30, 6
"""Letters of a title, and of the word in it, that may have a typing error."""

_ARTICLES = frozenset(("a", "an", "the"))
_OTHER_KINDS = frozenset(
    "addendum comment commentary correction corrigendum data dataset erratum reply response "
    "retraction revisited supplement supplementary update updated".split()
)
"""What is added to the title of a paper by something else that is about it."""


@dataclass(frozen=True, slots=True)
class Work:
    """What is compared of a paper.

    authors: codes of surnames with an initial, empty where unknown. year: None where unknown.
    venue: code, -1 where unknown. terms: codes of those in title and abstract; titled: how many of
    them the title has; numbers: those that begin with a digit.
    """

    title: Title
    authors: frozenset[int]
    year: int | None
    venue: int
    terms: frozenset[int]
    titled: int
    numbers: frozenset[int] = frozenset()

    @property
    def has_abstract(self) -> bool:
        """Tell whether more is known than a title."""
        return len(self.terms) - self.titled >= ABSTRACT


def one_work(one: Work, other: Work, cosine: float) -> bool:
    """Tell whether two papers are versions of one work.

    cosine: of their vectors; it is read where both have abstracts, of which the texts differ.
    """
    same_numbers = numerals(one.title.words) == numerals(other.title.words)
    if not (same_numbers and authors_agree(one.authors, other.authors)):
        return False
    known = one.has_abstract and other.has_abstract
    if known and len(one.terms & other.terms) >= SAME_TEXT * len(one.terms | other.terms):
        return _one_text(one, other)
    if not _same_title(one, other, TELLING if one.authors and other.authors else UNSIGNED):
        return False
    apart = years_apart(one.year, other.year)
    if apart != 0 and one.venue == other.venue != -1:  # What appears there every year.
        return False
    if not (one.authors and other.authors):
        return apart == 0
    longer = max(len(one.authors), len(other.authors))
    if 2 * len(one.authors & other.authors) <= longer:  # A talk on the work of several, as titled.
        return False
    if known:
        return cosine >= ALIKE and (apart or 0) <= WITH_ABSTRACTS
    return (apart or 0) <= YEARS_APART


def authors_agree(one: frozenset[int], other: frozenset[int]) -> bool:
    """Tell whether half of the shorter list is in the other; an unknown one speaks against none."""
    return 2 * len(one & other) >= min(len(one), len(other))


def years_apart(one: int | None, other: int | None) -> int | None:
    """Return the years between two papers; None where one of them is unknown."""
    return None if one is None or other is None else abs(one - other)


def _one_text(one: Work, other: Work) -> bool:
    """Judge papers whose abstracts are one."""
    apart = years_apart(one.year, other.year)
    if not (one.authors and other.authors):
        return apart == 0 and _same_title(one, other, UNSIGNED)
    same_title = _same_title(one, other, LEAST)
    if (apart or 0) > WITH_ABSTRACTS:
        # A reprint, whereas a report in the same words every year has that year's numbers.
        return same_title and one.numbers == other.numbers
    if same_title:
        return True
    # One title may have all words of the other in their order, and say no other kind.
    short, full = sorted((one.title, other.title), key=lambda title: len(title.words))
    rest = iter(full.words)
    if len(short.telling) < LEAST or not all(word in rest for word in short.words):
        return False
    return _OTHER_KINDS.isdisjoint(full.telling - short.telling)


def _same_title(one: Work, other: Work, telling: int) -> bool:
    """Tell whether titles have the same letters but for articles, or a typing error."""
    if min(len(one.title.telling), len(other.title.telling)) < telling:
        return False
    left, right = _letters(one.title), _letters(other.title)
    if left == right:
        return bool(left)
    if not one.authors or one.authors != other.authors:
        return False
    # A letter of a long word in a long title may be another one, or lack.
    if max(len(left), len(right)) < _LONG_TITLE or not _one_slip(left, right):
        return False
    changed = {*one.title.words} ^ {*other.title.words}
    return all(len(word) >= _LONG_WORD for word in changed - _ARTICLES)


def _one_slip(left: str, right: str) -> bool:
    """Tell whether at most one letter is another, lacks or is too many, or two have changed places.

    To compare these few titles takes less than to import what measures any distance.
    """
    start = _letters_shared(left, right)
    left, right = left[start:], right[start:]
    end = _letters_shared(left[::-1], right[::-1])
    left, right = left[: len(left) - end], right[: len(right) - end]
    return max(len(left), len(right)) <= 1 or (len(left) == 2 and left == right[::-1])


def _letters_shared(left: str, right: str) -> int:
    """Count the letters that both begin with."""
    return sum(takewhile(bool, map(eq, left, right)))


def _letters(title: Title) -> str:
    return "".join(word for word in title.words if word not in _ARTICLES)


MOST_KNOWN = 200
"""Of a long list of known papers, the first so many are compared by their authors, too."""
_ODD, _OTHER_ODD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(31)

_Keys = NDArray[np.uint64]
_Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Versions:
    """What stands in a ranking of m papers.

    standing: (s,) int32, positions in the ranking, ascending. others: rows of the other versions,
    best-ranked first, by the row of a paper that stands.
    """

    standing: Rows
    others: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


def find_versions(collection: Collection, rows: Rows, known: Rows) -> Versions:
    """Let one paper of each work stand. O((m + k) log(m + k)), and a little for each pair.

    A paper goes if it and one that stands above it are one work, or it and a known one are.

    Args:
        collection: what the papers are of.
        rows: (m,) int32, distinct, best first.
        known: (k,) int32, distinct and none of `rows`: papers of which no version shall stand.
    """
    m, both = len(rows), np.concatenate([rows, known])
    works = _Works(collection, both)
    gone: set[int] = set()
    others: dict[int, list[int]] = {}
    # Known papers come first; then each paper meets those above it, whose fate is settled.
    for above, at in sorted(works.pairs(m), key=lambda pair: (pair[1] < m, pair[1], pair[0])):
        below = above if at >= m else at
        if below in gone or (at < m and above in gone) or not works.are_one(above, at):
            continue
        gone.add(below)
        if at < m:
            others.setdefault(above, []).append(at)
    standing = np.ones(m, bool)
    standing[list(gone)] = False
    return Versions(
        np.flatnonzero(standing).astype(np.int32),
        {int(rows[at]): tuple(rows[under].tolist()) for at, under in others.items()},
    )


@dataclass(slots=True)
class _Works:
    """Papers by their position in `rows`; what is compared of one is read when it is needed."""

    collection: Collection
    rows: Rows
    _read: dict[int, Work] = field(default_factory=dict)
    _signed: dict[int, frozenset[int]] = field(default_factory=dict)

    def pairs(self, m: int) -> Iterator[_Pair]:
        """Give pairs that may be one work, each once, the first of them one of the first m."""
        titles = _keys(self.collection.terms.title_terms, self.rows)
        titled = set(self._near(titles, m, reprints=True))
        yield from titled
        corpus, some = self.collection.corpus, self.rows[: m + MOST_KNOWN]
        signed = _keys(corpus.authors, some, corpus.author_blocks)
        for pair in self._near(signed, m, reprints=False):
            if pair not in titled and self._share_title(*pair):
                yield pair

    def are_one(self, one: int, other: int) -> bool:
        """Tell whether the papers at two positions are versions of one work.

        Most pairs have nobody in common: of these no title is read, which has to be unpacked.
        """
        if not authors_agree(self._authors(one), self._authors(other)):
            return False
        left, right = self.collection.vectors[self.rows[[one, other]]]
        alike = one_work(self._work(one), self._work(other), float(left @ right))
        return alike and not contradict(self._names(one), self._names(other))

    def _near(self, keys: _Keys, m: int, *, reprints: bool) -> Iterator[_Pair]:
        """Give pairs of equal keys other than 0 whose years are near, the smaller first.

        reprints: give those of any years, too, of which both say enough to be one text.
        """
        years = self.collection.corpus.years[self.rows[: len(keys)]].astype(np.int32)
        order = np.argsort(keys, kind="stable")
        order = order[np.searchsorted(keys[order], np.uint64(0), "right") :]
        ordered = keys[order]
        for shift in range(1, len(order)):
            same = np.flatnonzero(ordered[shift:] == ordered[:-shift])
            if not len(same):  # Equal keys stand together: further apart there are none either.
                return
            one, other = order[same], order[same + shift]
            unknown = (years[one] == UNKNOWN_YEAR) | (years[other] == UNKNOWN_YEAR)
            near = unknown | (abs(years[one] - years[other]) <= WITH_ABSTRACTS)
            if reprints:
                near |= self._says_enough(one) & self._says_enough(other)
            kept = near & (one < m)
            yield from zip(one[kept].tolist(), other[kept].tolist(), strict=True)

    def _says_enough(self, at: Longs) -> Mask:
        """Tell which papers have an abstract, and a title that is enough beside it."""
        rows, terms = self.rows[at], self.collection.terms
        titled = terms.title_terms.lengths(rows)
        return (titled >= LEAST) & (terms.terms.lengths(rows) - titled >= ABSTRACT)

    def _share_title(self, one: int, other: int) -> bool:
        """Tell whether all title terms of the shorter title but one are in the other."""
        left, right = (set(self._title_terms(at).tolist()) for at in (one, other))
        fewer = min(len(left), len(right))
        return fewer > 0 and len(left & right) >= max(fewer - 1, 1)

    def _title_terms(self, at: int) -> Rows:
        return self.collection.terms.title_terms[int(self.rows[at])]

    def _authors(self, at: int) -> frozenset[int]:
        if at not in self._signed:
            corpus = self.collection.corpus
            codes = corpus.author_blocks[corpus.authors[int(self.rows[at])]]
            self._signed[at] = frozenset(codes.tolist())
        return self._signed[at]

    def _names(self, at: int) -> list[str]:
        corpus = self.collection.corpus
        return [corpus.author_names[code] for code in corpus.authors[int(self.rows[at])].tolist()]

    def _work(self, at: int) -> Work:
        if at not in self._read:
            row, corpus, store = int(self.rows[at]), self.collection.corpus, self.collection.terms
            terms = store.terms[row]
            self._read[at] = Work(
                title_of(corpus.title(row)),
                self._authors(at),
                corpus.year(row),
                int(corpus.venues[row]),
                frozenset(terms.tolist()),
                len(self._title_terms(at)),
                frozenset(terms[terms < store.vocabulary.numbers].tolist()),
            )
        return self._read[at]


def _keys(sets: Ragged, rows: Rows, classes: Rows | None = None) -> _Keys:
    """Hash the set of values of each row, whatever their order: (m,) uint64, 0 for none.

    classes: of the values, which are hashed in their place.
    """
    _, values = sets.take(rows)
    values = values if classes is None else classes[values]
    mixed = (values.astype(np.uint64) + np.uint64(1)) * _ODD
    mixed = (mixed ^ (mixed >> _SHIFT)) * _OTHER_ODD
    sums = np.zeros(len(mixed) + 1, np.uint64)
    np.cumsum(mixed, out=sums[1:])
    ends = np.cumsum(sets.lengths(rows))
    begins = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
    keys: _Keys = sums[ends] - sums[begins]
    return keys
