"""Make one table of papers out of files of any format: read, merge what is one, link citations."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.corpora.citation_places import cited_as
from pipelines.corpora.clusters import Clusters, find_clusters
from pipelines.corpora.collect_report import CollectReport, FileRead
from pipelines.corpora.known_papers import KnownPapers
from pipelines.corpora.library_works import PdfReading, library_stream, pdf_stream
from pipelines.corpora.link_citations import Linked, Rule, link
from pipelines.corpora.merge_works import Merged, merge
from pipelines.corpora.source_files import SourceFile, is_pdf
from pipelines.corpora.work_table import Space, WorkIntake, Works
from pipelines.index.paper_rows import SCHEMA
from recsys.errors import CorpusError, InputError
from recsys.formats.libraries.zotero_database import is_library
from recsys.formats.papers.paper_records import tally
from recsys.formats.work_stream import Found, Reject, WorkStream, open_works
from recsys.progress import Progress, silent
from recsys.records import Reference
from recsys.store.arrays import Longs, Rows


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read.

    columns: of tables, our field and the header of its column, where headers do not tell. apart:
    preprints stay apart from the papers that they became.
    """

    columns: tuple[tuple[str, str], ...] = ()
    apart: bool = False

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Reading":
        """Read what `dataclasses.asdict` wrote, once JSON has had it."""
        columns = tuple((str(ours), str(theirs)) for ours, theirs in record["columns"])
        return cls(columns, bool(record["apart"]))


AS_TOLD = Reading()
"""By the headers that are there; a preprint and what became of it are one."""


def collect(
    files: Sequence[SourceFile],
    rejects: Path,
    reading: Reading,
    *,
    pdfs: PdfReading,
    known: KnownPapers | None = None,
    progress: Progress = silent,
) -> tuple[pa.Table, CollectReport]:
    """Read files into a table of SCHEMA with distinct ids.

    Memory holds the stored columns and one batch of works, whatever else the files contain.

    Args:
        files: in the order in which they count.
        rejects: where rejected records are written, if there are any.
        reading: how.
        pdfs: how PDFs are read.
        known: papers of an index; works that are one of them are merged with it, and reference
            lists may mean them.
        progress: told the bytes read so far.

    Raises:
        CorpusError: a file that was named cannot be read or is of no known format, or there is no
            usable paper.
        InputError: columns are named that a table does not have.
    """
    with Intake(rejects) as intake:
        intake.read_all(files, reading, pdfs=pdfs, progress=progress)
    read = intake.taken() if known is None else intake.taken_beside(known)
    graph = connect(read, apart=reading.apart, known=known)
    if not graph.merged.papers.num_rows:
        raise _nothing(files, intake.rejected)
    found = _ids(graph.targets, graph.linked)
    papers = _with_references(graph.merged.papers, graph.cited, graph.owners, found)
    rules = np.bincount(graph.linked.rules, minlength=len(Rule))
    clusters, merged = graph.clusters, graph.merged
    report = CollectReport(
        files=tuple(intake.files),
        skipped=tuple(intake.skipped),
        works=read.works.num_rows,
        papers=papers.num_rows,
        rejected=dict(intake.rejected),
        oddities=dict(intake.oddities),
        without_abstract=papers.column("abstract").null_count,
        without_year=papers.column("year").null_count,
        remarks=dict(intake.remarks),
        joined={"by identifier": clusters.by_name, "by title, author and year": clusters.by_title},
        kept_apart=clusters.kept_apart,
        conflicts=dict(merged.conflicts),
        untitled=merged.untitled,
        cited={rule: int(rules[rule]) for rule in Rule},
    )
    return papers, report


@dataclass(frozen=True, slots=True)
class WorkGraph:
    """What works came to, and what they cite.

    cited: a table of CITED, without what is cited by works that came to no paper. owners: (m,)
    int32, the rows of `merged.papers` that cite. targets: the papers that `linked.rows` counts.
    """

    clusters: Clusters
    merged: Merged
    cited: pa.Table
    owners: Rows
    targets: pa.Table
    linked: Linked


def connect(read: Works, *, apart: bool, known: KnownPapers | None = None) -> WorkGraph:
    """Merge works that are one, and link what they cite; the options are those of `collect`."""
    clusters = find_clusters(read.works, preprints=not apart)
    merged = merge(read.works, clusters)
    owners = merged.paper_of[read.cited.column("owner").to_numpy()]
    cited, owners = read.cited.filter(pa.array(owners >= 0)), owners[owners >= 0]
    targets, places = _targets(merged, known)
    return WorkGraph(clusters, merged, cited, owners, targets, link(cited, targets, places))


