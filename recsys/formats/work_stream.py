"""Read a file of works of any known format, and say what was wrong with which record.

A record becomes a `Found` work, with remarks on what was odd about it, or a `Reject`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain
from pathlib import Path

from recsys.errors import CorpusError
from recsys.formats.exports import table_reading
from recsys.formats.exports.foreign_files import foreign
from recsys.formats.papers.external_ids import paper_of
from recsys.formats.papers.field_maps import PaperFormat
from recsys.formats.papers.json_records import Entry, entries_of, head_of, open_lines, tally
from recsys.formats.papers.language import looks_english
from recsys.formats.papers.paper_fields import FieldError
from recsys.formats.papers.paper_formats import FORMATS as JSON_FORMATS
from recsys.formats.papers.paper_formats import OWN, recognise
from recsys.formats.papers.text_hygiene import plain_text, tidy_abstract, tidy_title
from recsys.formats.references.bibliography import EARLIEST_YEAR, LATEST_YEAR, Problem
from recsys.formats.source_formats import FORMATS, JSON, TABLE, Shape, SourceFormat, recognised
from recsys.formats.source_streams import head_of_file, head_text, open_bytes, text_lines
from recsys.protocols import Progress, silent
from recsys.records import Paper, Reference

LONGEST_ABSTRACT = 20_000
"""Characters kept of an abstract: some 3,000 words, several times what any encoder reads."""
_EXCERPT = 200  # characters of a rejected record
_TOLD_MARKS = 3
_TOLD_KEYS = 12


class Remark(StrEnum):
    """What was odd about a work that is kept."""

    NO_ABSTRACT = "no abstract"
    NO_YEAR = "no year"
    IMPOSSIBLE_YEAR = "impossible year"
    CUT_ABSTRACT = "abstract cut"
    NOT_ENGLISH = "not English"
    BROKEN_UTF8 = "broken UTF-8"


@dataclass(frozen=True, slots=True)
class Found:
    """A work, the line or record it came from (0: unknown), and what was odd about it."""

    line: int
    work: Reference
    remarks: tuple[Remark, ...]


@dataclass(frozen=True, slots=True)
class Reject:
    """A record that gave no work, with the reason, and its first characters or what is wrong."""

    line: int
    reason: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class WorkStream:
    """What a file holds.

    format: the name of its format. sealed: the file is one of ours; its ids tell papers apart, and
    its texts lose their mark-up alone. oddities: lines that were read in another way, and unread:
    fields that say something of which nothing was read, both counted on the way.
    """

    format: str
    sealed: bool
    items: Iterator[Found | Reject]
    oddities: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)


@contextmanager
def open_works(
    source: Path, *, columns: Mapping[str, str] | None = None, progress: Progress = silent
) -> Iterator[WorkStream]:
    """Open a file of works and recognise its format by its content.

    Args:
        source: a file, plain or gzip. Standard input (`-`) and pipes are JSON: they cannot be read
            twice.
        columns: of a table, our field -> the header of its column, where the header does not tell.
        progress: told the bytes of the file read so far.

    Raises:
        CorpusError: the file cannot be read, or is of no known format.
        InputError: columns name what the table does not have.
    """
    form = format_of_file(source) if source.is_file() or source.is_dir() else JSON
    oddities, unread = Counter[str](), Counter[str]()
    if form.shape is Shape.JSON:
        with open_lines(source, progress=progress) as lines:
            entries = chain.from_iterable(map(entries_of, lines))
            head = list(head_of(entries))
            known = _known(head, source)
            sealed = known.name == OWN
            items = _of_entries(chain(head, entries), known, unread, sealed=sealed)
            yield WorkStream(known.name, sealed, items, oddities, unread)
        return
    if form.shape is Shape.FILE:
        yield stream_of(form.name, form.read(source), Counter())
        return
    with open_bytes(source, progress=progress) as stream:
        if form.shape is Shape.BYTES:
            works = form.read(stream)
        elif columns and form is TABLE:
            works = table_reading.read(text_lines(stream, oddities), columns, unread)
        else:
            works = form.read(text_lines(stream, oddities), unread)
        yield stream_of(form.name, works, oddities, unread)


def format_of_file(source: Path) -> SourceFormat:
    """Recognise what a file is.

    Raises:
        CorpusError: it cannot be read, or is nothing that is known.
    """
    raw = head_of_file(source)
    text = head_text(raw)
    form = recognised(raw, text, "")
    if form is not None and form.shape is not Shape.FILE:
        return form
    if not raw.strip():
        raise CorpusError(f"{source} is empty.", "Export or download it again.")
    if known := foreign(raw):  # Whatever its name says, and though it may be a database.
        raise CorpusError(f"{source} is {known[0]}.", known[1])
    suffixes = [each.lower() for each in source.suffixes if each.lower() != ".gz"]
    form = form or recognised(raw, text, suffixes[-1] if suffixes else "")
    if form is not None:
        return form
    names = ", ".join(form.name for form in FORMATS)
    begins = " ".join(head_text(raw[:400]).split())[:60]
    shown = repr(begins) if begins.isprintable() else f"with the bytes {raw[:8].hex(' ')}"
    raise CorpusError(
        f"{source} has no known format: it begins {shown}.",
        f"Known are {names}; a table needs a header that names a title, or --columns.",
    )


def _known(head: Sequence[Entry], source: Path) -> PaperFormat:
    """Recognise records by their keys."""
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
    keys = ", ".join(list(dict.fromkeys(chain.from_iterable(records)))[:_TOLD_KEYS])
    rows = []
    for row in JSON_FORMATS:
        marks = sorted(row.marks.split())
        some = ", ".join(marks[:_TOLD_MARKS]) + (" ..." if len(marks) > _TOLD_MARKS else "")
        needs = ", ".join(sorted(row.needs.split()))
        rows.append(f"{row.name} ({needs}{f' and one of {some}' if marks else ''})")
    raise CorpusError(
        f"{source} has no known format: its records have the keys {keys[:300]}.",
        f"The formats known are {'; '.join(rows)}.",
    )


def _of_entries(
    entries: Iterable[Entry], known: PaperFormat, unread: Counter[str], *, sealed: bool
) -> Iterator[Found | Reject]:
    for entry in entries:
        line, work, flaw = entry.line, None, entry.flaw
        if entry.record is not None:
            try:
                work = known.reference_of(entry.record)
                unread.update(known.unread(entry.record, work))
            except FieldError as error:
                flaw = str(error)
        if work is None:
            yield Reject(line.number, flaw, line.text[:_EXCERPT].rstrip())
            continue
        broken = (Remark.BROKEN_UTF8,) if line.broken_utf8 else ()
        work, remarks = tidied(work, sealed=sealed)
        yield Found(line.number, work, remarks + broken)


def stream_of(
    name: str,
    items: Iterable[Reference | Problem],
    oddities: Counter[str],
    unread: Counter[str] | None = None,
) -> WorkStream:
    """Tidy what a reader of no JSON gives; records are counted where it tells no line.

    name: of the format. oddities: counts what was odd about records that are kept, too. unread: the
    fields of which nothing was read.
    """

    def tidy() -> Iterator[Found | Reject]:
        for number, item in enumerate(items, start=1):
            if not isinstance(item, Problem):
                yield Found(number, *tidied(item, sealed=False))
            elif item.kept:
                oddities[item.reason] += 1
            else:
                yield Reject(item.line, item.reason, item.text[:_EXCERPT])

    return WorkStream(name, False, tidy(), oddities, Counter() if unread is None else unread)


def tidied(work: Reference, *, sealed: bool) -> tuple[Reference, tuple[Remark, ...]]:
    """Tidy the texts of a work, forget an impossible year, and say what is odd or missing.

    sealed: the work is of a file of ours, whose texts lose their mark-up, but keep their capitals
    and what would be a notice elsewhere.
    """
    remarks = []
    title, abstract, year = work.title, work.abstract, work.year
    title = (plain_text if sealed else tidy_title)(title) if title else None
    abstract = ((plain_text if sealed else tidy_abstract)(abstract) or None) if abstract else None
    if abstract is None:
        remarks.append(Remark.NO_ABSTRACT)
    elif len(abstract) > LONGEST_ABSTRACT:
        abstract = abstract[:LONGEST_ABSTRACT].rstrip()
        remarks.append(Remark.CUT_ABSTRACT)
    if year is not None and not EARLIEST_YEAR <= year <= LATEST_YEAR:
        year = None
        remarks.append(Remark.IMPOSSIBLE_YEAR)
    if year is None:
        remarks.append(Remark.NO_YEAR)
    if not looks_english(f"{title} {abstract or ''}"):
        remarks.append(Remark.NOT_ENGLISH)
    if (title, abstract, year) != (work.title, work.abstract, work.year):
        work = replace(work, title=title or None, abstract=abstract, year=year)
    return work, tuple(remarks) if title else ()  # A part of a work lacks nothing.


def read_papers(source: Path, *, progress: Progress = silent) -> Iterator[Paper]:
    """Yield what each record of a file gives by itself, in order; what is no paper is passed over.

    Nothing is merged or linked; ids are distinct: of records of one id, the first counts.

    Raises:
        CorpusError: the file cannot be read, or is of no known format.
    """
    seen: set[str] = set()
    with open_works(source, progress=progress) as stream:
        for item in stream.items:
            if isinstance(item, Found):
                with suppress(FieldError):
                    paper = paper_of(item.work, own=stream.sealed)
                    if paper.id not in seen:
                        seen.add(paper.id)
                        yield paper
