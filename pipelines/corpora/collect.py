"""Make one corpus of papers out of files of any format: read, merge what is one, link citations.

There is one way for files of any size. What compares all works goes part by part, and small files
have one part. They are read by this process; files of a bucket, and many bytes of others, are
shards that an engine reads one by one, and that are kept where a killed run finds them again.
Memory holds a batch of works, one part of what is compared, and 12 bytes a paper.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from recsys.errors import CorpusError, InputError
from recsys.formats.exports.zotero_database import is_library
from recsys.formats.papers.json_records import tally
from recsys.formats.source_formats import TABLE
from recsys.formats.work_stream import format_of_file
from recsys.pipelines.corpora.clusters import find_clusters
from recsys.pipelines.corpora.collect_report import CollectReport, FileRead
from recsys.pipelines.corpora.identity import EVIDENCE_NAMES
from recsys.pipelines.corpora.known_papers import KnownPapers
from recsys.pipelines.corpora.link_citations import LinkedWorks, Rule, link, numbered
from recsys.pipelines.corpora.merge_works import Papers, merge
from recsys.pipelines.corpora.paper_names import cited_as_all
from recsys.pipelines.corpora.partitions import (
    Runs,
    batch_of,
    by_range,
    divide,
    flattened,
    part_of_range,
    with_column,
)
from recsys.pipelines.corpora.source_files import SourceFile, fetched, is_pdf, is_remote
from recsys.pipelines.corpora.source_intake import (
    COUNTED,
    REJECTS,
    FileTask,
    SourceIntake,
    read_file,
)
from recsys.pipelines.corpora.works import SCHEMA, Works, led_abstracts
from recsys.pipelines.jobs.engines import USUAL, Engine, Stage
from recsys.pipelines.jobs.kept_results import ShardFiles, do_shards
from recsys.protocols import Progress, silent
from recsys.store.artifacts import fingerprint

PART_BYTES = 32 << 20
"""Bytes of files that make one more part: what they come to is some 100 MB as rows."""
DUMP_BYTES = 4 << 30
"""Bytes of files, packed as they are, from which on each is a shard; one process reads fewer."""
ALONE_BYTES = 1 << 30
"""Bytes of a file from which on this process reads it: a worker would send all of it at once."""
SHARDS = "shards"
"""The folder of large files that were read, one by one."""
_READ = 2
"""Raised when something else is read of the same files: what a killed run has read is read anew."""
_REFERENCES = pa.schema([("paper", pa.int32()), ("name", pa.string())])


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read.

    columns: of tables, our field and the header of its column, where headers do not tell. apart:
    preprints stay apart from the papers that they became. titles_only: abstracts are left out.
    keyphrases: what stands before them, see `recsys.store.words.keyphrases_in`; empty: nothing.
    """

    columns: tuple[tuple[str, str], ...] = ()
    apart: bool = False
    titles_only: bool = False
    keyphrases: str = ""

    def record(self) -> dict[str, Any]:
        """Write out what was chosen, so that JSON can have it."""
        later = "titles_only", "keyphrases"  # Left out as by versions that knew nothing of them.
        return {name: each for name, each in asdict(self).items() if each or name not in later}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Reading":
        """Read what `record` wrote, once JSON has had it."""
        columns = tuple((str(ours), str(theirs)) for ours, theirs in record["columns"])
        return cls(**{**record, "columns": columns})


AS_TOLD = Reading()
"""By the headers that are there; a preprint and what became of it are one."""


@dataclass(frozen=True, slots=True)
class CollectedPapers:
    """Papers as they are stored, read from disk whenever they are asked for.

    papers: what works came to. references: what reference lists describe, by the papers that cite;
    None where there is nothing. parts: into how many their rows are divided.
    """

    papers: Papers
    references: Runs | None
    reading: Reading
    parts: int

    @property
    def num_rows(self) -> int:
        """Count them."""
        return self.papers.count

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """Give rows of SCHEMA with distinct ids."""
        described = None
        if self.references is not None:
            described = _by_owner(self.references, self.num_rows)
        for begin, batch in self.papers.batches():
            rows = batch.select(SCHEMA.names)
            if described is not None:
                rows = with_column(rows, "references", described(begin, rows.column("references")))
            if self.reading.titles_only:
                rows = with_column(rows, "abstract", pa.nulls(rows.num_rows, pa.string()))
            if self.reading.keyphrases:
                rows = with_column(rows, "abstract", led_abstracts(rows, self.reading.keyphrases))
            yield rows

    def table(self) -> pa.Table:
        """Read all of them into memory."""
        return pa.Table.from_batches(self.to_batches(), SCHEMA)


