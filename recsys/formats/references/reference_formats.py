"""Read a bibliography of any known format, told by its suffix or else by what is in it."""

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from recsys.formats import files
from recsys.formats.references import bibtex, coins, json_items, lines, ris, spreadsheet
from recsys.formats.references.bibliography import Problem, bibliography
from recsys.formats.tables import table_reading
from recsys.records import Bibliography, Reference

_LOOKED_AT = 100_000
"""Characters from the beginning by which a format is recognised."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name, the suffixes of its files, how its text looks, and what reads it."""

    name: str
    suffixes: tuple[str, ...]
    looks_so: Callable[[str], object]
    read: Callable[[str, str], Bibliography]


def _whole(
    read: Callable[[Iterator[str]], Iterator[Reference | Problem]],
) -> Callable[[str, str], Bibliography]:
    """Let a reader of lines read a text."""
    return lambda text, name: bibliography(read(io.StringIO(text, newline="\n")), name)


FORMATS: tuple[Format, ...] = (
    Format("HTML", (".html", ".htm"), coins.stands_in, coins.read),
    Format(
        "JSON",
        (".json", ".csljson", ".jsonl", ".ndjson"),
        re.compile(r"\s*[\[{]").match,
        json_items.read,
    ),
    Format("RIS", (".ris",), ris.looks_so, _whole(ris.read)),
    Format(
        "BibTeX",
        (".bib", ".bibtex", ".biblatex"),
        re.compile(r"^[ \t]{0,8}@[A-Za-z]+[ \t]{0,8}[{(]", re.MULTILINE).search,
        bibtex.read,
    ),
    Format("CSV", (".csv", ".tsv"), table_reading.looks_so, spreadsheet.read),
    Format("list", (".ids", ".lst"), bool, lines.read),
)
"""Where no suffix tells, the first whose text looks so."""


def read_bibliography(path: Path) -> Bibliography:
    """Read a file of references; `-` is standard input.

    Raises:
        InputError: the file cannot be read, or is not what its suffix says.
    """
    return parse_bibliography(files.read_text(path), files.display_name(path))


def parse_bibliography(text: str, name: str) -> Bibliography:
    """Read the text of a bibliography; `name` is what errors call it, its suffix tells the format.

    Raises:
        InputError: the text is not what the suffix of its name says.
    """
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return recognised(text, Path(name).suffix.lower()).read(text, name)


def recognised(text: str, suffix: str) -> Format:
    """Return the format that a suffix names, or that a text has."""
    head = text[:_LOOKED_AT]
    by_suffix = (form for form in FORMATS if suffix in form.suffixes)
    by_content = (form for form in FORMATS if form.looks_so(head))
    return next(by_suffix, None) or next(by_content, FORMATS[-1])
