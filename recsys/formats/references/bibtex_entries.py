"""Take BibTeX apart into entries with their fields: strings put in, parents inherited from.

Where entries and fields stand is told, too (`entry_spans`), and others are put in their place.
A file is read in parts that end before an entry, so that memory does not grow with its length.
"""

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from recsys.formats.references.bibliography import TWICE, Problem
from recsys.formats.references.journal_macros import JOURNALS

if TYPE_CHECKING:
    from bibtexparser import model as bibtex_model

_LONGEST_STRING = 1000  # Characters by which @string lengthens a value: each may hold two others.
_MOST_STRINGS = 100_000
_MOST_KEYS = 100_000  # Among which one that occurs twice is noticed.
_PART = 2**20  # Characters of the file after which a part ends where the next entry begins.
_LARGE_PART = 2**22  # After which it ends before an entry that is indented, too.
_LARGEST_PART = 2**23  # After which it ends anywhere: no entry has so much.
_MOST_PARENTS = 10  # Of one entry.
_MOST_KNOWN = 20_000
_LONGEST_TAKEN = 1000  # Characters of a field that children from another part take over.
_MOST_WAITING = 2**25  # Characters of all entries that wait for their parents.
FIELDS = frozenset(
    "abstract annote archiveprefix art_number article-number articleno author author_keywords "
    "bdsk-url-1 booksubtitle booktitle cited-references crossref date doi ee eid eprint "
    "eprintclass eprinttype eventtitle howpublished journal journaltitle keywords note pages pmcid "
    "pmid primaryclass pubmed_id references source subtitle title type unique-id url volume xdata "
    "year".split()
)
"""The fields that are read; an entry may have thousands of others, and children that inherit."""
# What a paper takes over from the volume it is in under another name, and what it does not.
_RENAMED = {"title": "booktitle", "subtitle": "booksubtitle"}
_OWN = frozenset(
    "abstract art_number article-number articleno author author_keywords cited-references crossref "
    "doi eid eprint keywords note pages pmcid pmid pubmed_id references unique-id url xdata".split()
)

_START = re.compile(r"@\w*[ \t]*\{")
_INDENTED_START = re.compile(r"[ \t]*@\w+[ \t]*[{(]")
_MARK = re.compile(r'(?<!\\)[{}"#]')
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry: its type, its key, and its fields by name, all but the values in lower case.

    A field's value is LaTeX, without the braces or quotes around all of it.
    """

    kind: str
    key: str
    fields: Mapping[str, str]


def entries_in(lines: Iterable[str]) -> Iterator[Entry | Problem]:
    """Split BibTeX into its entries, and a sentence on each that is broken.

    Within a part of the file (a million characters) the entries come in their order, those that
    inherit from one in a later part when that is read. Strings are put in from where the file
    defines them, and in the part of their definition.
    """
    from bibtexparser import model

    strings = {**JOURNALS, **{month: month for month in _MONTHS}}
    family, keys = _Family(), set[str]()
    for text, before in _parts(lines):
        library = blocks_in(text)
        for string in (block for block in library if isinstance(block, model.String)):
            key = string.key.lower()
            if key in strings or len(strings) < _MOST_STRINGS:
                strings[key] = _value(str(string.value), strings)
        items = [item for block in library for item in _items_in(block, before)]
        blocks = [item for item in items if isinstance(item, model.Entry)]
        twice = [_twice(block, before) for block in blocks if block.key and block.key in keys]
        if len(keys) < _MOST_KEYS:
            keys.update(block.key for block in blocks)
        entries = []
        for block in blocks:
            first = {field.key.lower(): field for field in reversed(block.fields)}
            read = {
                name: _value(str(field.value), strings)
                for name, field in first.items()
                if name in FIELDS
            }
            entries.append(Entry(block.entry_type.lower(), block.key, read))
        yield from family.complete(entries)
        yield from (item for item in items if isinstance(item, Problem))
        yield from twice
    yield from family.left()


def blocks_in(text: str) -> "Sequence[bibtex_model.Block]":
    """Take the text of a file apart, all values left as they are written."""
    from bibtexparser.entrypoint import parse_string

    # It logs each broken block, which is reported by who asks.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    return parse_string(text, parse_stack=[]).blocks


def _parts(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield the parts of a file, and how many of its lines precede each."""
    part: list[str] = []
    size = before = 0
    for line in lines:
        ends = size >= _PART and (
            _START.match(line)
            or (size >= _LARGE_PART and _INDENTED_START.match(line))
            or size >= _LARGEST_PART
        )
        if ends:
            yield "".join(part), before
            before += len(part)
            part, size = [], 0
        part.append(line)
        size += len(line)
    if part:
        yield "".join(part), before


