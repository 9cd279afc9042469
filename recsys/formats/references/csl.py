"""Write papers as CSL-JSON, and read an item of it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import first_page, labelled, volume_of
from recsys.formats.references.bibliography import (
    LONGEST_TEXT,
    address_in,
    identified,
    names_in,
    text_in,
    year_in,
)
from recsys.formats.references.people import Name, name_of
from recsys.formats.references.shown_facts import (
    bare_doi,
    citation_keys,
    kind_of,
    names_of,
    one_line,
    web_address,
)
from recsys.records import Paper, Reference

_FIRST_PAGES = ("page-first", "page", "article-number")
_NUMBER = re.compile(r"\b(PMID|PMCID):\s{0,3}((?:PMC)?\d{1,10})\b", re.IGNORECASE)


def write(papers: Sequence[Paper]) -> str:
    """Write one item of CSL 1.0.2 per paper, in order, as pandoc and Zotero read it."""
    keys = citation_keys(papers)
    items = [dict(_facts(key, paper)) for key, paper in zip(keys, papers, strict=True)]
    return json.dumps(items, ensure_ascii=False, indent=1) + "\n"


def _facts(key: str, paper: Paper) -> Iterator[tuple[str, object]]:
    facts: dict[str, object] = {
        "id": key,
        "type": kind_of(paper),
        "title": one_line(paper.title),
        "author": [_person(name_of(name)) for name in names_of(paper)],
        "issued": {} if paper.year is None else {"date-parts": [[paper.year]]},
        "container-title": one_line(paper.venue or ""),
        "DOI": bare_doi(paper),
        "URL": web_address(paper),
        "abstract": one_line(paper.abstract or ""),
    }
    return ((name, value) for name, value in facts.items() if value)


def _person(name: Name) -> dict[str, str]:
    if not name.given:
        return {"literal": name.family}
    parts = {"family": name.family, "given": name.given, "suffix": name.suffix}
    return {part: text for part, text in parts.items() if text}


def reference_of(item: Mapping[str, Any]) -> Reference:
    """Read one CSL item; fields of a wrong type are unknown."""
    authors = item.get("author")
    kind = _text(item, "type")
    reference = Reference(
        key=_key(item),
        title=_text(item, "title"),
        authors=names_in(name_in(each) for each in authors) if isinstance(authors, list) else (),
        year=year_of_date(item.get("issued")),
        venue=_text(item, "container-title") or _text(item, "event-title"),
        abstract=_text(item, "abstract"),
        url=address_in(item.get("URL")),
        kind=kind,
        volume=volume_of(item.get("volume")),
        page=next(filter(None, (first_page(item.get(name)) for name in _FIRST_PAGES)), None),
        keyphrases=keywords_in(item.get("keyword")),
        labels=labelled(type=kind),
    )
    note = _text(item, "note") or ""
    numbers = (("pmid", item.get("PMID")), ("pmc", item.get("PMCID")))
    places = ("DOI", "note", "number", "archive_location", "container-title")
    found = identified(reference, *(_text(item, place) for place in places))
    return named(found, (*numbers, *numbers_of_pubmed(note)))


def keywords_in(value: object) -> tuple[str, ...]:
    """Return keywords given as a list, or as one text with semicolons or else commas between."""
    if isinstance(value, str):
        text = value[:LONGEST_TEXT]
        value = text.split(";" if ";" in text else ",")
    return (
        names_in(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
    )


def numbers_of_pubmed(note: str) -> Iterator[tuple[str, str]]:
    """Yield the numbers that notes of Zotero have after "PMID:" and "PMCID:"."""
    return ((match[1].lower(), match[2]) for match in _NUMBER.finditer(note[:LONGEST_TEXT]))


def _key(item: Mapping[str, Any]) -> str:
    key = item.get("citation-key", item.get("id"))
    return str(key) if isinstance(key, int) else text_in(key) or ""


def _text(item: Mapping[str, Any], name: str) -> str | None:
    """Return a field's text; Crossref's answers have lists of one where CSL has text."""
    value = item.get(name)
    return text_in(value[0] if isinstance(value, list) and value else value)


def name_in(person: object) -> str | None:
    """Return a person's name as it is spoken; groups have theirs as a whole."""
    if not isinstance(person, dict):
        return text_in(person)
    if whole := text_in(person.get("literal")) or text_in(person.get("name")):
        return whole
    parts = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")
    return " ".join(filter(None, (text_in(person.get(part)) for part in parts)))


def year_of_date(issued: object) -> int | None:
    """Read {"date-parts": [[2020, 5]]}, {"raw": "May 2020"}, {"literal": ...}, or plain text."""
    if not isinstance(issued, dict):
        return year_in(issued)
    parts = issued.get("date-parts")
    while isinstance(parts, list) and parts:
        parts = parts[0]
    texts = (parts, issued.get("raw"), issued.get("literal"))
    return next(filter(None, map(year_in, texts)), None)
