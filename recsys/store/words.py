"""Words as the text index and the features see them, keys of venues, keyphrases."""

import re
import unicodedata
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

_WORD = re.compile(r"[^\W_]+")
_PARTS = re.compile(r"([^\W_]+)")
_JOINT = re.compile(r"[\s-]+")
_GAP = re.compile(r"[\s-]+(?:[^\W_]+[\s-]+){0,2}")
_OTHER = re.compile(r"([^\x00-\x7f]+)")
_BETWEEN = re.compile(r"[\W_]")
_ASCII = "".join(chr(code).lower() if chr(code).isalnum() else " " for code in range(128))
"""What stands for each character of ASCII: itself folded, or a space between words."""
_LONGEST_TEXT = 50_000
"""Characters of a text that are read; a longer draft is pasted noise, not more evidence."""

STOP_WORDS = frozenset(
    "a about above after again all also an and any are as at be because been before being between "
    "both but by can could did do does doing down during each et etc few for from further had has "
    "have having he her here his how however i if in into is it its itself may might more most "
    "much must no nor not of off on once one only or other our out over own per same she should "
    "so some such than that the their them then there these they this those through thus to too "
    "two under until up upon use used using very via was we well were what when where which while "
    "who whose why will with within without would you your".split()
)


def word_list(name: str) -> str:
    """Read a list of words that lies beside this module; lines that begin with # tell of it."""
    text = (Path(__file__).parent / "word_lists" / f"{name}.txt").read_text(encoding="utf-8")
    return "".join(line for line in text.splitlines(True) if not line.startswith("#"))


def fold(text: str) -> str:
    """Lower-case, strip accents and compatibility forms."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def tokens(text: str | None) -> list[str]:
    """Split into folded, singular words of two or more characters, stop words left out."""
    return [token for token in map(token_of, folded_words(text)) if token]


def folded_words(text: str | None) -> list[str]:
    """Split into folded words, all of them: what `_WORD` finds in the folded text, but quicker.

    A character is folded alike wherever it stands, so that the few which are no ASCII, and tell
    words from what is between them less readily, are folded by themselves.
    """
    if not text:
        return []
    text = text[:_LONGEST_TEXT]
    if text.isascii():
        return text.translate(_ASCII).split()
    parts = _OTHER.split(text)
    parts[::2] = [part.translate(_ASCII) for part in parts[::2]]
    parts[1::2] = [part.translate(_SEEN) for part in parts[1::2]]
    return "".join(parts).split()


class _Seen(dict[int, str]):
    """What stands for each character that was met: itself folded, a space between words."""

    def __missing__(self, code: int) -> str:
        """Fold a character that is met for the first time."""
        self[code] = found = _BETWEEN.sub(" ", fold(chr(code)))
        return found


_SEEN = _Seen()


def singular(word: str) -> str:
    """Strip an English plural ending: the S-stemmer (Harman 1991, How effective is suffixing?)."""
    if len(word) < 4 or word[-1] != "s":
        return word
    if word.endswith("ies") and word[-4] not in "ae":
        return word[:-3] + "y"
    if word.endswith("es") and word[-3] not in "aeo":
        return word[:-1]
    return word if word[-2] in "us" else word[:-1]


@lru_cache(maxsize=1 << 14)
def token_of(word: str) -> str:
    """Return the token of a word as it stands in a text, empty for one that is left out."""
    folded = fold(word)
    return singular(folded) if len(folded) > 1 and folded not in STOP_WORDS else ""


Spoken: TypeAlias = list[tuple[str, str, int]]
"""Words of a text that `tokens` keeps: (token, word, where it starts)."""


def spoken(text: str | None) -> Spoken:
    """Split as `tokens` does, with each word as it stands there, and its place."""
    found = []
    for match in _WORD.finditer((text or "")[:_LONGEST_TEXT]):
        if token := token_of(word := match[0]):
            found.append((token, word, match.start()))
    return found


def word_pairs(
    text: str | None, words: Spoken, among: Container[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Find words that follow each other, with at most two stop words and no mark between them.

    Args:
        text: any.
        words: `spoken(text)`.
        among: pairs of tokens that are looked for.

    Returns: pairs of tokens, each once, in their order.
    """
    pairs: dict[tuple[str, str], None] = {}
    for (left, first, start), (right, _, end) in pairwise(words):
        if (left, right) in among and text and _GAP.fullmatch(text, start + len(first), end):
            pairs[left, right] = None
    return list(pairs)


