"""Turn dumps of works into corpus columns and the citation graph: nothing holds all papers.

The folder is the one that `ingest` would fill, byte by byte. A file is a shard, which an engine
reads; what it gives is kept where a killed run finds it again. The rest is done here, part by
part: works are merged by names and by titles, references are looked up by name, papers are sorted
by id. What is whole in memory is 18 bytes a paper at most (`dump_graph`), 4 a work, and the pairs
of works that are one.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa

from recsys.errors import InputError
from recsys.formats.exports.zotero_database import is_library
from recsys.formats.source_formats import TABLE
from recsys.formats.work_stream import format_of_file
from recsys.pipelines.corpora.bucket_files import fetched, is_remote
from recsys.pipelines.corpora.collect import Reading, nothing_in
from recsys.pipelines.corpora.collect_report import CollectReport
from recsys.pipelines.corpora.leading_keyphrases import count_with_keyphrases, led_abstracts
from recsys.pipelines.corpora.library_works import PDFS, PdfReading
from recsys.pipelines.corpora.link_citations import Rule
from recsys.pipelines.corpora.source_files import SourceFile, is_pdf
from recsys.pipelines.index.dumps.dump_clusters import Joined, join
from recsys.pipelines.index.dumps.dump_columns import Cuts, write_dump_columns
from recsys.pipelines.index.dumps.dump_links import DumpLinks, link_dump
from recsys.pipelines.index.dumps.dump_merge import DumpPapers, merge_dump
from recsys.pipelines.index.dumps.dump_shards import (
    REJECTED,
    FileShard,
    counted,
    read_shard,
    reader,
)
from recsys.pipelines.index.dumps.dump_works import DumpWorks
from recsys.pipelines.index.ingest import REJECTS, IngestReport
from recsys.pipelines.jobs.engines.engine_contract import Engine, Result, Shards, Stage, Task
from recsys.pipelines.jobs.engines.process_pool import USUAL
from recsys.pipelines.jobs.engines.shard_files import MadeFiles, ShardFiles, kept
from recsys.progress import Progress, silent
from recsys.store.artifacts import fingerprint

_SAMPLED = 50_000
"""Papers by which the order of ids and names is cut into ranges."""


@dataclass(frozen=True, slots=True)
class DumpJob:
    """How dumps are read.

    engine: what reads files. place: a folder that outlives a killed run, for what is read. key:
    hash of everything that it depends on. parts: into how many everything is divided.
    """

    engine: Engine
    place: Path
    key: str
    parts: int


def ingest_dump(
    files: Sequence[SourceFile],
    folder: Path,
    reading: Reading,
    job: DumpJob,
    progress: Progress = silent,
) -> IngestReport:
    """Do as `ingest` does with files too many for memory.

    Raises:
        CorpusError: a file cannot be read, is of no known format, or there is no usable paper.
        RecsysError: a process was lost, see `Engine.map`.
    """
    work = job.place / "dump.work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    shards, paths = _read(files, reading, job, work / PDFS, progress)
    _write_rejects(shards, folder / REJECTS)
    works = DumpWorks.of(shards, paths, job.parts)
    joined = join(works, preprints=not reading.apart)
    progress("merge", 1, 3)
    papers = merge_dump(works, joined, work)
    if not papers.papers:
        raise nothing_in(files, _counted(shards, "rejected"), _skipped(shards))
    progress("merge", 2, 3)
    links = link_dump(works, papers, work)
    progress("merge", 3, 3)
    unknown, having = Counter[str](), Counter[str]()
    rows = _rows(papers, links, reading, unknown, having)
    cuts = Cuts.of(_sample(papers), job.parts)
    found = write_dump_columns(folder, work, rows, cuts, job.parts)
    told = _report(shards, works, joined, papers, links)
    shutil.rmtree(work)
    told = replace(
        told,
        without_abstract=unknown["abstract"],
        without_year=unknown["year"],
        titles_only=reading.titles_only,
        led_by=reading.keyphrases,
        keyphrases=having,
    )
    return IngestReport(told, found)


def _read(
    files: Sequence[SourceFile], reading: Reading, job: DumpJob, cache: Path, progress: Progress
) -> tuple[list[ShardFiles], list[str]]:
    """Read files by the engine; libraries and PDFs here, which have processes of their own."""
    lines = [file for file in files if is_remote(file.path) or not is_pdf(file.path)]
    pdfs = tuple(file.path for file in files if file not in lines)
    tables = _tables(lines)
    shards = [
        FileShard(file.path, file.named, reading.columns, job.parts, before)
        for file, before in zip(lines, tables, strict=True)
    ]
    if pdfs:
        shards.append(FileShard(pdfs[0], True, (), job.parts, pdfs=pdfs))
    here = {at for at, shard in enumerate(shards) if shard.pdfs or _is_library(shard.path)}
    found: dict[int, ShardFiles] = {}
    reading_pdfs = PdfReading(cache, progress)
    ways: tuple[tuple[str, Engine, Stage[FileShard, MadeFiles], bool], ...] = (
        ("shards", _reaching(job.engine, lines), Stage("read works", reader), False),
        ("libraries", Here(), Stage("read libraries", partial(_with_pdfs, reading_pdfs)), True),
    )
    for name, engine, stage, is_here in ways:
        chosen = [at for at in range(len(shards)) if (at in here) is is_here]
        if chosen:
            place = job.place / f"dump.{name}"
            place.parent.mkdir(parents=True, exist_ok=True)
            key = fingerprint([job.key, job.parts, [str(shards[at].path) for at in chosen]])
            some = [shards[at] for at in chosen]
            found |= zip(chosen, kept(engine, stage, some, place, key, progress), strict=True)
    return [found[at] for at in range(len(shards))], [str(shard.path) for shard in shards]


def _reaching(engine: Engine, files: Sequence[SourceFile]) -> Engine:
    """Choose what reads files: other machines have those of a bucket, but not those of this one."""
    return engine if engine.here or all(is_remote(file.path) for file in files) else USUAL


def _with_pdfs(reading: PdfReading) -> Callable[[FileShard], MadeFiles]:
    return partial(read_shard, pdfs=reading)


@dataclass(frozen=True, slots=True)
class Here:
    """An engine that is this process."""

    @property
    def here(self) -> bool:
        """Tell that work stays on this machine."""
        return True

    def map(
        self, stage: Stage[Task, Result], shards: Shards[Task]
    ) -> Generator[tuple[int, Result], None, None]:
        """Do one shard after the other."""
        do = stage.start()
        yield from enumerate(map(do, shards))


def _tables(files: Sequence[SourceFile]) -> list[tuple[str, ...]]:
    """Name, for each file, the tables of its name that come before: their numbers are others."""
    stems = Counter(file.path.stem for file in files)
    before: dict[str, tuple[str, ...]] = {}
    found = []
    for file in files:
        stem = file.path.stem
        found.append(before.get(stem, ()))
        if stems[stem] > 1 and _is_table(file.path):
            before[stem] = (*before.get(stem, ()), stem)
    return found


def _is_table(path: Path) -> bool:
    with TemporaryDirectory(prefix="recsys-") as folder, suppress(InputError):
        return format_of_file(fetched(path, Path(folder))) is TABLE
    return False


def _is_library(path: Path) -> bool:
    return not is_remote(path) and is_library(path)


def _write_rejects(shards: Sequence[ShardFiles], path: Path) -> None:
    there = [shard.path(REJECTED) for shard in shards if REJECTED in shard.hashes]
    if there:
        with path.open("wb") as file:
            for each in there:
                with each.open("rb") as rejects:
                    shutil.copyfileobj(rejects, file)


def _rows(
    papers: DumpPapers,
    links: DumpLinks,
    reading: Reading,
    unknown: Counter[str],
    having: Counter[str],
) -> Iterator[pa.RecordBatch]:
    """Give the papers as they are stored; count what is not known of them, and keyphrases."""
    numbered = ((begin, batch) for begin, batch, _ in papers.batches())
    for batch in links.extended(numbered):
        for name in ("abstract", "year"):
            unknown[name] += batch.column(name).null_count
        at = batch.schema.get_field_index("abstract")
        if reading.titles_only:
            nothing = pa.nulls(batch.num_rows, pa.string())
            batch = batch.set_column(at, batch.schema.field(at), nothing)
        having.update(count_with_keyphrases(batch, reading.keyphrases))
        if reading.keyphrases:
            led = led_abstracts(batch, reading.keyphrases)
            batch = batch.set_column(at, batch.schema.field(at), led)
        yield batch


def _sample(papers: DumpPapers) -> Iterator[pa.RecordBatch]:
    """Give some papers out of all."""
    step = max(1, papers.papers // _SAMPLED)
    for batch in papers.columns(["id", "authors", "venue"]):
        yield batch.take(pa.array(np.arange(0, batch.num_rows, step)))


def _report(
    shards: Sequence[ShardFiles],
    works: DumpWorks,
    joined: Joined,
    papers: DumpPapers,
    links: DumpLinks,
) -> CollectReport:
    return CollectReport(
        files=tuple(works.files),
        skipped=tuple(_skipped(shards)),
        works=len(works),
        papers=papers.papers,
        rejected=_counted(shards, "rejected"),
        oddities=_counted(shards, "oddities"),
        without_abstract=0,
        without_year=0,
        remarks=_counted(shards, "remarks"),
        languages=_counted(shards, "languages"),
        joined={"by identifier": joined.by_name, "by title, author and year": joined.by_title},
        kept_apart=joined.kept_apart,
        conflicts=papers.conflicts,
        untitled=papers.untitled,
        cited={rule: links.rules.get(rule, 0) for rule in Rule},
    )


def _counted(shards: Sequence[ShardFiles], name: str) -> dict[str, int]:
    total: Counter[str] = Counter()
    for shard in shards:
        total.update(counted(shard.facts, name))
    return dict(total)


def _skipped(shards: Sequence[ShardFiles]) -> list[str]:
    return [str(each) for shard in shards for each in shard.facts["skipped"]]
