"""What a group of papers is called: phrases of its field that tell it from the other groups.

A phrase is taken from a title. It is telling if many papers of the group have it, in title or
abstract, and few of the others do; and it is whole if it often stands between stop words or marks,
which "neural networks" does, and neither "deep neural" nor "simplex virus".
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from recsys.mapping.grouping import Reals
from recsys.store.arrays import Longs, Mask
from recsys.store.words import STOP_WORDS, tokens, word_list

Words: TypeAlias = tuple[str, ...]
"""A phrase, folded."""

MOST_PHRASES = 2
LONGEST = 3
"""Words of a phrase."""
STEM = 6
"""Words that begin with the same so many letters say the same twice: uncertain, uncertainty."""
LONGEST_LABEL = 60
"""Characters: a label stays on one line."""
UNNAMED = "Other papers"
JOINT = " · "
"""Stands between the phrases of a label."""
WHOLE = 0.4
"""Least share of its occurrences at which a phrase begins a run of words, and ends one."""
ABSTRACT = 0.5
"""What a paper counts for that has a phrase in its abstract alone, beside 1 in its title."""
SMOOTH = 0.03
"""Added to shares of papers: what two papers alone have is not infinitely telling."""
ALONE = 0.33
"""What the score of a single word counts for: two words say more."""
SECOND = 0.25
"""A second phrase is this good beside the first, or it is left out."""
SHARED = 0.08
"""Least share of the group's papers that a second phrase adds."""
CAPITALS = 0.4
"""A text with a smaller share of capitals is spelt as in a sentence: capitals are names."""

_WORD = re.compile(
    r"(?:New (?=Britain|Caledonia|England|Guinea|Ireland|Jersey|Mexico|South|York|Zealand))?"
    r"[^\W_]+(?:['\u2019-][^\W_]+)*"
)
_YEAR = re.compile(r"\d{3}|^\d")
_VAGUE = frozenset(word_list("vague").split())
"""Words that stand in titles on anything."""
_NOT_LAST = re.compile(
    r".*(?:ly|ous|ful|ible|able|based|driven|aware|guided|ized|ised|ated|ive|ional|ual)$"
)
_NOT_ALONE = re.compile(r".*(?:al|ic|ed|ing|ary|ar|ant|ent|less|-.*)$")
"""Endings of adjectives and participles; the second are only refused in a word alone."""


@dataclass(slots=True)
class _Phrase:
    """What is known of a phrase: which papers have it, how it is spelt, where it stands.

    papers: paper -> 1 where its title has it, ABSTRACT where its abstract alone does. begins, ends:
    how often it begins and ends a run of words, of `count` times.
    """

    words: Words
    papers: dict[int, float] = field(default_factory=dict)
    spellings: Counter[str] = field(default_factory=Counter)
    count: int = 0
    begins: int = 0
    ends: int = 0

    @property
    def spelling(self) -> str:
        """The commonest, the first of equals."""
        return min(self.spellings.items(), key=lambda item: (-item[1], item[0]))[0]


def label_groups(
    texts: Sequence[tuple[str, str]], rarity: Mapping[str, float], groups: Longs
) -> tuple[str, ...]:
    """Name every group by at most two phrases; no two phrases of the map have the same words.

    Args:
        texts: title and abstract of each paper.
        rarity: of each word in the corpus, such as its idf.
        groups: (m,) group of each paper.
    """
    phrases = sorted(_whole_phrases(texts), key=lambda phrase: phrase.spelling)
    has = np.zeros((len(phrases), len(texts)))
    for row, phrase in enumerate(phrases):
        has[row, list(phrase.papers)] = list(phrase.papers.values())
    rare = [sum(rarity.get(word, 0.0) for word in each.words) / len(each.words) for each in phrases]
    alone = [ALONE if len(phrase.words) == 1 else 1.0 for phrase in phrases]
    worth = np.sqrt(rare) * alone
    taken: set[frozenset[str]] = set()
    labels = []
    for group in range(int(groups.max()) + 1 if len(groups) else 0):
        inside = groups == group
        chosen = _telling(phrases, has, worth, inside, taken)
        taken |= {frozenset(phrase.words) for phrase in chosen}
        label = JOINT.join(phrase.spelling for phrase in chosen)
        label = label or " ".join(texts[int(np.argmax(inside))][0].split()) or UNNAMED
        cut = label[: LONGEST_LABEL - 3].rstrip() + "..."
        labels.append(label if len(label) <= LONGEST_LABEL else cut)
    return tuple(labels)


