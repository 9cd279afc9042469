"""Add entries to a BibTeX file: those that it has stay as they are, to the byte."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from recsys.errors import InputError
from recsys.formats.files import read_bytes
from recsys.formats.local_answers.accepted_papers import Accepted
from recsys.formats.local_answers.draft_lines import DraftLines, changed
from recsys.formats.local_answers.gap_keys import GapKeys
from recsys.formats.references import bibtex
from recsys.formats.replacing import replacing
from recsys.records import Reference

_START = re.compile(r"^[ \t]*@\w+[ \t]*\{", re.MULTILINE)
_BRACE = re.compile(r"(?<!\\)[{}]")


@dataclass(frozen=True, slots=True)
class BibFile:
    """A BibTeX file that may not be there yet, and what it holds."""

    path: Path
    raw: bytes | None
    references: tuple[Reference, ...] = ()

    @classmethod
    def read(cls, path: Path) -> "BibFile":
        """Read a file, if there is one.

        Raises:
            InputError: there is one that cannot be read, or that is no BibTeX.
        """
        if not path.exists():
            return cls(path, None)
        raw = read_bytes(path)
        lines = DraftLines.of(raw, str(path))
        if lines.text.strip() and not bibtex.looks_so(lines.text):
            raise InputError(
                f"{path} is no BibTeX.", "Give a .bib, or a file that is not there yet."
            )
        return cls(path, raw, _references(lines.text))

    def with_entries(self, taken: Sequence[Accepted], keys: GapKeys) -> bytes:
        """Append the entries of accepted papers that no bibliography at hand has.

        Raises:
            InputError: the file ends within an entry, so that another would be lost in it.
        """
        entries = {each.key: text for each in taken if (text := keys.entry_of(each.paper))}
        if not entries:
            return self.raw or b""
        lines = DraftLines.of(self.raw or b"", str(self.path))
        text = _appended(lines.text, "\n".join(entries.values()), lines.line_end)
        found = {reference.key for reference in _references(text)}
        before = {reference.key for reference in self.references}
        if _is_open(lines.text) or not found >= before | entries.keys():
            raise InputError(
                f"{self.path} ends within an entry, in which others would be lost.",
                "Close its last brace, or give a new file.",
            )
        return lines.encoded(text)

    def write(self, new: bytes) -> None:
        """Write the file anew, whole or not at all.

        Raises:
            InputError: it is not what it was when it was read.
            OSError: it cannot be written.
        """
        if (read_bytes(self.path) if self.path.exists() else None) != self.raw:
            raise changed(str(self.path), "is another file")
        if new not in (b"", self.raw):
            with replacing(self.path) as temporary:
                temporary.write_bytes(new)


def _references(text: str) -> tuple[Reference, ...]:
    found = bibtex.read(StringIO(text, newline=None))
    return tuple(each for each in found if isinstance(each, Reference))


def _appended(text: str, entries: str, line_end: str) -> str:
    """Put entries below a text, an empty line between."""
    between = "" if not text.strip() else "\n" if text.endswith(("\n", "\r")) else "\n\n"
    return text + (between + entries).replace("\n", line_end)


def _is_open(text: str) -> bool:
    """Whether the last entry lacks a brace: our reader forgives that, BibTeX does not."""
    starts = [match.start() for match in _START.finditer(text)]
    braces = _BRACE.findall(text, starts[-1]) if starts else []
    return braces.count("{") > braces.count("}")
