"""Read the fields of foreign records: strict on id and title, tolerant of everything else.

An optional field of a wrong type is unknown, not an error: one odd year should cost no paper.
"""

import html
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from recsys.formats import identifiers
from recsys.formats.papers.mark_up import without_tags
from recsys.formats.references.people import name_of

Record: TypeAlias = Mapping[str, Any]

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u200b\ufeff\s]+")
_YEAR = re.compile(r"\s*(-?\d{1,9})(?:\.0*|-\d.*)?\s*", re.DOTALL)
_DOI_PREFIX = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:)\s*", re.IGNORECASE)
_LARGEST_YEAR = 10**9
_LABEL_DEPTH = 8
_LONGEST_PAGES = 100
_PAGES = re.compile(r"\A(?:pages?|pp?)[.:]?\s*(?=[A-Z]?-?\d)", re.IGNORECASE)
_DASH = re.compile(r"\s*(?:--+|[-\u2010-\u2015\u2212])\s*")
# What services call the parts of a name, in the order in which it is spoken: of each, the first
# that is there counts; then what they call a name in one piece, such as that of a group.
_PARTS = (
    (
        *("given", "first", "first_name", "firstName", "givenName", "given_name"),
        *("given-names", "given-name", "initials"),
    ),
    ("middle",),
    ("dropping-particle", "name-particle", "prefix"),
    ("non-dropping-particle",),
    (
        *("family", "last", "last_name", "lastName", "familyName", "family_name"),
        *("family-names", "surname"),
    ),
    ("suffix", "name-suffix"),
)
_GROUP = ("collective_name", "collectiveName", "raw_author_name", "full_name", "text")


class FieldError(ValueError):
    """The id or the title is missing or empty; the message is the reason to report."""


def cleaned(text: str) -> str:
    """Return text on one line without HTML entities, tags, control characters, half surrogates.

    >>> cleaned(" On <i>Nematodes</i> &amp;\\n  their\\0kin ")
    'On Nematodes & their kin'
    """
    if "&" in text:
        text = html.unescape(text)
    if "<" in text:
        text = without_tags(text)
    if not text.isprintable():
        text = _CONTROL.sub(" ", text)
    return " ".join(text.split())


def text_of(value: object) -> str | None:
    """Return cleaned text, None when it is no string or holds nothing."""
    return (cleaned(value) or None) if isinstance(value, str) else None


def first_text(value: object) -> str | None:
    """Return cleaned text, or the first of a list that says something."""
    return (
        next(filter(None, map(text_of, value)), None) if isinstance(value, list) else text_of(value)
    )


def required_title(record: Record, *keys: str) -> str:
    """Return the cleaned title under the first key that has one.

    Raises:
        FieldError: there is none, or it is empty.
    """
    titles = [value for key in keys if isinstance(value := record.get(key), str)]
    if not titles:
        raise FieldError("missing title")
    title = next(filter(None, map(cleaned, titles)), None)
    if title is None:
        raise FieldError("empty title")
    return title


def required_id(record: Record, *keys: str) -> str:
    """Return the id under the first key that has one.

    Raises:
        FieldError: there is none.
    """
    for key in keys:
        if name := id_of(record.get(key)):
            return name
    raise FieldError("missing id")


def id_of(value: object) -> str | None:
    """Return an id as a string (whole numbers are ids, too), None when it is none."""
    if isinstance(value, str):
        return _CONTROL.sub(" ", value).strip() or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def ids_of(value: object) -> tuple[str, ...]:
    """Return the ids in a list, in order, leaving out what is none."""
    return tuple(name for item in listed(value) if (name := id_of(item)))


def year_of(value: object) -> int | None:
    """Return a year given as a number or text ("2019", "2019-05-01"), None when it is none."""
    if isinstance(value, str) and (match := _YEAR.fullmatch(value)):
        return int(match[1])
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    # The comparison is false for NaN, and keeps infinity from int().
    return int(value) if -_LARGEST_YEAR < value < _LARGEST_YEAR else 0


def names_of(value: object, *keys: str) -> tuple[str, ...]:
    """Return cleaned names from a list of strings or of objects holding one under a key.

    A single string is split at semicolons.
    """
    items: Iterable[object] = value.split(";") if isinstance(value, str) else listed(value)
    if keys:
        items = (
            next((item[key] for key in keys if isinstance(item.get(key), str)), None)
            if isinstance(item, dict)
            else item
            for item in items
        )
    return tuple(filter(None, map(text_of, items)))


