"""Turn files of works into corpus columns and the citation graph, in the way that fits their size.

Both ways write the same bytes. Below DUMP_BYTES, reading on one processor is what takes time, and
what is compared of all works fits into memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recsys.pipelines.corpora.collect import Reading
from recsys.pipelines.corpora.source_files import SourceFile
from recsys.pipelines.index.dumps.ingest_dump import DumpJob, ingest_dump
from recsys.pipelines.index.ingest import IngestReport, ingest
from recsys.pipelines.jobs.engines import Engine
from recsys.progress import Progress, silent
from recsys.store.artifacts import fingerprint

_PART_BYTES = 32 << 20
"""Bytes of files that make one more part: what they come to is some 100 MB as rows."""
DUMP_BYTES = 4 << 30
"""Bytes of files, packed as they are, from which on they are read as dumps."""


def is_dump(files: Sequence[SourceFile]) -> bool:
    """Tell files that are read as dumps: those of a bucket, or of DUMP_BYTES together."""
    remote = any(file.stored is not None for file in files)
    return remote or sum(file.size for file in files) >= DUMP_BYTES


def parts_for(files: Sequence[SourceFile]) -> int:
    """Choose how many parts files are divided into."""
    return max(1, -(-sum(file.size for file in files) // _PART_BYTES))


@dataclass(frozen=True, slots=True)
class Places:
    """Where what was read is kept. cache: of PDFs. work: of dumps, while a build is unfinished."""

    cache: Path
    work: Path


def ingest_files(
    files: Sequence[SourceFile],
    folder: Path,
    reading: Reading,
    places: Places,
    *,
    engine: Engine,
    progress: Progress = silent,
) -> IngestReport:
    """Do as `ingest` does, at once or as dumps.

    engine: what reads the files of dumps.

    Raises:
        CorpusError: a file cannot be read, is of no known format, or there is no usable paper.
        RecsysError: a process was lost, see `Engine.map`.
    """
    if not is_dump(files):
        return ingest(files, folder, reading, cache=places.cache, progress=progress)
    key = fingerprint([[str(file.path), file.mark] for file in files])
    key = fingerprint([key, reading.record()])
    job = DumpJob(engine, places.work, key, parts_for(files))
    report = ingest_dump(files, folder, reading, job, progress)
    return report
