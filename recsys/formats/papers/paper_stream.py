"""Read a file of papers of any known format, line by line, and say what was wrong with which.

A line becomes a `Found` paper, with remarks on what was odd about it, or a `Reject`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from pathlib import Path

from recsys.errors import CorpusError
from recsys.formats.papers.language import looks_english
from recsys.formats.papers.paper_fields import FieldError
from recsys.formats.papers.paper_formats import FORMATS, PaperFormat, recognise
from recsys.formats.papers.paper_records import Entry, entries_of, head_of, tally
from recsys.formats.papers.source_lines import open_lines
from recsys.progress import Progress, silent
from recsys.records import Paper

LONGEST_ABSTRACT = 20_000
"""Characters kept of an abstract: some 3,000 words, several times what any encoder reads."""
EARLIEST_YEAR, LATEST_YEAR = 1400, 2100
"""A year outside is impossible and becomes unknown. Constants: one file always reads the same."""
_EXCERPT = 200  # characters of a rejected line
_TOLD_MARKS = 3


class Remark(StrEnum):
    """What was odd about a paper that is kept."""

    NO_ABSTRACT = "no abstract"
    NO_YEAR = "no year"
    IMPOSSIBLE_YEAR = "impossible year"
    CUT_ABSTRACT = "abstract cut"
    NOT_ENGLISH = "not English"
    BROKEN_UTF8 = "broken UTF-8"


@dataclass(frozen=True, slots=True)
class Found:
    """A paper, the line it came from, and what was odd about it."""

    line: int
    paper: Paper
    remarks: tuple[Remark, ...]


@dataclass(frozen=True, slots=True)
class Reject:
    """A line that gave no paper, with the reason and its first characters."""

    line: int
    reason: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class PaperStream:
    """The recognised format's name and what each line gave, in order; ids are distinct."""

    format: str
    items: Iterator[Found | Reject]


@contextmanager
def open_papers(source: Path, *, progress: Progress = silent) -> Iterator[PaperStream]:
    """Open a file of papers (`-`: standard input) and recognise its format by the first records.

    Raises:
        CorpusError: the file cannot be read (see `open_lines`), begins with no JSON objects, or its
            records have no known format.
    """
    with open_lines(source, progress=progress) as lines:
        entries = chain.from_iterable(map(entries_of, lines))
        head = list(head_of(entries))
        known = _recognised(head, source)
        yield PaperStream(known.name, _distinct(_items(chain(head, entries), known)))


def tidied(paper: Paper) -> tuple[Paper, tuple[Remark, ...]]:
    """Cut an endless abstract, forget an impossible year, and say what is odd or missing."""
    remarks = []
    if paper.abstract is None:
        remarks.append(Remark.NO_ABSTRACT)
    elif len(paper.abstract) > LONGEST_ABSTRACT:
        paper = replace(paper, abstract=paper.abstract[:LONGEST_ABSTRACT].rstrip())
        remarks.append(Remark.CUT_ABSTRACT)
    if paper.year is not None and not EARLIEST_YEAR <= paper.year <= LATEST_YEAR:
        paper = replace(paper, year=None)
        remarks.append(Remark.IMPOSSIBLE_YEAR)
    if paper.year is None:
        remarks.append(Remark.NO_YEAR)
    if not looks_english(f"{paper.title} {paper.abstract or ''}"):
        remarks.append(Remark.NOT_ENGLISH)
    return paper, tuple(remarks)


def _recognised(head: Sequence[Entry], source: Path) -> PaperFormat:
    records = [entry.record for entry in head if entry.record is not None]
    known = recognise(records)
    if known is not None:
        return known
    if not records:
        flaws = tally(Counter(entry.flaw for entry in head))
        seen = f"its first {len(head):,} lines are none ({flaws})" if head else "it is empty"
        raise CorpusError(
            f"{source} holds no JSON objects: {seen}.", "Give a file with one paper per line."
        )
    keys = ", ".join(list(dict.fromkeys(chain.from_iterable(records)))[:12])
    rows = "; ".join(f"{row.name} ({_description(row)})" for row in FORMATS)
    raise CorpusError(
        f"{source} is of no known format: its records have the keys {keys[:300]}.",
        f"The formats known are {rows}.",
    )


def _description(row: PaperFormat) -> str:
    needs, marks = ", ".join(sorted(row.needs)), sorted(row.marks)
    some = ", ".join(marks[:_TOLD_MARKS]) + (" ..." if len(marks) > _TOLD_MARKS else "")
    return needs + (f" and one of {some}" if marks else "")


def _items(entries: Iterable[Entry], known: PaperFormat) -> Iterator[Found | Reject]:
    for entry in entries:
        if entry.record is None:
            yield _rejected(entry, entry.flaw)
            continue
        try:
            paper, remarks = tidied(known.parse(entry.record))
        except FieldError as error:
            yield _rejected(entry, str(error))
            continue
        broken = (Remark.BROKEN_UTF8,) if entry.line.broken_utf8 else ()
        yield Found(entry.line.number, paper, remarks + broken)


def _rejected(entry: Entry, reason: str) -> Reject:
    return Reject(entry.line.number, reason, entry.line.text[:_EXCERPT].rstrip())


def _distinct(items: Iterable[Found | Reject]) -> Iterator[Found | Reject]:
    """Reject the papers whose id was seen before: the first wins."""
    seen: set[str] = set()
    for item in items:
        if isinstance(item, Found):
            if item.paper.id in seen:
                yield Reject(
                    item.line, "duplicate id", f"{item.paper.id}: {item.paper.title}"[:_EXCERPT]
                )
                continue
            seen.add(item.paper.id)
        yield item
