"""Read the contexts of ACL-200 and its kin: one JSON object with a masked context per id.

So are ACL-600, RefSeer and arXiv of Medić and Šnajder 2020 and of Gu et al. 2022. Such a file has
up to some GB on a single line: its members are decoded one at a time.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import BinaryIO

from recsys.formats.contexts.found_contexts import found_contexts
from recsys.formats.papers.paper_fields import Record, id_of
from recsys.formats.references.bibliography import Problem
from recsys.passages import Context
from recsys.records import Reference

LARGEST_MEMBER = 2**22
"""Characters of one context with its id; the largest known have some thousands."""
_CHUNK = 2**16
_LOOKS = re.compile(r"\s*\{\s*\"[^\"]{1,300}\"\s*:\s*\{")
_SPACE = re.compile(r"[\s,]*")
_COLON = re.compile(r"\s*:\s*")
_NEXT = re.compile(r"\}\s*,\s*(?=\"[^\"]{1,300}\"\s*:\s*\{)")
_decode = json.JSONDecoder(strict=False).raw_decode


def looks_so(head: str) -> bool:
    """Whether a file is such an object."""
    text = head.lstrip("\ufeff")
    return bool(_LOOKS.match(text)) and '"masked_text"' in text and '"refid"' in text


def masked_contexts(record: Record) -> Iterator[Context | Problem]:
    """Read one such context: TARGETCIT stands for the paper in question, OTHERCIT for others."""
    text = record.get("masked_text")
    citing, cited = (Reference(id=id_of(record.get(name))) for name in ("citing_id", "refid"))
    yield from found_contexts(citing, cited, [text] if isinstance(text, str) else [])


def read(stream: BinaryIO) -> Iterator[Context | Problem]:
    """Read the contexts of a file, in its order."""
    for member in members(stream):
        if isinstance(member, Problem):
            yield member
        elif isinstance(member, dict) and "masked_text" in member:
            yield from masked_contexts(member)
        else:
            yield Problem("a member is no masked context.", "not a context")


def members(stream: BinaryIO) -> Iterator[object]:
    """Yield the values of an object's members; a Problem where one cannot be read."""
    text = _Text(stream)
    text.more()
    text.pass_over(re.compile(r"\s*\ufeff?\s*\{"))
    while not text.at_end():
        try:
            yield text.member()
        except (ValueError, RecursionError):
            if not text.more():
                yield text.broken()


class _Text:
    """What is decoded of a stream and not yet read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held, self._place, self._passed = "", 0, 0
        self._size = _CHUNK
        self._ended = False

    def more(self) -> bool:
        """Read on, twice as much as before; False at the end, or where too much is held."""
        if self._ended or len(self._held) - self._place > LARGEST_MEMBER:
            return False
        chunk = self._stream.read(self._size)
        self._ended = not chunk
        self._size = min(2 * self._size, LARGEST_MEMBER)
        self._passed += self._place
        self._held = self._held[self._place :] + self._decoder.decode(chunk, final=not chunk)
        self._place = 0
        return True

    def pass_over(self, pattern: re.Pattern[str]) -> None:
        """Go behind what matches here, if anything does."""
        if match := pattern.match(self._held, self._place):
            self._place = match.end()

    def at_end(self) -> bool:
        """Tell whether nothing is left but the end of the object."""
        self.pass_over(_SPACE)
        while self._place == len(self._held):
            if not self.more():
                return True
            self.pass_over(_SPACE)
        return self._held[self._place] == "}"

    def member(self) -> object:
        """Read a name and a value; raises ValueError where both are not held whole."""
        _, place = _decode(self._held, self._place)
        colon = _COLON.match(self._held, place)
        if colon is None or colon.end() == len(self._held):
            raise ValueError
        value: object
        value, self._place = _decode(self._held, colon.end())
        self._size = _CHUNK
        return value

    def broken(self) -> Problem:
        """Go to the next member that can be told, and say where one could not be read."""
        at = self._passed + self._place
        found = _NEXT.search(self._held, self._place + 1)
        self._place = found.end() if found else len(self._held)
        self._size = _CHUNK
        return Problem(f"character {at:,}: a context is no JSON.", "not JSON")
