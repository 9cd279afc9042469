"""Works as the program keeps them for itself, in caches and journals: JSON, nothing left out."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from recsys.records import Reference

_MANY = (list, tuple)
_KINDS: dict[str, Any] = {each.name: str for each in fields(Reference)}
_KINDS |= {"year": int, "labels": dict}
_KINDS |= dict.fromkeys(("authors", "ids", "keyphrases", "cited_ids", "cites"), _MANY)


def record_of(work: Reference) -> dict[str, Any]:
    """Write a work out as JSON has it; what it does not tell is left out."""
    record = {each.name: value for each in fields(work) if (value := getattr(work, each.name))}
    if work.cites:
        record["cites"] = [record_of(each) for each in work.cites]
    return record


def work_of(record: object) -> Reference:
    """Read what `record_of` wrote, before or after JSON has had it.

    Raises:
        ValueError: it is something else.
    """
    if not isinstance(record, Mapping):
        raise ValueError("It is no work.")
    for name, value in record.items():
        if not isinstance(value, _KINDS.get(name, ())):
            raise ValueError(f"{name!r} of a work is something else.")
        if isinstance(value, _MANY) and name != "cites" and not all(map(_is_text, value)):
            raise ValueError(f"{name!r} of a work holds something else.")
    values: dict[str, Any] = {
        name: tuple(v) if isinstance(v, list) else v for name, v in record.items()
    }
    if "cites" in record:
        values["cites"] = tuple(map(work_of, record["cites"]))
    return Reference(**values)


def _is_text(value: object) -> bool:
    return isinstance(value, str)
