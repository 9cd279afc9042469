"""Merge the works of dumps that are one, and give each paper an id of its own.

Memory holds the row of each work's paper (4 bytes a work), and one part of what is merged.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.merge_works import aliases_of, distinct_id, id_of_work, merged_work
from recsys.pipelines.corpora.paper_schema import SCHEMA
from recsys.pipelines.corpora.work_table import WORKS
from recsys.pipelines.index.dumps.dump_clusters import Joined
from recsys.pipelines.index.dumps.dump_works import DumpWorks
from recsys.pipelines.index.dumps.partition_runs import (
    Runs,
    RunWriter,
    batch_of,
    by_hash,
    by_range,
)
from recsys.records import PaperId
from recsys.store.arrays import Longs, Rows

NOBODY = -1
_ROWS = 4096
_NUMBERED = re.compile(r"(?:-[0-9]+)+$")
_MEMBERS = pa.schema([*WORKS, ("cluster", pa.int64())])
_IDS = pa.schema([("id", pa.string()), ("paper", pa.int64())])
_MERGED = pa.schema([*WORKS, ("id", pa.string())])
_PACKED = pa.ipc.IpcWriteOptions(compression="lz4")


@dataclass(frozen=True, slots=True)
class DumpPapers:
    """The papers that works came to, in the order of `merge_works.merge`, as they lie on disk.

    papers: how many. paper_of: (works,) int32, the paper of each work, NOBODY where it came to
    none. renamed: (r,) int64, ascending, papers whose id another one had before; ids: theirs.
    conflicts: see `merge_works.Merged`.
    """

    path: Path
    papers: int
    paper_of: Rows
    renamed: Longs
    ids: pa.Array
    conflicts: Mapping[str, int]

    @property
    def untitled(self) -> int:
        """Count the works without a title whose paper is not there."""
        return int(np.count_nonzero(self.paper_of == NOBODY))

    def batches(self) -> Iterator[tuple[int, pa.RecordBatch, pa.Array]]:
        """Give rows of SCHEMA, the number of the first, and where they were printed."""
        begin = 0
        with pa.OSFile(str(self.path)) as file, pa.ipc.open_file(file) as reader:
            for number in range(reader.num_record_batches):
                works = reader.get_batch(number)
                yield begin, self._papers(begin, works), works.column("place")
                begin += works.num_rows

    def columns(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Read some columns; ids as they are where none is taken."""
        wanted = [_MERGED.get_field_index(name) for name in names]
        options = pa.ipc.IpcReadOptions(included_fields=wanted)
        with (
            pa.OSFile(str(self.path)) as file,
            pa.ipc.open_file(file, options=options) as reader,
        ):
            for number in range(reader.num_record_batches):
                yield reader.get_batch(number)

    def _papers(self, begin: int, works: pa.RecordBatch) -> pa.RecordBatch:
        ids = works.column("id").to_pylist()
        first, end = np.searchsorted(self.renamed, [begin, begin + works.num_rows]).tolist()
        for paper, name in zip(
            self.renamed[first:end].tolist(), self.ids[first:end].to_pylist(), strict=True
        ):
            ids[paper - begin] = name
        told = works.select(["names", "doi", "place", "year"]).to_pylist()
        aliases = [aliases_of(work, paper_id) for work, paper_id in zip(told, ids, strict=True)]
        made = {
            "id": pa.array(ids, pa.string()),
            "aliases": pa.array(aliases, SCHEMA.field("aliases").type),
        }
        columns = [made[name] if name in made else works.column(name) for name in SCHEMA.names]
        return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def merge_dump(works: DumpWorks, joined: Joined, folder: Path) -> DumpPapers:
    """Merge works cluster by cluster, and write the papers into a folder."""
    merging = _Merging(works, joined, folder)
    with pa.OSFile(str(merging.path), "wb") as file:
        with pa.ipc.new_file(file, _MERGED, options=_PACKED) as writer:
            merging.writer = writer
            with RunWriter(folder / "ids.runs", _IDS, works.parts) as merging.ids:
                _write_merged(merging, folder)
                runs = merging.ids.runs()
    renamed, ids = _renamed(runs)
    runs.remove()
    return DumpPapers(
        merging.path, merging.papers, merging.paper_of, renamed, ids, dict(merging.conflicts)
    )