def person_in(person: object) -> str | None:
    """Return a person's name as it is spoken, of its parts or of one piece, as any service has it.

    >>> person_in({"family": "Veld", "given": "Jan"}), person_in(["Veld", "Jan", "Jr"])
    ('Jan Veld', 'Jan Veld Jr')
    >>> person_in({"fullName": "Fields RM"}), person_in({"name": "The Hedge Group"})
    ('RM Fields', 'The Hedge Group')
    """
    if isinstance(person, list):  # arXiv's; affiliations may follow.
        family, given, suffix = (*map(text_of, person[:3]), None, None, None)[:3]
        return " ".join(filter(None, (given, family, suffix))) or None
    if not isinstance(person, dict):
        name = text_of(person)
        return name_of(name).natural if name else None
    if whole := text_of(person.get("literal")):
        return whole
    if name := text_of(person.get("name")):
        return name_of(name).natural
    parts = []
    for keys in _PARTS:  # Middle names are a list.
        values = map(person.get, keys)
        texts = (" ".join(names_of(v)) if isinstance(v, list) else text_of(v) for v in values)
        if part := next(filter(None, texts), None):
            parts.append(part)
    if parts:
        return " ".join(parts)
    if name := text_of(person.get("fullName")):
        return name_of(name).natural
    return next((name for key in _GROUP if (name := text_of(person.get(key)))), None)


def nested(record: Record, *path: str) -> object:
    """Return the value at the end of a path of keys, None where the path breaks off."""
    value: object = record
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def listed(value: object) -> list[Any]:
    """Return a list as it is, and an empty one for anything else."""
    return value if isinstance(value, list) else []


def doi_of(value: object) -> str | None:
    """Return a bare DOI, without the address of a resolver, as it is written but for escapes."""
    if not isinstance(value, str):
        return None
    bare = _DOI_PREFIX.sub("", _CONTROL.sub(" ", value).strip())
    found = identifiers.doi(_DOI_PREFIX.sub("", value.strip()))
    return (bare if found in (None, bare.lower()) else found) or None


def lower_doi(value: object) -> str | None:
    """Return a bare DOI in lower case, in which DOIs are compared."""
    if isinstance(value, str) and not value.startswith("10."):
        value = _DOI_PREFIX.sub("", value.strip())
    if not isinstance(value, str):
        return None
    # What only begins like one may be a placeholder, which is counted.
    bare = value.strip().lower()
    return identifiers.doi(value) or (bare if bare.startswith("10.") else None)


def inverted_text(index: object) -> str | None:
    """Put the words of an inverted index {word: [positions]} back in order."""
    if not isinstance(index, dict):
        return None
    placed = [
        (place, word)
        for word, places in index.items()
        for place in listed(places)
        if isinstance(place, int)
    ]
    return text_of(" ".join(word for _, word in sorted(placed)))


def first_page(value: object) -> str | None:
    """Return where pages begin, an article number as it stands.

    A hyphen may belong to the number: as many stand on either side of the one between two pages.

    >>> first_page("501-522"), first_page("pp. S-12--S-19"), first_page("e-1042"), first_page(7)
    ('501', 'S-12', 'e-1042', '7')
    """
    text = volume_of(value)
    if not text:
        return None
    text = _PAGES.sub("", text[:_LONGEST_PAGES])
    parts = _DASH.split(text.split(",")[0])
    if not any(map(str.isdigit, parts[0])) and len(parts) < 4:
        return text
    return "-".join(parts[: (len(parts) + 1) // 2]).strip() or None


def volume_of(value: object) -> str | None:
    """Return a volume, given as a number or text."""
    return text_of(f"{value}" if isinstance(value, int) and not isinstance(value, bool) else value)


def labels_of(value: object) -> dict[str, object]:
    """Return a record's own labels with cleaned text; what is nested deeper is None."""
    labels = _label(value, _LABEL_DEPTH) if isinstance(value, dict) else None
    return labels if isinstance(labels, dict) else {}


def _label(value: object, depth: int) -> object:
    if isinstance(value, str):
        return cleaned(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, (dict, list)) and depth == 0:
        return None
    if isinstance(value, dict):
        return {cleaned(key): _label(item, depth - 1) for key, item in value.items()}
    return [_label(item, depth - 1) for item in value] if isinstance(value, list) else value


def labelled(**values: str | tuple[str, ...] | None) -> dict[str, object]:
    """Collect labels, leaving out unknown and empty ones; several values become a list."""
    return {
        name: list(dict.fromkeys(value)) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value
    }
