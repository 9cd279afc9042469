"""Papers as rows of Arrow: those of an index, read when they are wanted, new ones, their texts."""

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as parquet
from numpy.typing import NDArray

from recsys.models.encoder import Text
from recsys.pipelines.corpora.partitions import one_batch
from recsys.pipelines.corpora.works import SCHEMA
from recsys.store.arrays import Longs, Mask, Rows, SortedStrings, release
from recsys.store.corpus import Corpus, paper_types
from recsys.store.front_matter import is_front_matter
from recsys.store.names import name_keys
from recsys.store.row_remap import Origins
from recsys.store.words import venue_key

ROW_GROUP = 4096
"""Papers that are sorted and written together."""
DERIVED = pa.schema(
    [
        ("author_names", pa.list_(pa.string())),
        ("venue_key", pa.string()),
        ("front_matter", pa.bool_()),
    ]
)
"""What is derived of papers beside the columns that are stored."""


def papers_file(corpus: Corpus) -> parquet.ParquetFile:
    """Open the stored papers of a corpus; they are there even if their folder is gone by now."""
    return parquet.ParquetFile(pa.BufferReader(pa.py_buffer(corpus.stored)))


class PaperRows:
    """Old papers first, new ones behind them. Of the old, two row groups are held at a time."""

    def __init__(self, old: Corpus, papers: pa.Table) -> None:
        """Open the file of the old papers, if there are any; papers: rows of SCHEMA."""
        self._new = papers.to_batches()
        sizes: list[int] = []
        if len(old):
            self._file, self._stored = papers_file(old), old.stored
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
            old = number < self._groups
            batch = self._read(number) if old else self._new[number - self._groups]
            pieces.append(batch.take(pa.array(wanted)))
        place = np.empty(len(rows), np.int64)
        place[by_batch] = np.arange(len(rows))
        return pa.Table.from_batches(pieces).take(pa.array(place))

    def _read_group(self, number: int) -> pa.RecordBatch:
        table = self._file.read_row_group(number, use_threads=False)
        release(self._stored)
        return table.cast(SCHEMA).combine_chunks().to_batches()[0]


def merged_groups(papers: pa.Table, old: Corpus, origins: Origins) -> Iterator[pa.RecordBatch]:
    """Give old and new papers by ascending row, one group at a time, with the columns DERIVED.

    Args:
        papers: the new ones, rows of SCHEMA.
        old: where the others lie, and what was derived of them.
        origins: of each row.
    """
    rows = PaperRows(old, papers)
    author_strings, venue_strings = _as_arrow(old.author_names), _as_arrow(old.venue_keys)
    front = np.zeros(len(old), bool)
    front[old.front_matter] = True
    for begin in range(0, len(origins), ROW_GROUP):
        wanted = origins.rows[begin : begin + ROW_GROUP]
        group = one_batch(rows.take(wanted))
        is_old = wanted < len(old)
        places, stored = np.flatnonzero(is_old), wanted[is_old]
        owners, codes = old.authors.take(stored)
        starts = np.cumsum([0, *np.bincount(owners, minlength=len(stored))])
        venues = old.venues[stored]
        derived = (
            pa.ListArray.from_arrays(pa.array(starts, pa.int32()), author_strings.take(codes)),
            venue_strings.take(pa.array(venues, mask=venues < 0)),
            pa.array(front[stored]),
        )
        fresh = np.flatnonzero(~is_old)
        new = with_keys(group.take(pa.array(fresh)))
        order = pa.array(np.argsort(np.concatenate([places, fresh])))
        columns = [
            pa.concat_arrays([known.cast(field.type), new.column(field.name)]).take(order)
            for field, known in zip(DERIVED, derived, strict=True)
        ]
        schema = pa.schema([*SCHEMA, *DERIVED])
        yield pa.RecordBatch.from_arrays([*group.columns, *columns], schema=schema)


