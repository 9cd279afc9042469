"""The text of a file that somebody edits: decoded so that what is written back differs nowhere."""

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass

from recsys.errors import InputError
from recsys.formats.files import MARKS, decode_or_guess
from recsys.passages import Span

_LINE_END = re.compile(r"\r\n|\r|\n")
_CODECS: Mapping[bytes, str] = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


@dataclass(frozen=True, slots=True)
class DraftLines:
    """A text with its own line ends, and how it was encoded.

    mark: the byte order mark that it begins with. starts: where each line begins.
    """

    name: str
    text: str
    codec: str
    mark: bytes
    starts: tuple[int, ...]

    @classmethod
    def of(cls, raw: bytes, name: str) -> "DraftLines":
        """Decode a file.

        Raises:
            InputError: the bytes are no text.
        """
        decode_or_guess(raw, name)  # What it refuses, is refused here.
        mark = next((mark for mark, _, _ in MARKS if raw.startswith(mark)), b"")
        text, codec = _decoded(raw[len(mark) :], _CODECS.get(mark, "utf-8"))
        ends = (match.end() for match in _LINE_END.finditer(text))
        return cls(name, text, codec, mark, (0, *ends))

    def encoded(self, text: str) -> bytes:
        """Encode another text as this one was.

        Raises:
            InputError: the encoding has no place for one of its characters.
        """
        try:
            return self.mark + text.encode(self.codec)
        except UnicodeEncodeError as error:
            raise InputError(
                f"{self.name} is no UTF-8 and cannot hold {error.object[error.start]!r}.",
                "Save it as UTF-8.",
            ) from error

    @property
    def line_end(self) -> str:
        """The first line end of the text; a line feed where there is none."""
        found = _LINE_END.search(self.text)
        return found[0] if found else "\n"

    def offsets(self, span: Span) -> tuple[int, int]:
        """Return where a span begins and ends in the text.

        Raises:
            InputError: the file has no such place.
        """
        return self._offset(span.line, span.column), self._offset(span.end_line, span.end_column)

    def _offset(self, line: int, column: int) -> int:
        if 1 <= line <= len(self.starts) and column >= 1:
            last = [*self.starts[1:], len(self.text) + 1][line - 1]
            place = self.starts[line - 1] + column - 1
            if place < last:
                return place
        raise changed(f"{self.name}:{line}:{column}", "is no place of the file")


def changed(place: str, what: str) -> InputError:
    """Say that a file is not what it was when it was read."""
    return InputError(
        f"{place} {what}: it changed since it was read.",
        "Run the command again; nothing was written.",
    )


def _decoded(raw: bytes, codec: str) -> tuple[str, str]:
    for each in (codec, "cp1252"):
        try:
            return raw.decode(each), each
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1"), "latin-1"
