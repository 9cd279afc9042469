"""Read JSON of any program that keeps references: an array of items, or one item per line."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from recsys.errors import InputError
from recsys.formats.papers.paper_fields import FieldError
from recsys.formats.papers.paper_formats import OWN, format_of
from recsys.formats.papers.paper_records import records_in
from recsys.formats.references import csl, zotero
from recsys.formats.references.bibliography import (
    Problem,
    address_in,
    bibliography,
    identified,
    names_in,
    text_in,
    year_in,
)
from recsys.formats.references.lines import reference_of as reference_of_line
from recsys.records import Bibliography, Reference

_SHAPE = "Export as CSL-JSON, BibTeX or RIS."
# Raw control characters inside strings are not JSON, but harmless: they are cleaned away later.
_decode = json.JSONDecoder(strict=False).decode


def read(text: str, name: str) -> Bibliography:
    """Read CSL-JSON, Zotero's JSON, an answer of this program, or a list of identifiers.

    Raises:
        InputError: it is no JSON, or holds no list of items.
    """
    items = enumerate(_items(text, name), start=1)
    works = ((number, item) for number, item in items if not _belongs_to_a_work(item))
    return bibliography((_read(number, item) for number, item in works), name)


def _items(text: str, name: str) -> list[Any]:
    try:
        value = _decode(text)
    except RecursionError as error:
        raise InputError(f"{name} is nested too deeply.", _SHAPE) from error
    except json.JSONDecodeError as error:
        lines = list(_lines(text))
        if lines:
            return lines
        where = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{name} is not JSON: {error.msg} at {where}.", _SHAPE) from error
    except ValueError as error:  # A number of thousands of digits.
        raise InputError(f"{name} cannot be read as JSON: {error}.", _SHAPE) from error
    if not isinstance(value, dict | list):
        raise InputError(f"{name} holds neither a list nor an object.", _SHAPE)
    return records_in(value)


def _lines(text: str) -> Iterator[Any]:
    """Decode JSON lines; yield nothing as soon as the first is none."""
    for line in filter(str.strip, text.split("\n")):
        try:
            value = _decode(line)
        except (ValueError, RecursionError):
            return
        yield from records_in(value) if isinstance(value, dict) else [value]


def _read(number: int, item: object) -> Reference | Problem:
    if isinstance(item, str):
        return reference_of_line(item)
    if not isinstance(item, dict):
        return Problem(f"item {number} is neither an object nor an identifier.")
    form = format_of(item)
    if form is not None:
        try:
            found = form.reference_of(item)
        except FieldError:
            pass  # Less than a corpus asks for may be enough to find the work.
        else:
            return identified(found, found.doi, found.arxiv) if form.name == OWN else found
    return _own(item) if isinstance(item.get("authors"), list) else csl.reference_of(item)


def _own(item: Mapping[str, Any]) -> Reference:
    """Read what looks like a paper as this program writes it, and lacks its id or title."""
    people = (each.get("name") if isinstance(each, dict) else each for each in item["authors"])
    reference = Reference(
        title=text_in(item.get("title")),
        authors=names_in(text_in(name) for name in people),
        year=year_in(item.get("year")),
        venue=text_in(item.get("venue")),
        abstract=text_in(item.get("abstract")),
        id=text_in(item.get("id")),
        url=address_in(item.get("url")),
    )
    return identified(reference, text_in(item.get("doi")))


def _belongs_to_a_work(item: object) -> bool:
    return isinstance(item, dict) and str(item.get("itemType")) in zotero.NOT_WORKS
