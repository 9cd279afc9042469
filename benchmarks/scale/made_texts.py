"""Titles and abstracts made of the halves and sentences of two real papers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.scale.invented_names import growing_choice, invented_word
from benchmarks.scale.real_sources import RealPapers
from recsys.store.arrays import Longs, Rows

FIRST_SHARE, SECOND_SHARE = 0.6, 0.4
"""Of the sentences of the first and of the second real paper, those that are taken."""
WITH_ABSTRACT = 0.88
"""Of the papers: between archaeology's .78 and visualization's .97."""
RARE_WORDS = 1.6
"""Invented words that an abstract has on average; titles of SYSTEMS of the papers name one, too."""
SYSTEMS = 0.12
GROWTH = (4.0, 0.9)
"""Invented words that papers 1 to n draw from: 4 n^.9, which lets the vocabulary grow on as Heaps'
law found it to grow in the real texts."""
_MOST_SENTENCES = 64


@dataclass(frozen=True, slots=True)
class MadeText:
    """A made paper's title, and its abstract if it has one."""

    title: str
    abstract: str | None


def make_texts(
    real: RealPapers, pairs: Rows, first_number: int, rng: np.random.Generator
) -> list[MadeText]:
    """Make the texts of papers that follow each other.

    Args:
        real: what they are made of.
        pairs: (n, 2), the real papers that each is made of.
        first_number: of the first paper, from 0: later papers know more invented words.
        rng: the choices.
    """
    n = len(pairs)
    told = rng.random(n) < WITH_ABSTRACT
    named = rng.random(n) < SYSTEMS
    counts = np.where(told, rng.poisson(RARE_WORDS, n), 0) + named
    words = _rare_words(first_number + np.repeat(np.arange(n), counts), rng)
    taken = rng.random((n, 2, _MOST_SENTENCES)) < [[FIRST_SHARE], [SECOND_SHARE]]
    places = rng.random(len(words)).tolist()
    made, at = [], 0
    for (first, second), chosen, has_abstract, is_named, count in zip(
        pairs.tolist(), taken.tolist(), told.tolist(), named.tolist(), counts.tolist(), strict=True
    ):
        own, where = words[at : at + count], places[at : at + count]
        at += count
        title = f"{real.titles[first][0]} {real.titles[second][1]}".strip()
        if is_named:
            title = f"{own.pop().capitalize()}: {title}"
        abstract = None
        if has_abstract:
            lists = real.abstracts[first], real.abstracts[second]
            abstract = _with_words(_sentences(lists, chosen), own, where)
        made.append(MadeText(title, abstract))
    return made


def _rare_words(numbers: Longs, rng: np.random.Generator) -> list[str]:
    factor, power = GROWTH
    known = (factor * (numbers + 1.0) ** power).astype(np.int64)
    return [invented_word(number) for number in growing_choice(known, rng).tolist()]


def _sentences(lists: Sequence[Sequence[str]], chosen: Sequence[Sequence[bool]]) -> str:
    kept = [
        sentence
        for each, flags in zip(lists, chosen, strict=True)
        for sentence, flag in zip(each, flags, strict=False)
        if flag
    ]
    return " ".join(kept or lists[0][:1])


def _with_words(text: str, words: Sequence[str], places: Sequence[float]) -> str:
    """Put words in the place of others."""
    if not words:
        return text
    parts = text.split(" ")
    for word, place in zip(words, places, strict=False):
        parts[int(place * len(parts))] = word
    return " ".join(parts)
