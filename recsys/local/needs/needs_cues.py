"""What the wording and the place of a sentence tell about whether it needs a citation.

Everything is counted from words, shapes and places; no mark of a citation is read, except whether
the sentences around cite.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from recsys.passages import Sentence
from recsys.store.arrays import Floats

_WORDS: Mapping[str, str] = {
    "past_work": "previous previously prior earlier existing recent recently past "
    "decades traditional traditionally classical conventional seminal",
    "others": "studies researchers authors others works approaches scholars investigators groups "
    "reports surveys literature colleagues coworkers practitioners theorists experiments",
    "reported": "shown demonstrated reported proposed suggested found developed introduced "
    "described observed identified argued studied investigated implicated reviewed discussed "
    "documented pioneered revealed noted showed",
    "often": "widely commonly often frequently typically usually generally extensively popular "
    "common frequent increasingly",
    "known": "known established thought believed understood recognized recognised accepted "
    "considered regarded assumed estimated defined called",
    "own": "we our us ours i my",
    "here": "this these here present current above below following",
    "modal": "can could may might should would must will",
    "contrast": "however although though but while whereas despite unlike nevertheless contrast",
    "consequence": "thus therefore hence so then consequently because since",
    "done": "used using performed calculated computed measured obtained collected applied "
    "carried implemented adapted modified purchased recorded included",
    "measured": "mean median significant significantly p sd ci n respectively compared "
    "higher lower",
    "perfect": "has have been",
    "past": "was were did had",
    "present": "is are does do",
    "not": "not no nor neither without",
    "examples": "including include includes e.g instance example examples",
    "world": "world global countries population prevalence disease patients society "
    "million billion",
    "method_nouns": "method methods algorithms model models framework software package "
    "dataset datasets protocol test theory technique techniques system systems tool tools",
    "pointers": "figure fig figures table tables section sections equation eq appendix listing "
    "algorithm supplementary theorem lemma proposition chapter",
}
_PHRASES: Mapping[str, str] = {
    "as_others": "such as|based on|according to|due to|associated with|proposed by|developed by|"
    "introduced by|described by|described in|shown by|reported by|known as|referred to|"
    "and colleagues|et al",
    "perfect_passive": "has been|have been|it is|it has|been shown|been used|well known|"
    "well established|been proposed|been reported",
    "this_work": "this paper|this study|this work|this article|this section|our results|our study|"
    "our approach|our method|our data|present study|we propose|we present|we show|we found|"
    "we introduce|we use|we used|we also|we then",
}
_SHAPES: Mapping[str, re.Pattern[str]] = {
    "numbers": re.compile(r"\d+(?:[.,]\d+)?"),
    "years": re.compile(r"\b(?:1[6-9]|20)\d\d\b"),
    "percents": re.compile(r"%"),
    "brackets": re.compile(r"[(\[]"),
    "names": re.compile(r"(?<=[\w,] )[A-Z][a-z]{2,}\b"),
    "capitals": re.compile(r"\b(?=\w*[A-Z]\w*[A-Z])\w{2,}"),
    "possessives": re.compile(r"\b[A-Z]\w+['\u2019]s\b"),
    "formulas": re.compile(r"[=<>\u2264\u2265\u00b1\u2211\u223c]"),
    "quotes": re.compile('["\u201c\u201d]'),
    "commas": re.compile(r","),
    "superlatives": re.compile(r"\b(?:most|best|least|\w{3,}est)\b"),
    "ends_openly": re.compile(r"[:?]\s*\Z"),
}
_SECTIONS: Mapping[str, str] = {
    "related": "related|previous work|prior work|literature|background|state of the art|review",
    "introduction": "introduction|motivation|overview",
    "methods": "method|material|model|approach|implementation|algorithm|design|data|experimental",
    "results": "result|experiment|evaluation|finding|application|example|illustration|case stud",
    "discussion": "discussion|limitation",
    "conclusion": "conclusion|summary|future|outlook",
}
_KINDS = (*_SECTIONS, "other", "unknown")
_PLACES = ("place", "place_in_paragraph", "sentences_in_paragraph", "begins", "ends")
_AROUND = ("before_cites", "after_cites", "paragraph_cites", "draft_cites")
_LENGTHS = ("words", "letters_per_word")
NAMES: tuple[str, ...] = (
    *_WORDS,
    *_PHRASES,
    *_SHAPES,
    *_LENGTHS,
    *(f"in_{kind}" for kind in _KINDS),
    *_PLACES,
    *_AROUND,
)
"""The cues in the order of the columns of `cues_of`."""

FIRST_PLACE = NAMES.index("place")
"""From this column on, cues tell of a sentence's place and of those around it."""
UNKNOWN = -1.0
"""The place of a sentence whose text around it is too short to have any."""
_FEWEST = 8
"""Sentences that a draft has at least, if places in it are to mean something."""

