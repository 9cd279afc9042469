"""How sure it is that a reference means a paper: by title, year and first author.

A score is in [0, 1]: the likeness of the titles, less what speaks against it. Missing values cost
little, contradictions much, and either costs more where the title tells little.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from recsys.records import Paper, Reference
from recsys.store.name_keys import author_key, fold
from recsys.store.words import STOP_WORDS

THRESHOLD = 0.85
"""A score from here on is a match.

Titles that are equal but for typing errors have a likeness above 0.9. What remains of 1 is used up
by evidence against: another first author alone, unless the title has six telling words; two years
or more apart, unless it has four; nothing known but a title of one word.
"""
LONGEST_TITLE = 600
"""Characters of a title that are compared."""

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,80}>")
_WORD = re.compile(r"[^\W_]+")
_SUBTITLE = re.compile(r"\s*[:?!\u2014]\s*|\.\s+|\s+[-\u2013]+\s+")
_DIGITS = re.compile(r"[0-9]+")
_COUNTED = frozenset({"part", "pt", "volume", "vol", "chapter", "section", "number", "no", "phase"})
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii".split()
_SPELT = "one two three four five six seven eight nine ten eleven twelve".split()

_MAIN_TITLE_ONLY = (0.9, 0.94)
"""Likeness of two titles of which one lacks the subtitle: main title of few words, of four."""
_LETTERS_PER_ERROR = 6
"""Typing errors are one a word, or one in so many letters; more of them make another word."""
_CHANGED_WORD = 2
"""Another word costs so many times its letters, a word too many only these."""

_YEARS_APART = (0.0, 0.01, 0.08, 0.1, 0.1, 0.1, 0.13)
_YEAR_UNKNOWN = 0.02
_AUTHOR_UNKNOWN, _AUTHOR_DIFFERS = 0.03, 0.2
_WEIGHTS = (4.0, 4.0, 2.0, 2.0, 1.0, 1.0, 0.6)
"""What evidence against weighs, by telling words of the title."""


@dataclass(frozen=True, slots=True)
class Title:
    """A title ready to be compared: folded words, and those before each subtitle that it has."""

    words: tuple[str, ...]
    cut: tuple[tuple[str, ...], ...]

    @property
    def telling(self) -> frozenset[str]:
        """The words that are no stop words."""
        return frozenset(self.words) - STOP_WORDS


def title_of(text: str) -> Title:
    """Prepare a title: HTML, accents, case and punctuation do not count."""
    plain = _TAG.sub("", _unescaped(text[:LONGEST_TITLE]))
    parts = [_words(part) for part in _SUBTITLE.split(plain)]
    ends = list(accumulate(len(part) for part in parts if part))
    words = _with_digits([word for part in parts for word in part])
    return Title(words, tuple(words[:end] for end in ends[:-1]))


def score(reference: Reference, wanted: Title, paper: Paper, offered: Title) -> float:
    """Score a paper for a reference, given both titles: 1 when everything is known and equal.

    Below the threshold a score says no more than that it is below.
    """
    likeness = title_likeness(wanted, offered)
    if likeness < THRESHOLD:  # Nothing adds to it: the rest need not be looked at.
        return likeness
    weight = _WEIGHTS[min(len(wanted.telling), len(_WEIGHTS) - 1)]
    against = _year_differs(reference.year, paper.year) + _author_differs(reference, paper)
    return max(likeness - weight * against, 0.0)


def title_likeness(one: Title, other: Title) -> float:
    """Compare two titles: 1 for the same letters and digits, 0 for nothing in common.

    Hyphens and spaces do not count, nor does the order of words; a typing error costs its share of
    the letters, another word all of its own. Titles with other numerals (Part I, Part II) are
    never alike. Less than one half counts as nothing.
    """
    likeness = _likeness(one.words, other.words)
    if len(one.cut) != len(other.cut):  # One of them may have lost its subtitle.
        short, full = (one, other) if len(one.cut) < len(other.cut) else (other, one)
        factor = _MAIN_TITLE_ONLY[len(short.telling) > 3]
        likeness = max(likeness, *(factor * _likeness(short.words, cut) for cut in full.cut))
    return likeness


def contradicts(one: Title, other: Title) -> bool:
    """Tell whether two titles are flatly different: less than half of the shorter is in the other.

    Titles in which nothing tells do not contradict each other.
    """
    fewer = min(len(one.telling), len(other.telling))
    shared = len(one.telling & other.telling)
    return 2 * shared < fewer and not title_likeness(one, other)


def same_origin(reference: Reference, paper: Paper) -> bool:
    """Tell whether first author and year agree (two years apart at most), both being known."""
    if not (reference.authors and paper.authors and reference.year and paper.year):
        return False
    return abs(reference.year - paper.year) <= 2 and not _author_differs(reference, paper)


def _likeness(one: Sequence[str], other: Sequence[str]) -> float:
    from rapidfuzz.distance import OSA

    if not one or not other:
        return 0.0
    left, right = _unshared(one, other), _unshared(other, one)
    edits = OSA.distance("".join(left), "".join(right))
    left, right = ([word for word in rest if word not in STOP_WORDS] for rest in (left, right))
    changed = max(sum(map(len, left)), sum(map(len, right)))
    edits = min(edits, 1 + OSA.distance("".join(left), "".join(right)))  # An article is one error.
    if edits > max(len(left), len(right), changed // _LETTERS_PER_ERROR):
        edits = max(edits, changed * (_CHANGED_WORD if left and right else 1))
    likeness = 1 - edits / max(sum(map(len, one)), sum(map(len, other)))
    return likeness if likeness > 0.5 and _numerals(one) == _numerals(other) else 0.0


def _unshared(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """List the words that the others lack, in order; joined, they hide spaces and hyphens."""
    spare, found = Counter(others), []
    for word in words:
        if spare[word]:
            spare[word] -= 1
        else:
            found.append(word)
    return found


def _unescaped(text: str) -> str:
    """Undo HTML's escapes."""
    if "&" not in text:
        return text
    import html  # With the names of all its characters.

    return html.unescape(text)


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(fold(text)))


