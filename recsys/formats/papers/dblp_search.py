"""Publications as the search of dblp answers in JSON."""

import re

from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import (
    Record,
    first_page,
    labelled,
    nested,
    required_title,
    text_of,
    volume_of,
)
from recsys.formats.references.bibliography import address_in, names_in, year_in
from recsys.records import Reference

# dblp numbers people who share a name.
_NUMBERED = re.compile(r" \d{4}\Z")
_KINDS = {
    "Journal Articles": "article-journal",
    "Conference and Workshop Papers": "paper-conference",
    "Parts in Books or Collections": "chapter",
    "Books and Theses": "book",
    "Editorship": "book",
    "Informal and Other Publications": "article",
    "Data and Artifacts": "dataset",
}


def reference_of(record: Record) -> Reference:
    """Read what the answer has under `info`."""
    title = required_title(record, "title")
    kind = text_of(record.get("type"))
    pages = [address_in(each) for each in _each(record.get("ee"))]
    people = _each(nested(record, "authors", "author"))
    reference = Reference(
        title=title[:-1] if title.endswith(".") else title,
        authors=names_in(map(_person, people)),
        year=year_in(record.get("year")),
        venue=next(filter(None, map(text_of, _each(record.get("venue")))), None),
        url=next(filter(None, (*pages, address_in(record.get("url")))), None),
        kind=_KINDS.get(kind or "", "document"),
        volume=volume_of(record.get("volume")),
        page=first_page(record.get("pages")),
        labels=labelled(type=kind),
    )
    found = [("arxiv", page) for page in pages if page and "arxiv.org/abs/" in page]
    found += [("acl", page) for page in pages if page and "aclanthology.org/" in page]
    return named(reference, (("doi", record.get("doi")), ("dblp", record.get("key")), *found))


def _each(value: object) -> list[object]:
    """Return the values of a field that is a list only where there are several."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _person(person: object) -> str | None:
    name = text_of(person.get("text") if isinstance(person, dict) else person)
    return _NUMBERED.sub("", name) if name else None
