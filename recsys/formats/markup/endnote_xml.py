"""Read the XML that EndNote exports, and that other reference managers write for it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO
from xml.etree.ElementTree import Element

from recsys.formats.exports import export_facts
from recsys.formats.markup.element_text import first_page, text_at, text_of, texts_of
from recsys.formats.markup.xml_stream import Layout, first_names, works
from recsys.formats.papers.paper_fields import labelled
from recsys.formats.references.bibliography import (
    Problem,
    address_in,
    identified,
    names_in,
    year_in,
)
from recsys.formats.references.people import natural
from recsys.records import Reference

_LAYOUT = Layout(frozenset({"record"}))
_KINDS: Mapping[str, str] = {
    "aggregated database": "dataset",
    "blog": "post-weblog",
    "book": "book",
    "book section": "chapter",
    "computer program": "software",
    "conference paper": "paper-conference",
    "conference proceedings": "paper-conference",
    "dataset": "dataset",
    "dictionary": "entry-dictionary",
    "edited book": "book",
    "electronic article": "article-journal",
    "electronic book": "book",
    "electronic book section": "chapter",
    "encyclopedia": "entry-encyclopedia",
    "journal article": "article-journal",
    "magazine article": "article-magazine",
    "manuscript": "manuscript",
    "newspaper article": "article-newspaper",
    "patent": "patent",
    "report": "report",
    "thesis": "thesis",
    "unpublished work": "manuscript",
    "web page": "webpage",
}
_VENUES = (
    "periodical/full-title",
    "titles/secondary-title",
    "alt-periodical/full-title",
    "titles/alt-title",
    "periodical/abbr-1",
)
_WOS = re.compile(r"(?:WOS|ISI):\s?(\w{9,20})", re.IGNORECASE)
_EID = re.compile(r"2-s2\.0-\d{6,12}")
_PMID = re.compile(r"(?:pmid:?\s*)?([1-9]\d{0,8})", re.IGNORECASE)
_PMC = re.compile(r"PMC\d{1,9}", re.IGNORECASE)
_MEDICAL = re.compile(r"medline|pubmed|nlm", re.IGNORECASE)


def looks_so(head: str) -> bool:
    """Whether a file begins as such an export does."""
    return first_names(head, 2) == ["xml", "records"]


def read(stream: BinaryIO) -> Iterator[Reference | Problem]:
    """Read the records of an export."""
    return works(stream, _LAYOUT, _reference)


def _reference(record: Element) -> Reference:
    kind = record.find("ref-type")
    name = "" if kind is None else kind.get("name", "")
    addresses = texts_of(list(record.iterfind("urls//url")))
    accession = text_at(record, "accession-num") or ""
    ids = tuple(_ids(record, accession))
    words = texts_of(list(record.iterfind("keywords/keyword")))
    keyphrases, made = export_facts.parted_phrases(words, ids)
    reference = Reference(
        key=text_at(record, "label", "rec-number") or "",
        title=text_at(record, "titles/title", "titles/translated-title"),
        authors=tuple(map(natural, names_in(_names(record)))),
        year=year_in(text_at(record, "dates/year")) or year_in(text_at(record, "dates/pub-dates")),
        venue=text_at(record, *_VENUES),
        abstract=text_at(record, "abstract"),
        url=next(filter(None, map(address_in, addresses)), None),
        kind=_KINDS.get(name.lower(), "document"),
        pmid=_pmid(record, accession) or next(_told_by(addresses), None),
        ids=ids,
        volume=text_at(record, "volume"),
        page=first_page(text_at(record, "pages")),
        keyphrases=keyphrases,
        labels=labelled(type=name, keywords_plus=made),
    )
    return identified(reference, text_at(record, "electronic-resource-num"), *addresses)


def _names(record: Element) -> Iterator[str | None]:
    return map(text_of, record.iterfind("contributors/authors/author"))


def _pmid(record: Element, accession: str) -> str | None:
    """Return the PubMed id: the accession number, where it is told whose, or what is so called."""
    match = _PMID.fullmatch(accession)
    database = text_at(record, "remote-database-name", "remote-database-provider") or ""
    return match[1] if match and (_MEDICAL.search(database) or accession != match[1]) else None


def _told_by(addresses: Iterable[str]) -> Iterator[str]:
    """Yield the PubMed ids in the addresses of its records."""
    yield from (pmid for address in addresses if (pmid := export_facts.accession(address)[0]))


def _ids(record: Element, accession: str) -> Iterator[str]:
    if match := _WOS.search(accession):
        yield f"wos:{match[1]}"
    if match := _EID.search(accession):
        yield f"eid:{match[0]}"
    if match := _PMC.fullmatch(text_at(record, "custom2") or ""):
        yield f"pmc:{match[0].upper()}"
