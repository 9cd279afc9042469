"""Read the XML that EndNote exports, and that other reference managers write for it."""

import re
from xml.etree.ElementTree import Element

from recsys.formats.exports import export_facts
from recsys.formats.exports.tagged_formats import KINDS_OF_ENDNOTE
from recsys.formats.markup.xml_stream import (
    Layout,
    XmlFormat,
    first_page,
    text_at,
    text_of,
    texts_of,
)
from recsys.formats.papers.paper_fields import labelled
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
_WOS = re.compile(r"(?:WOS|ISI):\s?(\w{9,20})", re.IGNORECASE)
_EID = re.compile(r"2-s2\.0-\d{6,12}")
_PMID = re.compile(r"(?:pmid:?\s*)?([1-9]\d{0,8})", re.IGNORECASE)
_PMC = re.compile(r"PMC\d{1,9}", re.IGNORECASE)
_MEDICAL = re.compile(r"medline|pubmed|nlm", re.IGNORECASE)


def reference_of(record: Element) -> Reference:
    """Read a record of an export."""
    kind = record.find("ref-type")
    name = "" if kind is None else kind.get("name", "")
    addresses = texts_of(list(record.iterfind("urls//url")))
    accession = text_at(record, "accession-num") or ""
    wos, eid = _WOS.search(accession), _EID.search(accession)
    pmc = _PMC.fullmatch(text_at(record, "custom2") or "")
    ids = (
        *([f"wos:{wos[1]}"] if wos else []),
        *([f"eid:{eid[0]}"] if eid else []),
        *([f"pmc:{pmc[0].upper()}"] if pmc else []),
    )
    # The accession number is the PubMed id where it is told whose it is, or is so called.
    match = _PMID.fullmatch(accession)
    database = text_at(record, "remote-database-name", "remote-database-provider") or ""
    medical = match and (_MEDICAL.search(database) or accession != match[1])
    told = (export_facts.accession(address)[0] for address in addresses)
    pmid = match[1] if match and medical else next(filter(None, told), None)
    words = texts_of(list(record.iterfind("keywords/keyword")))
    keyphrases, made = export_facts.parted_phrases(words, ids)
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
        pmid=pmid,
        ids=ids,
        volume=text_at(record, "volume"),
        page=first_page(text_at(record, "pages")),
        keyphrases=keyphrases,
        labels=labelled(type=name, keywords_plus=made),
    )
    return identified(reference, text_at(record, "electronic-resource-num"), *addresses)


ENDNOTE = XmlFormat("xml/records", Layout(frozenset({"record"})), reference_of)
