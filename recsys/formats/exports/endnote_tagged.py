"""Read EndNote's tagged import format, which began as that of refer: %A author, %T title."""

import re
from collections.abc import Iterator, Mapping

from recsys.formats.exports.export_facts import accession, first_page, parted_phrases, phrases
from recsys.formats.exports.tagged_lines import Layout, TaggedRecord, references
from recsys.formats.papers.paper_fields import labelled
from recsys.formats.references.bibliography import (
    Problem,
    address_in,
    identified,
    names_in,
    text_in,
    year_in,
)
from recsys.formats.references.people import natural
from recsys.records import Reference

_LAYOUT = Layout(
    tag=re.compile(r"[ \t]{0,8}%([0-9A-Z!#$&()*+<=>?@\[\]^~])(?:[ \t\r]|$)"), first="0"
)
_HEAD = re.compile(r"\s*\ufeff?%(?:0 {1,3}[A-Z]|[A-Z] {1,3}\S[^\n]*\n\s{0,20}%[A-Z0-9@] {1,3}\S)")
_KINDS: Mapping[str, str] = {
    "Blog": "post-weblog",
    "Book": "book",
    "Book Section": "chapter",
    "Computer Program": "software",
    "Conference Paper": "paper-conference",
    "Conference Proceedings": "paper-conference",
    "Dataset": "dataset",
    "Edited Book": "book",
    "Electronic Article": "article-journal",
    "Electronic Book": "book",
    "Electronic Book Section": "chapter",
    "Encyclopedia": "entry-encyclopedia",
    "Journal Article": "article-journal",
    "Magazine Article": "article-magazine",
    "Manuscript": "manuscript",
    "Newspaper Article": "article-newspaper",
    "Patent": "patent",
    "Report": "report",
    "Thesis": "thesis",
    "Unpublished Work": "manuscript",
    "Web Page": "webpage",
}


def looks_so(head: str) -> bool:
    """Whether a text begins with such tags."""
    return _HEAD.match(head) is not None


def read(lines: Iterator[str]) -> Iterator[Reference | Problem]:
    """Read each record; empty lines part them."""
    return references(lines, _LAYOUT, reference_of)


def reference_of(record: TaggedRecord) -> Reference:
    """Read one record."""
    told = [text for text in map(text_in, record.texts("0")) if text]
    pmid, ids = accession(record.text("M"))
    keyphrases, made = parted_phrases(phrases(record.lines("K")), ids)
    reference = Reference(
        key=text_in(record.text("F")) or "",
        title=text_in(record.text("T")),
        authors=_authors(record),
        year=next(filter(None, map(year_in, record.texts("D", "8"))), None),
        venue=text_in(record.text("J", "B", "S")),
        abstract=text_in(record.text("X")),
        url=next(filter(None, map(address_in, record.lines("U"))), None),
        kind=next((_KINDS[each] for each in told if each in _KINDS), "document"),
        pmid=pmid or _pubmed(record),
        ids=ids,
        volume=text_in(record.text("V")),
        page=first_page(record.text("P")),
        keyphrases=keyphrases,
        labels=labelled(
            type=text_in(record.text("9")),
            database=text_in(record.text("~")),
            keywords_plus=made,
        ),
    )
    return identified(reference, *record.texts("R", "M", "Z"), *record.lines("U"))


def _authors(record: TaggedRecord) -> tuple[str, ...]:
    """Return one author a line, as the format has them, or several with semicolons."""
    names = (name for line in record.lines("A", "Q") for name in line.split(";"))
    return tuple(map(natural, names_in(names)))


def _pubmed(record: TaggedRecord) -> str | None:
    """Return an accession number that is one of PubMed, as its database or its provider says."""
    number = (record.text("M") or "").strip()
    source = " ".join(record.texts("~", "W")).lower()
    known = any(name in source for name in ("pubmed", "medline", "nlm"))
    return number if known and number.isascii() and number.isdecimal() else None
