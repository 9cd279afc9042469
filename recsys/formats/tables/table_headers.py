"""Understand the header of a table: which column says what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recsys.errors import InputError, near_miss
from recsys.formats.tables.table_columns import COLUMN_FIELDS, GENERIC, PROGRAMS, Program

_MOST_NAMED = 12
"""Columns that an error names."""
_IDENTIFYING = frozenset({"doi", "pmid", "arxiv"})


@dataclass(frozen=True, slots=True)
class Header:
    """A header that is understood: the program, and for each field its columns in order."""

    program: str
    columns: Mapping[str, tuple[int, ...]]
    quoted: bool = True


def header_key(name: str) -> str:
    """Return what of a header's name is compared: letters and digits in lower case."""
    return "".join(filter(str.isalnum, name.casefold()))


def _keys(names: str, separator: str) -> tuple[str, ...]:
    return tuple(map(header_key, names.split(separator)))


_KNOWN: tuple[tuple[Program, tuple[frozenset[str], ...], Mapping[str, tuple[str, ...]]], ...] = (
    tuple(
        (
            program,
            tuple(frozenset(_keys(sign, " + ")) for sign in program.signs.split(" | ")),
            {field: _keys(names, " | ") for field, names in program.columns.items()},
        )
        for program in (*PROGRAMS, GENERIC)
    )
)


def understood(cells: Sequence[str]) -> Header:
    """Tell by its header which program wrote a table, and what its columns say."""
    places: dict[str, int] = {}
    for place, cell in enumerate(cells):
        places.setdefault(header_key(cell), place)
    present = places.keys()
    fitting = (row for row in _KNOWN[:-1] if any(sign <= present for sign in row[1]))
    program, _, names = next(fitting, _KNOWN[-1])
    columns = {
        field: found
        for field, keys in names.items()
        if (found := tuple(places[key] for key in keys if key in places))
    }
    return Header(program.name, columns, program.quoted)


def heads_works(cells: Sequence[str]) -> bool:
    """Whether cells head a table of works: titles or identifiers, and something else."""
    if len(cells) < 2:
        return False
    fields = understood(cells).columns.keys()
    return len(fields) > 1 and ("title" in fields or not _IDENTIFYING.isdisjoint(fields))


def required(header: Header, cells: Sequence[str]) -> Header:
    """Return a header that has a column of titles, or has but identifiers and known columns.

    Raises:
        InputError: it has not.
    """
    known = {place for places in header.columns.values() for place in places}
    listing = all(place in known for place, cell in enumerate(cells) if cell.strip())
    if "title" in header.columns or (listing and not _IDENTIFYING.isdisjoint(header.columns)):
        return header
    raise InputError(
        f"No column of the table is known to hold titles; its columns are: {_named(cells)}.",
        "Name the columns yourself, as in `--columns title=TI,year=PY`.",
    )


def checked_fields(columns: Mapping[str, str]) -> None:
    """See that columns are named for fields that there are.

    Raises:
        InputError: they are not.
    """
    for field in columns:
        if field not in COLUMN_FIELDS:
            raise InputError(
                f"--columns cannot name {field!r}.{near_miss(field, COLUMN_FIELDS)}",
                f"It takes {', '.join(COLUMN_FIELDS)}.",
            )


def with_columns(cells: Sequence[str], columns: Mapping[str, str]) -> Header:
    """Understand a header with some columns named by its reader.

    Raises:
        InputError: the header has no such column.
    """
    header = understood(cells)
    places = {header_key(cell): place for place, cell in reversed(list(enumerate(cells)))}
    exact = {cell.strip(): place for place, cell in reversed(list(enumerate(cells)))}
    named: dict[str, tuple[int, ...]] = {}
    for field, name in columns.items():
        place = exact.get(name.strip(), places.get(header_key(name)))
        if place is None:
            raise InputError(
                f"The table has no column {name!r}.{near_miss(name, exact)}",
                f"Its columns are: {_named(cells)}.",
            )
        named[field] = (place,)
    return replace(header, columns={**header.columns, **named})


def has_columns(cells: Sequence[str], columns: Mapping[str, str]) -> bool:
    """Whether cells head all columns that are named."""
    keys = set(map(header_key, cells))
    return all(header_key(name) in keys for name in columns.values())


def _named(cells: Sequence[str]) -> str:
    names = [f"{cell.strip()[:60]!r}" for cell in cells if cell.strip()]
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
