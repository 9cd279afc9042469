"""Guess cheaply the language of a text; the guess is counted, never acted upon."""

import re
from collections import Counter
from unicodedata import name

ENGLISH = "English"
OTHER = "another language"
_READ = 1000  # characters
_WORDS = re.compile(r"[^\W\d_]{2,}")
_LAST_LATIN = "\u024f"
_ENOUGH_WORDS = 25
_ENGLISH_WORDS = frozenset(
    "the of and in to for on with by from an is are at as we this that was were which between "
    "its be how what using has have been not or these their it".split()
)
_OTHER_WORDS = {
    "German": "der die das und des dem den zur zum eine einer eines für von mit auf aus über bei",
    "French": "le la les et du une dans sur aux par avec pour au des",
    "Spanish": "el los las del una por para con en su sus como la",
    "Italian": "il della dei nel di delle alla degli gli la del con",
    "Portuguese": "os da das dos uma na em um do ao para por",
    "Dutch": "het een van op voor en",
    "Swedish": "och av för med en",
}
"""Function words; those that English texts hold, too, are left out."""
_LANGUAGES = {
    word: tuple(each for each, words in _OTHER_WORDS.items() if word in words.split())
    for words in _OTHER_WORDS.values()
    for word in words.split()
}
_ASIAN = {"CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean"}


def looks_english(text: str) -> bool:
    """Guess from letters and function words of the first 1000 characters.

    Not English is a text with fewer than half of its letters in Latin script; with at least two
    function words of German, French, Spanish, Italian, Portuguese, Dutch or Swedish, and at least
    twice as many as of English; or of 25 words or more, none of them an English function word.
    Words of one letter are left out: they are mostly formulas.

    >>> looks_english("On the origin of species"), looks_english("Die Entstehung der Arten")
    (True, False)
    """
    return language_of(text) in (None, ENGLISH)


def language_of(text: str) -> str | None:
    """Name the language or the script of a text, as `looks_english` tells it; None: no guess.

    >>> language_of("Die Entstehung der Arten"), language_of("引文推荐的方法")
    ('German', 'Chinese')
    """
    words = _WORDS.findall(text[:_READ].casefold())
    if not text.isascii():
        letters = "".join(words)
        if 2 * sum(letter <= _LAST_LATIN for letter in letters) < len(letters):
            # What most letters beyond Latin are of; kana among Chinese signs are Japanese.
            beyond = [letter for letter in letters if letter > _LAST_LATIN]
            scripts = Counter(name(letter, OTHER).split()[0] for letter in beyond)
            if scripts["HIRAGANA"] + scripts["KATAKANA"] > len(letters) // 20:
                return "Japanese"
            script = scripts.most_common(1)[0][0]
            return _ASIAN.get(script) or f"{script.capitalize()} script"
    english = sum(map(_ENGLISH_WORDS.__contains__, words))
    other = [_LANGUAGES[word] for word in words if word in _LANGUAGES]
    if len(other) >= 2 and len(other) >= 2 * english:
        return Counter(each for names in other for each in names).most_common(1)[0][0]
    if english:
        return ENGLISH
    return None if len(words) < _ENOUGH_WORDS else OTHER
