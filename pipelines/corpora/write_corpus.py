"""Read files of any format, and write them as one file of papers in our own format."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, cast

from recsys.errors import InputError
from recsys.formats.replacing import replacing
from recsys.pipelines.corpora.collect import CollectedPapers, Reading, collect
from recsys.pipelines.corpora.collect_report import CollectReport
from recsys.pipelines.corpora.source_files import rejects_of, source_files
from recsys.pipelines.corpora.source_intake import REJECTS
from recsys.protocols import Progress, silent


@dataclass(frozen=True, slots=True)
class Written:
    """A file of papers that was written, and the file of what was rejected, if there is one."""

    out: Path
    report: CollectReport
    rejects: Path | None

    def lines(self) -> list[str]:
        """Say it to people."""
        lines = [*self.report.lines(), *self.report.loss_lines()]
        if self.rejects is not None:
            lines.append(f"Rejected lines: see {self.rejects}.")
        return [*lines, f"Saved in {self.out}."]


def write_corpus(
    sources: Sequence[Path],
    out: Path,
    reading: Reading,
    *,
    cache: Path,
    progress: Progress = silent,
) -> Written:
    """Merge files into one of JSON lines, whole or not at all.

    Args:
        sources: files and folders, in formats that `recsys.formats.source_formats` lists.
        out: the file to write, packed where its name ends in `.gz`. What was rejected stands
            beside it, in `OUT.rejects.jsonl`.
        reading: how files are read.
        cache: where PDFs that were read are kept.
        progress: told the bytes read so far.

    Raises:
        CorpusError: a source cannot be read or there is no usable paper.
        InputError: `out` cannot be written.
    """
    if not out.parent.is_dir():
        raise InputError(f"There is no folder {out.parent} to write into.", "Create it first.")
    with TemporaryDirectory(prefix="recsys-") as folder:
        files = source_files(sources, out=out)
        papers, report = collect(files, Path(folder), reading, cache=cache, progress=progress)
        write_papers(papers, out)
        rejected, beside = Path(folder, REJECTS), rejects_of(out)
        beside.unlink(missing_ok=True)
        if not rejected.exists():
            return Written(out, report, None)
        with replacing(beside) as temporary:
            temporary.write_bytes(rejected.read_bytes())
        return Written(out, report, beside)


def write_papers(papers: CollectedPapers, out: Path) -> None:
    """Write papers as JSON lines, whole or not at all; the same papers are the same bytes."""
    with replacing(out) as temporary, temporary.open("wb") as file:
        # Without name and time, the same papers are the same bytes.
        packed = gzip.GzipFile("", "wb", 6, file, mtime=0) if out.suffix == ".gz" else file
        with cast(BinaryIO, packed) as stream:
            for batch in papers.to_batches():
                for paper in batch.to_pylist():
                    if paper["labels"]:
                        paper["labels"] = json.loads(paper["labels"])
                    known = {name: value for name, value in paper.items() if value}
                    line = json.dumps(known, ensure_ascii=False)
                    stream.write(line.encode("utf-8", "replace") + b"\n")