def _by_owner(references: Runs, total: int) -> Callable[[int, pa.ListArray], pa.ListArray]:
    """Return what puts the references that are described behind those that papers give as ids.

    It takes the number of the first paper, and what each gives.
    """

    @lru_cache(2)
    def sorted_part(part: int) -> tuple[NDArray[np.int32], pa.Array]:
        rows = references.part(part)
        owners = rows.column(0).to_numpy()
        order = np.argsort(owners, kind="stable")
        return owners[order], rows.column(1).take(pa.array(order))

    def longer(begin: int, given: pa.ListArray) -> pa.ListArray:
        end = begin + len(given)
        first, last = part_of_range(np.array([begin, end - 1]), total, references.parts).tolist()
        counts, names = np.zeros(len(given), np.int64), []
        for part in range(first, last + 1):
            owners, called = sorted_part(part)
            inside = slice(*np.searchsorted(owners, [begin, end]).tolist())
            counts += np.bincount(owners[inside] - begin, minlength=len(given))
            names.append(called[inside])
        old, rows = flattened(given)
        owners = np.concatenate([rows, np.repeat(np.arange(len(given)), counts)])
        values = pa.concat_arrays([old, *(some.cast(given.type.value_type) for some in names)])
        starts = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(given)))])
        values = values.take(pa.array(np.argsort(owners, kind="stable")))
        return pa.ListArray.from_arrays(pa.array(starts, pa.int32()), values, type=given.type)

    return longer


