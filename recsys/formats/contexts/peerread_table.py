"""Read FullTextPeerRead (Jeong et al. 2020): a table with the text on both sides of each citation.

`target_id` is the citing paper, `source_id` the cited one.
"""

from collections.abc import Iterator, Mapping
from itertools import chain

from recsys.formats import identifiers
from recsys.formats.contexts.citing_text import HERE, LONGEST_WINDOW
from recsys.formats.contexts.found_contexts import found_contexts, without_signs
from recsys.formats.papers.paper_fields import id_of
from recsys.formats.references.bibliography import Problem
from recsys.formats.tables.csv_rows import Row, rows, split_line
from recsys.passages import Context
from recsys.records import Reference

_LEFT, _RIGHT = "left_citated_text", "right_citated_text"
_NEEDED = frozenset({"target_id", "source_id", _LEFT, _RIGHT})
_DELIMITERS = (",", "\t", ";")


def looks_so(head: str) -> bool:
    """Whether a file has the header of such a table."""
    return _delimiter(head.lstrip("\ufeff \r\n").partition("\n")[0]) is not None


def read(lines: Iterator[str]) -> Iterator[Context | Problem]:
    """Read the contexts of a file, in its order."""
    header = next((line for line in lines if line.strip(" \ufeff\n")), "").lstrip("\ufeff")
    delimiter = _delimiter(header) or ","
    names = None
    for row in rows(chain([header], lines), delimiter):
        if isinstance(row, Problem):
            yield row
        elif names is None:
            names = [cell.strip() for cell in row.cells]
        else:
            yield from _contexts(row, dict(zip(names, row.cells, strict=False)))


def _delimiter(header: str) -> str | None:
    for delimiter in _DELIMITERS:
        if _NEEDED <= {cell.strip() for cell in split_line(header, delimiter)}:
            return delimiter
    return None


def _contexts(row: Row, cells: Mapping[str, str]) -> Iterator[Context | Problem]:
    if not cells.keys() >= _NEEDED:
        text = f"line {row.line}: {len(row.cells)} cells are too few."
        yield Problem(text, "too few fields", row.line)
        return
    left, right = (without_signs(cells[name]) for name in (_LEFT, _RIGHT))
    window = f"{left[-LONGEST_WINDOW:]} {HERE} {right[:LONGEST_WINDOW]}"
    yield from found_contexts(_work(cells["target_id"]), _work(cells["source_id"]), [window])


def _work(paper_id: str) -> Reference:
    """Name a paper: the ids are those of arXiv, for all papers that are there."""
    return Reference(id=id_of(paper_id.strip()), arxiv=identifiers.arxiv(paper_id))
