"""Scholarly works of Lens.org, as its API and its JSON export have them."""

from collections.abc import Iterator

from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import (
    Record,
    first_page,
    ids_of,
    labelled,
    names_of,
    nested,
    required_id,
    required_title,
    text_of,
    volume_of,
    year_of,
)
from recsys.formats.references.bibliography import address_in, names_in, year_in
from recsys.records import Reference

_KINDS = {
    "book": "book",
    "book chapter": "chapter",
    "conference proceedings article": "paper-conference",
    "dataset": "dataset",
    "dissertation": "thesis",
    "journal article": "article-journal",
    "preprint": "article",
    "report": "report",
}


def reference_of(record: Record) -> Reference:
    """Read one record."""
    lens_id = required_id(record, "lens_id")
    authors, cited = record.get("authors"), record.get("references")
    kind = text_of(record.get("publication_type"))
    reference = Reference(
        id=lens_id,
        title=required_title(record, "title"),
        abstract=text_of(record.get("abstract")),
        year=year_of(record.get("year_published")) or year_in(record.get("date_published")),
        authors=names_in(map(_person, authors if isinstance(authors, list) else ())),
        venue=text_of(nested(record, "source", "title")) or text_of(record.get("source_title")),
        cited_ids=ids_of([_lens_id(item) for item in cited] if isinstance(cited, list) else ()),
        keyphrases=names_of(record.get("keywords")),
        url=next(_addresses(record), None)
        or f"https://www.lens.org/lens/scholar/article/{lens_id}",
        kind=_KINDS.get((kind or "").lower(), "document"),
        volume=volume_of(record.get("volume")),
        page=first_page(record.get("start_page")),
        labels=labelled(type=kind, fields=names_of(record.get("fields_of_study"))),
    )
    return named(reference, (("lens", lens_id), *_names(record)))


def _person(person: object) -> str | None:
    if not isinstance(person, dict):
        return text_of(person)
    given = text_of(person.get("first_name")) or text_of(person.get("initials"))
    parts = filter(None, (given, text_of(person.get("last_name"))))
    return " ".join(parts) or text_of(person.get("collective_name"))


def _lens_id(item: object) -> object:
    return item.get("lens_id") if isinstance(item, dict) else item


def _addresses(record: Record) -> Iterator[str]:
    places = record.get("source_urls")
    for place in places if isinstance(places, list) else ():
        address = address_in(place.get("url")) if isinstance(place, dict) else None
        if address:
            yield address


def _names(record: Record) -> Iterator[tuple[object, object]]:
    external = record.get("external_ids")
    for item in external if isinstance(external, list) else ():
        if isinstance(item, dict):
            yield item.get("type"), item.get("value")
