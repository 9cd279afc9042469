"""Write papers as CSV for spreadsheets, and read such tables."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence

from recsys.formats.references.bibliography import (
    Problem,
    address_in,
    bibliography,
    identified,
    names_in,
    text_in,
    year_in,
)
from recsys.formats.references.people import natural
from recsys.formats.references.shown_facts import bare_doi, names_of, one_line, web_address
from recsys.records import Bibliography, Paper, Reference

_COLUMNS = ("id", "title", "authors", "year", "venue", "doi", "url")
# How other programs head the same columns.
_ALIASES: Mapping[str, str] = {
    "abstract note": "abstract",
    "author": "authors",
    "author(s)": "authors",
    "book title": "venue",
    "conference": "venue",
    "date": "year",
    "document title": "title",
    "journal": "venue",
    "key": "key",
    "link": "url",
    "paper id": "id",
    "paper_id": "id",
    "publication title": "venue",
    "publication year": "year",
    "source title": "venue",
}
_KNOWN = frozenset({*_COLUMNS, *_ALIASES, "abstract"})
# Spreadsheets take these at the start of a cell for a formula; an apostrophe keeps them text.
_FORMULA = re.compile("'*[=+\\-@\uff1d\uff0b\uff0d\uff20]")
_SEPARATOR = re.compile(r"\\(.)|(;)", re.DOTALL)


def write(papers: Sequence[Paper]) -> str:
    """Write one row per paper below a header row; every cell is quoted.

    Names of authors are joined by "; ", a semicolon or backslash inside one has a backslash before
    it. A cell that a spreadsheet would take for a formula begins with an apostrophe.
    """
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows([_guarded(cell) for cell in _cells(paper)] for paper in papers)
    return file.getvalue()


def read(text: str, name: str) -> Bibliography:
    """Read a table with a header row; of other programs', Zotero's and Scopus's are known."""
    rows = _rows(text)
    return bibliography((r if isinstance(r, Problem) else _reference(r) for r in rows), name)


def has_header(text: str) -> bool:
    """Whether the first line heads columns of a table of works."""
    first = text.lstrip().partition("\n")[0][:2000]
    return not _KNOWN.isdisjoint(_heads(next(csv.reader([first], delimiter=_comma(first)), [])[1:]))


def _cells(paper: Paper) -> Iterator[str]:
    yield one_line(paper.id)
    yield one_line(paper.title)
    yield "; ".join(re.sub(r"[\\;]", r"\\\g<0>", name) for name in names_of(paper))
    yield "" if paper.year is None else str(paper.year)
    yield one_line(paper.venue or "")
    yield bare_doi(paper) or ""
    yield web_address(paper) or ""


def _guarded(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _unguarded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _comma(line: str) -> str:
    return max(",;\t", key=line.count)


def _heads(cells: Sequence[str]) -> list[str]:
    return [" ".join(cell.strip("\ufeff ").lower().split()) for cell in cells]


def _rows(text: str) -> Iterator[Mapping[str, str] | Problem]:
    """Yield what each row says under the columns' names, or why it cannot be read."""
    text = text.lstrip()
    reader = csv.reader(io.StringIO(text), delimiter=_comma(text.partition("\n")[0]))
    heads: list[str] | None = None
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            yield Problem(f"line {reader.line_num}: {error}.")
            continue
        if row is None:
            return
        if heads is None:
            heads = [_ALIASES.get(head, head) for head in _heads(row)]
            continue
        cells = zip(heads, map(_unguarded, row), strict=False)
        if facts := {head: cell for head, cell in reversed(list(cells)) if cell}:
            yield facts


def _reference(row: Mapping[str, str]) -> Reference:
    reference = Reference(
        key=row.get("key", ""),
        title=text_in(row.get("title")),
        authors=tuple(map(natural, names_in(_names(row.get("authors", ""))))),
        year=year_in(row.get("year")),
        venue=text_in(row.get("venue")),
        abstract=text_in(row.get("abstract")),
        id=text_in(row.get("id")),
        url=address_in(row.get("url")),
    )
    return identified(reference, row.get("doi"))


def _names(cell: str) -> list[str]:
    """Split at semicolons, but for those after a backslash."""
    marked = _SEPARATOR.sub(lambda match: match[1] or "\0", cell)
    return marked.split("\0")
