"""The formats in which files of works come, each recognised by content: one literal table.

A new format is a module with `read`, and a row. JSON has a table of its own, since its records are
told apart by their keys: `recsys.formats.papers.paper_formats`.
"""

import re
from collections import Counter
from collections.abc import Iterator
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

    reader: a module, or "module:object", which has `read`, that gives works one after the other,
    and for LINES and BYTES `looks_so`, which tells by the first characters whether a file is of the
    format. starts: the first bytes of a FILE. suffixes: decide where the content tells nothing.
    counts: whether the reader counts, in `unread`, fields that say something of which it reads
    nothing.
    """

    name: str
    shape: Shape
    reader: str
    suffixes: tuple[str, ...] = ()
    starts: bytes = b""
    counts: bool = False

    def looks_so(self, raw: bytes, text: str) -> bool:
        """Tell by the beginning of a file whether it is of this format."""
        if self.shape is Shape.FILE:
            return raw.lstrip().startswith(self.starts)
        if self.shape is Shape.JSON:
            return _JSON.match(text) is not None
        return bool(opened(self.reader).looks_so(text))

    def read(
        self, source: Iterator[str] | BinaryIO | Path, unread: Counter[str] | None = None
    ) -> Iterator[Reference | Problem]:
        """Read lines of text with "\\n" at their ends, bytes that say their encoding, or a file."""
        counted = {"unread": unread} if self.counts else {}
        works: Iterator[Reference | Problem] = opened(self.reader).read(source, **counted)
        return works


@cache
def opened(reader: str) -> Any:  # noqa: ANN401 - Whatever it is.
    """Return what a reader names: a module of this folder, or an object in it."""
    module, _, name = reader.partition(":")
    opened = import_module(f"recsys.formats.{module}")
    return getattr(opened, name) if name else opened


_JSON = re.compile(r"\s*+(?:\{\s*+[\"}]|\[\s*+[\[{\"\]])")

ZOTERO = SourceFormat(
    "Zotero database",
    Shape.FILE,
    "exports.zotero_database",
    (".sqlite",),
    b"SQLite format 3\0",
)
JSON = SourceFormat(
    "JSON", Shape.JSON, "papers.paper_formats", (".json", ".csljson", ".jsonl", ".ndjson")
)
TABLE = SourceFormat("table", Shape.LINES, "exports.table_reading", (".csv", ".tsv"), counts=True)
YAML = SourceFormat(
    "YAML", Shape.LINES, "references.yaml_works", (".yaml", ".yml", ".cff"), counts=True
)

# fmt: off
FORMATS = (
    ZOTERO,
    SourceFormat("PDF", Shape.FILE, "exports.pdf_papers", (".pdf",), b"%PDF-"),
    SourceFormat("EndNote XML", Shape.BYTES, "markup.endnote_xml:ENDNOTE"),
    SourceFormat("PubMed XML", Shape.BYTES, "markup.pubmed_xml:PUBMED"),
    SourceFormat("JATS XML", Shape.BYTES, "markup.jats_xml:JATS"),
    SourceFormat("DBLP XML", Shape.BYTES, "markup.dblp_xml:DBLP"),
    SourceFormat("HTML", Shape.LINES, "references.web_page", (".html", ".htm")),
    JSON,
    YAML,
    SourceFormat("Web of Science", Shape.LINES, "exports.tagged_formats:WOS", (".ciw",)),
    SourceFormat("PubMed nbib", Shape.LINES, "exports.tagged_formats:NBIB", (".nbib",)),
    SourceFormat("RIS", Shape.LINES, "exports.tagged_formats:RIS", (".ris",)),
    SourceFormat("EndNote", Shape.LINES, "exports.tagged_formats:ENDNOTE", (".enw",)),
    SourceFormat("BibTeX", Shape.LINES, "references.bibtex", (".bib", ".bibtex", ".biblatex")),
    SourceFormat("OpenAlex merged ids", Shape.LINES, "exports.openalex_merges"),
    TABLE,
)
# fmt: on
LIST = SourceFormat("list", Shape.LINES, "references.reference_formats", (".ids", ".lst"))
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
