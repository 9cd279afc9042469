"""Read the TEI that GROBID answers with: what a paper is, and what it cites.

As https://grobid.readthedocs.io/en/latest/TEI-encoding-of-results/ describes it.
"""

import io
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from recsys.errors import DraftError
from recsys.formats.identifiers import arxiv, doi
from recsys.formats.markup.xml_stream import Layout, Record, first_page, records, text_of
from recsys.keyphrases import cleaned
from recsys.records import Manuscript, Reference

MOST_REFERENCES = 5_000
_LAYOUT = Layout(records=frozenset({"TEI"}), passed_over=frozenset({"body", "facsimile"}))
_TERMS = "teiHeader/profileDesc/textClass/keywords//term"
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")


def read_tei(raw: bytes, name: str) -> Manuscript:
    """Read a document of TEI as a draft; `name` is what errors call it.

    Raises:
        DraftError: it is no TEI, or says nothing.
    """
    found = next(iter(records(io.BytesIO(raw), _LAYOUT)), None)
    if not isinstance(found, Record):
        why = "it holds no TEI." if found is None else found.text
        raise DraftError(
            f"What GROBID answered for {name} cannot be read: {why}", "Leave --grobid out."
        )
    whole = found.element
    source = whole.find("teiHeader/fileDesc/sourceDesc/biblStruct")
    listed = whole.iterfind(".//listBibl/biblStruct")
    works = dict.fromkeys(work for each in listed if _says_enough(work := _work(each)))
    return Manuscript(
        title=_title(whole.find("teiHeader/fileDesc/titleStmt")) or "",
        abstract=text_of(whole.find("teiHeader/profileDesc/abstract")) or None,
        authors=() if source is None else tuple(_people(source.find("analytic"))),
        references=tuple(works)[:MOST_REFERENCES],
        doi=None if source is None else doi(_named(source, "DOI")),
        notes=(f"GROBID read {name}.",),
        keyphrases=cleaned(text_of(each) or "" for each in whole.iterfind(_TERMS)),
    )


def _work(struct: Element) -> Reference:
    """Read one work of the list; what has no part of its own is a book."""
    part, whole = struct.find("analytic"), struct.find("monogr")
    venue = None if whole is None or part is None else _title(whole)
    imprint = struct.find("monogr/imprint")
    date = None if imprint is None else imprint.find("date")
    dated = _YEAR.search("" if date is None else date.get("when") or text_of(date) or "")
    names = tuple(_people(part)) or tuple(_people(whole))
    return Reference(
        key=next((value for key, value in struct.attrib.items() if key.endswith("id")), ""),
        title=_title(part) or (None if venue else _title(whole)),
        authors=names,
        year=int(dated[0]) if dated else None,
        venue=venue,
        doi=doi(_named(struct, "DOI")),
        arxiv=arxiv(_named(struct, "arXiv")),
        volume=_scope(imprint, "volume"),
        page=first_page(_scope(imprint, "page")),
    )


def _title(parent: Element | None) -> str | None:
    """Return the main title below an element, else the first."""
    titles = [] if parent is None else parent.findall("title")
    main = [each for each in titles if each.get("type") == "main"]
    return next(filter(None, map(text_of, [*main, *titles])), None)


def _people(parent: Element | None) -> Iterator[str]:
    for person in [] if parent is None else parent.iterfind("author/persName"):
        parts = [
            text_of(each) for each in (*person.findall("forename"), *person.findall("surname"))
        ]
        if name := " ".join(filter(None, parts)):
            yield name


def _named(struct: Element, kind: str) -> str | None:
    found = (each for each in struct.iter("idno") if (each.get("type") or "") == kind)
    return next(filter(None, map(text_of, found)), None)


def _scope(imprint: Element | None, unit: str) -> str | None:
    for each in [] if imprint is None else imprint.findall("biblScope"):
        if each.get("unit") == unit:
            return each.get("from") or text_of(each)
    return None


def _says_enough(work: Reference) -> bool:
    return bool(work.title or work.doi or work.arxiv)
