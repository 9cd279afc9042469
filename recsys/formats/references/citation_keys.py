"""Citation keys by a pattern, as JabRef and Better BibTeX write them, and the pattern of a library.

A pattern is fields in brackets with letters, digits and `-_:.+/` between them:
`[auth:lower][year]` gives `mcnee2002`. Fields: `auth`, surname of the first author (`auth3`: its
first three letters); `authors`, all surnames (`authors2`: two of them, then EtAl); `year`,
`shortyear`; `title`, its telling words; `shorttitle`, three of them (`shorttitle2`: two);
`veryshorttitle`, the first one. Modifiers: `:lower`, `:upper`, `:capitalize`, `:abbr`.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, islice
from string import ascii_lowercase
from typing import TypeAlias

from recsys.errors import InputError, near_miss
from recsys.formats.references.people import own_name
from recsys.records import Paper, Reference
from recsys.store.words import STOP_WORDS, fold

Work: TypeAlias = Paper | Reference

DEFAULT_KEYS = "[auth][year][veryshorttitle:lower:capitalize]"
"""The pattern of a new key such as `McNee2002Recommending`, where no other is known."""
FIELDS = ("auth", "authors", "year", "shortyear", "title", "shorttitle", "veryshorttitle")
MODIFIERS = ("lower", "upper", "capitalize", "abbr")
_WORDS_OF = {"shorttitle": 3, "veryshorttitle": 1}
_PART = re.compile(r"\[([a-z]+)(\d*)((?::[a-z]+)*)\]|([A-Za-z0-9_:.+/-]+)")
_WORD = re.compile(r"[A-Za-z0-9]+")
_STROKED = str.maketrans(
    {"\u00f8": "o", "\u0142": "l", "\u0111": "d", "\u00f0": "d", "\u00fe": "th"}
    | {"\u00e6": "ae", "\u0153": "oe", "\u0131": "i"}
)
"""Letters that Unicode does not take for another one with an accent."""
_NOBODY = "Anonymous"
_UNNAMED = "Paper"
_LONGEST_TITLE = 1_000
"""Characters of a title that are looked at for words."""


@dataclass(frozen=True, slots=True)
class KeyPart:
    """A part of a pattern: a field with its number and modifiers; or `text` as it stands."""

    field: str = ""
    number: int = 0
    modifiers: tuple[str, ...] = ()
    text: str = ""

    def of(self, work: Work) -> str:
        """Write the part for a work."""
        if not self.field:
            return self.text
        words = _words(self.field, self.number, work)
        for modifier in self.modifiers:
            if modifier == "abbr":
                words = [word[:1] for word in words]
            elif modifier == "capitalize":
                words = [word[:1].upper() + word[1:] for word in words]
            else:
                words = [word.lower() if modifier == "lower" else word.upper() for word in words]
        return "".join(words)


def _words(field: str, number: int, work: Work) -> list[str]:
    if field in ("year", "shortyear"):
        year = "" if work.year is None else str(work.year)
        return [year[-2:] if field == "shortyear" else year]
    if field == "auth":
        surname = _surname(work.authors[0]) if work.authors else _NOBODY
        return [surname[: number or None]]
    if field == "authors":
        shown = [_surname(name) for name in work.authors[: number or None]] or [_NOBODY]
        return [*shown, "EtAl"] if len(shown) < len(work.authors) else shown
    words: list[str] = _WORD.findall(_ascii((work.title or "")[:_LONGEST_TITLE]))
    telling = [word for word in words if word.lower() not in STOP_WORDS and len(word) > 1]
    most = number or _WORDS_OF.get(field)
    return (telling or words[:1])[:most]


def _surname(name: str) -> str:
    surname = re.sub("[^A-Za-z]", "", _ascii(own_name(name).family or own_name(name).literal))
    if surname.isupper() and len(surname) > 1:
        surname = surname.capitalize()
    return surname[:1].upper() + surname[1:]


def _ascii(text: str) -> str:
    """Strip accents as `fold` does, but keep capitals."""
    if text.isascii():
        return text
    letters = unicodedata.normalize("NFC", text)
    plain = (fold(c).translate(_STROKED) for c in letters)
    return "".join(
        new.capitalize() if c.isupper() else new for c, new in zip(letters, plain, strict=True)
    )


@lru_cache(maxsize=64)
def key_parts(pattern: str) -> tuple[KeyPart, ...]:
    """Take a pattern apart.

    Raises:
        InputError: it has an unknown field or modifier, another character, or no field.
    """
    parts, end = [], 0
    for found in _PART.finditer(pattern):
        if found.start() != end:
            break
        field, number, modifiers, text = found.groups()
        names = tuple((modifiers or "").split(":")[1:])
        for name, known in ((field or FIELDS[0], FIELDS), *((each, MODIFIERS) for each in names)):
            if name not in known:
                raise InputError(
                    f"{name!r} in the pattern of keys {pattern!r} is unknown."
                    f"{near_miss(name, known)}",
                    f"Fields are {', '.join(FIELDS)}; modifiers are {', '.join(MODIFIERS)}.",
                )
        parts.append(KeyPart(field or "", int((number or "0")[:3]), names, text or ""))
        end = found.end()
    if end != len(pattern) or not any(part.field for part in parts):
        raise InputError(
            f"{pattern!r} is no pattern of keys.",
            "Give fields in brackets, with letters, digits and -_:.+/ between: "
            '"[auth:lower][year]".',
        )
    return tuple(parts)


def citation_keys(
    papers: Sequence[Paper], taken: Iterable[str] = (), pattern: str | None = None
) -> list[str]:
    """Name each paper by the pattern, distinct ignoring case.

    Of papers that would get one key, that with the smallest id gets it as it is; the others get a,
    b, ... behind it. So keys do not depend on the order of the papers.

    taken: keys that others have. pattern: None for `DEFAULT_KEYS`.

    Raises:
        InputError: see `key_parts`.
    """
    parts = key_parts(pattern or DEFAULT_KEYS)
    used = {key.casefold() for key in taken}
    next_letters: dict[str, int] = {}
    keys = [""] * len(papers)
    for place in sorted(range(len(papers)), key=lambda place: papers[place].id):
        stem = "".join(part.of(papers[place]) for part in parts) or _UNNAMED
        folded = stem.casefold()
        for number in count(next_letters.get(folded, 0)):
            key = stem + _letters(number)
            if key.casefold() not in used:
                break
        next_letters[folded] = number + 1
        used.add(key.casefold())
        keys[place] = key
    return keys


def _letters(number: int) -> str:
    """Count as columns of spreadsheets do: nothing, a, b, ..., z, aa, ab, ...

    >>> [_letters(number) for number in (0, 1, 26, 27)]
    ['', 'a', 'z', 'aa']
    """
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = ascii_lowercase[rest] + letters
    return letters


# The pattern that the keys of a library follow.

_GUESSES = tuple(
    f"[{name}]"
    for name in (
        *("auth", "auth:lower", "auth:upper", "authors", "authors:lower", "year"),
        *(f"{field}{modifier}" for field in ("title", "shorttitle", "shorttitle2", "veryshorttitle")
          for modifier in ("", ":capitalize", ":lower")),
        *("auth3", "auth3:lower", "auth3:upper", "authors:abbr", "shortyear"),
    )
)  # fmt: skip
"""Parts that are tried where a key goes on; the longest that fits is taken, of equals the first."""
_SEPARATOR = re.compile(r"[-_:.+/]+")
_FEWEST, _SHARE, _LOOKED_AT, _PROPOSED = 3, 0.5, 40, 5
_COLLIDED = ("", *ascii_lowercase)


def pattern_of(references: Iterable[Reference]) -> str | None:
    """Find the pattern of most keys of a library; None where they follow none, or are too few.

    Keys propose patterns, and the one that writes most of them is taken: a short title alone does
    not say how many of its words a key has.
    """
    named = (each for each in references if each.key and each.authors and each.year)
    looked_at = list(islice(named, _LOOKED_AT))
    proposed = Counter(filter(None, map(_pattern_of_key, looked_at))).most_common(_PROPOSED)
    written = {}
    for pattern, _ in proposed:
        stems = ("".join(part.of(work) for part in key_parts(pattern)) for work in looked_at)
        written[pattern] = sum(
            work.key.startswith(stem) and work.key[len(stem) :] in _COLLIDED
            for work, stem in zip(looked_at, stems, strict=True)
        )
    best = max(written, key=lambda pattern: written[pattern], default="")
    return best if written.get(best, 0) >= max(_FEWEST, _SHARE * len(looked_at)) else None


def _pattern_of_key(work: Reference) -> str | None:
    """Read a key as a pattern that has an author and a year or a title; None if it is none."""
    values = [(guess, key_parts(guess)[0].of(work)) for guess in _GUESSES]
    key, place, parts, fields = work.key, 0, list[str](), set[str]()  # Four letters tell fields.
    while place < len(key):
        fitting = [(g, v) for g, v in values if v and key.startswith(v, place)]
        if fitting:
            guess, value = max(fitting, key=lambda pair: len(pair[1]))
            parts.append(guess)
            fields.add(guess[1:5])
            place += len(value)
        elif separator := _SEPARATOR.match(key, place):
            parts.append(separator[0])
            place = separator.end()
        elif key[place:] in _COLLIDED:
            break
        else:
            return None
    return "".join(parts) if "auth" in fields and len(fields) > 1 else None