def _items_in(block: "bibtex_model.Block", before: int) -> "Iterator[bibtex_model.Entry | Problem]":
    """Yield the entry of a block, if it has one, and what is wrong with it."""
    from bibtexparser import model

    number = before + (block.start_line or 0) + 1
    entry: model.Block | None = block
    if isinstance(block, model.DuplicateBlockKeyBlock):
        entry = block.ignore_error_block
        if isinstance(entry, model.Entry) and entry.key.strip():
            yield _twice(entry, before)
    elif isinstance(block, model.DuplicateFieldKeyBlock):
        entry = block.ignore_error_block
        twice = sorted(key for key in block.duplicate_keys if key.lower() in FIELDS)
        if twice:  # Of others, such as the grants of Scopus, nothing is lost.
            text = f"line {number}: {', '.join(twice)} occurs twice in one entry; the first counts."
            yield Problem(text, "field twice in one entry", number, kept=True)
    elif isinstance(block, model.ParsingFailedBlock):
        reason = getattr(block.error, "abort_reason", None) or str(block.error)
        reason = " ".join(reason[:200].replace("`", "").split()).removesuffix(".")
        text = f"line {number}: {_short(block.raw or '', 40)} is left out. {reason}."
        yield Problem(text, "broken entry", number)
    if isinstance(entry, model.Entry):
        yield entry


def _twice(entry: "bibtex_model.Entry", before: int) -> Problem:
    number = before + (entry.start_line or 0) + 1
    return Problem(f"line {number}: the key {_short(entry.key, 30)} occurs twice.", TWICE, number)


def _short(text: str, length: int) -> str:
    plain = " ".join("".join(c if c.isprintable() else " " for c in text[:200]).split())
    return plain if len(plain) <= length else f"{plain[: length - 3]}..."


def _value(source: str, strings: Mapping[str, str]) -> str:
    """Join the parts of a value (`{...} # "..." # name`) as they will be read."""
    value, longest = "", len(source) + _LONGEST_STRING
    for part in map(str.strip, split_outside(source, _MARK)):
        enclosed = len(part) > 1 and part[0] + part[-1] in ("{}", '""')
        value += part[1:-1] if enclosed else strings.get(part.lower(), part)
        if len(value) >= longest:
            break
    return value[:longest]


def split_outside(text: str, marks: re.Pattern[str]) -> list[str]:
    """Split at the marks outside braces and quotes, which are no more than the pattern matches."""
    parts, depth, quoted, start = [], 0, False, 0
    for match in marks.finditer(text):
        mark = match[0]
        if mark == '"':
            quoted ^= depth == 0
        elif mark in "{}":
            depth = max(depth + (1 if mark == "{" else -1), 0)
        elif depth == 0 and not quoted:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]]


class _Family:
    """Who can be inherited from, and who waits for a parent that the file has not named yet.

    Bounded: of the parents, the latest are known; those that wait hold so many characters at most,
    and more are given as they are.
    """

    def __init__(self) -> None:
        self._known: dict[str, Entry] = {}
        self._waiting: list[Entry] = []

    def complete(self, entries: Sequence[Entry]) -> Iterator[Entry]:
        """Yield the entries with what they inherit, after those that waited for one of them."""
        # An entry without a key is nobody's parent.
        here = {entry.key.lower(): entry for entry in reversed(entries) if entry.key}
        by_key = here | self._known
        candidates, self._waiting, held = [*self._waiting, *entries], [], 0
        for entry in candidates:
            if not {_volume_of(entry), *_data_of(entry)} - {""} <= by_key.keys():
                size = sum(map(len, entry.fields.values()))
                if held + size <= _MOST_WAITING:
                    held += size
                    self._waiting.append(entry)
                    continue
            yield from _inheriting(entry, by_key)
        for key, entry in here.items():
            left_out = frozenset[str]() if entry.kind == "xdata" else _OWN
            fields = {
                name: text[:_LONGEST_TAKEN]
                for name, text in entry.fields.items()
                if name not in left_out
            }
            self._known.setdefault(key, replace(entry, fields=fields))
        for key in list(self._known)[: max(len(self._known) - _MOST_KNOWN, 0)]:
            del self._known[key]

    def left(self) -> Iterator[Entry]:
        """Yield those whose parents the file does not have."""
        for entry in self._waiting:
            yield from _inheriting(entry, self._known)