def _telling(
    phrases: Sequence[_Phrase],
    has: Reals,
    worth: Reals,
    inside: Mask,
    taken: Collection[frozenset[str]],
) -> list[_Phrase]:
    """Choose the phrases of a group, the best first.

    A phrase with the share `here` of the group's papers and `there` of the others has the score
    worth * here * ln((here + SMOOTH) / (there + SMOOTH)). The second phrase is the best among the
    papers without the first.

    Args:
        phrases: by spelling, which decides between equals.
        has: (p, m) what each paper counts for that has a phrase, 0 for others.
        worth: (p,) the more, the rarer its words are.
        inside: (m,) bool, the group.
        taken: words of the phrases of other groups.
    """
    chosen: list[_Phrase] = []
    left, size, least = inside.copy(), int(inside.sum()), 0.0
    there = has[:, ~inside].sum(axis=1) / max(len(inside) - size, 1)
    while left.any() and len(chosen) < MOST_PHRASES:
        here = has[:, left].sum(axis=1) / size
        scores = worth * here * np.log((here + SMOOTH) / (there + SMOOTH))
        if chosen:
            scores[here < max(SHARED, 1.5 / size)] = 0.0
        stems = {word[:STEM] for phrase in chosen for word in phrase.words}
        for row in np.argsort(-np.round(scores, 9), kind="stable").tolist():
            phrase = phrases[row]
            new = frozenset(phrase.words) not in taken
            new = new and stems.isdisjoint(word[:STEM] for word in phrase.words)
            label = JOINT.join(each.spelling for each in [*chosen, phrase])
            if scores[row] <= least or (new and len(label) <= LONGEST_LABEL):
                break
        else:
            return chosen
        if scores[row] <= least:
            break
        least = least or SECOND * float(scores[row])
        chosen.append(phrase)
        left &= has[row] == 0.0
    return chosen


def _whole_phrases(texts: Sequence[tuple[str, str]]) -> list[_Phrase]:
    """Find the phrases of the titles, and where titles and abstracts have them."""
    found = {words: _Phrase(words) for title, _ in texts for words, _ in phrases_in(title)}
    for paper, text in enumerate(texts):
        for weight, part in zip((1.0, ABSTRACT), text, strict=True):
            capitals = sum(word[0].isupper() for word in _WORD.findall(part) if len(word) > LONGEST)
            as_written = capitals < CAPITALS * part.count(" ")
            for run in _runs(part):
                for begin, end in _parts(run):
                    words, spelling = _read(tuple(run[begin:end]))
                    if (phrase := found.get(words)) is None:
                        continue
                    plain = as_written and not part.startswith(run[begin])
                    phrase.papers.setdefault(paper, weight)
                    phrase.spellings[" ".join(run[begin:end]) if plain else spelling] += 1
                    phrase.count += 1
                    phrase.begins += begin == 0
                    phrase.ends += end == len(run)
    return [
        phrase
        for phrase in found.values()
        if min(phrase.begins, phrase.ends) >= WHOLE * phrase.count > 0
    ]


def phrases_in(title: str) -> Iterator[tuple[Words, str]]:
    """Give the phrases of a title or a sentence that can stand alone: folded words, spelling."""
    for run in _runs(title):
        for begin, end in _parts(run):
            words, spelling = _read(tuple(run[begin:end]))
            if words:
                yield words, spelling


def _parts(run: Sequence[str]) -> Iterator[tuple[int, int]]:
    for begin in range(len(run)):
        for end in range(begin + 1, min(begin + LONGEST, len(run)) + 1):
            yield begin, end


@lru_cache(maxsize=1 << 15)
def _read(part: tuple[str, ...]) -> tuple[Words, str]:
    words = tuple(token for word in part for token in tokens(word))
    last = part[-1].lower()
    # Guesses by how its last word ends whether a phrase can stand alone.
    adjective = _NOT_LAST.match(last) or (len(part) == 1 and _NOT_ALONE.match(last))
    # The first letter is lowered, and capitals within stay: t-SNE, GPU, but visual.
    spelt = (
        "-".join(each.lower() if each[1:] == each[1:].lower() else each for each in word.split("-"))
        for word in part
    )
    return (() if adjective else words), " ".join(spelt)


def _runs(title: str) -> Iterator[list[str]]:
    """Split a title where a mark, a stop word, a vague word or a year stands."""
    run: list[str] = []
    last = 0
    for match in _WORD.finditer(title):
        word, lower = match[0], match[0].lower()
        if title[last : match.start()].strip():
            yield run
            run = []
        last = match.end()
        vague = lower in STOP_WORDS or lower in _VAGUE
        vague = vague or (" " not in word and not _VAGUE.isdisjoint(tokens(word)))
        if vague or len(word) < 2 or (_YEAR.search(word) and not word[-1:].isalpha()):
            yield run
            run = []
        else:
            run.append(word)
    yield run