@dataclass(frozen=True, slots=True)
class Parted:
    """All words of a text as they stand there.

    tokens: of each word, empty for one that `tokens` leaves out. gaps: what stands after each word.
    """

    words: list[str]
    tokens: list[str]
    gaps: list[str]

    @classmethod
    def of(cls, text: str | None) -> "Parted":
        """Take a text apart."""
        parts = _PARTS.split((text or "")[:_LONGEST_TEXT])
        words = parts[1::2]
        return cls(words, [token_of(word) for word in words], parts[2::2])

    def spellings(self) -> dict[str, str]:
        """Return how each token is spelt, in lower case, the last time that it is there."""
        return {
            token: word.lower()
            for token, word in zip(self.tokens, self.words, strict=True)
            if token
        }

    def pairs(self) -> dict[tuple[str, str], str]:
        """Return how two tokens are spelt, in lower case, whose words stand beside each other.

        There is nothing but white space and hyphens between them, no stop word either.
        """
        pairs = {}
        for (left, right), (first, second), gap in zip(
            pairwise(self.tokens), pairwise(self.words), self.gaps, strict=False
        ):
            if left and right and (gap == " " or _JOINT.fullmatch(gap)):
                pairs[left, right] = " ".join(f"{first}{gap}{second}".lower().split())
        return pairs


# The key under which venues are compared across spellings.

_NOT_WORD = re.compile(r"[\W_]+")
_KEPT = 1 << 15
"""Venues whose keys are kept: few of all are most of those that occur."""


@lru_cache(_KEPT)
def venue_key(venue: str) -> str:
    """Return the venue's folded words without digits (years, volumes), joined by a space."""
    words = _NOT_WORD.sub(" ", fold(venue)).split()
    return " ".join(word for word in words if not any(c.isdigit() for c in word))


# Keyphrases as a part of a text: those that its authors gave stand before its abstract.
#
# Author keywords name what a paper is about in the words of its field, some of which its abstract
# does without. Whatever reads an abstract reads them, then: encoder, BM25, features, reasons.

OWN_FIELD, LABELS = "keyphrases", "labels."
"""Where a paper has its keyphrases: in the field of that name, or in a label of its own."""
MADE_OF_CITED = "labels.keywords_plus"
"""Made from the titles that a paper cites: no draft has any, and they would give these away."""
MOST_KEYPHRASES = 20
"""So many stand before an abstract; an encoder reads some 180 words in all."""
_HEADING = re.compile(
    r"(?i)\A\W*(?:(?:author )?key\s?-?\s?(?:words?|phrases?)|index terms?)"
    r"\s*(?:[:.\u2013\u2014]|\Z)"
)
_MARKS = " \t\r\n.,;:\u2013\u2014"


def cleaned_keyphrases(phrases: Iterable[str]) -> tuple[str, ...]:
    """Return each phrase once, without the heading or the marks that some files leave on it.

    >>> cleaned_keyphrases(["Index Terms\u2014", "Index Terms\u2014maps", "time series.", "Maps"])
    ('maps', 'time series')
    """
    found: dict[str, str] = {}
    for phrase in phrases:
        text = " ".join(_HEADING.sub("", phrase).strip(_MARKS).split())
        if text:
            found.setdefault(text.casefold(), text)
    return tuple(found.values())[:MOST_KEYPHRASES]


def with_keyphrases(abstract: str | None, phrases: Iterable[str]) -> str | None:
    """Put keyphrases before an abstract, unless it begins with them already.

    >>> with_keyphrases("We ring bells.", ["bells", "ropes"])
    'bells, ropes. We ring bells.'
    """
    lead = _lead(phrases)
    if not lead or (abstract or "").startswith(lead):
        return abstract
    return f"{lead} {abstract}" if abstract else lead


def without_keyphrases(text: str | None, phrases: Iterable[str]) -> str | None:
    """Undo `with_keyphrases`.

    >>> without_keyphrases("bells, ropes. We ring bells.", ["bells", "ropes"])
    'We ring bells.'
    """
    lead = _lead(phrases)
    if text is None or not lead or not text.startswith(lead):
        return text
    return text[len(lead) :].lstrip() or None


def keyphrases_in(
    source: str, phrases: Iterable[str] | None, labels: Mapping[str, object]
) -> tuple[str, ...]:
    """Return the keyphrases of a paper, cleaned.

    Args:
        source: OWN_FIELD, or LABELS and the name of a label of texts, or of lists of them.
        phrases: of the paper's own field.
        labels: of the paper.
    """
    if source == OWN_FIELD:
        return cleaned_keyphrases(phrases or ())
    value = labels.get(source.removeprefix(LABELS))
    values = value if isinstance(value, list) else [value]
    return cleaned_keyphrases(each for each in values if isinstance(each, str))


def _lead(phrases: Iterable[str]) -> str:
    found = cleaned_keyphrases(phrases)
    return f"{', '.join(found)}." if found else ""
