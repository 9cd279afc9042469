"""Words as the text index and the overlap features see them."""

import re

from recsys.names import fold

_WORD = re.compile(r"[^\W_]+")
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


def tokens(text: str | None) -> list[str]:
    """Split into folded, singular words of two or more characters, stop words left out."""
    if not text:
        return []
    words = _WORD.findall(fold(text[:_LONGEST_TEXT]))
    return [singular(word) for word in words if len(word) > 1 and word not in STOP_WORDS]


def singular(word: str) -> str:
    """Strip an English plural ending: the S-stemmer (Harman 1991, How effective is suffixing?)."""
    if len(word) < 4 or word[-1] != "s":
        return word
    if word.endswith("ies") and word[-4] not in "ae":
        return word[:-3] + "y"
    if word.endswith("es") and word[-3] not in "aeo":
        return word[:-1]
    return word if word[-2] in "us" else word[:-1]


def surface_words(text: str | None) -> list[tuple[str, str]]:
    """Split as `tokens` does, with each word's own spelling in lower case: (token, spelling)."""
    spelt = [word.lower() for word in _WORD.findall((text or "")[:_LONGEST_TEXT])]
    pairs = [(fold(word), word) for word in spelt]
    return [
        (singular(folded), word)
        for folded, word in pairs
        if len(folded) > 1 and folded not in STOP_WORDS
    ]
