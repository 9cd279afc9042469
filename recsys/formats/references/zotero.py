"""Read an item as Zotero's API and Better BibTeX's JSON have it."""

from collections.abc import Mapping
from typing import Any

from recsys.formats.references.bibliography import (
    address_in,
    identified,
    names_in,
    text_in,
    year_in,
)
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
    """Read one item; fields of a wrong type are unknown."""
    creators = item.get("creators")
    people = creators if isinstance(creators, list) else []
    key = next(filter(None, (text_in(item.get(key)) for key in ("citationKey", "citekey"))), None)
    reference = Reference(
        key=key or _extra(item, "citation key") or text_in(item.get("key")) or "",
        title=text_in(item.get("title")),
        authors=tuple(map(natural, names_in(map(_author, people)))),
        year=year_in(item.get("date")),
        venue=next(filter(None, (text_in(item.get(venue)) for venue in _VENUES)), None),
        abstract=text_in(item.get("abstractNote")),
        url=address_in(item.get("url")),
        kind=_KINDS.get(str(item.get("itemType")), "document"),
    )
    places = ("DOI", "archiveID", "extra", "number", "publicationTitle")
    return identified(reference, *(text_in(item.get(place)) for place in places))


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
