"""Papers of arXiv's metadata snapshot, one JSON object per line."""

from recsys.formats import identifiers
from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import (
    Record,
    labelled,
    lower_doi,
    names_of,
    required_id,
    required_title,
    text_of,
)
from recsys.formats.references.bibliography import names_in, year_in
from recsys.records import Reference


def reference_of(record: Record) -> Reference:
    """Read one record; its year is that of the first version."""
    number = required_id(record, "id")
    parsed = record.get("authors_parsed")
    people = parsed if isinstance(parsed, list) else []
    categories = record.get("categories")
    listed = categories.split() if isinstance(categories, str) else names_of(categories)
    dois = record.get("doi")
    versions = record.get("versions")
    first = versions[0] if isinstance(versions, list) and versions else None
    begun = year_in(first.get("created")) if isinstance(first, dict) else None
    reference = Reference(
        title=required_title(record, "title"),
        authors=names_in(map(_person, people)) or names_of(_listed(record.get("authors"))),
        year=begun or year_in(record.get("update_date")),
        abstract=text_of(record.get("abstract")),
        doi=lower_doi(dois.split()[0]) if isinstance(dois, str) and dois.strip() else None,
        url=f"https://arxiv.org/abs/{number}" if identifiers.arxiv(f"arXiv:{number}") else None,
        kind="article",
        labels=labelled(fields=tuple(listed), journal_ref=text_of(record.get("journal-ref"))),
    )
    return named(reference, (("arxiv", number),))


def _person(person: object) -> str | None:
    """Read [family, given, suffix]; affiliations may follow."""
    if not isinstance(person, list):
        return None
    family, given, suffix = ([*map(text_of, person[:3])] + [None] * 3)[:3]
    return " ".join(filter(None, (given, family, suffix)))


def _listed(authors: object) -> object:
    return authors.replace(" and ", ",").split(",") if isinstance(authors, str) else authors
