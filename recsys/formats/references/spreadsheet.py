"""Write papers as CSV for spreadsheets; `recsys.formats.tables` reads such tables."""

import csv
import io
import re
from collections.abc import Iterator, Sequence

from recsys.formats.references.bibliography import bibliography
from recsys.formats.references.shown_facts import bare_doi, names_of, one_line, web_address
from recsys.formats.tables import table_reading
from recsys.records import Bibliography, Paper

_COLUMNS = ("id", "title", "authors", "year", "venue", "doi", "url")
# Spreadsheets take these at the start of a cell for a formula; an apostrophe keeps them text.
_FORMULA = re.compile("'*[=+\\-@\uff1d\uff0b\uff0d\uff20]")


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
    """Read a table with a header row, as a reading list."""
    return bibliography(table_reading.read(io.StringIO(text.lstrip())), name)


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
