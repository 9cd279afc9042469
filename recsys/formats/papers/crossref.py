"""Works as Crossref's REST API and its public data files describe them."""

from collections.abc import Iterator
from typing import Any

from recsys.formats import identifiers
from recsys.formats.bodies.printed_works import LONGEST_ENTRY, printed_work
from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import (
    FieldError,
    Record,
    first_page,
    labelled,
    lower_doi,
    names_of,
    text_of,
)
from recsys.formats.references.bibliography import address_in, names_in, text_in, year_in
from recsys.formats.references.csl import name_in, year_of_date
from recsys.formats.references.people import natural
from recsys.records import Reference

# What Crossref calls the types of CSL that styles tell apart.
_KINDS = {
    "book": "book",
    "book-chapter": "chapter",
    "book-part": "chapter",
    "book-section": "chapter",
    "dataset": "dataset",
    "dissertation": "thesis",
    "edited-book": "book",
    "journal-article": "article-journal",
    "monograph": "book",
    "peer-review": "review",
    "posted-content": "article",
    "proceedings": "book",
    "proceedings-article": "paper-conference",
    "reference-book": "book",
    "reference-entry": "entry",
    "report": "report",
}
# The first that is there counts: later ones are dates of other events.
_DATES = (
    "issued",
    "published",
    "published-print",
    "published-online",
    "posted",
    "approved",
    "created",
)
_TITLES = ("article-title", "volume-title", "series-title")
_MOST_WORDS = 30_000  # Characters of an abstract.


def reference_of(record: Record) -> Reference:
    """Read one record.

    Raises:
        FieldError: it has neither a DOI nor a title.
    """
    doi, title = lower_doi(record.get("DOI")), _title(record)
    if not doi and not title:
        raise FieldError("missing title")
    kind = text_of(record.get("type"))
    reference = Reference(
        title=title,
        authors=names_in(map(name_in, _listed(record, "author"))),
        year=next(filter(None, (year_of_date(record.get(date)) for date in _DATES)), None),
        venue=_first(record, "container-title") or _event(record),
        abstract=text_of(_abstract(record.get("abstract"))),
        url=address_in(record.get("URL")),
        kind=_KINDS.get(kind or "", "document"),
        volume=text_of(record.get("volume")),
        page=first_page(record.get("page")) or text_of(record.get("article-number")),
        keyphrases=names_of(record.get("subject")),
        labels=labelled(type=kind),
        cites=tuple(filter(None, map(_cited, _listed(record, "reference")))),
    )
    return named(reference, (("doi", doi), *_preprints(record)))


def _title(record: Record) -> str | None:
    title, subtitle = _first(record, "title"), _first(record, "subtitle")
    if title and subtitle and subtitle.casefold() not in title.casefold():
        return f"{title.rstrip(' :')}: {subtitle}"
    return title


def _first(record: Record, name: str) -> str | None:
    """Return the first text of a field: a list here, plain text in Crossref's CSL."""
    value = record.get(name)
    texts = value if isinstance(value, list) else [value]
    return next(filter(None, map(text_in, texts)), None)


def _listed(record: Record, name: str) -> list[Any]:
    value = record.get(name)
    return value if isinstance(value, list) else []


def _event(record: Record) -> str | None:
    event = record.get("event")
    name = event.get("name") if isinstance(event, dict) else None
    groups = (text_in(name), text_in(record.get("group-title")))
    return next(filter(None, groups), None)


def _abstract(value: object) -> object:
    """Drop the heading that many publishers put into the abstract's mark-up."""
    if not isinstance(value, str):
        return value
    text = value[:_MOST_WORDS].replace("<jats:title>Abstract</jats:title>", " ")
    return text.replace("</jats:title>", "</jats:title> ").replace("</jats:p>", "</jats:p> ")


def _preprints(record: Record) -> Iterator[tuple[str, object]]:
    """Yield the arXiv ids under which a publisher says that the work lies there, too."""
    relation = record.get("relation")
    found = relation.get("has-preprint") if isinstance(relation, dict) else None
    for each in found if isinstance(found, list) else ():
        place = each.get("id") if isinstance(each, dict) else None
        if isinstance(place, str) and "arxiv" in place.lower():
            yield "arxiv", place


def _cited(item: object) -> Reference | None:
    """Read a work of the list of references, None where it tells nothing."""
    if not isinstance(item, dict):
        return None
    doi, printed = lower_doi(item.get("DOI")), item.get("unstructured")
    title = next(filter(None, (text_in(item.get(name)) for name in _TITLES)), None)
    venue, author = text_in(item.get("journal-title")), text_in(item.get("author"))
    page = text_in(item.get("first-page"))
    if isinstance(printed, str) and not (doi or title or (author and page)):
        return _printed(printed)
    if not (doi or title or venue or author):
        return None
    return Reference(
        title=title,
        authors=(natural(author) if "," in author else author,) if author else (),
        year=year_in(item.get("year")),
        venue=venue,
        doi=doi,
        arxiv=identifiers.arxiv(doi) if doi and "arxiv" in doi else None,
        volume=text_in(item.get("volume")),
        page=page,
    )


def _printed(text: str) -> Reference | None:
    """Read a work as the list prints it; what gives no title is one as a whole."""
    plain = text_in(text[:LONGEST_ENTRY])
    if not plain:
        return None
    found = printed_work(plain)
    known = found.title or found.doi or found.arxiv or found.acl
    return found if known else Reference(title=plain, year=found.year)
