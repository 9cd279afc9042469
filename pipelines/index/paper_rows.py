"""Papers as rows of Arrow: those of an index, read when they are wanted, and new ones."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as parquet

from recsys.pipelines.corpora.paper_schema import SCHEMA
from recsys.pipelines.corpora.row_stream import RowStream, RowWriter
from recsys.store.arrays import Longs, Mask, Rows
from recsys.store.corpus import Corpus
from recsys.store.row_remap import Origins

ROW_GROUP = 4096
"""Papers that are sorted and written together."""
PART = 16 * ROW_GROUP
"""New papers that lie in memory together, to be sorted: some 130 MB."""
_PART_AT_ONCE = 512
"""Papers of a part that wait to be written: of ten million papers, there are 150 parts."""


def papers_file(corpus: Corpus) -> parquet.ParquetFile:
    """Open the stored papers of a corpus; they are there even if their folder is gone by now."""
    return parquet.ParquetFile(pa.BufferReader(pa.py_buffer(corpus.stored)))


class PaperRows:
    """Old papers first, new ones behind them. Of the old, two row groups are held at a time."""

    def __init__(self, old: Corpus, papers: RowStream) -> None:
        """Open the file of the old papers, if there are any; papers: rows of SCHEMA, held."""
        self._new = [*papers.to_batches()]
        sizes: list[int] = []
        if len(old):
            self._file = papers_file(old)
            facts = self._file.metadata
            sizes = [facts.row_group(number).num_rows for number in range(facts.num_row_groups)]
        self._groups = len(sizes)
        self._starts: Longs = np.cumsum([0, *sizes, *(batch.num_rows for batch in self._new)])
        self._read = lru_cache(2)(self._read_group)

    def take(self, rows: Rows) -> pa.Table:
        """Gather rows batch by batch: Table.take would first join a column's batches in memory."""
        batch_of = np.searchsorted(self._starts, rows, side="right") - 1
        by_batch = np.argsort(batch_of, kind="stable")
        pieces = []
        for number in np.unique(batch_of).tolist():
            wanted = rows[batch_of == number] - self._starts[number]
            pieces.append(self._batch(number).take(pa.array(wanted)))
        place = np.empty(len(rows), np.int64)
        place[by_batch] = np.arange(len(rows))
        return pa.Table.from_batches(pieces).take(pa.array(place))

    def _batch(self, number: int) -> pa.RecordBatch:
        return self._read(number) if number < self._groups else self._new[number - self._groups]

    def _read_group(self, number: int) -> pa.RecordBatch:
        table = self._file.read_row_group(number, use_threads=False)
        return table.cast(SCHEMA).combine_chunks().to_batches()[0]


def in_order(papers: RowStream, old: Corpus, origins: Origins, folder: Path) -> Iterator[pa.Table]:
    """Give old and new papers by ascending row, one group at a time, whatever order they came in.

    Of the new ones, PART are held at a time: the others wait in files, divided by their rows.

    Args:
        papers: the new ones, rows of SCHEMA.
        old: where the others lie.
        origins: of each row.
        folder: where the files lie, which have no names.
    """
    new = np.flatnonzero(origins.rows >= origins.old)
    part_of = np.empty(papers.num_rows, np.int64)
    part_of[origins.rows[new] - origins.old] = new // PART
    parts = _divided(papers, part_of, -(-len(origins) // PART), folder)
    members = np.argsort(part_of, kind="stable")
    ends = np.cumsum(np.bincount(part_of, minlength=len(parts)))
    for number, part in enumerate(parts):
        rows = PaperRows(old, part)
        inside = members[ends[number - 1] if number else 0 : ends[number]]
        for begin in range(number * PART, min((number + 1) * PART, len(origins)), ROW_GROUP):
            wanted = origins.rows[begin : begin + ROW_GROUP].copy()
            fresh = wanted >= origins.old
            places = np.searchsorted(inside, wanted[fresh] - origins.old)
            wanted[fresh] = origins.old + places
            yield rows.take(wanted)


def _divided(papers: RowStream, part_of: Longs, count: int, folder: Path) -> list[RowStream]:
    """Divide papers into so many parts; each keeps their order."""
    if count == 1:
        return [papers]
    writers = [RowWriter(SCHEMA, folder, at_once=_PART_AT_ONCE) for _ in range(count)]
    begin = 0
    for batch in papers.to_batches():
        parts = part_of[begin : begin + batch.num_rows]
        for number in np.unique(parts).tolist():
            writers[number].add(batch.take(pa.array(np.flatnonzero(parts == number))))
        begin += batch.num_rows
    return [writer.rows() for writer in writers]


def same_papers(one: pa.Table, other: pa.Table, names: Sequence[str] = tuple(SCHEMA.names)) -> Mask:
    """Compare papers place by place in some or all that is stored of them: (m,) bool."""
    same = np.ones(one.num_rows, bool)
    for field in map(SCHEMA.field, names):
        left, right = (each.column(field.name).combine_chunks() for each in (one, other))
        equal = _equal_lists if pa.types.is_list(field.type) else _equal
        same &= equal(left, right)
    return same


def _equal(one: pa.Array, other: pa.Array) -> Mask:
    """Compare arrays of values; unknown equals unknown."""
    unknown = pc.and_(pc.is_null(one), pc.is_null(other))
    equal: Mask = pc.or_(pc.fill_null(pc.equal(one, other), False), unknown).to_numpy(False)
    return equal


def _equal_lists(one: pa.Array, other: pa.Array) -> Mask:
    lengths, others = (
        pc.fill_null(pc.list_value_length(each), -1).to_numpy(False) for each in (one, other)
    )
    equal: Mask = lengths == others
    rows = np.flatnonzero(equal)
    left, right = (each.take(pa.array(rows)).flatten() for each in (one, other))
    equal[np.repeat(rows, np.maximum(lengths[rows], 0))[~_equal(left, right)]] = False
    return equal
