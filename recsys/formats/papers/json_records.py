"""Read the JSON records of a corpus file one at a time: plain or gzip, a file or standard input.

Memory stays bounded whatever the file holds: a line longer than LONGEST_LINE is passed over, not
loaded. A record or a document printed over several lines is joined into one.
"""

import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from recsys.errors import CorpusError
from recsys.formats.exports.foreign_files import foreign
from recsys.formats.files import TooManyValues, checked_json
from recsys.formats.source_streams import LONGEST_LINE, damaged, is_gzip, open_raw
from recsys.protocols import Progress, silent

HEAD = 50
"""Records by which a file's format is recognised."""
HEAD_LINES = 1000
"""Lines read in search of those records."""
DEEPEST = 1000
"""What is nested deeper is no record of a work."""
_MOST_PARTS = 2**20
"""Lines over which a record may be printed: each takes some 150 bytes beside its letters."""
_ENDLESS = 2**30  # bytes of a line: a device such as /dev/zero has no more to say
_BUFFER = 2**20
_LOOKED_AT = 512  # bytes: what packs a file tells so at once
_WIDE = (b"\xff\xfe", b"\xfe\xff")
"""How UTF-16 begins."""
_OPENING = re.compile(r"\s*+(?:\[\s*+)?(?=\{)")
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|(\\?\Z))|[{}\[\]]|[^\s"{}\[\]]++', re.DOTALL)
_REST_OF_STRING = re.compile(r'(?:[^"\\]++|\\.)*+(?:"|(\\?\Z))', re.DOTALL)
_OPENS = {"}": "{", "]": "["}
# Where the answers of services, and exports, have their list of records.
_PAGES: tuple[tuple[str, ...], ...] = (
    ("message", "items"),  # Crossref
    ("resultList", "result"),  # Europe PMC
    ("referenceList", "reference"),
    ("citationList", "citation"),
    ("result", "hits", "hit"),  # dblp
    ("hits", "hits"),  # Zenodo
    ("@graph",),  # schema.org
    ("items",),  # Better BibTeX, and Crossref's public data files
    ("recommendations",),  # An answer of this program
    ("recommendedPapers",),  # Semantic Scholar
    ("papers",),
    ("results",),  # OpenAlex
    ("data",),  # Semantic Scholar, Lens
    ("references",),  # CSL within a document's header
)
# What services put around one record.
_ENVELOPES = ("message", "data", "info", "citedPaper", "citingPaper")
# What has one of these is a record, whatever lists are in it.
_OF_A_RECORD = frozenset(
    "title id _id paperId paper_id corpusid corpusId lens_id DOI itemType".split()
)
_MOST_FIELDS = 20
"""Fields that were not read and are named."""
_MOST_PAGES_DEEP = 3
"""A list of pages of lists of records, and no more."""
_MONGO_NUMBER = re.compile(r"\bNumber(?:Int|Long)\(\"?(-?\d+)\"?\)")
# Raw control characters inside strings are not JSON, but harmless: they are cleaned away later.
_decoder = json.JSONDecoder(strict=False)
_decode = _decoder.decode
_LONGEST_ELEMENT = 8 * 2**20
_ELEMENT, _ENDED = re.compile(r"[\s,]*+\]?"), re.compile(r"\s*+[,\]]")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a corpus file, or one record printed over several.

    number: of the (first) line, from 1. broken_utf8: some bytes were no UTF-8 and became U+FFFD.
    too_long: `text` is only the beginning.
    """

    number: int
    text: str
    broken_utf8: bool = False
    too_long: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A record not yet looked into, or None and the flaw for which there is none."""

    line: Line
    record: dict[str, Any] | None
    flaw: str = ""


def entries_of(
    line: Line, *, records: Callable[[object], list[object]] | None = None
) -> Iterator[Entry]:
    """Decode a line into the records in it: one, or the many of an array.

    records: takes records out of what is decoded; None: see `records_in`.
    """
    if line.too_long:
        yield Entry(line, None, "line too long")
        return
    try:
        for value in _values(line.text):
            for item in (records or records_in)(value):
                record = item if isinstance(item, dict) else None
                yield Entry(line, record, "not an object" if record is None else "")
    except RecursionError:
        yield Entry(line, None, "nested too deeply")
    except TooManyValues as error:
        yield Entry(line, None, str(error))
    except ValueError:
        yield Entry(line, None, "not JSON")


def _values(text: str) -> Iterable[object]:
    """Decode a line; of an array that has one record per line, without what surrounds each.

    The elements of an array that is too large to be held are decoded one by one.
    """
    text = text.strip().strip(",").strip()
    if text.startswith("[") and not text.endswith("]"):
        text = text[1:].strip()
    elif text.endswith("]") and not text.startswith("["):
        text = text[:-1].strip()
    try:
        return [_decode(checked_json(text)) if text else []]
    except TooManyValues:
        if not text.startswith("["):
            raise
        return _elements(text)
    except ValueError:
        if "Number" not in text:
            raise
        return [_decode(_MONGO_NUMBER.sub(r"\1", text))]  # AMiner's v13 is such an export.


def _elements(text: str) -> Iterator[object]:
    """Decode the elements of an array one by one.

    Raises:
        ValueError: one is damaged, or has more letters than _LONGEST_ELEMENT.
    """
    begin = 1
    while True:
        window, end = text[begin : begin + _LONGEST_ELEMENT], 0
        while element := _ELEMENT.match(window, end):
            if element[0].endswith("]"):
                return
            try:
                value, after = _decoder.raw_decode(window, element.end())
            except ValueError:
                break
            if not _ENDED.match(window, after):  # It may go on beyond the window.
                break
            yield value
            end = after
        if not end:
            raise ValueError("an element is damaged, or too long")
        begin += end


def head_of(entries: Iterator[Entry]) -> Iterator[Entry]:
    """Take entries until there are HEAD records or HEAD_LINES entries."""
    records = 0
    for entry in islice(entries, HEAD_LINES):
        yield entry
        records += entry.record is not None
        if records == HEAD:
            return


def tally(reasons: Mapping[str, int]) -> str:
    """Write counted reasons in one line, most frequent first."""
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{reason}: {count:,}" for reason, count in ordered)


def unread_fields(counts: Mapping[str, int]) -> str:
    """Say of which fields nothing was read, and in how many records; of many, the most frequent.

    >>> unread_fields({"isbn": 1, "funder": 3})
    'fields ignored: funder: 3, isbn: 1'
    """
    named = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_FIELDS])
    more = f" and {len(counts) - len(named):,} more" if len(counts) > len(named) else ""
    return f"fields ignored: {tally(named)}{more}"