def _with_digits(words: Sequence[str]) -> tuple[str, ...]:
    """Write Roman numerals from II on in digits, and after "Part" any spelling of a number."""
    found = []
    for before, word in zip(("", *words), words, strict=False):
        if word in _ROMAN and (len(word) > 1 or before in _COUNTED):
            word = str(_ROMAN.index(word) + 1)
        elif word in _SPELT and before in _COUNTED:
            word = str(_SPELT.index(word) + 1)
        found.append(word)
    return tuple(found)


def _numerals(words: Sequence[str]) -> list[str]:
    return sorted(number for word in words for number in _DIGITS.findall(word))


def _year_differs(one: int | None, other: int | None) -> float:
    if one is None or other is None:
        return _YEAR_UNKNOWN
    return _YEARS_APART[min(abs(one - other), len(_YEARS_APART) - 1)]


def _author_differs(reference: Reference, paper: Paper) -> float:
    same = named_among(reference.authors, paper.authors)
    return _AUTHOR_UNKNOWN if same is None else 0.0 if same else _AUTHOR_DIFFERS


def named_among(authors: Sequence[str], others: Sequence[str]) -> bool | None:
    """Look for the first author's surname among others, in any order of names; None: unknown."""
    from rapidfuzz.distance import OSA

    surname = _surname(authors[0]) if authors else ""
    names = [_words(name) for name in others]
    words = {word for name in names for word in name if len(word) > 1}
    if not surname or not words:
        return None
    same = surname in words
    if not same and len(surname) > 3:
        same = any(surname in "".join(name) for name in names) or any(
            OSA.distance(surname, word, score_cutoff=1) <= 1 for word in words
        )
    return same


def _surname(name: str) -> str:
    return (author_key(name) or "").partition(" ")[0]
