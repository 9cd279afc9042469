"""Write papers as RIS, and read it: one tagged line per fact."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from recsys.formats.exports.export_facts import (
    accession,
    first_page,
    parted_phrases,
    phrases,
    volume_in,
)
from recsys.formats.exports.tagged_lines import Layout, TaggedRecord, references
from recsys.formats.papers.paper_fields import labelled
from recsys.formats.references.bibliography import (
    LONGEST_TEXT,
    Problem,
    address_in,
    identified,
    names_in,
    text_in,
    year_in,
)
from recsys.formats.references.people import name_of
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
from recsys.formats.tables import scopus_citations
from recsys.formats.tables.table_cells import in_spoken_order
from recsys.records import Paper, Reference

_TYPES = {JOURNAL: "JOUR", MEETING: "CONF", OTHER: "GEN"}
_KINDS: Mapping[str, str] = {
    "ABST": "article-journal",
    "BLOG": "post-weblog",
    "BOOK": "book",
    "CHAP": "chapter",
    "COMP": "software",
    "CONF": "paper-conference",
    "CPAPER": "paper-conference",
    "DATA": "dataset",
    "DICT": "entry-dictionary",
    "EBOOK": "book",
    "ECHAP": "chapter",
    "EDBOOK": "book",
    "EJOUR": "article-journal",
    "ELEC": "webpage",
    "ENCYC": "entry-encyclopedia",
    "INPR": "article-journal",
    "JOUR": "article-journal",
    "MANSCPT": "manuscript",
    "MGZN": "article-magazine",
    "NEWS": "article-newspaper",
    "PAT": "patent",
    "PREPRINT": "article",
    "RPRT": "report",
    "SER": "book",
    "STAND": "standard",
    "THES": "thesis",
    "UNPB": "manuscript",
    "UNPD": "manuscript",
}
_LAYOUT = Layout(
    tag=re.compile(r"[ \t]{0,8}\ufeff?([A-Z][A-Z0-9]) {1,2}-(?:[ \r]|$)"),
    first="TY",
    last=("ER",),
    strict=True,
)
_HEAD = re.compile(
    r"^[ \t]{0,8}\ufeff?TY {1,2}- [^\n]{0,200}(?:(?:\n[ \t]{0,80}){1,9}[A-Z][A-Z0-9] {1,2}-|\s*\Z)",
    re.MULTILINE,
)
_CITED = re.compile(r"(?:Cited )?References: ?")
_NAMED = re.compile(r"\b(?:PMID ?: ?\d{1,9}|PMC\d{1,10})")
_UNKNOWN = "UK"
"""Under this rispy gathers the tags that it does not know, and breaks where it finds it itself."""
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

# Where databases put PubMed's number of a paper.
_NUMBERS_OF = {
    "medline": "accession_number",
    "nlm": "accession_number",
    "pubmed": "accession_number",
    "scopus": "custom2",
}
_NUMBERED = ("accession_number", "custom2", "urls", "file_attachments2", "note")
_DATES = ("year", "publication_year", "date")
_PAGES = ("start_page", "section", "custom7")
_PLACES = ("doi", "type_of_work", "urls", "note", "custom7", "accession_number")


def write(papers: Sequence[Paper]) -> str:
    """Write one record per paper, in order, as reference managers import it."""
    keys = citation_keys(papers)
    records = (_record(key, paper) for key, paper in zip(keys, papers, strict=True))
    return "\n".join("".join(f"{tag}  - {value}\n" for tag, value in lines) for lines in records)


def looks_so(head: str) -> bool:
    """Whether a text has a line that begins a record."""
    return _HEAD.search(head) is not None


def read(lines: Iterator[str]) -> Iterator[Reference | Problem]:
    """Read each record; those that never end are read and reported with their line."""
    return references(lines, _LAYOUT, _reference_of)


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


def _reference_of(record: TaggedRecord) -> Reference:
    import rispy

    text = "\n".join(_facts(record))
    found = rispy.loads(f"{text}\nER  - ", delimiter_tags_mapping={}, enforce_list_tags=False)
    return _reference(found[0] if found else {})


def _facts(record: TaggedRecord) -> Iterator[str]:
    """Yield each fact on one line: rispy takes quadratic time to join the lines of one."""
    for tag in record.facts:
        if tag == _UNKNOWN:
            continue
        # EndNote has a keyword a line, and the tag only before the first.
        told = record.lines(tag) if tag == "KW" else record.texts(tag)
        yield from (f"{tag}  - {text}" for text in told)


def _reference(record: Mapping[str, Any]) -> Reference:
    notes = _all(record, "notes")
    pmid, ids = _numbers(record, notes)
    keyphrases, made = parted_phrases(phrases(_all(record, "keywords")), ids)
    kind = str(record.get("type_of_reference"))
    work = text_in(_first(record, "type_of_work"))
    book = text_in(_unmapped(record, "BT"))
    title = text_in(_first(record, *_TITLES) or _unmapped(record, "CT"))
    reference = Reference(
        key=text_in(_first(record, "id")) or "",
        title=title or book or text_in(_first(record, "short_title", "translated_title")),
        authors=_authors(record),
        year=next(filter(None, map(year_in, _all(record, *_DATES))), None),
        venue=text_in(_first(record, *_VENUES)) or (book if title else None),
        abstract=text_in(_first(record, "abstract", "notes_abstract")),
        url=next(filter(None, map(address_in, _all(record, "urls"))), None),
        kind=_KINDS.get(kind, "document"),
        pmid=pmid,
        ids=ids,
        volume=volume_in(_first(record, "volume")),
        page=next(filter(None, map(first_page, _all(record, *_PAGES))), None),
        keyphrases=keyphrases,
        labels=labelled(
            type=None if work is None or "10." in work else work,
            database=text_in(_first(record, "name_of_database")),
            keywords_plus=made,
        ),
        cites=tuple(cited for note in notes for cited in _cited(note)),
    )
    places = [*_all(record, *_PLACES), *_unmapped_all(record, "DI", "L3")]
    own = (note for note in notes if _CITED.match(note) is None)
    return identified(reference, *places, *own)


def _authors(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return authors; those that a program writes both as AU and as A1, once."""
    fields = (_all(record, name) for name in ("authors", "first_authors"))
    told, first = (  # "null" is The Lens'.
        names_in(name.removesuffix(", null") for name in names if name != "null")
        for names in fields
    )
    spoken = in_spoken_order((*told, *first))
    authors = spoken[: len(told)]
    return (*authors, *(name for name in spoken[len(told) :] if name not in authors))


