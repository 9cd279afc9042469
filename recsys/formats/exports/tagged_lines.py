"""Gather the records of tagged text: a tag begins a fact, lines without one continue it."""

import re
from collections.abc import Iterator, Mapping, Sequence
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
    outside: tags of the file, which belong to no record. strict: nothing but `first` begins a
    record, and what stands between records is nobody's concern but for facts.
    """

    tag: re.Pattern[str]
    first: str
    last: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    strict: bool = False


@dataclass(frozen=True, slots=True)
class TaggedRecord:
    """The facts of one record by their tags, each fact as its lines without white space around.

    line: where it begins. ended: whether it has an end, where its format asks for one. cut: whether
    it was longer than LONGEST_RECORD.
    """

    line: int
    facts: Mapping[str, Sequence[Sequence[str]]]
    ended: bool = True
    cut: bool = False

    def lines(self, *tags: str) -> list[str]:
        """Return the lines of all facts under these tags."""
        return [line for tag in tags for fact in self.facts.get(tag, ()) for line in fact if line]

    def texts(self, *tags: str) -> list[str]:
        """Return each fact under these tags, its lines joined by spaces."""
        texts = (" ".join(fact) for tag in tags for fact in self.facts.get(tag, ()))
        return [text for text in texts if text]

    def text(self, *tags: str) -> str | None:
        """Return the first fact under these tags that says something."""
        return next(iter(self.texts(*tags)), None)


def records(lines: Iterator[str], layout: Layout) -> Iterator[TaggedRecord | Problem]:
    """Gather records; at the end say how many lines stood outside of all."""
    gathering = _Gathering(layout)
    for number, line in enumerate(lines, start=1):
        if (record := gathering.take(number, line)) is not None:
            yield record
    if (record := gathering.close(ended=not layout.last)) is not None:
        yield record
    if gathering.strayed:
        what, reason = (
            (f"records without {layout.first}", "record without beginning")
            if layout.strict
            else ("lines outside of records", "line outside of records")
        )
        text = f"{gathering.strayed:,} {what} were passed over."
        yield Problem(text, reason, gathering.strayed_at)


class _Gathering:
    """The record that is being gathered, and how many lines stood outside of all."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._facts: dict[str, list[list[str]]] | None = None
        self._fact: list[str] = []
        self._line = self._size = 0
        self._after_blank = False
        self._headless_at = 0
        """Where facts began that are in no record."""
        self.strayed = self.strayed_at = 0

    def take(self, number: int, line: str) -> TaggedRecord | None:
        """Take in a line; return the record that it ends."""
        layout = self._layout
        match = layout.tag.match(line)
        if match is None:
            self._continue(number, line.strip())
            return None
        tag, record = match[1], None
        ends = tag in layout.last
        if self._facts is not None and (ends or self._begins(tag, self._facts)):
            record = self.close(ended=ends or not layout.last)
        if self._facts is None:
            self._open(number, tag)
        if self._facts is not None:
            self._after_blank = False
            self._fact = [line[match.end() :].strip()]
            if self._has_room(self._fact[0]):
                self._facts.setdefault(tag, []).append(self._fact)
        return record

    def _open(self, number: int, tag: str) -> None:
        """Begin a record where a tag may begin one."""
        layout = self._layout
        ends = tag in layout.last
        if tag == layout.first or not (layout.strict or ends or tag in layout.outside):
            self._facts, self._line, self._size = {}, number, 0
        elif layout.strict:  # Facts that an end follows are a record without a beginning.
            self._headless_at = self._headless_at or (0 if ends else number)
            if ends:
                self._stray(self._headless_at)
                self._headless_at = 0

    def close(self, *, ended: bool) -> TaggedRecord | None:
        """Return the open record, and close it."""
        facts, self._facts = self._facts, None
        if facts is None:
            return None
        return TaggedRecord(self._line, facts, ended, self._size > LONGEST_RECORD)

    def _begins(self, tag: str, facts: Mapping[str, object]) -> bool:
        """Whether a tag begins another record than the open one."""
        layout = self._layout
        if tag == layout.first:
            # Some write it after the title; then it begins none.
            return bool(layout.last) or self._after_blank or (len(facts) > 1 and tag in facts)
        # Empty lines stand within abstracts, too: what follows one is another record only if this
        # one has such a fact already, or did not begin as records do.
        anew = tag in facts or layout.first not in facts
        return self._after_blank and anew and not layout.last

    def _continue(self, number: int, text: str) -> None:
        """Take in a line without a tag."""
        self._after_blank = not text
        if not text:
            return
        if self._facts is not None:
            if self._has_room(text):
                self._fact.append(text)
        elif not self._layout.strict:
            self._stray(number)

    def _has_room(self, text: str) -> bool:
        self._size += len(text) + _PER_LINE
        return self._size <= LONGEST_RECORD

    def _stray(self, number: int) -> None:
        """Count what stands outside of all records, but for nothing (0)."""
        self.strayed += number > 0
        self.strayed_at = self.strayed_at or number
