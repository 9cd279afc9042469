"""Read the lines of a corpus file one at a time: plain or gzip, a file or standard input.

Memory stays bounded whatever the file holds: a line longer than LONGEST_LINE is passed over, not
loaded. A record or a document printed over several lines is joined into one.
"""

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from recsys.errors import CorpusError
from recsys.formats.exports.foreign_files import foreign
from recsys.formats.files import STDIN, standard_input
from recsys.formats.papers.json_nesting import Nesting
from recsys.formats.source_streams import LONGEST_LINE, damaged, is_gzip, open_file
from recsys.progress import Progress, silent

_ENDLESS = 2**30  # bytes of a line: a device such as /dev/zero has no more to say
_BUFFER = 2**20
_LOOKED_AT = 512  # bytes: what packs a file tells so at once
_OPENING = re.compile(r"\s*+(?:\[\s*+)?(?=\{)")
_WIDE = (b"\xff\xfe", b"\xfe\xff")
"""How UTF-16 begins."""


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
    if source == STDIN:
        name = "standard input"
        stdin: io.BufferedReader = io.BufferedReader(cast(io.RawIOBase, standard_input()), _BUFFER)
        try:
            yield _joined(_checked(_lines(_unpacked(stdin, name), longest), name), record_a_line)
        finally:
            stdin.detach()  # Not ours to close.
        return
    with open_file(source, progress) as file:
        lines = _lines(_unpacked(file, str(source)), longest)
        yield _joined(_checked(lines, str(source)), record_a_line)


def _unpacked(file: io.BufferedReader, name: str) -> io.BufferedIOBase:
    """Unpack gzip, known by its first bytes; refuse what is no text."""
    head = file.peek(_LOOKED_AT)[:_LOOKED_AT]
    wide = ("UTF-16 text", "Save it as UTF-8.") if head.startswith(_WIDE) else None
    if known := wide or foreign(head):
        raise CorpusError(f"{name} is {known[0]}, not JSON lines.", known[1])
    if is_gzip(file):
        # Not wrapped in a larger buffer: that would lose the last good lines of a file cut short.
        return gzip.GzipFile(fileobj=file)
    return file


def _lines(file: io.BufferedIOBase, longest: int) -> Iterator[Line]:
    number = 0
    while line := file.readline(longest + 1):
        number += 1
        too_long = len(line) > longest
        if too_long:
            if not _pass_over(file, line):
                raise CorpusError(
                    f"Line {number} has no end.", "Give a file of papers, a line each."
                )
            line = line[:1024]
        yield _decoded(number, line.removeprefix(b"\xef\xbb\xbf"), too_long)


def _pass_over(file: io.BufferedIOBase, begun: bytes) -> bool:
    """Read to the end of a line that has begun; say whether it has one."""
    passed = 0
    while begun and not begun.endswith(b"\n") and passed < _ENDLESS:
        begun = file.readline(_BUFFER)
        passed += len(begun)
    return passed < _ENDLESS


def _decoded(number: int, line: bytes, too_long: bool) -> Line:
    try:
        return Line(number, line.decode(), False, too_long)
    except UnicodeDecodeError:
        return Line(number, line.decode(errors="replace"), True, too_long)


def _checked(lines: Iterator[Line], name: str) -> Iterator[Line]:
    """Say after which line a gzip file is damaged."""
    last = 0
    try:
        for line in lines:
            last = line.number
            yield line
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise damaged(name, error, f"; line {last} is the last good one") from error
    except OSError as error:
        raise CorpusError(
            f"{name} cannot be read beyond line {last}: {error.strerror or error}.",
            "Check the disk, or copy the file and read the copy.",
        ) from error


def _joined(lines: Iterator[Line], record_a_line: bool) -> Iterator[Line]:
    """Join a record or a document printed over several lines, from its `{` to its `}`."""
    line = next(lines, None)
    while line is not None:
        found, following = [line], None
        opening = None if line.too_long or record_a_line else _OPENING.match(line.text)
        if opening and not _looks_whole(line.text):
            nesting = Nesting()
            nesting.take(line.text[opening.end() :])
            if nesting.depth:
                found, following = _gather(line, nesting, lines)
        yield from (each for each in found if each.too_long or each.text.strip())
        line = following or next(lines, None)


def _looks_whole(text: str) -> bool:
    return text.count("{") == text.count("}") and text.count("[") == text.count("]")


def _gather(first: Line, nesting: Nesting, lines: Iterator[Line]) -> tuple[list[Line], Line | None]:
    """Return the joined record, and the line after it where that was read in search of its end.

    Where a document seemed to begin that has a record per line, and no end was found, its lines
    are returned one by one.
    """
    opening = first.text[: -len(first.text.lstrip())] + "{"
    parts, length, following, records = [first], 0, None, 0
    for line in lines:
        if line.text.startswith(opening):
            if not (nesting.awaits_first if len(parts) == 1 else nesting.awaits_value):
                following = line  # The record was never closed.
                break
            records += 1
        length += len(line.text)
        if length > LONGEST_LINE and records:
            return [*parts, line], None
        if length <= LONGEST_LINE:
            parts.append(line)
        nesting.take(line.text)
        if not nesting.depth:
            break
    if records and nesting.depth:
        return parts, following
    too_long = length > LONGEST_LINE or any(line.too_long for line in parts)
    text, broken = "".join(line.text for line in parts), any(line.broken_utf8 for line in parts)
    return [replace(first, text=text, broken_utf8=broken, too_long=too_long)], following
