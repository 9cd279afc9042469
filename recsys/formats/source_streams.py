"""Open a file of works, whatever packs it: its bytes, its first characters, its lines of text.

Memory stays bounded whatever the file holds: of a line longer than LONGEST_LINE, nothing is kept.
"""

import gzip
import io
import os
import stat
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from recsys.errors import CorpusError, near_path
from recsys.formats.files import STDIN, encoding_of, standard_input
from recsys.protocols import Progress, silent

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LONGEST_LINE = 64 * 2**20
"""A line of more characters than this is passed over; the largest known records have a few MB."""
STAGE = "reading files"
HEAD = 100_000
"""Bytes from the beginning by which a format is recognised."""
NOT_UTF8 = "lines that are not UTF-8, read as Windows-1252"
TOO_LONG = "lines that are too long, passed over"
_ENDLESS = 2**30  # characters of a line: a device such as /dev/zero has no more to say
_BUFFER = 2**20
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31  # What zlib calls its largest window behind the header of gzip.


@contextmanager
def open_bytes(source: Path, *, progress: Progress = silent) -> Iterator[BinaryIO]:
    """Give the bytes of a file, unpacked where it is gzip; the file is closed at the end.

    Args:
        source: a path, or `-` for standard input.
        progress: told the bytes of the file read so far, compressed as they are.

    Raises:
        CorpusError: the file is missing, a directory, or unreadable; while reading, a gzip file
            that is cut short or damaged.
    """
    with open_raw(source, progress) as (file, name):
        yield io.BufferedReader(_Gunzipped(file, name), _BUFFER) if is_gzip(file) else file


@contextmanager
def open_raw(source: Path, progress: Progress) -> Iterator[tuple[io.BufferedReader, str]]:
    """Give a file as it lies on disk, and what errors call it; raises as `open_bytes` does."""
    if source == STDIN:
        stdin: io.BufferedReader = io.BufferedReader(cast(io.RawIOBase, standard_input()), _BUFFER)
        try:
            yield stdin, "standard input"
        finally:
            stdin.detach()  # Not ours to close.
        return
    with _open_file(source, progress) as file:
        yield file, str(source)


def _open_file(source: Path, progress: Progress = silent) -> io.BufferedReader:
    try:
        if stat.S_ISDIR(source.stat().st_mode):
            raise CorpusError(f"{source} is a directory.", "Give the path of a file of papers.")
        return io.BufferedReader(_Watched(source, progress), _BUFFER)
    except FileNotFoundError as error:
        hint = near_path(source).strip() or "Check the path."
        raise CorpusError(f"There is no file {source}.", hint) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CorpusError(
            f"{str(source)!r} cannot be read: {reason}.", "Check the path and its permissions."
        ) from error


def is_gzip(file: io.BufferedReader) -> bool:
    """Tell whether a file is packed by gzip, by its first bytes."""
    return file.peek(2).startswith(_GZIP)


def head_of_file(source: Path) -> bytes:
    """Return the first HEAD bytes of a file, unpacked; raises as `open_bytes` does."""
    with _open_file(source) as file:
        raw = file.read(HEAD)
    if not raw.startswith(_GZIP):
        return raw
    with suppress(zlib.error):  # What is damaged is told when it is read.
        return zlib.decompressobj(_GZIP_WINDOW).decompress(raw, HEAD)
    return b""


def head_text(head: bytes) -> str:
    """Decode the first bytes of a file as well as that can be done, line ends as "\\n"."""
    text = head.decode(encoding_of(head)[0], errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def text_lines(stream: BinaryIO, oddities: Counter[str]) -> Iterator[str]:
    """Give lines of text, each with "\\n" at its end; oddities counts what was wrong with some.

    A line that is not UTF-8 is read as Windows-1252, unless the file has a byte order mark of
    another encoding.

    Raises:
        CorpusError: a line has no end.
    """
    encoding, _ = encoding_of(cast(io.BufferedReader, stream).peek(4))
    errors = "surrogateescape" if encoding.startswith("utf-8") else "replace"
    text = io.TextIOWrapper(stream, encoding=encoding, errors=errors, newline=None)
    number = 0
    try:
        while line := text.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                passed = len(line)
                while line and not line.endswith("\n"):
                    if passed > _ENDLESS:
                        hint = "Give a file with a record per line."
                        raise CorpusError(f"Line {number} has no end.", hint)
                    line = text.readline(_BUFFER)
                    passed += len(line)
                oddities[TOO_LONG] += 1
                yield "\n"  # So that lines keep their numbers.
            else:
                yield line if line.isascii() else _decoded(line, oddities)
    finally:
        if not stream.closed:  # It is where nobody read to the end.
            text.detach()  # Not ours to close.


def _decoded(line: str, oddities: Counter[str]) -> str:
    try:
        line.encode()
    except UnicodeEncodeError:  # Bytes that are no UTF-8 became half surrogates.
        oddities[NOT_UTF8] += 1
        raw = line.encode("utf-8", "surrogateescape")
        return raw.decode("cp1252", errors="replace")
    return line


class _Watched(io.FileIO):
    """A file that tells how much of it was read."""

    def __init__(self, path: Path, progress: Progress) -> None:
        super().__init__(path)
        self._progress = progress
        self._size = os.fstat(self.fileno()).st_size
        self._told = -1

    def readinto(self, buffer: "WriteableBuffer") -> int | None:
        """Fill a buffer, and tell."""
        read = super().readinto(buffer)
        if self._size:  # Of a pipe or a device, nobody knows how much is to come.
            done = self.tell() if read else self._size
            if self._told < done and (not read or done < self._size):
                self._told = done
                self._progress(STAGE, done, self._size)
        return read


class _Gunzipped(io.RawIOBase):
    """The content of a gzip file, whose damage is an error that says what to do."""

    def __init__(self, file: io.BufferedReader, name: str) -> None:
        self._file, self._name = gzip.GzipFile(fileobj=file), name

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int | None:
        """Fill a buffer.

        Raises:
            CorpusError: the file is cut short or damaged.
        """
        try:
            return self._file.readinto(buffer)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise damaged(self._name, error) from error


def damaged(name: str, error: Exception, where: str = "") -> CorpusError:
    """Return the error that a gzip file is cut short or damaged; where: how far it is good."""
    what = "ends in the middle of" if isinstance(error, EOFError) else "has damaged data in"
    return CorpusError(
        f"{name} {what} its gzip stream ({error}){where}.",
        "Download or pack it again: papers that were lost would leave holes in the graph.",
    )