def records_in(value: object) -> list[object]:
    """Take records out of a list, the page of a service's answer, or what is put around each.

    A list may be one of pages, or of lists.
    """
    if isinstance(value, list):
        return [record for item in value for record in _records_of(item, _MOST_PAGES_DEEP)]
    return _records_of(value, _MOST_PAGES_DEEP)


def _records_of(value: object, depth: int) -> list[object]:
    page: object = value
    if isinstance(value, dict) and _OF_A_RECORD.isdisjoint(value):
        for path in _PAGES:
            page = value
            for key in path:
                page = page.get(key) if isinstance(page, dict) else None
            # dblp has no list around a single hit.
            if isinstance(page, list) or (isinstance(page, dict) and len(path) > 2):
                break
        else:
            page = value
    if isinstance(page, list) and depth:
        return [record for item in page for record in _records_of(item, depth - 1)]
    # Out of its envelopes, of which Zotero's has the record's key.
    record = page
    while isinstance(record, dict) and _OF_A_RECORD.isdisjoint(record):
        inside = (record[name] for name in _ENVELOPES if isinstance(record.get(name), dict))
        inner = next(inside, None)
        if inner is None:
            break
        record = {"key": record["key"], **inner} if "key" in record else inner
    return [record]


@contextmanager
def open_lines(
    source: Path,
    *,
    longest: int = LONGEST_LINE,
    progress: Progress = silent,
    record_a_line: bool = False,
) -> Iterator[Iterator[Line]]:
    """Give the lines of a file, those of white space left out; the file is closed at the end.

    Args:
        source: a path, or `-` for standard input.
        longest: bytes above which a line is passed over.
        progress: told the bytes of the file read so far, compressed as they are.
        record_a_line: a line that begins with `{` is never joined with those after it.

    Raises:
        CorpusError: the file is missing, a directory, unreadable, or packed in another way than
            gzip; while reading, a gzip file that is cut short or damaged.
    """
    with open_raw(source, progress) as (file, name):
        head = file.peek(_LOOKED_AT)[:_LOOKED_AT]
        wide = ("UTF-16 text", "Save it as UTF-8.") if head.startswith(_WIDE) else None
        if known := wide or foreign(head):
            raise CorpusError(f"{name} is {known[0]}, not JSON lines.", known[1])
        # Not wrapped in a larger buffer: that would lose the last good lines of a file cut short.
        stream = gzip.GzipFile(fileobj=file) if is_gzip(file) else file
        yield _joined(_lines(stream, longest, name), record_a_line)


