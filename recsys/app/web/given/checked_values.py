"""Records as JSON holds them, and back: every type is checked, for strangers may write them."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from recsys.records import Bibliography, Manuscript, Reference

_Value = TypeVar("_Value")


def plain(value: object) -> object:
    """Turn records into what JSON holds: `dataclasses.asdict` copies, and takes far longer."""
    if isinstance(value, Manuscript | Bibliography | Reference):
        names = [each.name for each in fields(value) if each.name not in _LEFT_OUT]
        return {name: plain(getattr(value, name)) for name in names}
    return [plain(each) for each in value] if isinstance(value, tuple) else value


def references_of(value: object) -> tuple[Reference, ...]:
    """Read a list of works.

    Raises:
        ValueError: it is none; all that follow raise the same.
    """
    return tuple(map(_reference, sequence_of(value)))


def _reference(value: object) -> Reference:
    if not isinstance(value, dict):
        raise ValueError("It is no work.")
    read: dict[str, Any] = {
        each.name: optional(text_of, value.get(each.name)) for each in _TEXT_FIELDS
    }
    read["key"] = read["key"] or ""
    read |= {name: texts_of(value.get(name)) for name in _LIST_FIELDS}
    return Reference(**read, year=optional(number_of, value.get("year")))


_LEFT_OUT = ("labels", "cited_ids", "cites")
"""What a work is in a corpus; nobody asks it of one that is looked up."""
_LIST_FIELDS = ("authors", "ids", "keyphrases")
_TEXT_FIELDS = [
    each for each in fields(Reference) if each.name not in ("year", *_LIST_FIELDS, *_LEFT_OUT)
]


def optional(read: Callable[[object], _Value], value: object) -> _Value | None:
    """Read a value that may be unknown."""
    return None if value is None else read(value)


def text_of(value: object) -> str:
    """Read a text."""
    if not isinstance(value, str):
        raise ValueError("It is no text.")
    return value


def number_of(value: object) -> int:
    """Read a whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("It is no number.")
    return value


def truth_of(value: object) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise ValueError("It is neither true nor false.")
    return value


def texts_of(value: object) -> tuple[str, ...]:
    """Read a list of texts."""
    return tuple(map(text_of, sequence_of(value)))


def sequence_of(value: object) -> Sequence[object]:
    """Read a list."""
    if not isinstance(value, list):
        raise ValueError("It is no list.")
    return value