_WORD = re.compile(r"[^\W\d_][\w.-]*[^\W_]|[^\W\d_]")
_CATEGORY = {word: i for i, words in enumerate(_WORDS.values()) for word in words.split()}
_CATEGORY_OF_TWO = {
    two: len(_WORDS) + i for i, twos in enumerate(_PHRASES.values()) for two in twos.split("|")
}
_SECTION = tuple((kind, re.compile(rf"\b(?:{words})")) for kind, words in _SECTIONS.items())


def cues_of(sentences: Sequence[Sentence]) -> Floats:
    """Count the cues of the sentences of one draft, given in its order: (n, len(NAMES)) float32."""
    if not sentences:
        return np.empty((0, len(NAMES)), np.float32)
    wording = np.array([_wording(sentence) for sentence in sentences], np.float32)
    places = _places(sentences)
    return np.hstack([wording, places, _around(sentences)]).astype(np.float32)


def words_of(text: str) -> list[str]:
    """Return the words of a sentence in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


def section_kind(title: str) -> str:
    """Tell what kind of section a title names, "other" if none that is common.

    >>> section_kind("2. Related Work"), section_kind("The bees"), section_kind("")
    ('related', 'other', 'unknown')
    """
    lower = title.lower()
    found = (kind for kind, pattern in _SECTION if pattern.search(lower))
    return next(found, "other" if lower.strip() else "unknown")


def _wording(sentence: Sentence) -> list[float]:
    words = words_of(sentence.text)
    counts = [0.0] * (len(_WORDS) + len(_PHRASES))
    for word in words:
        if (category := _CATEGORY.get(word)) is not None:
            counts[category] += 1
    for two in _pairs(words):
        if (category := _CATEGORY_OF_TWO.get(two)) is not None:
            counts[category] += 1
    shapes = [len(pattern.findall(sentence.text)) for pattern in _SHAPES.values()]
    letters = sum(map(len, words)) / max(len(words), 1)
    kind = section_kind(sentence.section)
    return [*counts, *shapes, len(words), letters, *(float(kind == other) for other in _KINDS)]


def _pairs(words: Sequence[str]) -> Iterable[str]:
    return (f"{first} {second}" for first, second in pairwise(words))


def _places(sentences: Sequence[Sentence]) -> Floats:
    """Return where each stands in the draft and in its paragraph: (n, 5)."""
    number = len(sentences)
    if number < _FEWEST:
        return np.full((number, len(_PLACES)), UNKNOWN, np.float32)
    first, size = _paragraphs(sentences)
    inside = np.arange(number) - first
    begins, ends = inside == 0, inside == size - 1
    columns = [np.arange(number) / number, inside / size, np.minimum(size, 20), begins, ends]
    return np.stack(columns, axis=1).astype(np.float32)


def _around(sentences: Sequence[Sentence]) -> Floats:
    """Return which sentences around cite: (n, 4), the sentence itself left out of the shares."""
    cites = np.array([any(not mark.gap for mark in s.marks) for s in sentences], np.float32)
    if len(cites) < _FEWEST:
        return np.full((len(cites), len(_AROUND)), UNKNOWN, np.float32)
    first, size = _paragraphs(sentences)
    sums = np.concatenate([[0], np.cumsum(cites)])
    in_paragraph = (sums[first + size] - sums[first] - cites) / np.maximum(size - 1, 1)
    in_draft = (sums[-1] - cites) / (len(cites) - 1)
    beside = [np.append(0, cites[:-1]), np.append(cites[1:], 0)]
    return np.stack([*beside, in_paragraph, in_draft], axis=1).astype(np.float32)


def _paragraphs(sentences: Sequence[Sentence]) -> tuple[np.typing.NDArray[np.int64], ...]:
    """Return of each sentence where its paragraph begins and how many it has."""
    named = [(sentence.file, sentence.paragraph) for sentence in sentences]
    changes = [i for i, name in enumerate(named) if not i or name != named[i - 1]]
    sizes = np.diff([*changes, len(named)])
    return np.repeat(changes, sizes), np.repeat(sizes, sizes)
