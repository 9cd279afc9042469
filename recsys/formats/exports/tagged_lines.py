"""Gather the records of tagged text: a tag begins a fact, lines without one continue it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from recsys.formats.references.bibliography import Problem
from recsys.records import Reference

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

    def opens(self, tag: str) -> bool:
        """Whether a tag begins a record where none is open."""
        return tag == self.first or not (self.strict or tag in self.last or tag in self.outside)


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
        found = (" ".join(fact) for tag in tags for fact in self.facts.get(tag, ()))
        return [text for text in found if text]

    def text(self, *tags: str) -> str | None:
        """Return the first fact under these tags that says something."""
        return next(iter(self.texts(*tags)), None)

    def problems(self, end: str) -> Iterator[Problem]:
        """Say what is wrong with the record; end: the tag that it should have had."""
        if not self.ended:
            text = f"line {self.line}: the record has no end ({end})."
            yield Problem(text, "record without end", self.line)
        if self.cut:
            text = f"line {self.line}: the record has no end in sight; what is beyond is left out."
            yield Problem(text, "record too long", self.line)


def references(
    lines: Iterator[str], layout: Layout, reference_of: Callable[[TaggedRecord], Reference]
) -> Iterator[Reference | Problem]:
    """Read each record by a function, and say what was wrong."""
    for item in records(lines, layout):
        if isinstance(item, TaggedRecord):
            yield from item.problems(layout.last[0] if layout.last else "")
            yield reference_of(item)
        else:
            yield item


def records(lines: Iterator[str], layout: Layout) -> Iterator[TaggedRecord | Problem]:
    """Gather records; at the end say how many lines stood outside of all."""
    gathering = _Gathering(layout)
    number = 0
    for number, line in enumerate(lines, start=1):
        if (record := gathering.take(number, line)) is not None:
            yield record
    if (record := gathering.given(not layout.last)) is not None:
        yield record
    if gathering.strayed:
        what = f"records without {layout.first}" if layout.strict else "lines outside of records"
        text = f"{gathering.strayed:,} {what} were passed over."
        reason = "record without beginning" if layout.strict else "line outside of records"
        yield Problem(text, reason, gathering.strayed_at)


@dataclass(slots=True)
class _Gathering:
    """The record that is being gathered, None between records, and what stood outside of all."""

    layout: Layout
    facts: dict[str, list[list[str]]] | None = None
    fact: list[str] = field(default_factory=list)
    line: int = 0
    size: int = 0
    blank: bool = False
    strayed: int = 0
    strayed_at: int = 0
    begun_at: int = 0

    def take(self, number: int, line: str) -> TaggedRecord | None:
        """Take in a line; return the record that it ends."""
        match = self.layout.tag.match(line)
        if match is None:
            self._go_on(number, line.strip())
            return None
        tag, record = match[1], None
        last = tag in self.layout.last
        if self.facts is not None and (last or self._begins(tag)):
            record = self.given(last or not self.layout.last)
        if self.facts is None and self.layout.opens(tag):
            self.facts, self.line, self.size = {}, number, 0
        elif self.facts is None and self.layout.strict:
            self._pass_over(number, last)
        if self.facts is not None:
            self._add(tag, line[match.end() :].strip())
        return record

    def given(self, ended: bool) -> TaggedRecord | None:
        """Return the open record, and close it."""
        if self.facts is None:
            return None
        record = TaggedRecord(self.line, self.facts, ended, self.size > LONGEST_RECORD)
        self.facts = None
        return record

    def _begins(self, tag: str) -> bool:
        """Whether a tag begins another record than the open one."""
        facts = self.facts or {}
        if tag == self.layout.first:
            # Some write it after the title; then it begins none.
            return bool(self.layout.last) or self.blank or (len(facts) > 1 and tag in facts)
        # Empty lines stand within abstracts, too: what follows one is another record only if this
        # one has such a fact already, or did not begin as records do.
        anew = tag in facts or self.layout.first not in facts
        return self.blank and anew and not self.layout.last

    def _add(self, tag: str, text: str) -> None:
        self.blank = False
        self.size += len(text) + _PER_LINE
        if self.facts is not None and self.size <= LONGEST_RECORD:
            self.fact = [text]
            self.facts.setdefault(tag, []).append(self.fact)

    def _go_on(self, number: int, text: str) -> None:
        self.blank = not text
        if not text:
            return
        if self.facts is None:
            if not self.layout.strict:
                self._stray(number)
            return
        self.size += len(text) + _PER_LINE
        if self.size <= LONGEST_RECORD:
            self.fact.append(text)

    def _pass_over(self, number: int, last: bool) -> None:
        """Notice facts that an end follows: a record of which only the beginning is missing."""
        if last and self.begun_at:
            self._stray(self.begun_at)
        self.begun_at = 0 if last else self.begun_at or number

    def _stray(self, number: int) -> None:
        self.strayed += 1
        self.strayed_at = self.strayed_at or number
