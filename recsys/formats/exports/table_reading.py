"""Read tables of works by their header: CSV and its relatives with ",", ";" or tabs."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from recsys.formats import identifiers
from recsys.formats.exports import csv_rows
from recsys.formats.exports.csv_rows import split_line
from recsys.formats.exports.export_facts import first_page
from recsys.formats.exports.table_cells import (
    cited_in,
    kind_in,
    name_in,
    people_written,
    phrases_in,
    place_in,
    pmid_in,
    source_in,
    unglued,
    work_id_in,
)
from recsys.formats.exports.table_columns import (
    OWN,
    SCHEMES,
    SPRINGER,
    Header,
    check_fields,
    header_key,
    heads_works,
    required_header,
    understood,
)
from recsys.formats.references.bibliography import (
    Problem,
    address_in,
    identified,
    in_two_ways,
    names_in,
    text_in,
    year_in,
)
from recsys.formats.references.people import people_in
from recsys.records import Reference

_DELIMITERS = ",;\t"
_MOST_OPENING = 30
"""Lines in which a header is looked for: some programs say first what was searched."""
_BEFORE_HEADER = 8
"""Lines that may stand before a header where a format is recognised."""
_LONGEST_HEADER = 50_000
_FIRST_FIELD = "title"
"""What begins a record where each line has one field, as Embase exports them, too."""
_MOST_FIELDS = 300
_OTHERS = ("{", "[", "<", "@", "%", "\\")
"""Beginnings of JSON, XML, BibTeX, EndNote, LaTeX."""
# Spreadsheets take these at the start of a cell for a formula; an apostrophe keeps them text.
_FORMULA = re.compile("'+[=+\\-@\uff1d\uff0b\uff0d\uff20]")
_NOTHING = frozenset({"", "null", "NULL", "NaN", "nan", "None", "N/A", "#N/A", "NA"})
_ENCLOSED = re.compile(r'"((?:[^"]|"")*)"')
_HINT = re.compile(r"(?i)10\.|arxiv|acl|\d{4}\.\d{4}|[a-z]\d\d-\d{4}")
_DOI_WITHIN = re.compile(r"(?i)[?&]doi=([^&]+)")
_MOST_PHRASES = 200
READ_IN_PART = "rows longer than their header, without what may be shifted"
"""The reason of a problem with a row of which is read what stands in its column for sure."""
REFUSED = "row longer than its header"
_LONGEST_DATE = 40
_UNDATED = re.compile(
    r"(?i)in press|n\.? ?d\.?$|forthcoming|to appear|accepted|submitted|online|0$"
)
_SPACE = re.compile(r"\S\s+\S")
# Columns that tell whether it is they.
_TOLD: Mapping[str, Callable[[str], object]] = {
    "year": lambda cell: len(cell) < _LONGEST_DATE and (year_in(cell) or _UNDATED.match(cell)),
    "doi": lambda cell: not _SPACE.search(cell) and identifiers.doi(cell),
    "pmid": pmid_in,
    "url": address_in,
    "eid": re.compile(r"2-s2\.0-\d+").fullmatch,
    "wos": re.compile(r"[A-Z]{3,8}:\S*\d{5}\S*").fullmatch,
    "pmc": re.compile(r"(?:PMC)?\d+").fullmatch,
    "lens": re.compile(r"(?:\d{3}-){4}\d\d[\dXx]").fullmatch,
}
_UNMISTAKABLE = ("doi", "eid", "wos")
"""What stands in no other column, if the table has one for it."""


def read(
    lines: Iterator[str],
    columns: Mapping[str, str] | None = None,
    unread: Counter[str] | None = None,
) -> Iterator[Reference | Problem]:
    """Read a table; see `table_columns` for the programs and headers that are known.

    columns: of some fields of COLUMN_FIELDS, the header of their column. unread: counts the works
    of which a column that is not known says something.

    Raises:
        InputError: there is no such field or, when the first work is asked for, no such column, or
            none of titles.
    """
    check_fields(columns or {})
    return _works(lines, columns or {}, Counter() if unread is None else unread)


def looks_so(head: str) -> bool:
    """Whether the first lines of a text head a table of works."""
    if head.lstrip("\ufeff \t\n").startswith(_OTHERS):
        return False
    opening = head.lstrip("\ufeff").split("\n", _BEFORE_HEADER)[:_BEFORE_HEADER]
    return any(
        _heads_some(line) or _is_vertical(opening, place) for place, line in enumerate(opening)
    )


def _works(
    lines: Iterator[str], columns: Mapping[str, str], unread: Counter[str]
) -> Iterator[Reference | Problem]:
    opening: list[str] = []
    for line in islice(lines, _MOST_OPENING):
        opening.append(line if opening else line.lstrip("\ufeff"))
        if sum(map(len, opening)) > csv_rows.LONGEST_ROW:
            break
    vertical = (place for place in range(len(opening)) if _is_vertical(opening, place))
    place = None if columns else next(vertical, None)
    if place is not None:
        yield from _vertical_works(chain(opening[place:], lines), place, unread)
        return
    place = _header_place(opening, columns)
    if place is None:
        return
    line = opening[place]
    delimiter = _told_delimiter(opening[0]) or _delimiter(line, columns.values())
    header = required_header(split_line(line[:_LONGEST_HEADER], delimiter), columns)
    quoted = header.quoted or delimiter != "\t"
    rows = csv_rows.rows(chain(opening[place:], lines), delimiter, quoted=quoted, before=place)
    head: list[str] | None = None
    for row in rows:
        if isinstance(row, Problem):
            yield row
        elif head is None or row.cells == head:
            head = row.cells  # Tables that were joined repeat it.
        elif any(cell.strip() for cell in row.cells):
            cells: Sequence[str] | None = row.cells
            if len(row.cells) > len(head):
                cells = _under(header, row.cells, len(head), delimiter)
            if cells is not row.cells:
                text = f"line {row.line}: {len(row.cells)} cells below {len(head)} headers."
                yield Problem(
                    text, REFUSED if cells is None else READ_IN_PART, row.line, cells is not None
                )
            if cells is not None:
                unread.update(_unread(cells, head, header))
                yield from _work(cells, header, row.line)


def _under(
    header: Header, cells: Sequence[str], width: int, delimiter: str
) -> Sequence[str] | None:
    """Put a row that has more cells under its header; None where that would be a guess.

    A cell was split, or some stand behind the last column. Columns such as years and DOIs tell
    where that can have been; what may be in another column then is left out.
    """
    ends = max((at for at, cell in enumerate(cells, 1) if cell.strip()), default=0)
    if ends <= width and _fits(header, cells, width, 0) is not False:
        return cells  # A separator at the end of each line, as some programs write it.
    for row in (cells[: max(ends, width)], cells):
        more = len(row) - width
        splits = [at for at in range(width + 1) if _fits(header, row, at, more)]
        if not splits:
            continue
        first, last = splits[0], splits[-1]
        if first == width:
            return row[:width]
        if first == last:
            joined = delimiter.join(row[first : first + more + 1]).strip(f"{delimiter} ")
            return [*row[:first], joined, *row[first + more + 1 :]]
        if {*range(first, last + 1)}.isdisjoint(header.columns.get("title", ())):
            unsure = [""] * (min(last + 1, width) - first)
            return [*row[:first], *unsure, *row[last + more + 1 :]]
    return None


def _fits(header: Header, row: Sequence[str], split: int, more: int) -> bool | None:
    """Tell whether columns hold what they should, if one was split; None: that tells nothing.

    A DOI, for one, stands in a column of DOIs, and there stands nothing else.
    """
    field_of = {place: field for field in _TOLD for place in header.columns.get(field, ())}
    pinned = False
    for at, text in enumerate(row):
        place = at if at < split else max(split, at - more)
        cell, field = _said(text, header.quoted), field_of.get(place)
        if field and cell and (place == split or not _TOLD[field](cell)):
            return False
        for name in _UNMISTAKABLE:
            if name in field_of.values() and field not in (name, "url") and _TOLD[name](cell):
                return False
        pinned = pinned or bool(field and cell)
    return pinned or None


def _unread(cells: Sequence[str], names: Sequence[str], header: Header) -> list[str]:
    """List the columns that are not known and of which a row has something."""
    known = set(chain.from_iterable(header.columns.values()))
    return [
        name.strip()
        for place, (name, cell) in enumerate(zip(names, cells, strict=False))
        if place not in known and name.strip() and _said(cell, header.quoted)
    ]


def _vertical_works(
    lines: Iterator[str], before: int, unread: Counter[str]
) -> Iterator[Reference | Problem]:
    """Read records of which each line has one field: its name, then its values."""
    record: dict[str, str] = {}
    for row in csv_rows.rows(lines, ",", before=before):
        if isinstance(row, Problem):
            yield row
            continue
        name, *values = row.cells
        if header_key(name) == _FIRST_FIELD and record:
            yield from _vertical_work(record, unread, row.line)
            record = {}
        if name.strip() and len(record) < _MOST_FIELDS:
            record.setdefault(name, "; ".join(filter(None, values)))
    if record:
        yield from _vertical_work(record, unread)


def _vertical_work(
    record: Mapping[str, str], unread: Counter[str], line: int = 0
) -> Iterator[Reference | Problem]:
    names, cells = list(record), list(record.values())
    header = understood(names)
    unread.update(_unread(cells, names, header))
    yield from _work(cells, header, line)


def _is_vertical(opening: Sequence[str], place: int) -> bool:
    """Whether a record begins here of which each line has one field."""
    if not opening[place][:20].lstrip(' "').startswith(("TITLE", "Title")):
        return False
    fields = [split_line(line[:_LONGEST_HEADER], ",")[:1] for line in opening[place : place + 3]]
    names = [header_key(cell) for cells in fields for cell in cells]
    named = names[:1] == [_FIRST_FIELD] and "authornames" in names
    return named and not _heads_some(opening[place])


def _header_place(opening: Sequence[str], columns: Mapping[str, str]) -> int | None:
    """Return the place of the line that heads columns, else of the first that says something."""
    wanted = set(map(header_key, columns.values()))

    def heads(line: str) -> bool:
        if not columns:
            return _heads_some(line)
        return wanted <= set(map(header_key, split_line(line, _delimiter(line, columns.values()))))

    said = [
        place
        for place, line in enumerate(opening)
        if line.strip("\ufeff \t\r\n,;") and not _told_delimiter(line)
    ]
    return next(chain((place for place in said if heads(opening[place])), said), None)


def _heads_some(line: str) -> bool:
    return len(line) <= _LONGEST_HEADER and heads_works(split_line(line, _delimiter(line)))


def _told_delimiter(line: str) -> str | None:
    """Return the delimiter that Excel tells in a first line, as in `sep=;`."""
    told = line.strip('\ufeff "\r\n')
    return told[4:] if told[:4].lower() == "sep=" and len(told) == 5 else None


def _delimiter(line: str, names: Iterable[str] = ()) -> str:
    """Return what separates the cells of a header, so that most are known or among names."""
    named = frozenset(map(header_key, names))

    def known(delimiter: str) -> tuple[int, int]:
        cells = split_line(line[:_LONGEST_HEADER], delimiter)
        count = len(named & set(map(header_key, cells)))
        return count + len(understood(cells).columns), line.count(delimiter)

    return max(_DELIMITERS, key=known)


def _work(cells: Sequence[str], header: Header, line: int) -> Iterator[Reference | Problem]:
    """Yield the work that the cells of a row describe, and what of it is not certain."""
    facts: dict[str, list[str]] = defaultdict(list)
    for field, places in header.columns.items():
        said = (_said(cells[place], header.quoted) for place in places if place < len(cells))
        facts[field] = list(filter(None, said))

    def first(field: str) -> str:
        return next(iter(facts[field]), "")

    own = header.program == OWN
    urls = facts["url"]
    if not own:
        urls = [cell.replace("|", " ").split()[0].rstrip(";") for cell in urls]
    url = next(filter(None, map(address_in, urls)), None)
    volume, page = place_in(first("citation"))
    source = source_in(first("source"))
    cited_ids, cites = cited_in(first("references"))
    names = (name_in(scheme, first(scheme)) for scheme in SCHEMES if first(scheme))
    labels = {
        "type": text_in(first("type")),
        "fields": _phrases(facts["fields"]),
        "keywords_plus": [phrase.lower() for phrase in _phrases(facts["keywords_plus"])],
    }
    # A DOI within the address of something else ends before its "&".
    within = _DOI_WITHIN.search(url or "")
    eprint = first("arxiv")
    eprint = f"arXiv:{eprint}" if eprint[:4].isdigit() else eprint
    texts = (*facts["doi"], eprint, within[1] if within else url or "")
    named = identified(Reference(), *filter(_HINT.search, texts))
    if own:
        authors = people_written(first("authors"))
    else:
        cell = first("authors")
        people = people_in(unglued(cell) if header.program == SPRINGER else cell)
        authors = names_in(people.spoken)
        if people.unsure or people.mixed:
            yield in_two_ways(authors, f"line {line}", line)
    yield Reference(
        key=text_in(first("key")) or "",
        title=text_in(first("title")),
        authors=authors,
        year=next(filter(None, map(year_in, (*facts["year"], source.year))), None),
        venue=text_in(first("venue") or source.venue),
        abstract=text_in(first("abstract")),
        id=text_in(work_id_in(first("id"))),
        doi=named.doi,
        arxiv=named.arxiv,
        acl=named.acl,
        url=url,
        kind=next(filter(None, map(kind_in, facts["type"])), None),
        pmid=pmid_in(first("pmid")),
        ids=tuple(filter(None, names)),
        volume=text_in(first("volume")) or volume or source.volume,
        page=next(filter(None, map(first_page, facts["page"])), None) or page or source.page,
        keyphrases=tuple(_phrases(facts["keyphrases"])),
        labels={name: label for name, label in labels.items() if label},
        cited_ids=cited_ids,
        cites=cites,
    )


def _said(cell: str, quoted: bool) -> str:
    """Return what a cell says, "" for nothing."""
    said = cell.strip()
    if not quoted and said[:1] == '"' and (match := _ENCLOSED.fullmatch(said)):
        said = match[1].replace('""', '"').strip()
    if said[:1] == "'" and _FORMULA.match(said):
        said = said[1:]
    return "" if said in _NOTHING else said


def _phrases(cells: Iterable[str]) -> list[str]:
    """Return the phrases of several cells, each once whatever its capitals."""
    phrases: dict[str, str] = {}
    for cell in cells:
        for phrase in phrases_in(cell)[:_MOST_PHRASES]:
            phrases.setdefault(phrase.casefold(), phrase)
    return list(filter(None, map(text_in, phrases.values())))
