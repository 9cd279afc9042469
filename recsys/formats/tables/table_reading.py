"""Read tables of works by their header: CSV and its relatives with ",", ";" or tabs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from recsys.formats.references.bibliography import Problem
from recsys.formats.tables import csv_rows
from recsys.formats.tables.table_headers import (
    Header,
    checked_fields,
    has_columns,
    header_key,
    heads_works,
    required,
    understood,
    with_columns,
)
from recsys.formats.tables.table_works import work_in
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


def read(lines: Iterator[str]) -> Iterator[Reference | Problem]:
    """Read a table; see `table_columns` for the programs and headers that are known.

    Raises:
        InputError: no header names titles; raised when the first work is asked for.
    """
    return _works(lines, {})


def read_with(lines: Iterator[str], columns: Mapping[str, str]) -> Iterator[Reference | Problem]:
    """Read a table in which some columns are named: {field of COLUMN_FIELDS: header}.

    Raises:
        InputError: there is no such field or, when the first work is asked for, no such column.
    """
    checked_fields(columns)
    return _works(lines, columns)


def looks_so(head: str) -> bool:
    """Whether the first lines of a text head a table of works."""
    if head.lstrip("\ufeff \t\n").startswith(_OTHERS):
        return False
    opening = head.lstrip("\ufeff").split("\n", _BEFORE_HEADER)[:_BEFORE_HEADER]
    return any(
        _heads_some(line) or _is_vertical(opening, place) for place, line in enumerate(opening)
    )


def _works(lines: Iterator[str], columns: Mapping[str, str]) -> Iterator[Reference | Problem]:
    opening = _opening(lines)
    place = next(
        (place for place in range(len(opening)) if not columns and _is_vertical(opening, place)),
        None,
    )
    if place is not None:
        yield from _vertical_works(chain(opening[place:], lines), place)
        return
    place = _header_place(opening, columns)
    if place is None:
        return
    line = opening[place]
    delimiter = _told_delimiter(opening) or _delimiter(line, columns.values())
    cells = _cells(line[:_LONGEST_HEADER], delimiter)
    header = required(with_columns(cells, columns) if columns else understood(cells), cells)
    quoted = header.quoted or delimiter != "\t"
    rows = csv_rows.rows(chain(opening[place:], lines), delimiter, quoted=quoted, before=place)
    yield from _row_works(rows, header)


def _opening(lines: Iterator[str]) -> list[str]:
    """Take the lines in which a header is looked for."""
    opening: list[str] = []
    size = 0
    for line in islice(lines, _MOST_OPENING):
        opening.append(line if opening else line.lstrip("\ufeff"))
        size += len(line)
        if size > csv_rows.LONGEST_ROW:
            break
    return opening


def _row_works(
    rows: Iterator[csv_rows.Row | Problem], header: Header
) -> Iterator[Reference | Problem]:
    head: list[str] | None = None
    for row in rows:
        if isinstance(row, Problem):
            yield row
        elif head is None or row.cells == head:
            head = row.cells  # Tables that were joined repeat it.
        elif any(cell.strip() for cell in row.cells):
            if any(cell.strip() for cell in row.cells[len(head) :]):
                yield Problem(
                    f"line {row.line}: {len(row.cells)} cells below {len(head)} headers.",
                    "more cells than headers",
                    row.line,
                )
            yield work_in(row.cells, header)


def _vertical_works(lines: Iterator[str], before: int) -> Iterator[Reference | Problem]:
    """Read records of which each line has one field: its name, then its values."""
    record: dict[str, str] = {}
    for row in csv_rows.rows(lines, ",", before=before):
        if isinstance(row, Problem):
            yield row
            continue
        name, *values = row.cells
        if header_key(name) == _FIRST_FIELD and record:
            yield _vertical_work(record)
            record = {}
        if name.strip() and len(record) < _MOST_FIELDS:
            record.setdefault(name, "; ".join(filter(None, values)))
    if record:
        yield _vertical_work(record)


def _vertical_work(record: Mapping[str, str]) -> Reference:
    return work_in(list(record.values()), understood(list(record)))


def _is_vertical(opening: Sequence[str], place: int) -> bool:
    """Whether a record begins here of which each line has one field."""
    if not opening[place][:20].lstrip(' "').startswith(("TITLE", "Title")):
        return False
    fields = [_cells(line[:_LONGEST_HEADER], ",")[:1] for line in opening[place : place + 3]]
    names = [header_key(cell) for cells in fields for cell in cells]
    return (
        names[:1] == [_FIRST_FIELD] and "authornames" in names and not _heads_some(opening[place])
    )


def _header_place(opening: Sequence[str], columns: Mapping[str, str]) -> int | None:
    """Return the place of the line that heads columns, else of the first that says something."""
    said = [
        place
        for place, line in enumerate(opening)
        if line.strip("\ufeff \t\r\n,;") and not _told_delimiter([line])
    ]
    for place in said:
        line = opening[place]
        if columns and has_columns(_cells(line, _delimiter(line, columns.values())), columns):
            return place
        if not columns and _heads_some(line):
            return place
    return next(iter(said), None)


def _heads_some(line: str) -> bool:
    return len(line) <= _LONGEST_HEADER and heads_works(_cells(line, _delimiter(line)))


def _told_delimiter(opening: Sequence[str]) -> str | None:
    """Return the delimiter that Excel tells in a first line, as in `sep=;`."""
    told = opening[0].strip('\ufeff "\r\n') if opening else ""
    return told[4:] if told[:4].lower() == "sep=" and len(told) == 5 else None


def _delimiter(line: str, names: Iterable[str] = ()) -> str:
    """Return what separates the cells of a header, so that most are known or among names."""
    named = frozenset(map(header_key, names))

    def known(delimiter: str) -> tuple[int, int]:
        cells = _cells(line[:_LONGEST_HEADER], delimiter)
        found = len(named & set(map(header_key, cells)))
        return found + len(understood(cells).columns), line.count(delimiter)

    return max(_DELIMITERS, key=known)


def _cells(line: str, delimiter: str) -> list[str]:
    return csv_rows.split_line(line, delimiter)
