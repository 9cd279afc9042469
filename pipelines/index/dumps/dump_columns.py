"""Write the corpus of dumps, as `columns` does: papers sorted by id in runs, a range at a time.

Memory holds, beside a range of papers, of each paper its year, its venue and whether it is front
matter: 7 bytes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as parquet

from recsys.pipelines.corpora.paper_names import other_names
from recsys.pipelines.corpora.paper_schema import SCHEMA
from recsys.pipelines.index.citation_links import LinkCounts
from recsys.pipelines.index.columns import PACKED, front_matter_flags
from recsys.pipelines.index.dumps.dump_codes import CodeWriter
from recsys.pipelines.index.dumps.dump_graph import CALLED, REFERENCES, by_name, write_graph
from recsys.pipelines.index.dumps.partition_runs import (
    Runs,
    RunWriter,
    Splitters,
    batch_of,
    one_batch,
)
from recsys.pipelines.index.paper_rows import ROW_GROUP
from recsys.store.arrays import GrowingArray, Longs, Rows
from recsys.store.artifacts import FRONT_MATTER
from recsys.store.corpus import FIELDS, HASHES, PAPERS, ROWS, Hashes, ShownWriter, hashes_of
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.words import author_keys, venue_key

_HASHED = pa.schema([("hash", pa.uint32()), ("row", pa.int32())])
_VENUES = "venue_keys"


@dataclass(frozen=True, slots=True)
class Cuts:
    """Where the order of strings is cut into ranges: of ids, keys of authors, keys of venues."""

    ids: Splitters
    authors: Splitters
    venues: Splitters

    @classmethod
    def of(cls, sample: Iterable[pa.RecordBatch], parts: int) -> "Cuts":
        """Cut by some papers. sample: with the columns id, authors, venue."""
        ids: list[str] = []
        authors: list[str] = []
        venues: list[str] = []
        for batch in sample:
            for paper in batch.to_pylist():
                ids.append(paper["id"])
                authors += author_keys(paper["authors"] or ())
                venues += [venue_key(paper["venue"])] if paper["venue"] else []
        return cls(*(Splitters.of(each, parts) for each in (ids, authors, venues)))


def write_dump_columns(
    folder: Path, work: Path, papers: Iterator[pa.RecordBatch], cuts: Cuts, parts: int
) -> LinkCounts:
    """Write corpus columns and citation graph.

    Args:
        folder: to fill.
        work: where runs lie.
        papers: rows of SCHEMA with distinct ids, in any order.
        cuts: of about as many ranges as there are parts.
        parts: of what is divided by hash.
    """
    with RunWriter(work / "sorted.runs", SCHEMA, cuts.ids.parts) as writer:
        for batch in papers:
            writer.add(batch, cuts.ids.divide(batch.column("id")))
        runs = writer.runs()
    with _Columns(folder, work, cuts, parts) as columns:
        for group in _groups(runs):
            columns.add(group)
        runs.remove()
        return columns.finish()


def _groups(runs: Runs) -> Iterator[pa.Table]:
    """Give the papers by ascending id, a row group at a time."""
    left = pa.Table.from_batches([], runs.schema)
    for part in range(runs.parts):
        some = runs.part(part)
        # Arrow sorts strings by UTF-8 bytes, as SortedStrings does.
        order = pc.sort_indices(some.column("id"))
        begin = 0
        while left.num_rows + some.num_rows - begin >= ROW_GROUP:
            end = begin + ROW_GROUP - left.num_rows
            taken = some.take(order.slice(begin, end - begin))
            yield pa.concat_tables([left, pa.Table.from_batches([taken])]).combine_chunks()
            left, begin = left.slice(0, 0), end
        rest = pa.Table.from_batches([some.take(order.slice(begin))])
        left = pa.concat_tables([left, rest])
    if left.num_rows:
        yield left.combine_chunks()


class _Columns:
    """Takes papers in the order of their rows, and writes what is stored of them."""

    def __init__(self, folder: Path, work: Path, cuts: Cuts, parts: int) -> None:
        self._folder, self._work, self._rows = folder, work, 0
        self._years: list[Rows] = []
        self._front_matter: list[Longs] = []
        self._stored = parquet.ParquetWriter(folder / PAPERS, SCHEMA, **PACKED)
        self._shown = ShownWriter(folder)
        self._starts = GrowingArray(folder / "ids.starts.npy", np.int64)
        self._blob = GrowingArray(folder / "ids.blob.npy", np.uint8)
        self._starts.append(np.zeros(1, np.int64))
        self._hashes = RunWriter(work / "hashes.runs", _HASHED, parts)
        self._called = RunWriter(work / "called.runs", CALLED, parts)
        self._cited = RunWriter(work / "references.runs", REFERENCES, parts)
        self._authors = CodeWriter(work / "authors.runs", cuts.authors)
        self._venues = CodeWriter(work / "venues.runs", cuts.venues)

    def add(self, papers: pa.Table) -> None:
        """Take a row group."""
        self._stored.write_table(papers, ROW_GROUP)
        records = papers.select(["id", *FIELDS]).to_pylist()
        self._shown.add(records)
        hashes, rows = hashes_of(records, self._rows)
        self._hashes.add(batch_of(_HASHED, pa.array(hashes), pa.array(rows)), self._part(hashes))
        batch = one_batch(papers)
        self._add_ids(batch.column("id"))
        self._years.append(pc.fill_null(batch.column("year"), UNKNOWN_YEAR).to_numpy())
        flags = np.array([*front_matter_flags(batch.select(["title", "labels"]))], bool)
        self._front_matter.append(self._rows + np.flatnonzero(flags))
        self._authors.add([author_keys(each["authors"] or ()) for each in records], self._rows)
        venues = (venue_key(each["venue"]) if each["venue"] else "" for each in records)
        self._venues.add([[key] if key else [] for key in venues], self._rows)
        self._add_names(papers)
        self._add_references(batch.column("references"))
        self._rows += papers.num_rows

    def _part(self, hashes: Hashes) -> Longs:
        """Divide hashes of 32 bits by their order."""
        return (hashes.astype(np.int64) * self._hashes.parts) >> 32

    def _add_ids(self, ids: pa.Array) -> None:
        large = pa.concat_arrays([ids.cast(pa.large_string())])
        _, offsets, blob = large.buffers()
        ends = np.frombuffer(offsets, np.int64)[large.offset : large.offset + len(large) + 1]
        self._starts.append(self._blob.length + ends[1:] - ends[0])
        if blob is not None:
            self._blob.append(np.frombuffer(blob, np.uint8)[ends[0] : ends[-1]])

    def _add_names(self, papers: pa.Table) -> None:
        others, rows = other_names(papers)
        there = pc.is_valid(others)
        others, rows = others.filter(there), rows[there.to_numpy(zero_copy_only=False)]
        ids = papers.column("id").combine_chunks()
        ids = ids.chunk(0) if isinstance(ids, pa.ChunkedArray) else ids
        names = pa.concat_arrays([ids, others.cast(pa.string())])
        is_id = np.arange(len(names)) < len(ids)
        rows = self._rows + np.concatenate([np.arange(len(ids)), rows])
        batch = batch_of(CALLED, names, pa.array(rows, pa.int32()), pa.array(is_id))
        self._called.add(batch, by_name(names, self._called.parts))

    def _add_references(self, lists: pa.Array) -> None:
        lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
        rows = np.repeat(np.arange(self._rows, self._rows + len(lists)), lengths)
        names = lists.flatten()
        batch = batch_of(REFERENCES, names, pa.array(rows, pa.int32()))
        self._cited.add(batch, by_name(names, self._cited.parts))

    def finish(self) -> LinkCounts:
        """Write what needs all papers."""
        self._write_hashes(self._hashes.runs())
        front = np.concatenate([np.empty(0, np.int64), *self._front_matter])
        np.save(self._folder / FRONT_MATTER, front.astype(np.int32))
        self._authors.write_lists(self._folder, self._work, self._rows)
        np.save(self._folder / "venues.npy", self._venues.codes(self._folder, self._rows))
        called, cited = self._called.runs(), self._cited.runs()
        years = np.concatenate([np.empty(0, np.int16), *self._years])
        counts = write_graph(self._folder, self._work, called, cited, years)
        for runs in (called, cited):
            runs.remove()
        return counts

    def _write_hashes(self, runs: Runs) -> None:
        stored = (self._folder / HASHES, np.uint32), (self._folder / ROWS, np.int32)
        with GrowingArray(*stored[0]) as hashes, GrowingArray(*stored[1]) as rows:
            for part in range(runs.parts):
                found, owners = (column.to_numpy() for column in runs.part(part).columns)
                order = np.argsort(found, kind="stable")
                hashes.append(found[order])
                rows.append(owners[order])
        runs.remove()

    def __enter__(self) -> "_Columns":
        """Finish all files on the way out."""
        return self

    def __exit__(self, *told: object) -> None:
        """Close the files; their runs stay for who removes the folder."""
        with self._stored, self._shown, self._starts, self._blob:
            for writer in (self._hashes, self._called, self._cited):
                writer.__exit__(None, None, None)
            self._authors.close()
            self._venues.close()