def collect(
    files: Sequence[SourceFile],
    work: Path,
    reading: Reading,
    *,
    cache: Path,
    known: KnownPapers | None = None,
    engine: Engine = USUAL,
    parts: int | None = None,
    progress: Progress = silent,
) -> tuple[CollectedPapers, CollectReport]:
    """Read files into papers.

    Args:
        files: in the order in which they count.
        work: a folder for what waits on disk, as long as papers are read from it, and for rejected
            records, in REJECTS. What a killed run has read of large files is found there again.
        reading: how.
        cache: where PDFs that were read are kept.
        known: papers of an index; works that are one of them are merged with it, and reference
            lists may mean them.
        engine: what reads large files, and those of buckets.
        parts: into how many rows are divided, each file being a shard; None: as their bytes ask.
        progress: told the bytes read so far.

    Raises:
        CorpusError: a file that was named cannot be read or is of no known format, or there is no
            usable paper.
        InputError: columns are named that a table does not have.
        RecsysError: a process was lost, see `Engine.map`.
    """
    work.mkdir(parents=True, exist_ok=True)
    size = sum(file.size for file in files)
    remote = any(is_remote(file.path) for file in files)
    dumps = parts is not None or remote or size >= DUMP_BYTES
    if dumps:
        shards = _read_one_by_one(files, work, reading, cache, engine, progress)
    else:
        shards = [_read(files, work / "read", reading, cache, progress)]
    (work / REJECTS).unlink(missing_ok=True)
    rejects = [file for s in shards if (file := s.folder / REJECTS).exists()]
    for path in rejects:
        with path.open("rb") as source, (work / REJECTS).open("ab") as target:
            shutil.copyfileobj(source, target)
    parts, told = parts or max(1, -(-size // PART_BYTES)), progress if dumps else silent
    papers, report = gather(shards, work, reading, known=known, parts=parts, progress=told)
    if not papers.num_rows:
        one = len(files) == 1
        name = f"{files[0].path} holds no" if one else f"None of {len(files):,} files holds a"
        reasons = f" ({tally(report.rejected)})" if report.rejected else ""
        others = f" {report.skipped[0]}" if report.skipped else ""
        raise CorpusError(
            f"{name} usable paper{reasons}.{others}", "Every paper needs a title, and ours an id."
        )
    return papers, report


def _read(
    files: Sequence[SourceFile], folder: Path, reading: Reading, cache: Path, progress: Progress
) -> ShardFiles:
    """Read files in this process, as one shard."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with closing(SourceIntake(folder, cache, progress=progress)) as intake:
        intake.read_all(files, dict(reading.columns))
        return intake.shard()


def _read_one_by_one(
    files: Sequence[SourceFile],
    work: Path,
    reading: Reading,
    cache: Path,
    engine: Engine,
    progress: Progress,
) -> list[ShardFiles]:
    """Read files, each as a shard: those of lines by an engine, others here, and PDFs last.

    PDFs have processes of their own. Other machines have the files of a bucket, but not those of
    this one.
    """
    remote = [is_remote(file.path) for file in files]
    own = [
        not far and (is_pdf(file.path) or is_library(file.path) or file.size >= ALONE_BYTES)
        for far, file in zip(remote, files, strict=True)
    ]
    lines = [file for file, here in zip(files, own, strict=True) if not here]
    tasks = [
        FileTask(file.path, file.named, reading.columns, before)
        for file, before in zip(lines, _tables(lines), strict=True)
    ]
    if not engine.here and not all(remote):
        engine = USUAL
    key = fingerprint([_READ, [[str(file.path), file.mark] for file in lines], reading.record()])
    stage = Stage("read works", partial(partial, read_file))
    read = iter(do_shards(engine, stage, tasks, work / SHARDS, key, progress) if tasks else ())
    pdfs = [file for file, here in zip(files, own, strict=True) if here and is_pdf(file.path)]
    shards = []
    for number, (file, here) in enumerate(zip(files, own, strict=True)):
        if not here:
            shards.append(next(read))
        elif file not in pdfs:
            folder = work / f"alone-{number}"
            shards.append(_read([file], folder, reading, cache, progress))
    if pdfs:
        shards.append(_read(pdfs, work / "pdfs", reading, cache, progress))
    return shards


def _tables(files: Sequence[SourceFile]) -> list[tuple[str, ...]]:
    """Name, for each file, the tables of its name that come before: their numbers are others."""
    stems = Counter(file.path.stem for file in files)
    seen: Counter[str] = Counter()
    before = []
    for file in files:
        stem = file.path.stem
        before.append((stem,) * seen[stem])
        if stems[stem] > 1:
            with TemporaryDirectory(prefix="recsys-") as folder, suppress(InputError):
                seen[stem] += format_of_file(fetched(file.path, Path(folder))) is TABLE
    return before


def gather(
    shards: Sequence[ShardFiles],
    work: Path,
    reading: Reading,
    *,
    known: KnownPapers | None = None,
    parts: int = 1,
    progress: Progress = silent,
) -> tuple[CollectedPapers, CollectReport]:
    """Make papers of all works that were read, see `collect`; there may be none."""
    folder = work / "merged"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    works = Works.of(shards, parts)
    if known is not None:
        works = Works.of([*shards, known.meant(works, folder)], parts)
    clusters = find_clusters(works, folder, preprints=not reading.apart)
    progress("merging records", 1, 3)
    papers = merge(works, clusters, folder, reading.keyphrases)
    progress("merging records", 2, 3)
    rules: Counter[int] = Counter()
    references = None
    if works.cited:
        described = _described(linked_works(works, papers, folder, known), rules)
        place, part_of = folder / "references.runs", by_range(papers.count)
        references = divide(place, _REFERENCES, parts, described, part_of)
    progress("merging records", 3, 3)
    none = Counter[str]()
    counts = {name: sum((Counter(s.facts[name]) for s in shards), none) for name in COUNTED}
    report = CollectReport(
        files=tuple(FileRead(*file) for shard in shards for file in shard.facts["files"]),
        skipped=tuple(str(each) for shard in shards for each in shard.facts["skipped"]),
        papers=papers.count,
        without_abstract=papers.unknown["abstract"],
        without_year=papers.unknown["year"],
        joined={name: clusters.joined[by] for by, name in EVIDENCE_NAMES.items()},
        kept_apart=clusters.kept_apart,
        unclear=clusters.unclear,
        powerless=clusters.shared.total,
        shared=clusters.shared.counts,
        unsure=clusters.unsure,
        conflicts=papers.conflicts,
        untitled=papers.untitled,
        cited={rule: rules[rule] for rule in Rule},
        titles_only=reading.titles_only,
        led_by=reading.keyphrases,
        keyphrases=papers.keyphrases,
        **counts,
    )
    return CollectedPapers(papers, references, reading, parts), report


def linked_works(
    works: Works, papers: Papers, folder: Path, known: KnownPapers | None = None
) -> Iterator[LinkedWorks]:
    """Find what the works cite that became papers; known: others that may be meant."""

    def cited() -> Iterator[pa.RecordBatch]:
        for batch in works.cited_batches():
            owners = pa.array(papers.paper_of[batch.column(0).to_numpy()])
            yield with_column(batch, "owner", owners).filter(pc.greater_equal(owners, 0))

    def targets() -> Iterator[tuple[int, pa.RecordBatch]]:
        yield from papers.batches()
        if known is not None:
            there = known.table()
            ids = [batch.column("id") for _, batch in papers.batches()]
            read = pa.chunked_array(ids, pa.string())
            others = pc.invert(pc.is_in(there.column("id"), value_set=read))
            yield from numbered(there.filter(others), papers.count)

    return link(cited(), works.cited, targets, folder, works.parts)


def _described(linked: Iterator[LinkedWorks], rules: Counter[int]) -> Iterator[pa.RecordBatch]:
    """Name cited works by the paper found, by their surest name, else by where they were printed.

    rules: counts by what they were found.
    """
    for works in linked:
        rules.update(works.rules.tolist())
        name, place, year = (works.cited.column(each) for each in ("name", "place", "year"))
        names = pc.coalesce(works.ids, name, cited_as_all(place, year))
        owners = works.cited.column("owner").filter(pc.is_valid(names))
        yield batch_of(_REFERENCES, owners, names.drop_null())
