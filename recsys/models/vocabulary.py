"""What Citeomatic's models know of a paper: numbers of its words, authors, venue and keyphrases.

Words are cleaned as by the original (Bhagavatula et al. 2018): lower case, the letters a to z. One
thing differs: accents are stripped first, so that they do not cut a word in two.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.records import Draft, Paper
from recsys.store.arrays import Longs, Ragged, Rows, SortedStrings
from recsys.store.name_keys import author_keys, fold, venue_key

MOST_WORDS, LARGEST_SHARE = 200_000, 0.9
FEWEST_PER_KEYPHRASE = 5
LONGEST = {"title": 50, "abstract": 500, "authors": 8, "venue": 1, "keyphrases": 20}
"""How many entries of a field are read at most: the first ones that the vocabulary knows."""
FIELDS = tuple(LONGEST)

STOP_WORDS = frozenset(
    "abstract about an and are as at be by for from how in is it of on or that the this to was "
    "what when where who will with we our which".split()
)
_NOT_LETTERS = re.compile(r"[^a-z]+")


def words_of(text: str | None) -> list[str]:
    """Split into words of two or more letters, in order, repeated ones included.

    >>> words_of("The t-SNE of the naïve, 2nd")
    ['sne', 'naive', 'nd']
    """
    if not text:
        return []
    words = _NOT_LETTERS.split(fold(text))
    return [word for word in words if len(word) > 1 and word not in STOP_WORDS]


@dataclass(frozen=True, slots=True)
class Entries:
    """A paper's fields as lists of strings, before they become numbers."""

    title: Sequence[str]
    abstract: Sequence[str]
    authors: Sequence[str] = ()
    venue: Sequence[str] = ()
    keyphrases: Sequence[str] = ()

    @classmethod
    def of(cls, paper: Paper | Draft) -> "Entries":
        """Split a paper, or a draft, which has no keyphrases."""
        phrases = paper.keyphrases if isinstance(paper, Paper) else ()
        return cls(
            words_of(paper.title),
            words_of(paper.abstract),
            author_keys(paper.authors),
            [key] if paper.venue and (key := venue_key(paper.venue)) else [],
            list(dict.fromkeys(key for each in phrases if (key := " ".join(fold(each).split())))),
        )


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The strings that have numbers: those of title and abstract in common, and of each field."""

    words: SortedStrings
    authors: SortedStrings
    venue: SortedStrings
    keyphrases: SortedStrings

    def of(self, field: str) -> SortedStrings:
        """Return the strings of a field."""
        strings: SortedStrings = getattr(self, "words" if field in ("title", "abstract") else field)
        return strings

    def bags(self, papers: Sequence[Entries], field: str) -> Ragged:
        """Number a field of every paper: row -> numbers in order; unknown strings are left out."""
        return to_bags(
            (getattr(paper, field) for paper in papers), self.of(field), longest=LONGEST[field]
        )

    def save(self, folder: Path) -> None:
        """Write two arrays per list of strings."""
        for name in self.__slots__:
            strings: SortedStrings = getattr(self, name)
            strings.save(folder, name)

    @classmethod
    def load(cls, folder: Path) -> "Vocabulary":
        """Memory-map what `save` wrote."""
        return cls(*(SortedStrings.load(folder, name) for name in cls.__slots__))

    @classmethod
    def build(cls, papers: Iterable[Entries]) -> "Vocabulary":
        """Choose the strings of the papers that a model is trained on.

        A word in more than LARGEST_SHARE of the papers is left out; of the rest, the MOST_WORDS
        most frequent stay, ties in alphabetical order.
        """
        n, words, in_papers = 0, Counter[str](), Counter[str]()
        authors, venues, phrases = set[str](), set[str](), Counter[str]()
        for paper in papers:
            n += 1
            both = [*paper.title, *paper.abstract]
            words.update(both)
            in_papers.update(set(both))
            authors.update(paper.authors)
            venues.update(paper.venue)
            phrases.update(paper.keyphrases)
        common = {word for word, times in in_papers.items() if times > LARGEST_SHARE * n}
        order = sorted(words.keys() - common, key=lambda word: (-words[word], word))
        frequent = {phrase for phrase, times in phrases.items() if times >= FEWEST_PER_KEYPHRASE}
        return cls(*map(_sorted, (order[:MOST_WORDS], authors, venues, frequent)))


def to_bags(
    lists: Iterable[Sequence[str]], strings: SortedStrings, *, longest: int | None = None
) -> Ragged:
    """Number lists of strings, in order; unknown ones are left out, then the rest is cut."""
    known: dict[str, int | None] = {}
    lengths, values = [0], list[int]()
    for words in lists:
        for word in words:
            if word not in known:
                known[word] = strings.find(word)
        found = [code for word in words if (code := known[word]) is not None]
        values += found[:longest]
        lengths.append(len(found[:longest]))
    starts: Longs = np.cumsum(lengths, dtype=np.int64)
    codes: Rows = np.array(values, np.int32)
    return Ragged(starts, codes)


def _sorted(strings: Iterable[str]) -> SortedStrings:
    return SortedStrings.build(sorted(strings, key=lambda each: each.encode("utf-8")))
