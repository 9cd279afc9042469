"""Guess cheaply whether a text is English; the guess is counted, never acted upon."""

import re

_READ = 1000  # characters
_WORDS = re.compile(r"[^\W\d_]{2,}")
_LAST_LATIN = "\u024f"
_ENOUGH_WORDS = 25
_ENGLISH = frozenset(
    "the of and in to for on with by from an is are at as we this that was were which between "
    "its be how what using has have been not or these their it".split()
)
_OTHER = frozenset(
    "der die das und des dem den zur zum eine einer eines für von mit auf aus über bei "
    "le la les et du une dans sur aux par avec pour au "
    "el los las del una por para con en su sus como "
    "il della dei nel di delle alla degli gli "
    "os da das dos uma na em um do ao "
    "het een van op voor och av för med".split()
)


def looks_english(text: str) -> bool:
    """Guess from letters and function words of the first 1000 characters.

    Not English is a text with fewer than half of its letters in Latin script; with at least two
    function words of German, French, Spanish, Italian, Portuguese, Dutch or Swedish, and at least
    twice as many as of English; or of 25 words or more, none of them an English function word.
    Words of one letter are left out: they are mostly formulas.

    >>> looks_english("On the origin of species"), looks_english("Die Entstehung der Arten")
    (True, False)
    """
    words = _WORDS.findall(text[:_READ].casefold())
    if not text.isascii():
        letters = "".join(words)
        if 2 * sum(letter <= _LAST_LATIN for letter in letters) < len(letters):
            return False
    english = sum(map(_ENGLISH.__contains__, words))
    other = sum(map(_OTHER.__contains__, words))
    if other >= 2 and other >= 2 * english:
        return False
    return english > 0 or len(words) < _ENOUGH_WORDS