class Intake:
    """Reads files, counts what was odd and rejected; the reject file exists once there is one."""

    def __init__(self, rejects: Path) -> None:
        self.files: list[FileRead] = []
        self.skipped: list[str] = []
        self.rejected: Counter[str] = Counter()
        self.oddities: Counter[str] = Counter()
        self.remarks: Counter[str] = Counter()
        self._works = WorkIntake()
        self._spaces: dict[str, int] = {}
        self._path = rejects
        self._file: TextIO | None = None

    def read_all(
        self,
        files: Sequence[SourceFile],
        reading: Reading,
        *,
        pdfs: PdfReading,
        progress: Progress = silent,
    ) -> None:
        """Read files, PDFs after all others."""
        for file in files:
            if not is_pdf(file.path):
                self._read(file, reading, pdfs, progress)
        self._read_pdfs([file.path for file in files if is_pdf(file.path)], pdfs)

    def _read(
        self, file: SourceFile, reading: Reading, pdfs: PdfReading, progress: Progress
    ) -> None:
        """Read a file; one that only lies in a folder may be none of works."""
        columns = dict(reading.columns)
        try:
            if is_library(file.path):
                self._take(file.path, library_stream(file.path, pdfs))
                return
            with open_works(file.path, columns=columns, progress=progress) as stream:
                self._take(file.path, stream)
        except InputError as error:
            if file.named:
                raise
            self.skipped.append(f"{file.path}: {error.what}")

    def _read_pdfs(self, paths: Sequence[Path], pdfs: PdfReading) -> None:
        """Read PDFs, which come after all other files."""
        if paths:
            name = paths[0] if len(paths) == 1 else Path(f"{len(paths):,} PDFs")
            self._take(name, pdf_stream(paths, pdfs))

    def _take(self, path: Path, stream: WorkStream) -> None:
        before = self._works.count
        self._works.add(self._works_of(path, stream), self._space(path, stream))
        self.oddities += stream.oddities
        self.files.append(FileRead(path.name, stream.format, self._works.count - before))

    def taken(self) -> Works:
        """Return all works."""
        return self._works.taken()

    def taken_beside(self, known: KnownPapers) -> Works:
        """Return all works, and the papers of an index that they are."""
        same = known.meant(self._works.taken().works)
        self._works.add(iter(same), Space(len(self._spaces), sealed=True))
        return self._works.taken()

    def _space(self, path: Path, stream: WorkStream) -> Space:
        """Number the id space: a file of ours has its own, all files of a service have one."""
        name = str(path) if stream.sealed else stream.format
        return Space(self._spaces.setdefault(name, len(self._spaces)), stream.sealed)

    def _works_of(self, path: Path, stream: WorkStream) -> Iterator[Reference]:
        items = _distinct(stream.items) if stream.sealed else stream.items
        for item in items:
            if isinstance(item, Reject):
                self._reject(path, item)
            else:
                self.remarks.update(item.remarks)
                yield item.work

    def _reject(self, path: Path, reject: Reject) -> None:
        self.rejected[reject.reason] += 1
        if self._file is None:
            self._file = self._path.open("w", encoding="utf-8")
        line = {"file": path.name, "line": reject.line, "reason": reject.reason}
        self._file.write(json.dumps(line | {"excerpt": reject.excerpt}, ensure_ascii=False) + "\n")

    def __enter__(self) -> "Intake":
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


def _distinct(items: Iterable[Found | Reject]) -> Iterator[Found | Reject]:
    """Reject the works of a file of ours whose id was seen before: the first wins."""
    seen: set[str] = set()
    for item in items:
        if isinstance(item, Found) and (paper_id := item.work.id) is not None:
            if paper_id in seen:
                excerpt = f"{paper_id}: {item.work.title}"[:200]
                yield Reject(item.line, "duplicate id", excerpt)
                continue
            seen.add(paper_id)
        yield item


def _nothing(files: Sequence[SourceFile], rejected: Mapping[str, int]) -> CorpusError:
    name = files[0].path if len(files) == 1 else f"None of {len(files):,} files"
    reasons = f" ({tally(rejected)})" if rejected else ""
    holds = "holds no" if len(files) == 1 else "holds a"
    return CorpusError(
        f"{name} {holds} usable paper{reasons}.", "Every paper needs a title, and ours an id."
    )


def _targets(merged: Merged, known: KnownPapers | None) -> tuple[pa.Table, pa.Array]:
    """Gather the papers that cited works may mean: those read, then others of the index."""
    if known is None:
        return merged.papers, merged.places
    there = known.table()
    ids = merged.papers.column("id")
    others = there.filter(pc.invert(pc.is_in(there.column("id"), value_set=ids.combine_chunks())))
    read = merged.papers.select(others.column_names)
    places = pa.concat_arrays([merged.places, pa.nulls(others.num_rows, pa.string())])
    return pa.concat_tables([read, others.cast(read.schema)]), places


def _ids(targets: pa.Table, linked: Linked) -> pa.Array:
    """Return the ids of the papers that cited works mean, null for none."""
    ids = targets.column("id").combine_chunks().cast(pa.large_string())
    return pc.take(ids, pa.array(linked.rows, mask=linked.rows < 0))


def _with_references(papers: pa.Table, cited: pa.Table, owners: Rows, found: pa.Array) -> pa.Table:
    """Add what reference lists describe: ids of papers, else the surest name there is."""
    if not cited.num_rows:
        return papers
    names = pc.coalesce(found, cited.column("name").combine_chunks().cast(pa.large_string()))
    names = pc.coalesce(names, _printed(cited))
    named = pc.is_valid(names).to_numpy(zero_copy_only=False)
    given = papers.column("references").combine_chunks()
    lengths = pc.fill_null(pc.list_value_length(given), 0).to_numpy(zero_copy_only=False)
    rows = np.concatenate([np.repeat(np.arange(papers.num_rows), lengths), owners[named]])
    values = pa.concat_arrays(
        [given.flatten().cast(pa.large_string()), names.filter(pa.array(named))]
    )
    values = values.take(pa.array(np.argsort(rows, kind="stable"))).cast(pa.string())
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=papers.num_rows))])
    lists = pa.ListArray.from_arrays(pa.array(starts, pa.int32()), values)
    return papers.set_column(
        SCHEMA.get_field_index("references"), SCHEMA.field("references"), lists
    )


def _printed(cited: pa.Table) -> pa.Array:
    """Name cited works by where they were printed: null where that is not told."""
    pairs = zip(cited.column("place").to_pylist(), cited.column("year").to_pylist(), strict=True)
    names = (cited_as(place, year) if place and year is not None else None for place, year in pairs)
    return pa.array(names, pa.large_string())
