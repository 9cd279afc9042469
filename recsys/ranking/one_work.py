"""Tell whether two papers are versions of one work: a preprint, a talk, what stood in a journal.

Titles have to agree, and what speaks against it must be absent: other numbers (Part I and II,
reports of two years), no author in common, years far apart. One title may lack words of the other,
or stand in the same venue in another year, only where the abstracts are known and are one, because
so are named what continues a paper, and reports that come every year. Thresholds were chosen by
reading pairs of five corpora: see docs/how-it-works/versions.md.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from operator import eq

from recsys.query.match_confidence import Title

SAME_TEXT = 0.7
"""Share of the distinct terms of two papers from which on their abstracts are one: versions with
one abstract have .75 and more, extended ones .6 and less."""
ALIKE = 0.75
"""Cosine from which on papers of one title with two abstracts may be a paper and its extension."""
YEARS_APART, WITH_ABSTRACTS = 1, 3
"""Years between versions at most: where titles are all that is known, and where abstracts are."""
ABSTRACT = 15
"""Terms beyond those of its title that tell that a paper has an abstract."""
TELLING, UNSIGNED, LEAST = 4, 5, 2
"""Telling words of a title that is enough: as a rule, where authors are unknown, and where the
abstracts are one."""
_LONG_TITLE, _LONG_WORD = 30, 6
"""Letters of a title, and of the word in it, that may have a typing error."""

_DIGITS = re.compile(r"[0-9]+")
_ARTICLES = frozenset(("a", "an", "the"))
_OTHER_KINDS = frozenset(
    "addendum comment commentary correction corrigendum data dataset erratum reply response "
    "retraction revisited supplement supplementary update updated".split()
)
"""What is added to the title of a paper by something else that is about it."""


@dataclass(frozen=True, slots=True)
class Work:
    """What is compared of a paper.

    authors: codes, empty where unknown. year: None where unknown. venue: code, -1 where unknown.
    terms: codes of those in title and abstract; titled: how many of them the title has.
    """

    title: Title
    authors: frozenset[int]
    year: int | None
    venue: int
    terms: frozenset[int]
    titled: int

    @property
    def has_abstract(self) -> bool:
        """Tell whether more is known than a title."""
        return len(self.terms) - self.titled >= ABSTRACT


def one_work(one: Work, other: Work, cosine: float) -> bool:
    """Tell whether two papers are versions of one work.

    cosine: of their vectors; it is read where both have abstracts, of which the texts differ.
    """
    same_numbers = _numbers(one.title) == _numbers(other.title)
    if not (same_numbers and authors_agree(one.authors, other.authors)):
        return False
    if _same_text(one, other):
        return _one_text(one, other)
    if not _same_title(one, other, TELLING if one.authors and other.authors else UNSIGNED):
        return False
    apart = years_apart(one.year, other.year)
    if apart != 0 and one.venue == other.venue != -1:  # What appears there every year.
        return False
    if not (one.authors and other.authors):
        return apart == 0
    if not _same_people(one, other):  # A talk on the work of several, under its title.
        return False
    if one.has_abstract and other.has_abstract:
        return cosine >= ALIKE and (apart or 0) <= WITH_ABSTRACTS
    return (apart or 0) <= YEARS_APART


def authors_agree(one: frozenset[int], other: frozenset[int]) -> bool:
    """Tell whether half of the shorter list is in the other; an unknown one speaks against none."""
    return 2 * len(one & other) >= min(len(one), len(other))


def years_apart(one: int | None, other: int | None) -> int | None:
    """Return the years between two papers; None where one of them is unknown."""
    return None if one is None or other is None else abs(one - other)


def _same_text(one: Work, other: Work) -> bool:
    if not (one.has_abstract and other.has_abstract):
        return False
    return len(one.terms & other.terms) >= SAME_TEXT * len(one.terms | other.terms)


def _one_text(one: Work, other: Work) -> bool:
    """Judge papers whose abstracts are one."""
    apart = years_apart(one.year, other.year)
    if not (one.authors and other.authors):
        return apart == 0 and _same_title(one, other, UNSIGNED)
    if (apart or 0) > WITH_ABSTRACTS:
        return False
    return _same_title(one, other, LEAST) or _lacks_words(one.title, other.title)


def _same_people(one: Work, other: Work) -> bool:
    """Tell whether more than half of the longer list of authors is in the other."""
    more = max(len(one.authors), len(other.authors))
    return 2 * len(one.authors & other.authors) > more


def _same_title(one: Work, other: Work, telling: int) -> bool:
    """Tell whether titles have the same letters but for articles, or a typing error."""
    if min(len(one.title.telling), len(other.title.telling)) < telling:
        return False
    left, right = _letters(one.title), _letters(other.title)
    if left == right:
        return bool(left)
    signed_alike = bool(one.authors) and one.authors == other.authors
    return signed_alike and _misspelt(one.title, other.title, left, right)


def _misspelt(one: Title, other: Title, left: str, right: str) -> bool:
    """Tell whether a letter of a long word in a long title is another one, or lacks."""
    if max(len(left), len(right)) < _LONG_TITLE or not _one_slip(left, right):
        return False
    words, others = set(one.words), set(other.words)
    changed = (words | others) - (words & others) - _ARTICLES
    return all(len(word) >= _LONG_WORD for word in changed)


def _one_slip(left: str, right: str) -> bool:
    """Tell whether at most one letter is another, lacks or is too many, or two have changed places.

    To compare these few titles takes less than to import what measures any distance.
    """
    start = _letters_shared(left, right)
    left, right = left[start:], right[start:]
    end = _letters_shared(left[::-1], right[::-1])
    left, right = left[: len(left) - end], right[: len(right) - end]
    swapped = len(left) == 2 and left == right[::-1]
    return swapped or max(len(left), len(right)) <= 1


def _letters_shared(left: str, right: str) -> int:
    """Count the letters that both begin with."""
    return sum(takewhile(bool, map(eq, left, right)))


def _lacks_words(one: Title, other: Title) -> bool:
    """Tell whether one title has all words of the other in their order, and says no other kind."""
    short, full = sorted((one, other), key=lambda title: len(title.words))
    if len(short.telling) < LEAST or not _in_order(short.words, full.words):
        return False
    return _OTHER_KINDS.isdisjoint(full.telling - short.telling)


def _in_order(words: Sequence[str], longer: Sequence[str]) -> bool:
    rest = iter(longer)
    return all(word in rest for word in words)


def _letters(title: Title) -> str:
    return "".join(word for word in title.words if word not in _ARTICLES)


def _numbers(title: Title) -> list[str]:
    return sorted(number for word in title.words for number in _DIGITS.findall(word))
