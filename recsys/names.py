"""Keys under which people and venues are compared across spellings."""

import re
import unicodedata
from collections.abc import Iterable

_SEPARATORS = re.compile(r"[\s.]+")
_NOT_WORD = re.compile(r"[^a-z0-9]+")


def fold(text: str) -> str:
    """Lower-case, strip accents and compatibility forms."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def author_key(name: str) -> str | None:
    """Return "surname f" (f: first initial) of a name, None when no surname is found.

    >>> author_key("Cohan, Arman"), author_key("A. Cohan"), author_key("COHAN, AM")
    ('cohan a', 'cohan a', 'cohan a')
    """
    surname, comma, given = fold(name).partition(",")
    if not comma:
        parts = [part for part in _SEPARATORS.split(surname) if part]
        surname, given = (parts[-1], parts[0]) if len(parts) > 1 else ("".join(parts), "")
    surname = re.sub(r"[\W_]+", "", surname)
    initial = re.sub(r"[\W_]+", "", given)[:1]
    return f"{surname} {initial}".strip() if surname else None


def author_keys(names: Iterable[str]) -> list[str]:
    """Return the distinct keys of several names, in order."""
    return list(dict.fromkeys(key for name in names if (key := author_key(name))))


def venue_key(venue: str) -> str:
    """Return the venue's folded words without digits (years, volumes), joined by a space."""
    words = _NOT_WORD.sub(" ", fold(venue)).split()
    return " ".join(word for word in words if not any(c.isdigit() for c in word))
