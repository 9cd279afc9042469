"""Turn a file of papers into corpus columns and the citation graph, in one pass over the file."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TextIO

import pyarrow as pa

from pipelines.index.citation_links import LinkCounts
from pipelines.index.columns import write_columns
from pipelines.index.paper_rows import SCHEMA
from recsys.errors import CorpusError
from recsys.formats.files import STDIN, display_name
from recsys.formats.papers.paper_records import tally
from recsys.formats.papers.paper_stream import Found, Reject, Remark, open_papers
from recsys.progress import Progress, silent
from recsys.records import Paper
from recsys.store.generations import GENERATIONS, in_force, root_of
from recsys.store.layout import CORPUS

REJECTS = "rejects.jsonl"
"""One line {line, reason, excerpt} for each line of the source that gave no paper."""
BATCH = 4096
"""Papers held as Python objects at a time; the others are Arrow columns."""


@dataclass(frozen=True, slots=True)
class ReadReport:
    """What became of the lines of a file of papers.

    rejected: lines that gave no paper, by reason. The last six count papers that were kept; an
    impossible year became unknown, and counts as a missing year, too.
    """

    format: str
    papers: int
    rejected: Mapping[str, int]
    without_abstract: int
    without_year: int
    impossible_years: int
    not_english: int
    cut_abstracts: int
    broken_utf8: int

    def lines(self) -> list[str]:
        """Write the report for people, rejects last; what did not occur is left out."""
        parts = {
            "without abstract": self.without_abstract,
            "without year": self.without_year,
            "with an impossible year": self.impossible_years,
            "not in English": self.not_english,
            "with a cut abstract": self.cut_abstracts,
            "with broken UTF-8": self.broken_utf8,
        }
        lines = [f"{self.papers:,} papers read as {self.format}{_counted(parts)}"]
        if rejected := sum(self.rejected.values()):
            lines.append(f"{rejected:,} lines rejected ({tally(self.rejected)})")
        return lines


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of a file of papers. read: its lines. found: the references."""

    read: ReadReport
    found: LinkCounts

    @property
    def papers(self) -> int:
        """Count the papers."""
        return self.read.papers

    @property
    def links(self) -> int:
        """Count the distinct citations inside the corpus."""
        return self.found.links

    def lines(self) -> list[str]:
        """Write the report for people; what did not occur is left out."""
        papers, *rejects = self.read.lines()
        return [papers, links_line(self.found), *rejects]


def links_line(found: LinkCounts) -> str:
    """Say how the references of a corpus were resolved."""
    dropped = {
        "outside the corpus": found.outside,
        "to the paper itself": found.to_self,
        "repeated": found.repeated,
    }
    return f"{found.links:,} citations among them{_counted(dropped, 'references left out')}"


def rejects_line(index: Path) -> list[str]:
    """Say where the rejected lines lie that an index was made without, if there are any."""
    root = root_of(index)
    path = root / GENERATIONS / in_force(root).name / CORPUS / REJECTS
    return [f"Rejected lines: see {path}."] if path.is_file() else []


def check_file(papers: Path) -> None:
    """Refuse what is no regular file: an index is known by the hash of its papers, read before.

    Raises:
        CorpusError: there is nothing, or it cannot be read twice.
    """
    if papers.is_file():
        return
    if papers == STDIN or (papers.exists() and not papers.is_dir()):
        raise CorpusError(
            f"{display_name(papers)} is no regular file, and papers are read more than once.",
            "Save them in a file (`... > papers.jsonl`), and give that.",
        )
    raise CorpusError(f"There is no file of papers at {papers}.", "Check the path.")


def ingest(source: Path, folder: Path, *, progress: Progress = silent) -> IngestReport:
    """Read a file of papers and write corpus columns, citation graph, and rejected lines.

    Memory holds the stored columns and one batch of papers, whatever else the file contains.

    Args:
        source: a file of papers in any known format, plain or gzip; `-` is standard input.
        folder: an empty folder to fill.
        progress: told the bytes of the source read so far.

    Raises:
        CorpusError: the source cannot be read, is of no known format, or has no usable paper.
    """
    papers, report = read_papers(source, folder / REJECTS, progress=progress)
    return IngestReport(report, write_columns(folder, papers))


def read_papers(
    source: Path, rejects: Path, *, progress: Progress = silent
) -> tuple[pa.Table, ReadReport]:
    """Read a file of papers into a table of SCHEMA with distinct ids; raises as `ingest` does.

    rejects: where rejected lines are written, if there are any.
    """
    with open_papers(source, progress=progress) as stream, _Intake(rejects) as intake:
        batches = list(_batches(intake.papers(stream.items)))
        name = stream.format
    if not batches:
        raise CorpusError(
            f"{source} holds no usable paper ({tally(intake.rejected)}).",
            "Every paper needs an id and a title.",
        )
    table = pa.Table.from_batches(batches)
    return table, _report(name, table.num_rows, intake)


class _Intake:
    """Counts remarks and rejects on the way; the reject report exists once there is a reject."""

    def __init__(self, path: Path) -> None:
        self.rejected: Counter[str] = Counter()
        self.remarks: Counter[Remark] = Counter()
        self._path = path
        self._file: TextIO | None = None

    def papers(self, items: Iterable[Found | Reject]) -> Iterator[Paper]:
        for item in items:
            if isinstance(item, Reject):
                self._reject(item)
            else:
                self.remarks.update(item.remarks)
                yield item.paper

    def _reject(self, reject: Reject) -> None:
        self.rejected[reject.reason] += 1
        if self._file is None:
            self._file = self._path.open("w", encoding="utf-8")
        self._file.write(json.dumps(asdict(reject), ensure_ascii=False) + "\n")

    def __enter__(self) -> "_Intake":
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


def _batches(papers: Iterator[Paper]) -> Iterator[pa.RecordBatch]:
    while some := list(islice(papers, BATCH)):
        columns = [
            pa.array([_cell(paper, field.name) for paper in some], field.type) for field in SCHEMA
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def _cell(paper: Paper, column: str) -> object:
    value = getattr(paper, column)
    if column != "labels":
        return value
    return json.dumps(value) if value else None


def _report(name: str, papers: int, intake: _Intake) -> ReadReport:
    remarks = intake.remarks
    return ReadReport(
        format=name,
        papers=papers,
        rejected=dict(intake.rejected),
        without_abstract=remarks[Remark.NO_ABSTRACT],
        without_year=remarks[Remark.NO_YEAR],
        impossible_years=remarks[Remark.IMPOSSIBLE_YEAR],
        not_english=remarks[Remark.NOT_ENGLISH],
        cut_abstracts=remarks[Remark.CUT_ABSTRACT],
        broken_utf8=remarks[Remark.BROKEN_UTF8],
    )


def _counted(parts: Mapping[str, int], what: str = "") -> str:
    told = ", ".join(f"{count:,} {name}" for name, count in parts.items() if count)
    return f"; {what}{': ' if what else ''}{told}" if told else ""
