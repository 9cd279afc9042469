"""Papers of S2ORC: the files of metadata and of parsed PDFs up to 2020, and those of the API."""

import json
import re
from collections.abc import Iterator
from typing import Any

from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import (
    FieldError,
    Record,
    first_page,
    id_of,
    ids_of,
    labelled,
    names_of,
    nested,
    required_id,
    text_of,
    url_of,
    volume_of,
    year_of,
)
from recsys.formats.references.bibliography import names_in, year_in
from recsys.records import Reference

_NAMES = ("doi", "arxiv_id", "acl_id", "pubmed_id", "pmc_id", "mag_id")
_CORPUS_ID = re.compile(r"CorpusID:(\d{1,18})\Z")
PARTS = ("content", "body")
_LONGEST_LIST = 20_000  # Spans of one kind.


def reference_of(record: Record) -> Reference:
    """Read one record; parsed PDFs up to 2020 have no title.

    Raises:
        FieldError: it has no id.
    """
    return _parsed(record) if "corpusid" in record else _metadata(record)


def _metadata(record: Record) -> Reference:
    paper_id = required_id(record, "paper_id")
    address = text_of(record.get("s2_url"))
    corpus_id = _CORPUS_ID.search(address or "")
    abstract = record.get("abstract")
    texts = _texts(abstract) if isinstance(abstract, list) else abstract
    inside = record.get("metadata") if isinstance(record.get("metadata"), dict) else {}
    title = text_of(record.get("title")) or text_of(nested(record, "metadata", "title"))
    if title is None and not {"bib_entries", "_pdf_hash"} & record.keys():
        raise FieldError("missing title")
    reference = Reference(
        id=paper_id,
        title=title,
        abstract=_without_marks(texts),
        year=year_of(record.get("year")),
        authors=_people(record.get("authors") or (inside or {}).get("authors")),
        venue=text_of(record.get("venue")) or text_of(record.get("journal")),
        cited_ids=ids_of(record.get("outbound_citations")) or _linked(record.get("bib_entries")),
        cites=tuple(_unlinked(record.get("bib_entries"))),
        url=url_of(address),
        labels=labelled(fields=names_of(record.get("mag_field_of_study"))),
    )
    numbers = (("corpusid", corpus_id[1] if corpus_id else None), ("s2", record.get("s2_id")))
    return named(reference, (*numbers, *((name, record.get(name)) for name in _NAMES)))


def _without_marks(text: object) -> str | None:
    """Drop the signs that stand for the line breaks of structured abstracts."""
    return text_of(text.replace(":::", " ")) if isinstance(text, str) else None


def _texts(paragraphs: list[Any]) -> str:
    texts = (each.get("text") for each in paragraphs if isinstance(each, dict))
    return " ".join(text for text in texts if isinstance(text, str))


def _people(people: object) -> tuple[str, ...]:
    """Read names in parts, the middle one a list."""
    return names_in(map(_person, people if isinstance(people, list) else ()))


def _person(person: object) -> str | None:
    if not isinstance(person, dict):
        return text_of(person)
    middle = person.get("middle")
    middles = middle if isinstance(middle, list) else [middle]
    parts = (person.get("first"), *middles, person.get("last"), person.get("suffix"))
    return " ".join(filter(None, map(text_of, parts))) or text_of(person.get("name"))


def _linked(entries: object) -> tuple[str, ...]:
    """Return the papers to which entries of a parsed bibliography are linked, each once."""
    items = entries.values() if isinstance(entries, dict) else ()
    links = (id_of(item.get("link")) for item in items if isinstance(item, dict))
    return tuple(dict.fromkeys(filter(None, links)))


def _unlinked(entries: object) -> Iterator[Reference]:
    """Yield the entries that were linked to no paper, as they were printed."""
    for item in entries.values() if isinstance(entries, dict) else ():
        if not isinstance(item, dict) or id_of(item.get("link")):
            continue
        others = item.get("other_ids")
        if title := text_of(item.get("title")):
            work = Reference(
                title=title,
                authors=_people(item.get("authors"))[:1],
                year=year_in(item.get("year")),
                venue=text_of(item.get("venue")),
                volume=volume_of(item.get("volume")),
                page=first_page(item.get("pages")),
            )
            yield named(work, others.items() if isinstance(others, dict) else ())


def _parsed(record: Record) -> Reference:
    """Read a paper whose title, abstract and references are spans of its text."""
    paper_id = required_id(record, "corpusid")
    part = next((part for part in PARTS if isinstance(record.get(part), dict)), "content")
    external = record.get("externalids") or nested(record, "openaccessinfo", "externalids")
    whose = record.get("authors")
    authors = names_of(whose, "name") if isinstance(whose, list) else ()
    reference = Reference(
        id=paper_id,
        title=text_of(record.get("title")) or next(_spans(record, part, "title"), None),
        abstract=" ".join(_spans(record, part, "abstract")) or None,
        authors=authors or names_in(_spans(record, part, "author")),
        year=year_of(record.get("year")),
        venue=next(_spans(record, part, "venue"), None),
        cited_ids=tuple(dict.fromkeys(_matched(record, part))),
    )
    names = external.items() if isinstance(external, dict) else ()
    return named(reference, (("corpusid", paper_id), *names))


def annotations_of(record: Record, part: str, kind: str) -> list[Any]:
    """Return the spans of a kind: a list, which the files have as JSON within JSON."""
    value = nested(record, part, "annotations", kind)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    return value[:_LONGEST_LIST] if isinstance(value, list) else []


def _spans(record: Record, part: str, kind: str) -> Iterator[str]:
    text = nested(record, part, "text")
    for span in annotations_of(record, part, kind) if isinstance(text, str) else ():
        ends = (span.get("start"), span.get("end")) if isinstance(span, dict) else ()
        start, end = (place_of(each) for each in ends) if ends else (None, None)
        if start is not None and end is not None and (found := text_of(str(text)[start:end])):
            yield found


def place_of(value: object) -> int | None:
    """Read a position, which older releases have as text."""
    number = int(value) if isinstance(value, str) and value[:12].isdecimal() else value
    return number if isinstance(number, int) and number >= 0 else None


def _matched(record: Record, part: str) -> Iterator[str]:
    """Yield the papers that entries of the bibliography were matched with."""
    places = ((part, "bibentry"), (part, "bib_entry"), ("bibliography", "bib_entry"))
    for place, kind in places:
        for entry in annotations_of(record, place, kind):
            attributes = entry.get("attributes") if isinstance(entry, dict) else None
            if isinstance(attributes, dict):
                yield from ids_of([attributes.get("matched_paper_id")])
