"""Read what the Web of Science exports as plain text: full records, cited references too."""

import re
from collections.abc import Iterator, Mapping

from recsys.formats.exports.export_facts import accession, first_page, phrases
from recsys.formats.exports.tagged_lines import Layout, TaggedRecord, references
from recsys.formats.exports.wos_citations import cited_in, cited_of
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
    # A file that others were appended to has the next one's mark of UTF-8 after EF.
    tag=re.compile(r"\ufeff?([A-Z][A-Z0-9])(?:[ \t\r]|$|(?<=EF)(?=\ufeff|FN))"),
    first="PT",
    last=("ER", "EF"),
    outside=("FN", "VR"),
)
_HEAD = re.compile(
    r"\s*\ufeff?(?:FN [^\n]{0,200}\n\s{0,9}VR [^\n]{0,20}(?:\n|$)"
    r"|PT [A-Z][ \t]{0,9}\n(?:[A-Z][A-Z0-9] |ER))"
)
_SEVERAL = re.compile(r"; [^,;]{1,60}, (?:[^,;]{1,20}, )?\d{4},")
_ASIDE = re.compile(r"\s*\(.{0,200}")
_KINDS: Mapping[str, str] = {
    "B": "book",
    "C": "paper-conference",
    "J": "article-journal",
    "P": "patent",
    "S": "chapter",
}
# Types of documents that tell more than the type of the publication.
_TYPES: Mapping[str, str] = {
    "book chapter": "chapter",
    "data set": "dataset",
    "dissertation/thesis": "thesis",
    "preprint": "article",
}


def looks_so(head: str) -> bool:
    """Whether a text begins as such an export does."""
    return _HEAD.match(head) is not None


def read(lines: Iterator[str]) -> Iterator[Reference | Problem]:
    """Read each record; those that never end are read and reported."""
    return references(lines, _LAYOUT, reference_of)


def reference_of(record: TaggedRecord) -> Reference:
    """Read one record."""
    number = text_in(record.text("UT")) or ""
    types = text_in(" ".join(record.lines("DT")))
    pmid, ids = _ids(number)
    reference = Reference(
        key=number,
        title=text_in(record.text("TI", "FT", "X1", "Y1")),
        authors=_authors(record),
        year=next(filter(None, map(year_in, record.texts("PY", "EY", "EA", "PD"))), None),
        venue=text_in(record.text("SO", "JI", "J9", "CT", "SE")),
        abstract=text_in(record.text("AB", "X4", "Y4")),
        url=next(filter(None, map(address_in, record.texts("DL"))), None),
        kind=_kind(text_in(record.text("PT")), types),
        pmid=_digits(record.text("PM")) or pmid,
        ids=ids,
        volume=text_in(record.text("VL")),
        page=first_page(record.text("BP", "PS", "AR")),
        keyphrases=phrases(record.texts("DE")),
        labels=labelled(
            type=types,
            fields=phrases(record.texts("WC") or record.texts("SC")),
            keywords_plus=tuple(phrase.lower() for phrase in phrases(record.texts("ID"))),
        ),
        cites=_cites(record.lines("CR")),
    )
    places = record.texts("DI", "DL", *(() if _is_part(types) else ("D2",)))
    return identified(reference, *places) if places else reference


def _authors(record: TaggedRecord) -> tuple[str, ...]:
    """Return the full names if there are such, the groups behind them."""
    people = record.lines("AF") or record.lines("AU") or record.lines("BF") or record.lines("BA")
    # Some records say "Yu, M (Yu Min)".
    plain = (_ASIDE.sub("", name) if "(" in name else name for name in _apart(people))
    groups = record.texts("CA") or ([] if people else record.texts("GP"))
    return tuple(dict.fromkeys((*map(natural, names_in(plain)), *names_in(groups))))


def _apart(people: list[str]) -> list[str]:
    """Return a name each; some exports write all into one line."""
    return [name.strip() for line in people for name in line.split(";")]


def _cites(lines: list[str]) -> tuple[Reference, ...]:
    """Read a reference per line; other programs write all into one."""
    if len(lines) == 1 and _SEVERAL.search(lines[0]):
        return cited_in(lines[0])
    return tuple(map(cited_of, lines))


def _ids(number: str) -> tuple[str | None, tuple[str, ...]]:
    """Return what an accession number tells; each database of the platform has its own scheme."""
    pmid, ids = accession(number)
    scheme, colon, value = number.partition(":")
    other = colon and value and scheme.isascii() and scheme.isalpha() and not (pmid or ids)
    return pmid, (f"{scheme.lower()}:{value}",) if other else ids


def _kind(publication: str | None, types: str | None) -> str:
    letter = (publication or "")[:1]
    told = (types or "").lower().split("; ")
    kind = next((_TYPES[each] for each in told if each in _TYPES), None)
    if kind is None and letter != "J" and "proceedings paper" in told:
        return "paper-conference"  # In a journal it is an article, too.
    return kind or _KINDS.get(letter, "document")


def _is_part(types: str | None) -> bool:
    """Whether the DOI of the book would name more than the record: a chapter, a paper."""
    return any(word in (types or "").lower() for word in ("chapter", "paper", "article"))


def _digits(text: str | None) -> str | None:
    plain = (text or "").strip()
    return plain if plain.isascii() and plain.isdecimal() else None
