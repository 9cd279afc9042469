"""What a group of papers is called: the phrases of its titles that tell it from the others.

A word is telling if many papers of the group have it, in title or abstract, and few of the others;
a phrase is, if its words are, and if several titles of the group have it.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from recsys.store.arrays import Longs, Mask
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


@dataclass(frozen=True, slots=True)
class _Phrase:
    """tokens: its folded words. spelling: as most titles write it. titles: how many have it."""

    tokens: tuple[str, ...]
    spelling: str
    titles: int


def label_groups(
    titles: Sequence[str],
    words: Sequence[frozenset[str]],
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
    count = int(groups.max()) + 1 if len(groups) else 0
    telling = [_telling(words, rarity, groups == group) for group in range(count)]
    taken: set[frozenset[str]] = set()
    labels = []
    for group in range(count):
        own = [
            title for title, other in zip(titles, groups.tolist(), strict=True) if other == group
        ]
        chosen = _chosen(_phrases(own), telling[group], taken)
        taken |= {frozenset(each.tokens) for each in chosen}
        labels.append(_joined(each.spelling for each in chosen) or _named_after(own))
    return tuple(labels)


def _telling(
    words: Sequence[frozenset[str]], rarity: Mapping[str, float], inside: Mask
) -> Mapping[str, float]:
    """Weigh words: share of the group, how much more that is than elsewhere, rarity."""
    own, others = Counter[str](), Counter[str]()
    for known, member in zip(words, inside.tolist(), strict=True):
        (own if member else others).update(known)
    size, rest = int(inside.sum()), int((~inside).sum())
    weights = {}
    for word in sorted(own):
        here, there = own[word] / size, (others[word] + 0.5) / (rest + 1)
        weights[word] = here * math.log((here + 0.02) / (there + 0.02)) * rarity[word]
    return weights


def _chosen(
    phrases: Iterable[_Phrase], telling: Mapping[str, float], taken: set[frozenset[str]]
) -> list[_Phrase]:
    """Take the best phrases that have no word in common."""
    scored = sorted((-_score(each, telling), each.spelling, each) for each in phrases)
    chosen: list[_Phrase] = []
    for score, _, phrase in scored:
        if score >= 0 or len(chosen) == MOST_PHRASES:
            break
        if phrase.titles == 1 and chosen:  # It is that paper's own.
            continue
        known = {token[:STEM] for each in chosen for token in each.tokens}
        new = known.isdisjoint(token[:STEM] for token in phrase.tokens)
        if new and frozenset(phrase.tokens) not in taken:
            chosen.append(phrase)
    return chosen


def _score(phrase: _Phrase, telling: Mapping[str, float]) -> float:
    weights = [telling.get(token, 0.0) for token in phrase.tokens]
    if min(weights) <= 0:
        return 0.0
    # A phrase of one title is that paper's own; one word alone says less than two.
    known = math.log1p(phrase.titles) - 0.4
    whole = 1.0 if len(phrase.tokens) > 1 else 0.5
    score: float = whole * known * sum(weights) / len(weights) ** 0.7
    return score


def _phrases(titles: Sequence[str]) -> list[_Phrase]:
    """Find the phrases of some titles, with how they are mostly spelled."""
    spellings: dict[tuple[str, ...], Counter[str]] = {}
    for title in titles:
        for known, spelling in sorted(set(phrases_in(title))):
            spellings.setdefault(known, Counter())[spelling] += 1
    return [
        _Phrase(known, min(found, key=lambda text: (-found[text], text)), found.total())
        for known, found in spellings.items()
    ]


def phrases_in(title: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Give the phrases of a title or a sentence that can stand alone: folded words, spelling."""
    for run in _runs(title):
        for begin in range(len(run)):
            for end in range(begin + 1, min(begin + LONGEST, len(run)) + 1):
                part = run[begin:end]
                known = tuple(token for word in part for token in tokens(word))
                if known and _is_noun(part):
                    yield known, " ".join(map(_spelled, part))


def _is_noun(words: Sequence[str]) -> bool:
    """Guess whether a phrase can stand alone, by how its last word ends."""
    last = words[-1].lower()
    return not (_NOT_LAST.match(last) or (len(words) == 1 and _NOT_ALONE.match(last)))


def _runs(title: str) -> Iterator[list[str]]:
    """Split a title where a mark, a stop word, a vague word or a year stands."""
    run: list[str] = []
    last = 0
    for match in _WORD.finditer(title):
        word = match[0]
        if title[last : match.start()].strip():
            yield run
            run = []
        last = match.end()
        if _breaks(word):
            yield run
            run = []
        else:
            run.append(word)
    yield run


def _breaks(word: str) -> bool:
    lower = word.lower()
    vague = lower in STOP_WORDS or lower in _VAGUE or not _VAGUE.isdisjoint(tokens(word))
    return vague or len(word) < 2 or bool(_YEAR.search(word) and not word[-1:].isalpha())


def _spelled(word: str) -> str:
    """Lower the first letter, and keep capitals within: t-SNE, GPU, but visual."""
    parts = (part.lower() if part[1:] == part[1:].lower() else part for part in word.split("-"))
    return "-".join(parts)


def _joined(phrases: Iterable[str]) -> str:
    """Put phrases side by side, as many as go on one line."""
    label = ""
    for phrase in phrases:
        longer = f"{label} · {phrase}" if label else phrase
        if len(longer) > LONGEST_LABEL:
            break
        label = longer
    return label


def _named_after(titles: Sequence[str]) -> str:
    """Name a group without a telling phrase after its first paper."""
    title = " ".join(titles[0].split()) if titles else ""
    if not title:
        return UNNAMED
    return title if len(title) <= LONGEST_LABEL else title[: LONGEST_LABEL - 3].rstrip() + "..."
