"""Decode the JSON objects of a file: one a line, printed over several, or a list of them."""

import json
from collections.abc import Iterator
from typing import Any

from recsys.formats.papers.source_lines import Line
from recsys.formats.references.bibliography import Problem

# Raw control characters inside strings are not JSON, but harmless: they are cleaned away later.
_decode = json.JSONDecoder(strict=False).decode


def objects(lines: Iterator[Line]) -> Iterator[tuple[int, dict[str, Any]] | Problem]:
    """Yield objects with the line they begin in, and what is wrong with other lines."""
    for line in lines:
        if line.too_long:
            yield _problem(line, "line too long")
            continue
        text = _unwrapped(line.text)
        if not text:
            continue
        try:
            value = _decode(text)
        except RecursionError:
            yield _problem(line, "nested too deeply")
            continue
        except ValueError:
            yield _problem(line, "not JSON")
            continue
        for item in value if isinstance(value, list) else [value]:
            yield (line.number, item) if isinstance(item, dict) else _problem(line, "not an object")


def _problem(line: Line, reason: str) -> Problem:
    return Problem(f"line {line.number}: {reason}.", reason, line.number)


def _unwrapped(text: str) -> str:
    """Strip what surrounds an object in a list that has one object per line."""
    text = text.strip().strip(",").strip()
    if text.startswith("[") and not text.endswith("]"):
        return text[1:].strip()
    if text.endswith("]") and not text.startswith("["):
        return text[:-1].strip()
    return "" if text in ("[", "]", "[]") else text
