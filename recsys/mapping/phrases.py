"""What a group of papers is called: the phrases of its titles that tell it from the others.

A word is telling if many papers of the group have it, in title or abstract, and few of the others;
a phrase is, if its words are, and if several titles of the group have it.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from recsys.store.arrays import Longs
from recsys.store.words import STOP_WORDS, tokens

MOST_PHRASES = 3
LONGEST = 3
"""Words of a phrase."""
STEM = 6
"""Words that begin with the same so many letters say the same twice: uncertain, uncertainty."""
LONGEST_LABEL = 72
"""Characters: a label stays on one line."""
UNNAMED = "Other papers"

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_YEAR = re.compile(r"\d{3}|^\d")
_VAGUE = frozenset(
    "aided an approach approache art based better case challenge change comparing comparison "
    "design driven effect effective efficient enabling evaluating evaluation exploring "
    "framework general help impact improve improved improving into introduction investigating "
    "investigation issue large make many method methodology multi multiple new novel one "
    "overview paper perspective practical practice problem real research result review scale "
    "scheme simple some state state-of-the-art study supporting survey system task technique "
    "theory tool toward towards understanding use user using via way work".split()
)
"""Words that stand in titles on anything."""
_NOT_LAST = re.compile(
    r".*(?:ly|ous|ful|ible|able|based|driven|aware|guided|ized|ised|ated|ive|ional|ual)$"
)
_NOT_ALONE = re.compile(r".*(?:al|ic|ed|ing|ary|ar|ant|ent|less|-.*)$")
"""Endings of adjectives and participles; the second are only refused in a word alone."""


def label_groups(
    titles: Sequence[str],
    words: Sequence[Collection[str]],
    rarity: Mapping[str, float],
    groups: Longs,
) -> tuple[str, ...]:
    """Name every group; no two phrases of the map have the same words.

    Args:
        titles: of each paper.
        words: of each paper, the tokens of title and abstract.
        rarity: of each of these words in the corpus, such as its idf.
        groups: (m,) group of each paper.
    """
    taken: set[frozenset[str]] = set()
    labels = []
    for group in range(int(groups.max()) + 1 if len(groups) else 0):
        inside = groups == group
        own, others = Counter[str](), Counter[str]()
        for tokens_of_paper, member in zip(words, inside.tolist(), strict=True):
            (own if member else others).update(tokens_of_paper)
        size, rest = int(inside.sum()), int((~inside).sum())
        telling = {}  # Share of the group, how much more that is than elsewhere, rarity.
        for word in sorted(own):
            here, there = own[word] / size, (others[word] + 0.5) / (rest + 1)
            telling[word] = here * math.log((here + 0.02) / (there + 0.02)) * rarity[word]
        titled = [titles[place] for place in np.flatnonzero(inside).tolist()]
        labels.append(_label(titled, telling, taken))
    return tuple(labels)


def _label(titles: Sequence[str], telling: Mapping[str, float], taken: set[frozenset[str]]) -> str:
    """Join the best phrases that have no word in common, as many as go on one line.

    taken: words of the phrases of other groups; those that are chosen are added.
    """
    spellings: dict[tuple[str, ...], Counter[str]] = {}
    for title in titles:
        for words, spelling in sorted(set(phrases_in(title))):
            spellings.setdefault(words, Counter())[spelling] += 1
    scored = []
    for words, counts in spellings.items():
        weights = [telling.get(word, 0.0) for word in words]
        # A phrase of one title is that paper's own; one word alone says less than two.
        known = math.log1p(counts.total()) - 0.4
        whole = 1.0 if len(words) > 1 else 0.5
        score = whole * known * sum(weights) / len(weights) ** 0.7 if min(weights) > 0 else 0.0
        commonest = min(counts.items(), key=lambda item: (-item[1], item[0]))[0]
        scored.append((-score, commonest, words))
    chosen: list[str] = []
    stems: set[str] = set()
    for score, spelling, words in sorted(scored):
        if score >= 0 or len(chosen) == MOST_PHRASES:
            break
        own = {token[:STEM] for token in words}
        if spellings[words].total() == 1 and chosen:  # It is that paper's own.
            continue
        if stems.isdisjoint(own) and frozenset(words) not in taken:
            chosen.append(spelling)
            stems |= own
            taken.add(frozenset(words))
    lines = (" · ".join(chosen[:count]) for count in range(len(chosen), 0, -1))
    label = next((line for line in lines if len(line) <= LONGEST_LABEL), "")
    title = label or " ".join("".join(titles[:1]).split()) or UNNAMED
    return title if len(title) <= LONGEST_LABEL else title[: LONGEST_LABEL - 3].rstrip() + "..."


def phrases_in(title: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Give the phrases of a title or a sentence that can stand alone: folded words, spelling."""
    for run in _runs(title):
        for begin in range(len(run)):
            for end in range(begin + 1, min(begin + LONGEST, len(run)) + 1):
                part, last = run[begin:end], run[end - 1].lower()
                words = tuple(token for word in part for token in tokens(word))
                # Guesses by how its last word ends whether a phrase can stand alone.
                adjective = _NOT_LAST.match(last) or (len(part) == 1 and _NOT_ALONE.match(last))
                if words and not adjective:
                    yield words, " ".join(map(_spelled, part))


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
        vague = lower in STOP_WORDS or lower in _VAGUE or not _VAGUE.isdisjoint(tokens(word))
        if vague or len(word) < 2 or (_YEAR.search(word) and not word[-1:].isalpha()):
            yield run
            run = []
        else:
            run.append(word)
    yield run


def _spelled(word: str) -> str:
    """Lower the first letter, and keep capitals within: t-SNE, GPU, but visual."""
    parts = (part.lower() if part[1:] == part[1:].lower() else part for part in word.split("-"))
    return "-".join(parts)
