"""Turn files of works into corpus columns and the citation graph."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recsys.pipelines.corpora.collect import AS_TOLD, Reading, collect
from recsys.pipelines.corpora.collect_report import CollectReport
from recsys.pipelines.corpora.library_works import PDFS, PdfReading
from recsys.pipelines.corpora.source_files import SourceFile
from recsys.pipelines.index.citation_links import LinkCounts
from recsys.pipelines.index.columns import write_columns
from recsys.progress import Progress, silent
from recsys.store.artifacts import CORPUS
from recsys.store.generations import GENERATIONS, in_force, root_of

REJECTS = "rejects.jsonl"
"""One line {file, line, reason, excerpt} for each record of the sources that gave no work."""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of files of works. read: their records. found: the references."""

    read: CollectReport
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
        papers, losses = self.read.lines(), self.read.loss_lines()
        return [*papers, links_line(self.found), *losses]


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


def ingest(
    files: Sequence[SourceFile],
    folder: Path,
    reading: Reading = AS_TOLD,
    *,
    cache: Path | None = None,
    progress: Progress = silent,
) -> IngestReport:
    """Read files of works and write corpus columns, citation graph, and rejected records.

    Memory holds the stored columns and one batch of works, whatever else the files contain.

    Args:
        files: in any known format, plain or gzip, see `source_files`.
        folder: an empty folder to fill.
        reading: how they are read.
        cache: where PDFs that were read are kept; None: in the folder, while it is filled.
        progress: told the bytes read so far.

    Raises:
        CorpusError: a file cannot be read, is of no known format, or there is no usable paper.
    """
    pdfs = PdfReading(cache or folder / PDFS, progress)
    papers, report = collect(files, folder / REJECTS, reading, pdfs=pdfs, progress=progress)
    shutil.rmtree(folder / PDFS, ignore_errors=True)
    return IngestReport(report, write_columns(folder, papers))


def _counted(parts: Mapping[str, int], what: str = "") -> str:
    told = ", ".join(f"{count:,} {name}" for name, count in parts.items() if count)
    return f"; {what}{': ' if what else ''}{told}" if told else ""
