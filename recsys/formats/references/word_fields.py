"""Read the works that reference managers keep in the fields of a document of Word."""

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from xml.etree import ElementTree

from recsys.formats.references import csl
from recsys.formats.references.bibliography import identified, names_in, text_in, year_in
from recsys.records import Reference

MOST_WORKS, MOST_CITATIONS = 2_000, 20_000
"""Works that are kept, and mentions of them that are read."""
LONGEST_FIELD = 4 * 2**20
"""Characters of a field that are read; some hold the abstracts of a dozen works."""

_CSL = "CSL_CITATION"
_MENDELEY = "MENDELEY_CITATION_v3_"
_BEGIN, _END = "<EndNote>", "</EndNote>"
_ENCODED = re.compile(r"[A-Za-z0-9+/=_\-\s]{40,}\Z")
_DECLARED = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_decode = json.JSONDecoder(strict=False).raw_decode


def cited_works(fields: Iterable[str]) -> tuple[Reference, ...]:
    """Return the works that fields of Zotero, Mendeley and EndNote describe, each once."""
    found: dict[tuple[object, ...], Reference] = {}
    works = (work for field in fields for work in _works(field[:LONGEST_FIELD]))
    for work in islice(works, MOST_CITATIONS):
        if (work.title or work.doi) and len(found) < MOST_WORKS:
            found.setdefault((work.title, work.doi, work.year, work.authors), work)
    return tuple(found.values())


def _works(field: str) -> Iterator[Reference]:
    if _CSL in field:
        yield from _csl(field.partition(_CSL)[2])
    elif field.startswith(_MENDELEY):
        yield from _csl(_unpacked(field.removeprefix(_MENDELEY)))
    else:
        text = _unpacked(field) if _ENCODED.match(field) else field
        start, end = text.find(_BEGIN), text.rfind(_END)
        if 0 <= start < end:  # A field holds one of them.
            yield from _endnote(text[start : end + len(_END)])


def _csl(text: str) -> Iterator[Reference]:
    """Read the items of a citation in the form of CSL."""
    start = text.find("{")
    try:
        value = _decode(text, start)[0] if start >= 0 else None
    except (ValueError, RecursionError):
        return
    items = value.get("citationItems") if isinstance(value, dict) else None
    for item in items if isinstance(items, list) else ():
        data = item.get("itemData") if isinstance(item, dict) else None
        if isinstance(data, dict):
            yield csl.reference_of(data)


def _unpacked(text: str) -> str:
    try:
        raw = base64.b64decode("".join(text.split()) + "==")
    except (binascii.Error, ValueError):
        return ""
    return raw.decode("utf-8", errors="replace").replace("\0", "")


def _endnote(text: str) -> Iterator[Reference]:
    if _DECLARED.search(text):
        return
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError):
        return
    for record in root.iter("record"):
        work = Reference(
            key=_text(record, "rec-number"),
            title=text_in(_text(record, "titles/title")),
            authors=names_in("".join(each.itertext()) for each in record.iter("author")),
            year=year_in(_text(record, "dates/year")),
            venue=text_in(_text(record, "titles/secondary-title")),
        )
        yield identified(work, text_in(_text(record, "electronic-resource-num")))


def _text(record: ElementTree.Element, way: str) -> str:
    element = record.find(way)
    return "" if element is None else "".join(element.itertext()).strip()
