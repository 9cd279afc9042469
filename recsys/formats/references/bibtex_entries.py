"""Take BibTeX apart into entries with their fields: strings put in, parents inherited from."""

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from recsys.formats.references.bibliography import MOST_REFERENCES, Problem, too_many

if TYPE_CHECKING:
    from bibtexparser import model as bibtex_model
    from bibtexparser.library import Library

_LONGEST_STRING = 1000  # Characters by which @string lengthens a value: each may hold two others.

_MOST_PARENTS = 10  # Of one entry.
FIELDS = frozenset(
    "abstract annote archiveprefix author bdsk-url-1 booksubtitle booktitle crossref date doi ee "
    "eprint eprinttype eventtitle howpublished journal journaltitle note subtitle title url "
    "volume xdata year".split()
)
"""The fields that are read; an entry may have thousands of others, and children that inherit."""

_START = re.compile(r"@\w*[ \t]*[{(]")
_MARK = re.compile(r'(?<!\\)[{}"#]')
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# What a paper takes over from the volume it is in under another name.
_RENAMED = {"title": "booktitle", "subtitle": "booksubtitle"}
_OWN = frozenset({"doi", "url", "abstract", "author", "eprint", "crossref", "xdata", "note"})


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry: its type, its key, and its fields by name, all but the values in lower case.

    A field's value is LaTeX, without the braces or quotes around all of it.
    """

    kind: str
    key: str
    fields: Mapping[str, str]


def entries_of(text: str, name: str) -> tuple[list[Entry], list[Problem]]:
    """Split BibTeX into its entries, and a sentence on each that is broken.

    Raises:
        InputError: there are more than MOST_REFERENCES.
    """
    if sum(1 for _ in _START.finditer(text)) > MOST_REFERENCES:
        raise too_many(name)
    library = _split(text)
    strings = _strings(library)
    found = [item for block in library.blocks for item in _found_in(block)]
    problems = [item for item in found if isinstance(item, Problem)]
    entries = [_resolved(item, strings) for item in found if not isinstance(item, Problem)]
    return _with_inherited(entries), problems


def _split(text: str) -> "Library":
    from bibtexparser.entrypoint import parse_string

    # It logs each broken block, which `entries_of` reports.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    return parse_string(text, parse_stack=[])


def _found_in(block: "bibtex_model.Block") -> "Iterator[bibtex_model.Entry | Problem]":
    """Yield the entry of a block, if it has one, and what is wrong with it."""
    from bibtexparser import model

    line = f"line {(block.start_line or 0) + 1}"
    entry: model.Block | None = block
    if isinstance(block, model.DuplicateBlockKeyBlock):
        entry = block.ignore_error_block
        if isinstance(entry, model.Entry):
            yield Problem(f"{line}: the key {_short(entry.key)} occurs twice.")
    elif isinstance(block, model.DuplicateFieldKeyBlock):
        entry = block.ignore_error_block
        twice = ", ".join(sorted(map(_short, block.duplicate_keys)))
        yield Problem(f"{line}: {twice} occurs twice in one entry; the first counts.")
    elif isinstance(block, model.ParsingFailedBlock):
        reason = getattr(block.error, "abort_reason", None) or str(block.error)
        what = _short(block.raw or "", 40)
        yield Problem(f"{line}: {what} is left out. {_sentence(reason)}")
    if isinstance(entry, model.Entry):
        yield entry


def _sentence(reason: str) -> str:
    reason = " ".join(reason[:200].replace("`", "").split())
    return reason if reason.endswith(".") else f"{reason}."


def _short(text: str, length: int = 30) -> str:
    plain = " ".join("".join(c if c.isprintable() else " " for c in text[:200]).split())
    return plain if len(plain) <= length else f"{plain[: length - 3]}..."


def _strings(library: "Library") -> dict[str, str]:
    """Resolve the file's @string definitions in order, the months known beforehand."""
    known = {month: month for month in _MONTHS}
    for string in library.strings:
        known[string.key.lower()] = _value(str(string.value), known)
    return known


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


def _with_inherited(entries: list[Entry]) -> list[Entry]:
    """Let entries take over from their crossref or xdata what they do not say themselves."""
    by_key = {entry.key.lower(): entry for entry in reversed(entries)}
    found = (_inheriting(entry, by_key) for entry in entries)
    return [entry for entry in found if entry.kind != "xdata"]


def _inheriting(entry: Entry, by_key: Mapping[str, Entry]) -> Entry:
    fields = dict(entry.fields)
    for key in entry.fields.get("xdata", "").split(",")[:_MOST_PARENTS]:
        if parent := by_key.get(key.strip().lower()):
            fields = {**parent.fields, **fields}
    if parent := by_key.get(entry.fields.get("crossref", "").strip().lower()):
        taken = {_RENAMED.get(name, name): text for name, text in parent.fields.items()}
        fields = {name: text for name, text in taken.items() if name not in _OWN} | fields
    return replace(entry, fields=fields)
