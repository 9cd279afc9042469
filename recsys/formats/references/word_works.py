"""Read the works that a document of Word keeps in fields of reference managers, or in a list."""

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from xml.etree import ElementTree

from recsys.formats.files import checked_json
from recsys.formats.markup.endnote_xml import reference_of
from recsys.formats.papers.paper_fields import listed
from recsys.formats.papers.paper_formats import BY_NAME
from recsys.formats.references.bibliography import identified, names_in, text_in, year_in
from recsys.formats.references.people import people_in
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
_SOURCES = re.compile(rb"officeDocument/(?:2006/|relationships/)?bibliography")
_VENUES = ("JournalName", "PeriodicalTitle", "ConferenceName", "BookTitle", "Publisher")
_CITATION = re.compile(r'\s*CITATION\s+("[^"]{1,200}"|\S{1,200})', re.IGNORECASE)
_MORE = re.compile(r'\\m\s+("[^"]{1,200}"|\S{1,200})')


def cited_works(fields: Iterable[str]) -> tuple[Reference, ...]:
    """Return the works that fields of Zotero, Mendeley and EndNote describe, each once."""
    cited: dict[tuple[object, ...], Reference] = {}
    works = (work for field in fields for work in _works(field[:LONGEST_FIELD]))
    for work in islice(works, MOST_CITATIONS):
        if (work.title or work.doi) and len(cited) < MOST_WORKS:
            cited.setdefault((work.title, work.doi, work.year, work.authors), work)
    return tuple(cited.values())


def _works(field: str) -> Iterator[Reference]:
    if _CSL in field:
        yield from _of_csl(field.partition(_CSL)[2])
    elif field.startswith(_MENDELEY):
        yield from _of_csl(_unpacked(field.removeprefix(_MENDELEY)))
    else:
        text = _unpacked(field) if _ENCODED.match(field) else field
        start, end = text.find(_BEGIN), text.rfind(_END)
        if 0 <= start < end:  # A field holds one of them.
            yield from map(reference_of, _tree(text[start : end + len(_END)], "record"))


def _of_csl(text: str) -> Iterator[Reference]:
    """Read the items of a citation in the form of CSL."""
    start = text.find("{")
    try:
        value = _decode(checked_json(text), start)[0] if start >= 0 else None
    except (ValueError, RecursionError):
        return
    for item in listed(value.get("citationItems") if isinstance(value, dict) else None):
        data = item.get("itemData") if isinstance(item, dict) else None
        if isinstance(data, dict):
            yield BY_NAME["CSL-JSON"].reference_of(data)


def _unpacked(text: str) -> str:
    try:
        raw = base64.b64decode("".join(text.split()) + "==")
    except (binascii.Error, ValueError):
        return ""
    return raw.decode("utf-8", errors="replace").replace("\0", "")


def _tree(text: str | bytes, name: str) -> Iterator[ElementTree.Element]:
    """Yield the elements of a name; none of what is damaged, or declares entities."""
    head = text if isinstance(text, str) else text.decode("latin-1")
    try:
        root = None if _DECLARED.search(head) else ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError):
        return
    if root is not None:
        yield from (element for element in root.iter() if _local(element) == name)


def _local(element: ElementTree.Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def sources_in(raw: bytes) -> tuple[Reference, ...]:
    """Read a list of sources, whose tags become keys; nothing of what is none or is damaged."""
    works: list[Reference] = []
    for source in _tree(raw, "Source") if _SOURCES.search(raw[:4_000]) else ():
        # Those below Author/Author; editors and translators stand beside it.
        groups = [group for group in source if _local(group) == "Author"]
        roles = [role for group in groups for role in group if _local(role) == "Author"]
        authors = []
        for element in (element for role in roles for element in role.iter()):
            parts = {_local(part): (part.text or "").strip() for part in element}
            if _local(element) == "Person":
                given = " ".join(filter(None, (parts.get("First"), parts.get("Middle"))))
                authors.append(", ".join(filter(None, (parts.get("Last"), given))))
            elif _local(element) == "Corporate":
                authors.append((element.text or "").strip())
        facts = {_local(fact): (fact.text or "").strip() for fact in source}
        work = Reference(
            key=facts.get("Tag", ""),
            title=text_in(facts.get("Title")),
            authors=names_in(people_in(*authors, commas="within").spoken),
            year=year_in(facts.get("Year")),
            venue=text_in(next(filter(None, map(facts.get, _VENUES)), None)),
        )
        work = identified(work, text_in(facts.get("DOI") or facts.get("StandardNumber")))
        if work.key and (work.title or work.doi):
            works.append(work)
    return tuple(works[:MOST_WORKS])


def cited_tags(instruction: str) -> tuple[str, ...]:
    """Return the tags that a field such as `CITATION Ash99 \\l 1033 \\m Bee01` cites."""
    first = _CITATION.match(instruction)
    if first is None:
        return ()
    tags = (first[1], *(more[1] for more in _MORE.finditer(instruction)))
    return tuple(dict.fromkeys(tag.strip('"') for tag in tags))