@dataclass(slots=True)
class _Merging:
    """What is being written: papers, their ids, and the paper of each work."""

    works: DumpWorks
    joined: Joined
    folder: Path
    papers: int = 0
    paper_of: Rows = field(init=False)
    conflicts: Counter[str] = field(default_factory=Counter)
    writer: Any = None
    ids: Any = None

    def __post_init__(self) -> None:
        self.paper_of = np.full(len(self.works), NOBODY, np.int32)

    @property
    def path(self) -> Path:
        """Name the file of the papers."""
        return self.folder / "merged.arrow"

    def add(self, rows: pa.RecordBatch) -> Rows:
        """Write rows of WORKS that have a title; return the paper of each row."""
        there = pc.is_valid(rows.column("title")).to_numpy(zero_copy_only=False)
        papers = np.full(rows.num_rows, NOBODY, np.int32)
        papers[there] = np.arange(self.papers, self.papers + np.count_nonzero(there))
        kept = rows if there.all() else rows.filter(pa.array(there))
        if kept.num_rows:
            ids = _first_ids(kept)
            self.writer.write_batch(
                pa.RecordBatch.from_arrays([*kept.columns, ids], schema=_MERGED)
            )
            roots = pa.array([_NUMBERED.sub("", name) for name in ids.to_pylist()], pa.string())
            numbers = pa.array(papers[there], pa.int64())
            self.ids.add(batch_of(_IDS, ids, numbers), by_hash(roots, self.ids.parts))
        self.papers += kept.num_rows
        return papers


def _first_ids(works: pa.RecordBatch) -> pa.Array:
    """Return the id of each work as if it were the only one of that name."""
    own = works.column("own_id")
    if not own.null_count and pc.min(pc.binary_length(own)).as_py():
        return own
    columns = ["own_id", "names", "year", "title", "authors"]
    return pa.array(map(id_of_work, works.select(columns).to_pylist()), pa.string())


def _write_merged(merging: _Merging, folder: Path) -> None:
    """Write the works that are alone; then, by their first works, what several came to."""
    rows, clusters = merging.joined.rows, merging.joined.clusters
    parts = merging.works.parts
    with RunWriter(folder / "members.runs", _MEMBERS, parts) as members:
        for begin, batch in merging.works.batches():
            first, end = np.searchsorted(rows, [begin, begin + batch.num_rows]).tolist()
            alone = np.ones(batch.num_rows, bool)
            alone[rows[first:end] - begin] = False
            places = np.flatnonzero(alone)
            merging.paper_of[begin + places] = merging.add(
                batch if alone.all() else batch.filter(pa.array(alone))
            )
            if first < end:
                some = batch.filter(pa.array(~alone))
                cluster = merging.joined.cluster_of[first:end]
                told = batch_of(_MEMBERS, *some.columns, pa.array(cluster, pa.int64()))
                members.add(told, by_range(cluster, clusters, parts))
        runs = members.runs()
    papers = [np.empty(0, np.int32)]
    for part in range(parts):
        papers += [merging.add(some) for some in _merged(runs.part(part), merging.conflicts)]
    merging.paper_of[rows] = np.concatenate(papers)[merging.joined.cluster_of]
    runs.remove()


def _merged(members: pa.RecordBatch, conflicts: Counter[str]) -> Iterator[pa.RecordBatch]:
    """Give one row of WORKS for each cluster."""
    cluster = members.column("cluster").to_numpy()
    members = members.take(pa.array(np.argsort(cluster, kind="stable")))
    waiting: list[dict[str, Any]] = []
    pieces = (members.slice(begin, _ROWS) for begin in range(0, members.num_rows, _ROWS))
    records = (record for piece in pieces for record in piece.to_pylist())
    for _, some in groupby(records, key=lambda record: record["cluster"]):
        waiting.append(merged_work([*some], conflicts))
        if len(waiting) == _ROWS:
            yield pa.RecordBatch.from_pylist(waiting, WORKS)
            waiting = []
    if waiting:
        yield pa.RecordBatch.from_pylist(waiting, WORKS)


def _renamed(runs: Runs) -> tuple[Longs, pa.Array]:
    """Number ids that are taken, in the order of the papers.

    Those that can be in each other's way are equal but for numbers at their ends: they are in one
    part.
    """
    papers: list[int] = []
    names: list[PaperId] = []
    for part in range(runs.parts):
        taken: dict[PaperId, int] = {}
        ids, rows = (column.to_pylist() for column in runs.part(part).columns)
        for first, paper in zip(ids, rows, strict=True):
            if (name := distinct_id(first, taken)) != first:
                papers.append(paper)
                names.append(name)
    order = np.argsort(np.array(papers, np.int64), kind="stable")
    found = pa.array(names, pa.string())
    return np.array(papers, np.int64)[order], found.take(pa.array(order))
