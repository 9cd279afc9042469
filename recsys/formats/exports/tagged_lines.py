"""Gather the records of tagged text: a tag begins a fact, lines without one continue it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recsys.formats.references.bibliography import Problem

LONGEST_RECORD = 64 * 2**20
"""Characters of a record that are kept; what ends nowhere fills no memory."""
_PER_LINE = 64
"""Characters that a line counts for beside its own: an empty one takes memory, too."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a format marks its facts and its records.

    tag: matches the beginning of a line that begins a fact, up to what it says; its group is the
    tag. first, last: the tags that begin and end a record; without `last` an empty line ends one.
    outside: tags of the file, which belong to no record. strict: without `first` it is no record,
    wherever in it that stands; what is between records is nobody's concern but for facts.
    """

    tag: re.Pattern[str]
    first: str
    last: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    strict: bool = False

    def begins(self, tag: str) -> bool:
        """Whether a tag may begin a record where none is open."""
        return tag == self.first or tag not in (*self.last, *self.outside)


class TaggedRecord:
    """The facts of one record by their tags, each fact as its lines without white space around.

    line: where it begins. ended: whether it has an end, where its format asks for one.
    """

    def __init__(self, line: int) -> None:
        self.line, self.ended = line, True
        self.facts: dict[str, list[list[str]]] = {}
        self._fact: list[str] = []
        self._size = 0
        self._after_blank = False

    @property
    def cut(self) -> bool:
        """Whether it was longer than LONGEST_RECORD."""
        return self._size > LONGEST_RECORD

    def begin(self, tag: str, text: str) -> None:
        """Begin a fact."""
        self._fact, self._after_blank = [text], False
        self._size += len(text) + _PER_LINE
        if not self.cut:
            self.facts.setdefault(tag, []).append(self._fact)

    def go_on(self, text: str) -> None:
        """Take in a line without a tag."""
        self._after_blank = not text
        if text:
            self._size += len(text) + _PER_LINE
            if not self.cut:
                self._fact.append(text)

    def is_over(self, tag: str, layout: Layout) -> bool:
        """Whether a tag begins another record."""
        if layout.strict and layout.first not in self.facts:
            return tag == layout.first and self._after_blank
        if tag == layout.first:
            # Some write it after the title; then it begins none.
            return (
                bool(layout.last)
                or self._after_blank
                or (len(self.facts) > 1 and tag in self.facts)
            )
        # Empty lines stand within abstracts, too: what follows one is another record only if this
        # one has such a fact already, or did not begin as records do.
        anew = tag in self.facts or layout.first not in self.facts
        return self._after_blank and anew and not layout.last

    def lines(self, *tags: str) -> list[str]:
        """Return the lines of all facts under these tags."""
        return [line for tag in tags for fact in self.facts.get(tag, ()) for line in fact if line]

    def texts(self, *tags: str, between: str = " ") -> list[str]:
        """Return each fact under these tags, its lines joined."""
        texts = (between.join(fact) for tag in tags for fact in self.facts.get(tag, ()))
        return [text for text in texts if text]

    def text(self, *tags: str) -> str | None:
        """Return the first fact under these tags that says something."""
        return next(iter(self.texts(*tags)), None)


def records(lines: Iterator[str], layout: Layout) -> Iterator[TaggedRecord | Problem]:
    """Gather records; at the end say how many lines stood outside of all."""
    record: TaggedRecord | None = None
    strayed = strayed_at = 0  # How much stood outside of all records, and where the first of it.
    for number, line in enumerate(lines, start=1):
        match = layout.tag.match(line)
        if match is None:
            text = line.strip()
            if record is not None:
                record.go_on(text)
            elif text and not layout.strict:
                strayed, strayed_at = strayed + 1, strayed_at or number
            continue
        tag = match[1]
        ends = tag in layout.last
        if record is not None and (ends or record.is_over(tag, layout)):
            record.ended = ends or not layout.last
            if not layout.strict or layout.first in record.facts:
                yield record
            else:
                strayed, strayed_at = strayed + 1, strayed_at or record.line
            record = None
        if record is None and layout.begins(tag):
            record = TaggedRecord(number)
        if record is not None:
            record.begin(tag, line[match.end() :].strip())
    if record is not None and (not layout.strict or layout.first in record.facts):
        record.ended = not layout.last
        yield record
    if strayed:
        what, reason = (
            (f"records without {layout.first}", "record without beginning")
            if layout.strict
            else ("lines outside of records", "line outside of records")
        )
        yield Problem(f"{strayed:,} {what} were passed over.", reason, strayed_at)
