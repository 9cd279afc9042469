"""Write papers as RIS, and read it: one tagged line per fact."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from recsys.formats.references.bibliography import (
    Problem,
    address_in,
    bibliography,
    identified,
    names_in,
    text_in,
    year_in,
)
from recsys.formats.references.people import name_of, natural
from recsys.formats.references.shown_facts import (
    JOURNAL,
    MEETING,
    OTHER,
    bare_doi,
    citation_keys,
    kind_of,
    names_of,
    one_line,
    web_address,
)
from recsys.records import Bibliography, Paper, Reference

_TYPES = {JOURNAL: "JOUR", MEETING: "CONF", OTHER: "GEN"}
_KINDS: Mapping[str, str] = {
    "BLOG": "post-weblog",
    "BOOK": "book",
    "CHAP": "chapter",
    "COMP": "software",
    "CONF": "paper-conference",
    "CPAPER": "paper-conference",
    "DATA": "dataset",
    "EBOOK": "book",
    "ECHAP": "chapter",
    "EDBOOK": "book",
    "EJOUR": "article-journal",
    "ELEC": "webpage",
    "INPR": "article-journal",
    "JOUR": "article-journal",
    "MGZN": "article-magazine",
    "NEWS": "article-newspaper",
    "PAT": "patent",
    "PREPRINT": "article",
    "RPRT": "report",
    "THES": "thesis",
    "UNPB": "manuscript",
}
_TAG = re.compile(r"[ \t]{0,8}([A-Z][A-Z0-9]) {1,2}-(?: |$)")
# As rispy calls them.
_TITLES = ("title", "primary_title")
_VENUES = (
    "alternate_title3",
    "journal_name",
    "secondary_title",
    "alternate_title2",
    "alternate_title1",
    "custom3",
)


def write(papers: Sequence[Paper]) -> str:
    """Write one record per paper, in order, as reference managers import it."""
    keys = citation_keys(papers)
    records = (_record(key, paper) for key, paper in zip(keys, papers, strict=True))
    return "\n".join("".join(f"{tag}  - {value}\n" for tag, value in lines) for lines in records)


def read(text: str, name: str) -> Bibliography:
    """Read RIS; records that never end are read and reported with their line."""
    import rispy

    unfolded = list(_unfolded(text))
    lines = "\n".join(line for line in unfolded if isinstance(line, str))
    records = rispy.loads(lines, delimiter_tags_mapping={}, enforce_list_tags=False)
    problems = (problem for problem in unfolded if isinstance(problem, Problem))
    return bibliography(chain(map(_reference, records), problems), name)


def _record(key: str, paper: Paper) -> Iterator[tuple[str, str]]:
    yield "TY", _TYPES[kind_of(paper)]
    yield "ID", key
    facts = {
        "TI": one_line(paper.title),
        "T2": one_line(paper.venue or ""),
        "PY": "" if paper.year is None else str(paper.year),
        "DO": bare_doi(paper) or "",
        "UR": web_address(paper) or "",
        "AB": one_line(paper.abstract or ""),
    }
    for name in names_of(paper):
        yield "AU", name_of(name).inverted
    yield from ((tag, value) for tag, value in facts.items() if value)
    yield "ER", ""


def _unfolded(text: str) -> Iterator[str | Problem]:
    """Yield each fact on one line and each record with its end, and what is wrong.

    A line without a tag continues the fact before it; joining them one by one, as rispy does, takes
    quadratic time.
    """
    began, fact = 0, []
    for number, line in enumerate(text.split("\n"), start=1):
        match = _TAG.match(line)
        if match is None:
            fact += [line] * bool(began)
            continue
        if began:
            yield _joined(fact)
        tag, fact = match[1], [f"{match[1]}  - {line[match.end() :]}"]
        if tag == "TY" and began:
            yield Problem(f"line {began}: the record has no end (ER).")
            yield "ER  - "
        if tag in ("TY", "ER"):
            began = number if tag == "TY" else 0
        if tag == "ER":
            yield "ER  - "
    if began:
        yield Problem(f"line {began}: the record has no end (ER).")
        yield _joined(fact)
        yield "ER  - "


def _joined(lines: list[str]) -> str:
    return " ".join(map(str.strip, lines))


def _reference(record: Mapping[str, Any]) -> Reference:
    reference = Reference(
        key=text_in(_first(record, "id")) or "",
        title=text_in(_first(record, *_TITLES)),
        authors=tuple(map(natural, names_in(_all(record, "authors", "first_authors")))),
        year=year_in(_first(record, "year")) or year_in(_first(record, "publication_year", "date")),
        venue=text_in(_first(record, *_VENUES)) or text_in(_unmapped(record, "BT")),
        abstract=text_in(_first(record, "abstract", "notes_abstract")),
        url=next(filter(None, map(address_in, _all(record, "urls"))), None),
        kind=_KINDS.get(str(record.get("type_of_reference")), "document"),
    )
    places = ("doi", "urls", "notes", "note", "custom7", "accession_number")
    return identified(reference, *(text for place in places for text in _all(record, place)))


def _all(record: Mapping[str, Any], *names: str) -> list[str]:
    values = (record.get(name, ()) for name in names)
    return [text for value in values for text in ([value] if isinstance(value, str) else value)]


def _first(record: Mapping[str, Any], *names: str) -> str | None:
    return next(filter(None, _all(record, *names)), None)


def _unmapped(record: Mapping[str, Any], tag: str) -> str | None:
    return next(iter(record.get("unknown_tag", {}).get(tag, ())), None)