def _data_of(entry: Entry) -> list[str]:
    return [key.strip().lower() for key in entry.fields.get("xdata", "").split(",")[:_MOST_PARENTS]]


def _volume_of(entry: Entry) -> str:
    return entry.fields.get("crossref", "").strip().lower()


def _inheriting(entry: Entry, by_key: Mapping[str, Entry]) -> Iterator[Entry]:
    """Yield an entry with what it takes over; one that is there to be inherited from is no work."""
    if entry.kind == "xdata":
        return
    fields = dict(entry.fields)
    for key in _data_of(entry):
        if parent := by_key.get(key):
            fields = {**parent.fields, **fields}
    if parent := by_key.get(_volume_of(entry)):
        taken = {_RENAMED.get(name, name): text for name, text in parent.fields.items()}
        fields = {name: text for name, text in taken.items() if name not in _OWN} | fields
    yield replace(entry, fields=fields)


_NAME = re.compile(r"[\w:.+/-]+\Z")
_EQUALS = re.compile(r'(?<!\\)[{}"=]')
_NEXT = re.compile(r"\s+[\w:.+/-]+\s*\Z")


@dataclass(frozen=True, slots=True)
class EntrySpan:
    """An entry of a file. fields: name in lower case -> where its value begins and ends.

    begin: where the entry begins. after: where its last field ends, or its key.
    """

    kind: str
    key: str
    begin: int
    after: int
    fields: Mapping[str, tuple[int, int]]


def entry_spans(text: str) -> Iterator[EntrySpan]:
    """Yield the entries of a file in order, but for broken ones."""
    from bibtexparser import model

    at = 0
    for block in blocks_in(text):
        begin = text.index(block.raw or "", at)
        entry = getattr(block, "ignore_error_block", block)
        if not isinstance(entry, model.Entry):  # What is broken may go over into the next entry.
            broken = isinstance(block, model.ParsingFailedBlock)
            at = begin + (1 if broken else len(block.raw or ""))
            continue
        at = text.index(entry.key, text.index("@", begin) + 1) + len(entry.key)
        after = at = at + text[at:].lstrip().startswith(",")
        fields: dict[str, tuple[int, int]] = {}
        for field in entry.fields:
            at = text.index("=", text.index(field.key, at) + len(field.key)) + 1
            value = str(field.value)
            at = text.index(value, at)
            first, *others = split_outside(value, _EQUALS)  # Others have no comma before them.
            length = len(_NEXT.sub("", first) if others else value)
            # A remark may stand before the name.
            if name := _NAME.search(field.key):
                fields.setdefault(name[0].lower(), (at, at + length))
            after = at = at + len(value)
        yield EntrySpan(entry.entry_type.lower(), entry.key, begin, after, fields)
        at = begin + len(block.raw or "")


def entry_lines(text: str) -> dict[str, int]:
    """Return the line, from 1, on which the entry of each key begins."""
    lines, number, at = dict[str, int](), 1, 0
    for span in entry_spans(text):
        number += text.count("\n", at, span.begin)
        at = span.begin
        lines.setdefault(span.key, number)
    return lines


def with_fields(text: str, changes: Mapping[str, Mapping[str, str]]) -> str:
    """Give entries other values; every other letter of the file stays where it is.

    A field that an entry lacks is added behind its last one, indented as that one.

    Args:
        text: of a file.
        changes: key of an entry -> name of a field -> what stands between its braces.
    """
    pieces: list[tuple[int, int, str]] = []
    for span in entry_spans(text):
        for name, value in changes.get(span.key, {}).items():
            if name in span.fields:
                pieces.append((*span.fields[name], f"{{{value}}}"))
                continue
            last = max(span.fields.values(), default=(span.after, span.after))[0]
            line = text.rfind("\n", span.begin, last) + 1
            indent = re.match(r"[^\S\n]*", text[line:])
            end = "\r\n" if text[line - 2 : line] == "\r\n" else "\n"
            lead = f"{end}{indent[0] if indent else ''}" if line > span.begin else " "
            comma = "," if span.fields else ""
            pieces.append((span.after, span.after, f"{comma}{lead}{name} = {{{value}}}"))
    parts, at = list[str](), 0
    for begin, stop, new in sorted(pieces):
        parts += text[at:begin], new
        at = stop
    return "".join((*parts, text[at:]))
