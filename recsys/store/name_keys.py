"""Keys under which people and venues are compared across spellings."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_SEPARATORS = re.compile(r"[\s.]+")
_NOT_WORD = re.compile(r"[\W_]+")
_KEPT = 1 << 15
"""Names whose keys are kept: few of all names are most of those that occur."""
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})


def fold(text: str) -> str:
    """Lower-case, strip accents and compatibility forms."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@lru_cache(_KEPT)
def author_key(name: str) -> str | None:
    """Return "surname f" (f: first initial) of a name, None when no surname is found.

    Of a surname of several words the last one counts, so that both orders of a name agree.

    >>> author_key("Cohan, Arman"), author_key("A. Cohan"), author_key("COHAN, AM")
    ('cohan a', 'cohan a', 'cohan a')
    >>> author_key("van der Maaten, Laurens"), author_key("Laurens van der Maaten")
    ('maaten l', 'maaten l')
    """
    family, comma, given = fold(name).partition(",")
    words = _words(family)
    if not words:
        return None
    initial = "".join(_words(given))[:1] if comma else words[0][:1] if len(words) > 1 else ""
    return f"{words[-1]} {initial}".strip()


def author_keys(names: Iterable[str]) -> list[str]:
    """Return the distinct keys of several names, in order."""
    return list(dict.fromkeys(key for name in names if (key := author_key(name))))


def _words(text: str) -> list[str]:
    """Split at white space and full stops; drop punctuation inside words, and Jr. and the like.

    So are the numbers by which DBLP tells people of one name apart: "Wei Wang 0001".
    """
    words = [_NOT_WORD.sub("", part) for part in _SEPARATORS.split(text)]
    kept = [word for word in words if word and not (word in _SUFFIXES or word.isdecimal())]
    return kept or [word for word in words if word]


@lru_cache(_KEPT)
def venue_key(venue: str) -> str:
    """Return the venue's folded words without digits (years, volumes), joined by a space."""
    words = _NOT_WORD.sub(" ", fold(venue)).split()
    return " ".join(word for word in words if not any(c.isdigit() for c in word))
