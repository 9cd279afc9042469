"""Read the records of the DBLP bibliography: its dump, or what its addresses end in `.xml` give."""

import re
from xml.etree.ElementTree import Element

from recsys.formats.markup.xml_stream import (
    Layout,
    XmlFormat,
    text_at,
    text_of,
    title_of,
    unstopped,
)
from recsys.formats.papers.paper_fields import first_page, labelled
from recsys.formats.references.bibliography import (
    address_in,
    identified,
    kinds_by_word,
    names_in,
    year_in,
)
from recsys.records import Reference

_KINDS = kinds_by_word(
    """article-journal: article; book: book | proceedings; chapter: incollection; dataset: data
    paper-conference: inproceedings; thesis: mastersthesis | phdthesis"""
)
# DBLP numbers people of one name: "Wei Wang 0001".
_HOMONYM = re.compile(r" \d{4}\Z")
_NO_WORK = "..."
"""What DBLP writes for a citation that it has no record of."""


def reference_of(record: Element) -> Reference:
    """Read a publication; people's home pages are none."""
    key = record.get("key", "").strip()
    links = tuple(filter(None, map(text_of, record.iterfind("ee"))))
    volume = text_at(record, "volume")
    people = record.findall("author") or record.findall("editor")
    informal = record.get("publtype", "").startswith("informal")
    cited = ((cite.text or "").strip() for cite in record.iterfind("cite"))
    reference = Reference(
        key=key,
        title=unstopped(title_of(record.find("title"))),
        authors=tuple(_HOMONYM.sub("", name) for name in names_in(map(text_of, people))),
        year=year_in(text_at(record, "year")),
        venue=text_at(record, "journal", "booktitle", "school", "series"),
        url=next(filter(None, map(address_in, links)), None),
        kind="article" if informal else _KINDS[record.tag],
        ids=(f"dblp:{key}",) if key else (),
        volume=volume,
        page=first_page(text_at(record, "pages")),
        labels=labelled(
            type=record.tag,
            crossref=text_at(record, "crossref"),
            publtype=record.get("publtype"),
        ),
        cites=tuple(
            Reference(key=work, ids=(f"dblp:{work}",))
            for work in cited
            if work not in ("", _NO_WORK)
        ),
    )
    # The volume of a preprint is its number: "abs/2004.07180".
    return identified(reference, *links, volume if volume and "abs/" in volume else None)


DBLP = XmlFormat("dblp dblpperson", Layout(frozenset(_KINDS)), reference_of)