def _lines(file: io.BufferedIOBase, longest: int, name: str) -> Iterator[Line]:
    """Give the lines as they are; say after which one a gzip file is damaged."""
    number = 0
    try:
        while line := file.readline(longest + 1):
            number += 1
            too_long = len(line) > longest
            if too_long:  # Read to its end.
                begun, passed = line, 0
                while begun and not begun.endswith(b"\n"):
                    begun = file.readline(_BUFFER)
                    passed += len(begun)
                    if passed >= _ENDLESS:
                        hint = "Give a file of papers, a line each."
                        raise CorpusError(f"Line {number} has no end.", hint)
                line = line[:1024]
            line = line.removeprefix(b"\xef\xbb\xbf")
            try:
                yield Line(number, line.decode(), False, too_long)
            except UnicodeDecodeError:
                yield Line(number, line.decode(errors="replace"), True, too_long)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise damaged(name, error, f"; line {number} is the last good one") from error
    except OSError as error:
        raise CorpusError(
            f"{name} cannot be read beyond line {number}: {error.strerror or error}.",
            "Check the disk, or copy the file and read the copy.",
        ) from error


def _joined(lines: Iterator[Line], record_a_line: bool) -> Iterator[Line]:
    """Join a record or a document printed over several lines, from its `{` to its `}`."""
    line = next(lines, None)
    while line is not None:
        joined, following, text = [line], None, line.text
        opening = None if line.too_long or record_a_line else _OPENING.match(text)
        whole = text.count("{") == text.count("}") and text.count("[") == text.count("]")
        if opening and not whole:
            nesting = Nesting()
            nesting.take(text[opening.end() :])
            if nesting.depth:
                joined, following = _gather(line, nesting, lines)
        yield from (part for part in joined if part.too_long or part.text.strip())
        line = following or next(lines, None)


def _gather(
    first: Line, nesting: "Nesting", lines: Iterator[Line]
) -> tuple[list[Line], Line | None]:
    """Return the joined record, and the line after it where that was read in search of its end.

    Where a document seemed to begin that has a record per line, and no end was found, its lines
    are returned one by one.
    """
    opening = first.text[: -len(first.text.lstrip())] + "{"
    parts, length, following, records, full = [first], 0, None, 0, False
    for line in lines:
        if line.text.startswith(opening):
            if not nesting.awaits_value(first=len(parts) == 1):
                following = line  # The record was never closed.
                break
            records += 1
        length += len(line.text)
        full = length > LONGEST_LINE or len(parts) == _MOST_PARTS
        if full and records:
            return [*parts, line], None
        if not full:
            parts.append(line)
        nesting.take(line.text)
        if not nesting.depth:
            break
    if records and nesting.depth:
        return parts, following
    too_long = full or any(line.too_long for line in parts)
    text, broken = "".join(line.text for line in parts), any(line.broken_utf8 for line in parts)
    return [replace(first, text=text, broken_utf8=broken, too_long=too_long)], following


class Nesting:
    """The brackets that are open after the lines taken so far, without decoding them.

    A bracket of one kind closes those of the other that were left open inside: a damaged record
    ends where its neighbours do.
    """

    def __init__(self) -> None:
        self._open: list[str] = []
        self._in_string = False
        self._last = self._before = ""

    @property
    def depth(self) -> int:
        """How many brackets are open."""
        return len(self._open)

    def awaits_value(self, *, first: bool) -> bool:
        """Whether a value of a list may come next, such as another record; first: its first."""
        in_list = bool(self._open) and self._open[-1] == "["
        after = self._last == "[" or (self._last == "," and (not first or self._before == "}"))
        return in_list and not self._in_string and after

    def take(self, text: str) -> None:
        """Read the brackets of one more line."""
        start = 0
        if self._in_string:
            rest = _REST_OF_STRING.match(text)
            self._in_string = bool(rest and rest[1] is not None)
            start = rest.end() if rest else 0
        for match in _TOKEN.finditer(text, start):
            token = match[0]
            if token in "{[":
                self._open.append(token)
            elif token in "}]":
                while _OPENS[token] in self._open and self._open.pop() != _OPENS[token]:
                    pass
            elif token[0] == '"':
                self._in_string = match[1] is not None
            self._before, self._last = self._last, token[-1]
            if len(self._open) > DEEPEST:
                self._open.clear()
                return
