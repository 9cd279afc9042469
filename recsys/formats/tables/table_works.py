"""Make a work of the cells of a row."""

import re
from collections.abc import Iterator, Mapping, Sequence

from recsys.formats.references.bibliography import address_in, identified, text_in, year_in
from recsys.formats.tables.table_cells import (
    kind_in,
    name_in,
    page_in,
    people_in,
    people_written,
    phrases_in,
    place_in,
    pmid_in,
    source_in,
)
from recsys.formats.tables.table_citations import cited_in
from recsys.formats.tables.table_columns import OWN, SCHEMES
from recsys.formats.tables.table_headers import Header
from recsys.records import Reference

# Spreadsheets take these at the start of a cell for a formula; an apostrophe keeps them text.
_FORMULA = re.compile("'+[=+\\-@\uff1d\uff0b\uff0d\uff20]")
_NOTHING = frozenset({"", "null", "NULL", "NaN", "nan", "None", "N/A", "#N/A", "NA"})
_ENCLOSED = re.compile(r'"((?:[^"]|"")*)"')
_OPENALEX = re.compile(r"(?i)https?://openalex\.org/")
_HINT = re.compile(r"(?i)10\.|arxiv|acl|\d{4}\.\d{4}|[a-z]\d\d-\d{4}")
_DOI_WITHIN = re.compile(r"(?i)[?&]doi=([^&]+)")
_MOST_PHRASES = 200

_Facts = Mapping[str, Sequence[str]]


def work_in(cells: Sequence[str], header: Header) -> Reference:
    """Return the work that the cells of a row describe."""
    facts = _facts(cells, header)
    volume, page = place_in(_first(facts, "citation"))
    source = source_in(_first(facts, "source"))
    own = header.program == OWN
    people, address = (people_written, address_in) if own else (people_in, _address)
    url = next(filter(None, map(address, facts.get("url", ()))), None)
    named = _identified(url or "", facts)
    cited = cited_in(_first(facts, "references"))
    return Reference(
        key=text_in(_first(facts, "key")) or "",
        title=text_in(_first(facts, "title")),
        authors=people(_first(facts, "authors")),
        year=next(filter(None, map(year_in, (*facts.get("year", ()), source.year))), None),
        venue=text_in(_first(facts, "venue") or source.venue),
        abstract=text_in(_first(facts, "abstract")),
        id=text_in(_OPENALEX.sub("", _first(facts, "id"))),
        doi=named.doi,
        arxiv=named.arxiv,
        acl=named.acl,
        url=url,
        kind=next(filter(None, map(kind_in, facts.get("type", ()))), None),
        pmid=pmid_in(_first(facts, "pmid")),
        ids=tuple(_names(facts)),
        volume=text_in(_first(facts, "volume")) or volume or source.volume,
        page=next(filter(None, map(page_in, facts.get("page", ()))), None) or page or source.page,
        keyphrases=_phrases(facts, "keyphrases"),
        labels=_labels(facts),
        cited_ids=cited.ids,
        cites=cited.works,
    )


def _facts(cells: Sequence[str], header: Header) -> _Facts:
    """Collect what cells say by field, leaving out those that say nothing."""
    facts: dict[str, list[str]] = {}
    for field, places in header.columns.items():
        for place in places:
            if place < len(cells) and (said := _plain(cells[place], header.quoted)):
                facts.setdefault(field, []).append(said)
    return facts


def _plain(cell: str, quoted: bool) -> str:
    said = cell.strip()
    if not quoted and said[:1] == '"' and (match := _ENCLOSED.fullmatch(said)):
        said = match[1].replace('""', '"').strip()
    if said[:1] == "'" and _FORMULA.match(said):
        said = said[1:]
    return "" if said in _NOTHING else said


def _first(facts: _Facts, field: str) -> str:
    return next(iter(facts.get(field, ())), "")


def _address(cell: str) -> str | None:
    return address_in(cell.replace("|", " ").split()[0].rstrip(";"))


def _names(facts: _Facts) -> Iterator[str]:
    for scheme in SCHEMES:
        if said := _first(facts, scheme):
            name = name_in(scheme, said)
            if name is not None:
                yield name


def _phrases(facts: _Facts, field: str) -> tuple[str, ...]:
    known: dict[str, str] = {}
    for cell in facts.get(field, ()):
        for phrase in phrases_in(cell)[:_MOST_PHRASES]:
            known.setdefault(phrase.casefold(), phrase)
    return tuple(text for phrase in known.values() if (text := text_in(phrase)))


def _labels(facts: _Facts) -> dict[str, object]:
    labels: dict[str, object] = {}
    if said := text_in(_first(facts, "type")):
        labels["type"] = said
    if fields := _phrases(facts, "fields"):
        labels["fields"] = list(fields)
    if made := _phrases(facts, "keywords_plus"):
        labels["keywords_plus"] = [phrase.lower() for phrase in made]
    return labels


def _identified(url: str, facts: _Facts) -> Reference:
    """Find the identifiers; a DOI within the address of something else ends before its "&"."""
    within = _DOI_WITHIN.search(url)
    eprint = _first(facts, "arxiv")
    eprint = f"arXiv:{eprint}" if eprint[:4].isdigit() else eprint
    places = [*facts.get("doi", ()), eprint, within[1] if within else url]
    hinting = list(filter(_HINT.search, places))
    return identified(Reference(), *hinting) if hinting else Reference()
