"""Read an item as Zotero's API and Better BibTeX's JSON have it."""

from collections.abc import Mapping
from typing import Any

from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import FieldError, first_page, labelled, volume_of
from recsys.formats.references.bibliography import (
    address_in,
    identified,
    names_in,
    text_in,
    year_in,
)
from recsys.formats.references.csl import numbers_of_pubmed
from recsys.formats.references.people import natural
from recsys.records import Reference

NOT_WORKS = frozenset({"annotation", "attachment", "note"})
"""Types of items that belong to a work and are none."""
_KINDS: Mapping[str, str] = {
    "audioRecording": "song",
    "blogPost": "post-weblog",
    "book": "book",
    "bookSection": "chapter",
    "computerProgram": "software",
    "conferencePaper": "paper-conference",
    "dataset": "dataset",
    "encyclopediaArticle": "entry-encyclopedia",
    "journalArticle": "article-journal",
    "magazineArticle": "article-magazine",
    "manuscript": "manuscript",
    "newspaperArticle": "article-newspaper",
    "patent": "patent",
    "preprint": "article",
    "report": "report",
    "thesis": "thesis",
    "webpage": "webpage",
}
_VENUES = (
    "publicationTitle",
    "proceedingsTitle",
    "bookTitle",
    "conferenceName",
    "encyclopediaTitle",
    "websiteTitle",
    "repository",
)


def reference_of(item: Mapping[str, Any]) -> Reference:
    """Read one item; fields of a wrong type are unknown.

    Raises:
        FieldError: it belongs to a work and is none.
    """
    if str(item.get("itemType")) in NOT_WORKS:
        raise FieldError("a note or an attachment")
    creators = item.get("creators")
    people = creators if isinstance(creators, list) else []
    key = next(filter(None, (text_in(item.get(key)) for key in ("citationKey", "citekey"))), None)
    own_key = text_in(item.get("key"))
    kind = _KINDS.get(str(item.get("itemType")), "document")
    reference = Reference(
        key=key or _extra(item, "citation key") or own_key or "",
        title=text_in(item.get("title")),
        authors=tuple(map(natural, names_in(map(_author, people)))),
        year=year_in(item.get("date")),
        venue=next(filter(None, (text_in(item.get(venue)) for venue in _VENUES)), None),
        abstract=text_in(item.get("abstractNote")),
        url=address_in(item.get("url")),
        kind=kind,
        volume=volume_of(item.get("volume")),
        page=first_page(item.get("pages")) or first_page(item.get("articleNumber")),
        keyphrases=_tags(item.get("tags")),
        labels=labelled(type=kind),
        ids=(f"zotero:{own_key}",) if own_key and " " not in own_key else (),
    )
    places = ("DOI", "archiveID", "extra", "number", "publicationTitle")
    found = identified(reference, *(text_in(item.get(place)) for place in places))
    numbers = (("pmid", item.get("PMID")), ("pmc", item.get("PMCID")))
    return named(found, (*numbers, *numbers_of_pubmed(text_in(item.get("extra")) or "")))


def _tags(tags: object) -> tuple[str, ...]:
    items = tags if isinstance(tags, list) else []
    return names_in(text_in(tag.get("tag") if isinstance(tag, dict) else tag) for tag in items)


def _author(creator: object) -> str | None:
    if not isinstance(creator, dict) or creator.get("creatorType", "author") != "author":
        return None
    parts = (text_in(creator.get(part)) for part in ("firstName", "lastName"))
    return text_in(creator.get("name")) or " ".join(filter(None, parts))


def _extra(item: Mapping[str, Any], label: str) -> str | None:
    """Return what a line "Label: value" of the field Extra says."""
    extra = item.get("extra")
    lines = extra.split("\n") if isinstance(extra, str) else []
    pairs = (line.partition(":") for line in lines)
    return next((text_in(value) for name, _, value in pairs if name.strip().lower() == label), None)
