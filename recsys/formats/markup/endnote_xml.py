"""Read the XML that EndNote exports, and that other reference managers write for it."""

import re
from xml.etree.ElementTree import Element

from recsys.formats.exports.export_facts import accession, parted_phrases
from recsys.formats.exports.tagged_formats import KINDS_OF_ENDNOTE
from recsys.formats.markup.xml_stream import (
    Layout,
    XmlFormat,
    text_at,
    text_of,
    texts_of,
)
from recsys.formats.papers.paper_fields import first_page, labelled
from recsys.formats.references.bibliography import (
    address_in,
    identified,
    names_in,
    year_in,
)
from recsys.formats.references.people import people_in
from recsys.records import Reference

_KINDS = {name.lower(): kind for name, kind in KINDS_OF_ENDNOTE.items()}
_KINDS |= {"aggregated database": "dataset", "dictionary": "entry-dictionary"}
_VENUES = (
    "periodical/full-title",
    "titles/secondary-title",
    "alt-periodical/full-title",
    "titles/alt-title",
    "periodical/abbr-1",
)
_MEDICAL = re.compile(r"medline|pubmed|nlm", re.IGNORECASE)


def reference_of(record: Element) -> Reference:
    """Read a record of an export."""
    kind = record.find("ref-type")
    name = "" if kind is None else kind.get("name", "")
    addresses = texts_of(list(record.iterfind("urls//url")))
    number = text_at(record, "accession-num") or ""
    told = [accession(text) for text in (number, text_at(record, "custom2"), *addresses)]
    ids = tuple(dict.fromkeys(name for _, names in told for name in names))
    # The accession number is the PubMed id where it is told whose it is.
    database = text_at(record, "remote-database-name", "remote-database-provider") or ""
    bare = re.fullmatch(r"[1-9]\d{0,8}", number) if _MEDICAL.search(database) else None
    words = texts_of(list(record.iterfind("keywords/keyword")))
    keyphrases, made = parted_phrases(words, ids)
    authors = filter(None, map(text_of, record.iterfind("contributors/authors/author")))
    reference = Reference(
        key=text_at(record, "label", "rec-number") or "",
        title=text_at(record, "titles/title", "titles/translated-title"),
        authors=names_in(people_in(*authors, commas="within").spoken),
        year=year_in(text_at(record, "dates/year")) or year_in(text_at(record, "dates/pub-dates")),
        venue=text_at(record, *_VENUES),
        abstract=text_at(record, "abstract"),
        url=next(filter(None, map(address_in, addresses)), None),
        kind=_KINDS.get(name.lower(), "document"),
        pmid=next(filter(None, (bare and bare[0], *(pmid for pmid, _ in told))), None),
        ids=ids,
        volume=text_at(record, "volume"),
        page=first_page(text_at(record, "pages")),
        keyphrases=keyphrases,
        labels=labelled(type=name, keywords_plus=made),
    )
    return identified(reference, text_at(record, "electronic-resource-num"), *addresses)


ENDNOTE = XmlFormat("xml/records", Layout(frozenset({"record"})), reference_of)
