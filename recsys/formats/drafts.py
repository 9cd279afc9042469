"""Read a draft: one JSON object with a title, an abstract, and whatever else is known.

Checked by hand rather than by pydantic: importing that costs 0.1 CPU seconds, as much as all the
rest of reading a draft, and each of these errors names its next step.
"""

import codecs
import json
import re
import stat
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recsys.errors import DraftError, near_miss
from recsys.records import Draft

STDIN = Path("-")
"""The path that means standard input."""
MAX_BYTES = 64 * 2**20
"""A draft file larger than this (bytes) is refused unread."""
EARLIEST_YEAR, LATEST_YEAR = 1000, 2999
KEYS = ("id", "title", "abstract", "authors", "venue", "year", "as_of", "references")

_SHAPE = 'Give one JSON object such as {"title": "...", "abstract": "..."}.'
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\s]+")


def read_draft(path: Path) -> Draft:
    """Read a draft file, or standard input when the path is `-`.

    Raises:
        DraftError: the file is missing, unreadable, of the wrong shape, or says nothing.
    """
    if path == STDIN:
        return parse_draft(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input")
    return parse_draft(_read(path), str(path))


def parse_draft(raw: bytes, name: str) -> Draft:
    """Parse the bytes of a draft; `name` is what errors call them.

    Raises:
        DraftError: see `read_draft`.
    """
    if len(raw) > MAX_BYTES:
        raise DraftError(
            f"{name} is larger than {MAX_BYTES // 2**20} MB.",
            "A draft is one JSON object with a title and an abstract; a corpus goes to "
            "`recsys build`.",
        )
    return draft_of(_json(_text(raw, name), name), name)


def draft_of(value: object, name: str) -> Draft:
    """Check a decoded JSON value and make a draft of it.

    The year in which the draft is written is `as_of`, or `year` where that is all there is; `id`
    is the id of the corpus paper that the draft is, if it is one.

    Raises:
        DraftError: unknown keys, wrong types, or neither a title nor an abstract.
    """
    if not isinstance(value, dict):
        raise DraftError(f"{name} holds {_describe(value)} instead of a JSON object.", _SHAPE)
    _check_keys(value, name)
    title, abstract = _string(value, "title", name), _string(value, "abstract", name)
    if not title and not abstract:
        raise DraftError(
            f"{name} has neither a title nor an abstract.",
            "Write at least a title; an abstract makes the answer much better.",
        )
    year, as_of = _year(value, "year", name), _year(value, "as_of", name)
    return Draft(
        title=title or "",
        abstract=abstract,
        authors=_strings(value, "authors", name),
        venue=_string(value, "venue", name),
        references=_strings(value, "references", name),
        as_of=year if as_of is None else as_of,
        paper_id=_string(value, "id", name),
    )


def _read(path: Path) -> bytes:
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise DraftError(f"{path} is a directory.", "Give the path of a JSON file.")
        if status.st_size > MAX_BYTES:
            return bytes(MAX_BYTES + 1)
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise _missing(path) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DraftError(
            f"{str(path)!r} cannot be read: {reason}.", "Check the path and its permissions."
        ) from error


def _missing(path: Path) -> DraftError:
    try:
        siblings = [sibling.name for sibling in path.parent.iterdir()]
    except OSError:
        return DraftError(f"There is no file {path}: its folder does not exist.", "Check the path.")
    suggestion = near_miss(path.name, siblings).strip()
    return DraftError(f"There is no file {path}.", suggestion or f"Check the path. {_SHAPE}")


def _text(raw: bytes, name: str) -> str:
    if raw.startswith(_WIDE_MARKS):
        raise DraftError(f"{name} is UTF-16 or UTF-32 text.", "Save it as UTF-8.")
    if b"\0" in raw:
        at = raw.index(b"\0")
        raise DraftError(f"{name} has a NUL byte at offset {at}.", "Save it as UTF-8 text.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DraftError(
            f"{name} is not UTF-8: byte 0x{raw[error.start]:02x} on line {line}.",
            "Save it as UTF-8.",
        ) from error


def _json(text: str, name: str) -> object:
    if not text.strip():
        raise DraftError(f"{name} is empty.", _SHAPE)
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DraftError(f"{name} is not JSON: {error.msg} at {where}.", _SHAPE) from error
    except RecursionError as error:
        raise DraftError(f"{name} is nested too deeply.", _SHAPE) from error
    except ValueError as error:  # A repeated key, or a number of thousands of digits.
        raise DraftError(f"{name} cannot be read as JSON: {error}.", _SHAPE) from error


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {_short(twice)} occurs twice")
    return value


def _check_keys(value: Mapping[str, object], name: str) -> None:
    unknown = next((key for key in value if key not in KEYS), None)
    if unknown is not None:
        suggestion = near_miss(unknown, KEYS).strip()
        raise DraftError(
            f"{name} has an unknown key {_short(unknown)}.",
            suggestion or f"The keys are {', '.join(KEYS)}.",
        )


def _string(value: Mapping[str, object], key: str, name: str) -> str | None:
    found = value.get(key)
    if found is None:
        return None
    if not isinstance(found, str):
        raise _wrong(name, key, found, "a string")
    return _clean(found) or None


def _strings(value: Mapping[str, object], key: str, name: str) -> tuple[str, ...]:
    found = value.get(key)
    if found is None:
        return ()
    if not isinstance(found, list):
        raise _wrong(name, key, found, 'a list of strings such as ["...", "..."]')
    for place, item in enumerate(found, start=1):
        if not isinstance(item, str):
            raise _wrong(name, f"{key}, item {place}", item, "a string")
    cleaned = (_clean(item) for item in found)
    return tuple(dict.fromkeys(item for item in cleaned if item))


def _year(value: Mapping[str, object], key: str, name: str) -> int | None:
    found = value.get(key)
    if found is None:
        return None
    expected = f"a year between {EARLIEST_YEAR} and {LATEST_YEAR}, without quotes"
    if not isinstance(found, int) or isinstance(found, bool):
        raise _wrong(name, key, found, expected)
    if not EARLIEST_YEAR <= found <= LATEST_YEAR:
        raise _wrong(name, key, found, expected)
    return found


def _wrong(name: str, key: str, found: object, expected: str) -> DraftError:
    return DraftError(f"{name}: {key} is {_describe(found)}.", f"It must be {expected}.")


def _describe(value: object) -> str:
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    kind = "the string" if isinstance(value, str) else "the number"
    return f"{kind} {_short(value)}"


def _short(value: object) -> str:
    text = _UNPRINTABLE.sub(" ", repr(value))
    return text if len(text) <= 40 else text[:37] + "..."


def _clean(text: str) -> str:
    """Collapse white space, control characters and half surrogate pairs into single spaces."""
    return _UNPRINTABLE.sub(" ", text).strip()
