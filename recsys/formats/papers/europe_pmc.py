"""Articles as the REST service of Europe PMC answers in JSON."""

from collections.abc import Iterator

from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import (
    Record,
    first_page,
    labelled,
    names_of,
    nested,
    required_title,
    text_of,
    volume_of,
)
from recsys.formats.references.bibliography import names_in, year_in
from recsys.records import Reference

_INITIALS = 4
_NAMED_AFTER_PUBMED = "MED"


def reference_of(record: Record) -> Reference:
    """Read one record of a search, or of a list of references."""
    number, source = text_of(record.get("id")), text_of(record.get("source"))
    known = number and source and f"https://europepmc.org/article/{source}/{number}"
    title = required_title(record, "title")
    types = names_of(nested(record, "pubTypeList", "pubType"))
    reference = Reference(
        title=title[:-1] if title.endswith(".") and not title.endswith("..") else title,
        authors=names_in(_people(record)),
        year=year_in(record.get("pubYear")) or year_in(record.get("firstPublicationDate")),
        venue=next(_venues(record), None),
        abstract=text_of(record.get("abstractText")),
        url=known or None,
        volume=volume_of(nested(record, "journalInfo", "volume") or record.get("journalVolume"))
        or volume_of(record.get("volume")),
        page=first_page(record.get("pageInfo")),
        keyphrases=names_of(nested(record, "keywordList", "keyword")),
        labels=labelled(type=types or names_of(record.get("pubType"))),
    )
    from_pubmed = number if source == _NAMED_AFTER_PUBMED else None
    names = ((name, record.get(name)) for name in ("doi", "pmid", "pmcid"))
    return named(reference, (*names, ("pmid", from_pubmed)))


def _venues(record: Record) -> Iterator[str]:
    values = (
        nested(record, "journalInfo", "journal", "title"),
        record.get("journalTitle"),
        record.get("journalAbbreviation"),
        nested(record, "bookOrReportDetails", "publisher"),
    )
    return filter(None, map(text_of, values))


def _people(record: Record) -> Iterator[str]:
    """Yield names as they are spoken: a list of them is told in parts, a text as "Smith J, ..."."""
    people = nested(record, "authorList", "author")
    if isinstance(people, list) and people:
        yield from (_person(person) for person in people if isinstance(person, dict))
        return
    text = text_of(record.get("authorString"))
    yield from (_spoken(name) for name in (text or "").rstrip(".").split(", "))


def _person(person: Record) -> str:
    given = text_of(person.get("firstName")) or text_of(person.get("initials"))
    parts = " ".join(filter(None, (given, text_of(person.get("lastName")))))
    whole = text_of(person.get("fullName")) or text_of(person.get("collectiveName"))
    return parts or _spoken(whole or "")


def _spoken(name: str) -> str:
    """Put the initials that stand behind a name before it."""
    family, _, initials = name.rpartition(" ")
    behind = initials.isalpha() and initials.isupper() and len(initials) <= _INITIALS
    return f"{initials} {family}" if family and behind else name
