"""Read a file of citing sentences of any known format, recognised by content: one literal table.

A new format is a reader, and a row. Objects of JSON are told apart by their keys, other files by
their first characters.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from recsys.errors import CorpusError
from recsys.formats.exports.foreign_files import foreign
from recsys.formats.papers.field_maps import words
from recsys.formats.papers.json_records import Entry, entries_of, open_lines
from recsys.formats.papers.paper_fields import Record
from recsys.formats.references.bibliography import Problem
from recsys.formats.source_formats import Shape, opened
from recsys.formats.source_streams import head_of_file, head_text, open_bytes, text_lines
from recsys.protocols import Progress, silent
from recsys.records import Context

_HEAD = 1000
"""Records of JSON in search of one whose format is known."""
_UNKNOWN = "object of no known format"


@dataclass(frozen=True, slots=True)
class ContextFormat:
    """One way in which citing sentences come.

    reader: "module:function" of this folder, which is given lines, bytes, a path, or one object of
    JSON after the other, as `shape` says. sign: another one, which tells by the first characters
    whether a file is of this format. keys: an object is of this format if it has all keys of one of
    these texts.
    """

    name: str
    reader: str
    shape: Shape = Shape.JSON
    sign: str = ""
    keys: tuple[str, ...] = ()

    def looks_so(self, head: str) -> bool:
        """Tell by the beginning of a file whether it is of this format; never for JSON."""
        return bool(self.sign) and bool(opened(f"contexts.{self.sign}")(head))

    def fits(self, record: Record) -> bool:
        """Tell whether an object looks like one of this format."""
        return any(words(keys) <= record.keys() for keys in self.keys)

    def read(self, source: object) -> Iterator[Context | Problem]:
        """Read what the reader is given."""
        contexts: Iterator[Context | Problem] = opened(f"contexts.{self.reader}")(source)
        return contexts


# In order: the first row that fits has the file, or the object.
# fmt: off
FORMATS = (
    ContextFormat("recsys contexts", "context_records:own_contexts", keys=("citing cited text",)),
    ContextFormat("S2AG citations", "context_records:dataset_contexts",
                  keys=("citingcorpusid citedcorpusid",)),
    ContextFormat("Semantic Scholar API", "context_records:answer_contexts",
                  keys=("data offset", "data citingPaperInfo", "data citedPaperInfo",
                        "contexts citingPaper", "contexts citedPaper",
                        "contextsWithIntent citingPaper", "contextsWithIntent citedPaper")),
    ContextFormat("ACL-200", "context_records:read_masked", Shape.BYTES,
                  "context_records:is_masked"),
    ContextFormat("ACL-200 lines", "context_records:masked_contexts",
                  keys=("masked_text citing_id refid",)),
    ContextFormat("S2ORC, CORD-19, unarXive", "full_texts:parsed_contexts",
                  keys=("paper_id body_text", "paper_id bib_entries", "paper_id pdf_parse",
                        "paper_id latex_parse", "paper_id grobid_parse")),
    ContextFormat("S2ORC of the API", "full_texts:annotated_contexts",
                  keys=("corpusid content", "corpusid body")),
    ContextFormat("JATS XML", "full_texts:read_jats", Shape.BYTES, "full_texts:is_jats"),
    ContextFormat("LaTeX, PDF, Word", "full_texts:read_paper", Shape.FILE, "full_texts:is_paper"),
    ContextFormat("unarXive 2020", "context_records:read_unarxive", Shape.LINES,
                  "context_records:is_unarxive"),
    ContextFormat("FullTextPeerRead", "context_records:read_peerread", Shape.LINES,
                  "context_records:is_peerread"),
)
# fmt: on


def format_of(record: Record) -> ContextFormat | None:
    """Return the format of an object, None when it has none."""
    return next((row for row in FORMATS if row.fits(record)), None)


def read_contexts(path: Path, *, progress: Progress = silent) -> Iterator[Context | Problem]:
    """Yield the contexts of a file, plain or gzip, and what is wrong with it, one at a time.

    Args:
        path: a file; its format is known by its content.
        progress: told the bytes of the file read so far.

    Raises:
        CorpusError: the file cannot be read, or is of no known format; while reading, a gzip file
            that is cut short or damaged.
    """
    raw = head_of_file(path)
    if not raw.strip():
        raise CorpusError(f"{path} is empty.", "Export or download it again.")
    form = next((row for row in FORMATS if row.looks_so(head_text(raw))), None)
    if form is None:
        yield from _json_contexts(path, raw, progress)
        return
    if form.shape is Shape.FILE:
        yield from form.read(path)
        return
    with open_bytes(path, progress=progress) as stream:
        if form.shape is Shape.BYTES:
            yield from form.read(stream)
            return
        oddities: Counter[str] = Counter()
        yield from form.read(text_lines(stream, oddities))
        for what, count in oddities.items():
            yield Problem(f"{count:,} {what}.", what)


def _json_contexts(path: Path, raw: bytes, progress: Progress) -> Iterator[Context | Problem]:
    """Read objects of JSON; those of formats that are not known are told."""
    if known := foreign(raw):
        raise CorpusError(f"{path} is {known[0]}.", known[1])
    if not head_text(raw).lstrip("\ufeff \r\n\t").startswith(("{", "[")):
        raise _unknown(path, head_text(raw[:400]))

    def listed(value: object) -> list[object]:
        return value if isinstance(value, list) else [value]

    with open_lines(path, progress=progress) as lines:
        entries = (entry for line in lines for entry in entries_of(line, records=listed))
        head: list[Entry] = []
        for entry in islice(entries, _HEAD):
            head.append(entry)
            if entry.record is not None and format_of(entry.record):
                break
        else:
            keys = (key for entry in head for key in entry.record or ())
            raise _unknown(path, ", ".join(list(dict.fromkeys(keys))[:12]))
        for entry in chain(head, entries):
            form = format_of(entry.record) if entry.record is not None else None
            if form is None or entry.record is None:
                reason, number = entry.flaw or _UNKNOWN, entry.line.number
                yield Problem(f"line {number}: {reason}.", reason, number)
            else:
                yield from form.read(entry.record)


def _unknown(path: Path, begins: str) -> CorpusError:
    names = ", ".join(row.name for row in FORMATS)
    seen = " ".join(begins.split())[:200]
    return CorpusError(
        f"{path} holds no citing sentences of a known format: it has {seen!r}.",
        f"Known are {names}. The simplest is one object a line with citing, cited and text.",
    )
