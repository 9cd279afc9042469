"""Systems, models and resources that running text names: "BERT", "GraphSAGE", "word2vec"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recsys.local.named_tokens import LONGEST
from recsys.store.name_keys import fold
from recsys.store.words import STOP_WORDS

_WORD = re.compile(r"[^\W_]+(?:[-.+]{1,2}[^\W_]+)*\+{0,2}")
_SHORTEST, _LONGEST = 2, 30
_COMMON = frozenset(
    "1d 2d 3d ad ai api bc cd cpu dna eq f1 fig gpu hmm html http https i.e id ii iii "
    "iv ip kb mb ml mt ne ner nlp nlg np nps ok os pc pdf phd pos pp qa rna sd sgml smt sql svm tv "
    "uk un url us usa vi vii viii vp vs wsd www xml".split()
)
"""Folded words of capitals that name a field, a place or a unit, not one work."""


@dataclass(frozen=True, slots=True)
class SystemName:
    """A word that may be the name of a system. plain: spelt like any name ("Moses").

    start, end: characters of the text, the end exclusive.
    """

    name: str
    plain: bool
    start: int
    end: int

    @property
    def key(self) -> str:
        """The name as names are compared: "t-SNE" is "tsne"."""
        return system_key(self.name)

    def __str__(self) -> str:
        """Return the name."""
        return self.name


def system_key(name: str) -> str:
    """Fold a name and drop what is neither letter nor digit.

    >>> system_key("t-SNE"), system_key("C4.5")
    ('tsne', 'c45')
    """
    return "".join(sign for sign in fold(name) if sign.isalnum())


def is_system_shaped(word: str) -> bool:
    """Tell whether a word is spelt as only names are: BERT, GraphSAGE, word2vec, C4.5, t-SNE.

    >>> [word for word in ("BERT", "word2vec", "C4.5", "Moses", "3-gram") if is_system_shaped(word)]
    ['BERT', 'word2vec', 'C4.5']
    """
    if not _SHORTEST <= len(word) <= _LONGEST or not any(sign.isalpha() for sign in word):
        return False
    capitals = sum(sign.isupper() for sign in word)
    digits = any(sign.isdigit() for sign in word)
    parts = re.split(r"[-.+]", word)
    if len(parts) > 1 and parts[-1].islower():  # "EM-based", "POS-tagged".
        return False
    if digits and not word[0].isdigit():
        return capitals > 0 or len(parts) == 1
    # "Real-Time" has its capitals where words begin.
    inside = any(any(sign.isupper() for sign in part[1:]) for part in parts)
    small_first = word[0].islower() and len(word) > 2  # "iBark", "t-SNE".
    return (capitals > 1 or small_first) and (inside or word.isupper())


def find_system_names(
    text: str, *, taken: Sequence[tuple[int, int]] = ()
) -> tuple[SystemName, ...]:
    """Find what may be names of systems, each once, in the order of their places. O(length).

    Args:
        text: the sentence.
        taken: (start, end) of what is known to be something else, as the names of authors.
    """
    text = text[:LONGEST]
    closed = bytearray(len(text))
    for start, end in taken:
        closed[start:end] = b"\1" * len(closed[start:end])
    found: dict[str, SystemName] = {}
    for match in _WORD.finditer(text):
        word, key = match[0], system_key(match[0])
        if closed[match.start()] or key in found or key in _COMMON or key in STOP_WORDS:
            continue
        if shaped := is_system_shaped(word):
            found[key] = SystemName(word, False, *match.span())
        elif word[0].isupper() and 3 < len(word) <= _LONGEST and not shaped:
            found[key] = SystemName(word, True, *match.span())
    return tuple(found.values())
