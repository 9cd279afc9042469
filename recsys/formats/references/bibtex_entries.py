"""Take BibTeX apart into entries with their fields: strings put in, parents inherited from.

A file is read in parts that end before an entry, so that memory does not grow with its length.
"""

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recsys.formats.references import bibtex_exports
from recsys.formats.references.bibliography import TWICE, Problem
from recsys.formats.references.bibtex_parents import Entry, Family

if TYPE_CHECKING:
    from bibtexparser import model as bibtex_model
    from bibtexparser.library import Library

_LONGEST_STRING = 1000  # Characters by which @string lengthens a value: each may hold two others.
_MOST_STRINGS = 100_000
_MOST_KEYS = 100_000  # Among which one that occurs twice is noticed.
_PART = 2**20  # Characters of the file after which a part ends where the next entry begins.
_LARGE_PART = 2**22  # After which it ends before an entry that is indented, too.
_LARGEST_PART = 2**23  # After which it ends anywhere: no entry has so much.
FIELDS = frozenset(
    "abstract annote archiveprefix articleno author bdsk-url-1 booksubtitle booktitle crossref "
    "date doi ee eid eprint eprintclass eprinttype eventtitle howpublished journal journaltitle "
    "keywords note pages pmcid pmid primaryclass subtitle title type url volume xdata year".split()
).union(bibtex_exports.FIELDS)
"""The fields that are read; an entry may have thousands of others, and children that inherit."""

_START = re.compile(r"@\w*[ \t]*\{")
_INDENTED_START = re.compile(r"[ \t]*@\w+[ \t]*[{(]")
_MARK = re.compile(r'(?<!\\)[{}"#]')
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True, slots=True)
class _Part:
    """Some of a file's lines; before: how many lines of the file precede them."""

    text: str
    before: int


def entries_in(lines: Iterable[str]) -> Iterator[Entry | Problem]:
    """Split BibTeX into its entries, and a sentence on each that is broken.

    Within a part of the file (a million characters) the entries come in their order, those that
    inherit from one in a later part when that is read. Strings are put in from where the file
    defines them, and in the part of their definition.
    """
    strings = {month: month for month in _MONTHS}
    family, keys = Family(), set[str]()
    for part in _parts(lines):
        library = _split(part.text)
        _define(library, strings)
        found = [item for block in library.blocks for item in _found_in(block, part.before)]
        problems = [item for item in found if isinstance(item, Problem)]
        blocks = [item for item in found if not isinstance(item, Problem)]
        twice = [_again(block, part.before) for block in blocks if block.key in keys]
        if len(keys) < _MOST_KEYS:
            keys.update(block.key for block in blocks)
        yield from family.complete([_resolved(block, strings) for block in blocks])
        yield from problems
        yield from twice
    yield from family.left()


def _parts(lines: Iterable[str]) -> Iterator[_Part]:
    gathered: list[str] = []
    size = before = 0
    for line in lines:
        ends = size >= _PART and (
            _START.match(line)
            or (size >= _LARGE_PART and _INDENTED_START.match(line))
            or size >= _LARGEST_PART
        )
        if ends:
            yield _Part("".join(gathered), before)
            before += len(gathered)
            gathered, size = [], 0
        gathered.append(line)
        size += len(line)
    if gathered:
        yield _Part("".join(gathered), before)


def _split(text: str) -> "Library":
    from bibtexparser.entrypoint import parse_string

    # It logs each broken block, which `entries_in` reports.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    return parse_string(text, parse_stack=[])


def _found_in(block: "bibtex_model.Block", before: int) -> "Iterator[bibtex_model.Entry | Problem]":
    """Yield the entry of a block, if it has one, and what is wrong with it."""
    from bibtexparser import model

    number = before + (block.start_line or 0) + 1
    line = f"line {number}"
    entry: model.Block | None = block
    if isinstance(block, model.DuplicateBlockKeyBlock):
        entry = block.ignore_error_block
        if isinstance(entry, model.Entry):
            yield _again(entry, before)
    elif isinstance(block, model.DuplicateFieldKeyBlock):
        entry = block.ignore_error_block
        twice = sorted(key for key in block.duplicate_keys if key.lower() in FIELDS)
        if twice:  # Of others, such as the grants of Scopus, nothing is lost.
            text = f"{line}: {', '.join(twice)} occurs twice in one entry; the first counts."
            yield Problem(text, "field twice in one entry", number)
    elif isinstance(block, model.ParsingFailedBlock):
        reason = getattr(block.error, "abort_reason", None) or str(block.error)
        what = _short(block.raw or "", 40)
        text = f"{line}: {what} is left out. {_sentence(reason)}"
        yield Problem(text, "broken entry", number)
    if isinstance(entry, model.Entry):
        yield entry


def _again(entry: "bibtex_model.Entry", before: int) -> Problem:
    number = before + (entry.start_line or 0) + 1
    return Problem(f"line {number}: the key {_short(entry.key)} occurs twice.", TWICE, number)


def _sentence(reason: str) -> str:
    reason = " ".join(reason[:200].replace("`", "").split())
    return reason if reason.endswith(".") else f"{reason}."


def _short(text: str, length: int = 30) -> str:
    plain = " ".join("".join(c if c.isprintable() else " " for c in text[:200]).split())
    return plain if len(plain) <= length else f"{plain[: length - 3]}..."


def _define(library: "Library", strings: dict[str, str]) -> None:
    """Resolve a part's @string definitions in order, the earlier ones known."""
    for string in library.strings:
        key = string.key.lower()
        if key in strings or len(strings) < _MOST_STRINGS:
            strings[key] = _value(str(string.value), strings)


def _resolved(entry: "bibtex_model.Entry", strings: Mapping[str, str]) -> Entry:
    fields: dict[str, str] = {}
    for field in entry.fields:
        name = field.key.lower()
        if name in FIELDS and name not in fields:
            fields[name] = _value(str(field.value), strings)
    return Entry(entry.entry_type.lower(), entry.key, fields)


def _value(source: str, strings: Mapping[str, str]) -> str:
    """Join the parts of a value (`{...} # "..." # name`) as they will be read."""
    parts, depth, quoted, start = [], 0, False, 0
    for match in _MARK.finditer(source):
        mark = match[0]
        if mark == '"':
            quoted ^= depth == 0
        elif mark != "#":
            depth = max(depth + (1 if mark == "{" else -1), 0)
        elif depth == 0 and not quoted:
            parts.append(source[start : match.start()])
            start = match.end()
    return _joined([*parts, source[start:]], strings, len(source) + _LONGEST_STRING)


def _joined(parts: list[str], strings: Mapping[str, str], longest: int) -> str:
    texts: list[str] = []
    for part in parts:
        texts.append(_part(part.strip(), strings)[:longest])
        longest -= len(texts[-1])
        if longest <= 0:
            break
    return "".join(texts)


def _part(part: str, strings: Mapping[str, str]) -> str:
    if len(part) > 1 and part[0] + part[-1] in ("{}", '""'):
        return part[1:-1]
    return strings.get(part.lower(), part)
