"""What a map cannot say of Crossref's works: titles in parts, mark-up, and what a work cites."""

from typing import Any

from recsys.formats import identifiers
from recsys.formats.bodies.printed_works import LONGEST_ENTRY, printed_work
from recsys.formats.papers.paper_fields import (
    FieldError,
    Record,
    first_text,
    listed,
    lower_doi,
    text_of,
)
from recsys.formats.references.bibliography import text_in, year_in
from recsys.formats.references.people import natural
from recsys.records import Reference

_TITLES = ("article-title", "volume-title", "series-title")
_LONGEST_ABSTRACT = 30_000  # Characters.


def more_of(record: Record) -> dict[str, Any]:
    """Read title, abstract, references, and the arXiv ids under which a work lies there, too.

    Raises:
        FieldError: it has neither a DOI nor a title.
    """
    title, subtitle = first_text(record.get("title")), first_text(record.get("subtitle"))
    if title and subtitle and subtitle.casefold() not in title.casefold():
        title = f"{title.rstrip(' :')}: {subtitle}"
    if not title and not lower_doi(record.get("DOI")):
        raise FieldError("missing title")
    abstract = record.get("abstract")
    if isinstance(abstract, str):
        # Many publishers put a heading into the abstract's mark-up.
        abstract = abstract[:_LONGEST_ABSTRACT].replace("<jats:title>Abstract</jats:title>", " ")
        for tag in ("</jats:title>", "</jats:p>"):
            abstract = abstract.replace(tag, f"{tag} ")
    relation = record.get("relation")
    preprints = listed(relation.get("has-preprint")) if isinstance(relation, dict) else []
    places = (item.get("id") for item in preprints if isinstance(item, dict))
    return {
        "title": title,
        "abstract": text_of(abstract),
        "cites": tuple(filter(None, map(_cited, listed(record.get("reference"))))),
        "names": [("arxiv", place) for place in places if "arxiv" in str(place).lower()],
    }


def _cited(item: object) -> Reference | None:
    """Read a work of the list of references, None where it tells nothing."""
    if not isinstance(item, dict):
        return None
    doi, printed = lower_doi(item.get("DOI")), item.get("unstructured")
    title = next(filter(None, (text_in(item.get(name)) for name in _TITLES)), None)
    venue, author = text_in(item.get("journal-title")), text_in(item.get("author"))
    page = text_in(item.get("first-page"))
    if isinstance(printed, str) and not (doi or title or (author and page)):
        plain = text_in(printed[:LONGEST_ENTRY])
        if not plain:
            return None
        work = printed_work(plain)  # What gives no title is one as a whole.
        known = work.title or work.doi or work.arxiv or work.acl
        return work if known else Reference(title=plain, year=work.year)
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
