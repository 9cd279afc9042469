"""Decode the lines of a corpus file into JSON objects, or into the reason why there is none."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from recsys.formats.papers.source_lines import Line

HEAD = 50
"""Records by which a file's format is recognised."""
HEAD_LINES = 1000
"""Lines read in search of those records."""

_PAGES = ("results", "data")
_MONGO_NUMBER = re.compile(r"\bNumber(?:Int|Long)\(\"?(-?\d+)\"?\)")
# Raw control characters inside strings are not JSON, but harmless: they are cleaned away later.
_decode = json.JSONDecoder(strict=False).decode


@dataclass(frozen=True, slots=True)
class Entry:
    """A record not yet looked into, or None and the flaw for which there is none."""

    line: Line
    record: dict[str, Any] | None
    flaw: str = ""


def entries_of(line: Line) -> Iterator[Entry]:
    """Decode a line into the records in it: one, or the many of an array."""
    if line.too_long:
        yield Entry(line, None, "line too long")
        return
    text = _unwrapped(line.text)
    if not text:
        return
    try:
        value = _value(text)
    except RecursionError:
        yield Entry(line, None, "nested too deeply")
    except ValueError:
        yield Entry(line, None, "not JSON")
    else:
        for item in _papers(value):
            yield (
                Entry(line, item) if isinstance(item, dict) else Entry(line, None, "not an object")
            )


def head_of(entries: Iterator[Entry]) -> Iterator[Entry]:
    """Take entries until there are HEAD records or HEAD_LINES entries."""
    records = 0
    for entry in islice(entries, HEAD_LINES):
        yield entry
        records += entry.record is not None
        if records == HEAD:
            return


def tally(reasons: Mapping[str, int]) -> str:
    """Write counted reasons in one line, most frequent first."""
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{reason}: {count:,}" for reason, count in ordered)


def _unwrapped(text: str) -> str:
    """Strip what surrounds a record in an array that has one record per line."""
    text = text.strip().strip(",").strip()
    if text.startswith("[") and not text.endswith("]"):
        return text[1:].strip()
    if text.endswith("]") and not text.startswith("["):
        return text[:-1].strip()
    return "" if text == "[]" else text


def _papers(value: object) -> list[object]:
    """Open a whole array, or a page of an API's answer: {"results": [...]} or {"data": [...]}."""
    if isinstance(value, dict) and "title" not in value:
        pages = (value.get(key) for key in _PAGES)
        return next((page for page in pages if isinstance(page, list)), [value])
    return value if isinstance(value, list) else [value]


def _value(text: str) -> object:
    try:
        return _decode(text)
    except ValueError:
        if "Number" not in text:
            raise
        return _decode(_MONGO_NUMBER.sub(r"\1", text))  # AMiner's v13 is such an export.