def with_keys(papers: pa.RecordBatch) -> pa.RecordBatch:
    """Add the columns DERIVED; papers: with the columns authors, venue, title, labels."""
    names = ("authors", "venue", "title", "labels")
    authors, venues, titles, labels = (papers.column(name).to_pylist() for name in names)
    derived = (
        [name_keys(some or ()) for some in authors],
        [(venue_key(venue) if venue else "") or None for venue in venues],
        [
            is_front_matter(title or "", paper_types(json.loads(text)) if text else ())
            for title, text in zip(titles, labels, strict=True)
        ],
    )
    columns = [pa.array(cells, field.type) for cells, field in zip(derived, DERIVED, strict=True)]
    schema = pa.schema([*papers.schema, *DERIVED])
    return pa.RecordBatch.from_arrays([*papers.columns, *columns], schema=schema)


def _as_arrow(strings: SortedStrings) -> pa.Array:
    buffers = [None, pa.py_buffer(strings.starts), pa.py_buffer(strings.blob)]
    return pa.Array.from_buffers(pa.large_string(), len(strings), buffers)


def same_papers(one: pa.Table, other: pa.Table, names: Sequence[str] = tuple(SCHEMA.names)) -> Mask:
    """Compare papers place by place in some or all that is stored of them: (m,) bool."""
    same = np.ones(one.num_rows, bool)
    for name in names:
        same &= _equal(*(each.column(name).combine_chunks() for each in (one, other)))
    return same


def _equal(one: pa.Array, other: pa.Array) -> Mask:
    """Compare arrays of values or lists; unknown equals unknown."""
    if not pa.types.is_list(one.type):
        unknown = pc.and_(pc.is_null(one), pc.is_null(other))
        same: Mask = pc.or_(pc.fill_null(pc.equal(one, other), False), unknown).to_numpy(False)
        return same
    lengths, others = (
        pc.fill_null(pc.list_value_length(each), -1).to_numpy(False) for each in (one, other)
    )
    equal: Mask = lengths == others
    rows = np.flatnonzero(equal)
    left, right = (each.take(pa.array(rows)).flatten() for each in (one, other))
    equal[np.repeat(rows, np.maximum(lengths[rows], 0))[~_equal(left, right)]] = False
    return equal


def read_texts(corpus: Corpus, size: int) -> Iterator[list[Text]]:
    """Read (title, abstract) pairs by ascending row, `size` at a time."""
    with papers_file(corpus) as file:
        for batch in file.iter_batches(size, columns=["title", "abstract"]):
            yield list(zip(batch["title"].to_pylist(), batch["abstract"].to_pylist(), strict=True))
            release(corpus.stored)


def texts_in(corpus: Corpus, rows: NDArray[np.integer] | None = None) -> list[Text]:
    """Read (title, abstract) of some papers, or of all, at once."""
    columns = corpus.texts() if rows is None else corpus.texts().take(rows)
    return list(zip(*(columns[name].to_pylist() for name in ("title", "abstract")), strict=True))


def texts_of(corpus: Corpus, wanted: Mask, size: int) -> Iterator[tuple[Rows, list[Text]]]:
    """Read those of the wanted papers alone: (rows, texts), `size` at a time.

    wanted: (n,) bool. Row groups without a wanted paper are not read.
    """
    rows = np.flatnonzero(wanted).astype(np.int32)
    waiting: list[Text] = []
    given = 0
    with papers_file(corpus) as file:
        begin = 0
        for group in range(file.num_row_groups):
            end = begin + file.metadata.row_group(group).num_rows
            inside = rows[(rows >= begin) & (rows < end)] - begin
            if len(inside):
                table = file.read_row_group(group, columns=["title", "abstract"]).take(inside)
                release(corpus.stored)
                columns = (table.column(name).to_pylist() for name in ("title", "abstract"))
                waiting.extend(zip(*columns, strict=True))
            while len(waiting) >= size:
                yield rows[given : given + size], waiting[:size]
                given, waiting = given + size, waiting[size:]
            begin = end
    if waiting:
        yield rows[given:], waiting
