"""The formats in which files of works come, each recognised by content: one literal table.

A new format is a module with `read`, and a row. JSON has a table of its own, since its records are
told apart by their keys: `recsys.formats.papers.paper_formats`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from recsys.formats.references.bibliography import Problem
from recsys.records import Reference


class Shape(StrEnum):
    """What a reader is given."""

    LINES = "lines"
    BYTES = "bytes"
    FILE = "file"
    JSON = "JSON"


@dataclass(frozen=True, slots=True)
class SourceFormat:
    """One way to write works down.

    module: has `read`, which gives works one after the other, and for LINES and BYTES `looks_so`,
    which tells by the first characters whether a file is of the format. starts: the first bytes of
    a FILE. suffixes: decide where the content tells nothing.
    """

    name: str
    shape: Shape
    module: str
    suffixes: tuple[str, ...] = ()
    starts: bytes = b""

    def looks_so(self, raw: bytes, text: str) -> bool:
        """Tell by the beginning of a file whether it is of this format."""
        if self.shape is Shape.FILE:
            return raw.lstrip().startswith(self.starts)
        if self.shape is Shape.JSON:
            return _JSON.match(text) is not None
        looks_so: Callable[[str], object] = _module(self.module, "looks_so")
        return bool(looks_so(text))

    def read_lines(self, lines: Iterator[str]) -> Iterator[Reference | Problem]:
        """Read lines of text, each with "\\n" at its end."""
        found: Iterator[Reference | Problem] = _module(self.module, "read")(lines)
        return found

    def read_bytes(self, stream: BinaryIO) -> Iterator[Reference | Problem]:
        """Read bytes in which an encoding is declared."""
        found: Iterator[Reference | Problem] = _module(self.module, "read")(stream)
        return found

    def read_file(self, path: Path) -> Iterator[Reference | Problem]:
        """Read what is no stream."""
        found: Iterator[Reference | Problem] = _module(self.module, "read")(path)
        return found


@cache
def _module(name: str, function: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(import_module(name), function)
    return found


_JSON = re.compile(r"\s*+(?:\{\s*+[\"}]|\[\s*+[\[{\"\]])")
_AT = "recsys.formats."

ZOTERO = SourceFormat(
    "Zotero database",
    Shape.FILE,
    f"{_AT}libraries.zotero_database",
    (".sqlite",),
    b"SQLite format 3\0",
)
JSON = SourceFormat(
    "JSON",
    Shape.JSON,
    f"{_AT}references.json_items",
    (".json", ".csljson", ".jsonl", ".ndjson"),
)
TABLE = SourceFormat("table", Shape.LINES, f"{_AT}tables.table_reading", (".csv", ".tsv"))

# fmt: off
FORMATS = (
    ZOTERO,
    SourceFormat("PDF", Shape.FILE, f"{_AT}libraries.pdf_papers", (".pdf",), b"%PDF-"),
    SourceFormat("EndNote XML", Shape.BYTES, f"{_AT}markup.endnote_xml"),
    SourceFormat("PubMed XML", Shape.BYTES, f"{_AT}markup.pubmed_xml"),
    SourceFormat("JATS XML", Shape.BYTES, f"{_AT}markup.jats_xml"),
    SourceFormat("DBLP XML", Shape.BYTES, f"{_AT}markup.dblp_xml"),
    SourceFormat("HTML", Shape.LINES, f"{_AT}references.coins", (".html", ".htm")),
    JSON,
    SourceFormat("Web of Science", Shape.LINES, f"{_AT}exports.wos_text", (".ciw",)),
    SourceFormat("PubMed nbib", Shape.LINES, f"{_AT}exports.nbib", (".nbib",)),
    SourceFormat("RIS", Shape.LINES, f"{_AT}references.ris", (".ris",)),
    SourceFormat("EndNote", Shape.LINES, f"{_AT}exports.endnote_tagged", (".enw",)),
    SourceFormat("BibTeX", Shape.LINES, f"{_AT}references.bibtex",
                 (".bib", ".bibtex", ".biblatex")),
    SourceFormat("OpenAlex merged ids", Shape.LINES, f"{_AT}tables.openalex_merges"),
    TABLE,
)
# fmt: on
LIST = SourceFormat("list", Shape.LINES, f"{_AT}references.lines", (".ids", ".lst"))
"""One identifier or title per line: what a reading list is that is nothing else."""
LISTS = (*(form for form in FORMATS if form.shape is not Shape.FILE), LIST)
"""What may be the text of a reading list."""


def recognised(raw: bytes, text: str, suffix: str) -> SourceFormat | None:
    """Return the first format that a file looks like, else that of its suffix, else None.

    Args:
        raw: the first bytes of the file.
        text: the same, decoded.
        suffix: of its name, such as `.bib`.
    """
    by_content = (form for form in FORMATS if form.looks_so(raw, text))
    by_suffix = (form for form in FORMATS if suffix in form.suffixes)
    return next(by_content, None) or next(by_suffix, None)
