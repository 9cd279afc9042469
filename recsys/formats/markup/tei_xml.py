"""Read the TEI that GROBID answers with: what a paper is, and what it cites.

As https://grobid.readthedocs.io/en/latest/TEI-encoding-of-results/ describes it.
"""

import io
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from recsys.errors import DraftError
from recsys.formats.identifiers import arxiv, doi
from recsys.formats.markup.xml_stream import Layout, Record, records, text_of
from recsys.formats.papers.paper_fields import first_page
from recsys.records import Manuscript, Reference
from recsys.store.words import cleaned_keyphrases

MOST_REFERENCES = 5_000
_LAYOUT = Layout(records=frozenset({"TEI"}), passed_over=frozenset({"body", "facsimile"}))
_TERMS = "teiHeader/profileDesc/textClass/keywords//term"
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")


def read_tei(raw: bytes, name: str) -> Manuscript:
    """Read a document of TEI as a draft; `name` is what errors call it.

    Raises:
        DraftError: it is no TEI, or says nothing.
    """
    record = next(iter(records(io.BytesIO(raw), _LAYOUT)), None)
    if not isinstance(record, Record):
        why = "it holds no TEI." if record is None else record.text
        raise DraftError(
            f"What GROBID answered for {name} cannot be read: {why}", "Leave --grobid out."
        )
    whole = record.element
    source = whole.find("teiHeader/fileDesc/sourceDesc/biblStruct")
    listed = dict.fromkeys(map(_work, whole.iterfind(".//listBibl/biblStruct")))
    works = [work for work in listed if work.title or work.doi or work.arxiv]
    return Manuscript(
        title=_title(whole.find("teiHeader/fileDesc/titleStmt")) or "",
        abstract=text_of(whole.find("teiHeader/profileDesc/abstract")) or None,
        authors=() if source is None else tuple(_people(source.find("analytic"))),
        references=tuple(works[:MOST_REFERENCES]),
        doi=None if source is None else doi(_number(source, "DOI")),
        notes=(f"GROBID read {name}.",),
        keyphrases=cleaned_keyphrases(text_of(term) or "" for term in whole.iterfind(_TERMS)),
    )


def _work(struct: Element) -> Reference:
    """Read one work of the list; what has no part of its own is a book."""
    part, whole = struct.find("analytic"), struct.find("monogr")
    venue = None if whole is None or part is None else _title(whole)
    date = struct.find("monogr/imprint/date")
    dated = _YEAR.search("" if date is None else date.get("when") or text_of(date) or "")
    places = {
        scope.get("unit"): scope.get("from") or text_of(scope)
        for scope in reversed(struct.findall("monogr/imprint/biblScope"))
    }
    return Reference(
        key=next((value for key, value in struct.attrib.items() if key.endswith("id")), ""),
        title=_title(part) or (None if venue else _title(whole)),
        authors=tuple(_people(part)) or tuple(_people(whole)),
        year=int(dated[0]) if dated else None,
        venue=venue,
        doi=doi(_number(struct, "DOI")),
        arxiv=arxiv(_number(struct, "arXiv")),
        volume=places.get("volume"),
        page=first_page(places.get("page")),
    )


def _title(parent: Element | None) -> str | None:
    """Return the main title below an element, else the first."""
    titles = [] if parent is None else parent.findall("title")
    main = [title for title in titles if title.get("type") == "main"]
    return next(filter(None, map(text_of, [*main, *titles])), None)


def _people(parent: Element | None) -> Iterator[str]:
    for person in [] if parent is None else parent.iterfind("author/persName"):
        parts = map(text_of, (*person.findall("forename"), *person.findall("surname")))
        if name := " ".join(filter(None, parts)):
            yield name


def _number(struct: Element, kind: str) -> str | None:
    numbers = (number for number in struct.iter("idno") if number.get("type", "") == kind)
    return next(filter(None, map(text_of, numbers)), None)