def _numbers(record: Mapping[str, Any], notes: list[str]) -> tuple[str | None, tuple[str, ...]]:
    """Return the PubMed id and the other ids, from wherever programs put them."""
    places = _all(record, *_NUMBERED)
    told = [accession(text) for text in (*places, *_unmapped_all(record, "PM", "PMID", "U1"))]
    source = " ".join(_all(record, "name_of_database", "database_provider")).lower()
    own = (place for database, place in _NUMBERS_OF.items() if database in source)
    number = _first(record, *own) or _unmapped(record, "PM") or ""
    bare = number if number.isascii() and number.isdecimal() else None
    for note in notes:
        told += [accession(text) for text in _NAMED.findall(note[:LONGEST_TEXT])]
    pmids = (pmid for pmid, _ in told if pmid)
    return bare or next(pmids, None), tuple(dict.fromkeys(each for _, ids in told for each in ids))


def _cited(note: str) -> tuple[Reference, ...]:
    """Read the references that Scopus writes into a note."""
    match = _CITED.match(note)
    return scopus_citations.cited_in(note[match.end() :]) if match else ()


def _all(record: Mapping[str, Any], *names: str) -> list[str]:
    values = (record.get(name, ()) for name in names)
    return [text for value in values for text in ([value] if isinstance(value, str) else value)]


def _first(record: Mapping[str, Any], *names: str) -> str | None:
    return next(filter(None, _all(record, *names)), None)


def _unmapped_all(record: Mapping[str, Any], *tags: str) -> list[str]:
    unknown = record.get("unknown_tag", {})
    return [text for tag in tags for text in unknown.get(tag, ())]


def _unmapped(record: Mapping[str, Any], tag: str) -> str | None:
    return next(iter(_unmapped_all(record, tag)), None)
