"""The files that hold citing sentences, each recognised by content: one literal table.

A new format is a module, and a row. Objects of JSON are told apart by their keys; of others, the
module has `looks_so`, which tells by the first characters of a file, and `read`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from recsys.formats.papers.paper_fields import Record
from recsys.formats.references.bibliography import Problem
from recsys.formats.source_formats import Shape
from recsys.passages import Context


@dataclass(frozen=True, slots=True)
class ContextFormat:
    """One way in which citing sentences come.

    module, function: the reader. It is given lines, bytes, a path, or one object of JSON after the
    other.
    keys: an object is of this format if it has all keys of one of these sets.
    """

    name: str
    shape: Shape
    module: str
    function: str = "read"
    keys: tuple[frozenset[str], ...] = ()

    def looks_so(self, head: str) -> bool:
        """Tell by the beginning of a file whether it is of this format; never for JSON."""
        return self.shape is not Shape.JSON and bool(_of(self.module, "looks_so")(head))

    def fits(self, record: Record) -> bool:
        """Tell whether an object looks like one of this format."""
        return any(keys <= record.keys() for keys in self.keys)

    def read_lines(self, lines: Iterator[str]) -> Iterator[Context | Problem]:
        """Read lines of text, each with "\\n" at its end."""
        found: Iterator[Context | Problem] = _of(self.module, self.function)(lines)
        return found

    def read_bytes(self, stream: BinaryIO) -> Iterator[Context | Problem]:
        """Read bytes in which an encoding is declared, or which have no lines."""
        found: Iterator[Context | Problem] = _of(self.module, self.function)(stream)
        return found

    def read_file(self, path: Path) -> Iterator[Context | Problem]:
        """Read what is no stream."""
        found: Iterator[Context | Problem] = _of(self.module, self.function)(path)
        return found

    def contexts_of(self, record: Record) -> Iterator[Context | Problem]:
        """Read one object."""
        found: Iterator[Context | Problem] = _of(self.module, self.function)(record)
        return found


def format_of(record: Record) -> ContextFormat | None:
    """Return the format of an object, None when it has none."""
    return next((row for row in FORMATS if row.fits(record)), None)


def recognised(head: str) -> ContextFormat | None:
    """Return the format of a file that is no JSON lines, by its beginning."""
    return next((row for row in FORMATS if row.looks_so(head)), None)


@cache
def _of(name: str, function: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(import_module(name), function)
    return found


def _keys(*sets: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(names.split()) for names in sets)


_AT = "recsys.formats.contexts."

# In order: the first row that fits has the file, or the object.
# fmt: off
FORMATS = (
    ContextFormat("recsys contexts", Shape.JSON, f"{_AT}citation_records", "own_contexts",
                  _keys("citing cited text")),
    ContextFormat("S2AG citations", Shape.JSON, f"{_AT}citation_records", "dataset_contexts",
                  _keys("citingcorpusid citedcorpusid")),
    ContextFormat("Semantic Scholar API", Shape.JSON, f"{_AT}citation_records", "answer_contexts",
                  _keys("data offset", "data citingPaperInfo", "data citedPaperInfo",
                        "contexts citingPaper", "contexts citedPaper",
                        "contextsWithIntent citingPaper", "contextsWithIntent citedPaper")),
    ContextFormat("ACL-200", Shape.BYTES, f"{_AT}masked_members"),
    ContextFormat("ACL-200 lines", Shape.JSON, f"{_AT}masked_members", "masked_contexts",
                  _keys("masked_text citing_id refid")),
    ContextFormat("S2ORC, CORD-19, unarXive", Shape.JSON, f"{_AT}parsed_papers", "parsed_contexts",
                  _keys("paper_id body_text", "paper_id bib_entries", "paper_id pdf_parse",
                        "paper_id latex_parse", "paper_id grobid_parse")),
    ContextFormat("S2ORC of the API", Shape.JSON, f"{_AT}annotated_papers", "annotated_contexts",
                  _keys("corpusid content", "corpusid body")),
    ContextFormat("JATS XML", Shape.BYTES, f"{_AT}jats_contexts"),
    ContextFormat("LaTeX, PDF, Word", Shape.FILE, f"{_AT}body_contexts"),
    ContextFormat("unarXive 2020", Shape.LINES, f"{_AT}unarxive_lines"),
    ContextFormat("FullTextPeerRead", Shape.LINES, f"{_AT}peerread_table"),
)
# fmt: on
