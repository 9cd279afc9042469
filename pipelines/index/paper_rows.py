"""Papers as rows of Arrow: those of an index, read when they are wanted, new ones, their texts."""

import json
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from recsys.models.encoder import Text
from recsys.pipelines.corpora.works import SCHEMA
from recsys.store.arrays import Mask, Rows, SortedStrings
from recsys.store.corpus import Corpus, paper_types
from recsys.store.front_matter import is_front_matter
from recsys.store.names import name_keys
from recsys.store.words import venue_key

ROW_GROUP = 4096
"""Papers that are sorted and written together."""
_TEXTS = "title", "abstract"
DERIVED = pa.schema(
    [
        ("author_names", pa.list_(pa.string())),
        ("venue_key", pa.string()),
        ("front_matter", pa.bool_()),
    ]
)
"""What is derived of papers beside the columns that are stored."""


class PaperRows:
    """Old papers first, new ones behind them."""

    def __init__(self, old: Corpus, papers: pa.Table) -> None:
        """papers: rows of SCHEMA."""
        self._old, self._new, self._count = old.stored, papers, len(old)

    def take(self, rows: Rows) -> pa.Table:
        """Gather rows."""
        of_old = rows < self._count
        old = self._old.take(rows[of_old]).cast(SCHEMA) if of_old.any() else SCHEMA.empty_table()
        new = self._new.take(pa.array(rows[~of_old] - self._count))
        places = np.concatenate([np.flatnonzero(of_old), np.flatnonzero(~of_old)])
        return pa.concat_tables([old, new]).take(pa.array(np.argsort(places)))


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


def sorted_strings(texts: pa.Array | pa.ChunkedArray) -> SortedStrings:
    """Take over distinct texts that ascend."""
    pieces = texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]
    kind = pa.large_string()
    joined = pa.concat_arrays([pa.array([], kind), *(piece.cast(kind) for piece in pieces)])
    _, starts, blob = joined.buffers()
    ends = np.frombuffer(starts or bytes(8), np.int64)[: len(joined) + 1]
    return SortedStrings(ends, np.frombuffer(blob or b"", np.uint8)[: ends[-1]])


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
    for _, table in corpus.stored.batches(_TEXTS, size):
        yield _pairs(table)


def texts_in(corpus: Corpus, rows: NDArray[np.integer] | None = None) -> list[Text]:
    """Read (title, abstract) of some papers, or of all, at once."""
    return _pairs(corpus.texts() if rows is None else corpus.stored.take(np.asarray(rows), _TEXTS))


def texts_of(corpus: Corpus, wanted: Mask, size: int) -> Iterator[tuple[Rows, list[Text]]]:
    """Read those of the wanted papers alone: (rows, texts), `size` at a time.

    wanted: (n,) bool.
    """
    rows = np.flatnonzero(wanted).astype(np.int32)
    for begin in range(0, len(rows), size):
        some = rows[begin : begin + size]
        yield some, texts_in(corpus, some)


def _pairs(table: pa.Table) -> list[Text]:
    return list(zip(*(table.column(name).to_pylist() for name in _TEXTS), strict=True))
