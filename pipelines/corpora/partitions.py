"""Rows divided among parts: written as they come, read part by part.

A file of runs is one of Arrow's, with a batch for each part and run: the rows of part p are the
batches p, p + parts, p + 2 parts, ..., in the order in which they were added. Small inputs have one
part; of large ones, memory holds one part at a time.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from recsys.store.arrays import Longs, Rows

RUN_BYTES = 16 << 20
"""Bytes of rows that wait in memory until they are divided and written."""
PACKED = pa.ipc.IpcWriteOptions(compression="lz4")

Parts: TypeAlias = NDArray[Any]
"""The part of each row: (rows,) integers."""
PartOf: TypeAlias = Callable[[pa.RecordBatch, int], Parts]
"""Tells the part of each row, out of so many."""


class RunWriter:
    """Takes rows, and writes them run by run. part_of: of each, where there are several parts."""

    def __init__(
        self, path: Path, schema: pa.Schema, parts: int = 1, part_of: PartOf | None = None
    ) -> None:
        """Begin a file without rows."""
        self.schema, self.parts, self.path, self._part_of = schema, parts, path, part_of
        self._waiting: list[pa.RecordBatch] = []
        self._bytes = self._rows = 0
        self._file = pa.OSFile(str(path), "wb")
        self._writer = pa.ipc.new_file(self._file, schema, options=PACKED)

    def add(self, rows: pa.RecordBatch) -> None:
        """Take rows."""
        if rows.num_rows:
            self._waiting.append(rows)
            self._bytes += rows.nbytes
            self._rows += rows.num_rows
        if self._bytes >= RUN_BYTES:
            self._flush()

    def runs(self) -> "Runs":
        """Finish the file and return what reads it; no more can be added."""
        self._flush()
        self.close()
        return Runs(self.path, self.schema, self.parts, self._rows)

    def close(self) -> None:
        """Close the file."""
        if not self._file.closed:
            self._writer.close()
            self._file.close()

    def _flush(self) -> None:
        if not self._waiting:
            return
        held = one_batch(pa.Table.from_batches(self._waiting, self.schema))
        ends, begin = [held.num_rows], 0
        if self.parts > 1 and self._part_of is not None:
            part_of = self._part_of(held, self.parts)
            held = held.take(pa.array(np.argsort(part_of, kind="stable")))
            ends = np.cumsum(np.bincount(part_of, minlength=self.parts)).tolist()
        for end in ends:
            self._writer.write_batch(held.slice(begin, end - begin))
            begin = end
        self._waiting.clear()
        self._bytes = 0

    def __enter__(self) -> "RunWriter":
        """Close the file on the way out, whatever happens."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()


@dataclass(frozen=True, slots=True)
class Runs:
    """A file of runs. rows: of all parts together."""

    path: Path
    schema: pa.Schema
    parts: int
    rows: int

    def pieces(self, part: int) -> Iterator[pa.RecordBatch]:
        """Give the rows of a part, some at a time."""
        with pa.OSFile(str(self.path)) as file, pa.ipc.open_file(file) as reader:
            for at in range(part, reader.num_record_batches, self.parts):
                yield reader.get_batch(at)

    def part(self, part: int) -> pa.RecordBatch:
        """Return all rows of a part."""
        return one_batch(pa.Table.from_batches(self.pieces(part), self.schema))

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Give all rows part by part, and remove the file: they were used."""
        yield from map(self.part, range(self.parts))
        self.remove()

    def remove(self) -> None:
        """Delete the file: what it holds was used."""
        self.path.unlink(missing_ok=True)


def divide(
    path: Path, schema: pa.Schema, parts: int, rows: Iterable[pa.RecordBatch], part_of: PartOf
) -> Runs:
    """Write rows, each into the part that it belongs to."""
    with RunWriter(path, schema, parts, part_of) as writer:
        for batch in rows:
            writer.add(batch)
        return writer.runs()


def one_batch(table: pa.Table) -> pa.RecordBatch:
    """Join a table of few rows into one batch."""
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], table.schema)


def batch_of(schema: pa.Schema, first: Collection[Any], *others: object) -> pa.RecordBatch:
    """Make a batch out of arrays or lists; None stands for a column of nulls."""
    columns: list[Any] = [first, *(pa.nulls(len(first)) if o is None else o for o in others)]
    arrays = [
        column.cast(field.type) if isinstance(column, pa.Array) else pa.array(column, field.type)
        for column, field in zip(columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def with_column(rows: pa.RecordBatch, name: str, cells: pa.Array) -> pa.RecordBatch:
    """Put other cells into a column."""
    at = rows.schema.get_field_index(name)
    return rows.set_column(at, rows.schema.field(at), cells)


def flattened(lists: pa.Array, first: int = 0) -> tuple[pa.Array, Longs]:
    """Put lists behind one another; give the row of each value, from `first` on: (m,) int64."""
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    return lists.flatten(), np.repeat(np.arange(first, first + len(lists)), lengths)


def stored_batches(path: Path, names: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    """Read a file of Arrow's batch by batch: some of its columns, or all."""
    with pa.OSFile(str(path)) as file:
        fields = None
        if names is not None:
            schema = pa.ipc.open_file(file).schema
            fields = [schema.get_field_index(name) for name in names]
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        with pa.ipc.open_file(file, options=options) as reader:
            for number in range(reader.num_record_batches):
                batch = reader.get_batch(number)
                yield batch if names is None else batch.select(names)


def part_of_hash(keys: pa.Array, parts: int) -> Parts:
    """Divide strings by their hash: equal ones have one part. There must be no nulls."""
    hashes = (crc32(key) for key in keys.cast(pa.large_binary()).to_pylist())
    return np.fromiter(hashes, np.uint32, len(keys)) % np.uint32(parts)


def by_hash(rows: pa.RecordBatch, parts: int) -> Parts:
    """Divide rows by the hash of their first column, see `part_of_hash`."""
    return part_of_hash(rows.column(0), parts)


def part_of_range(values: Longs | Rows, total: int, parts: int) -> Parts:
    """Divide the numbers below total into ranges of about one size, ascending."""
    return (values.astype(np.int64) * parts // max(total, 1)).astype(np.int32)


def by_range(total: int, column: str | int = 0) -> PartOf:
    """Divide rows by numbers below total in a column, see `part_of_range`."""
    return lambda rows, parts: part_of_range(rows.column(column).to_numpy(), total, parts)


def first_of_range(part: int, total: int, parts: int) -> int:
    """Return the first number of a part by `part_of_range`: the last one begins at the total."""
    return -(-part * total // parts)


@dataclass(frozen=True, slots=True)
class Splitters:
    """Strings at which the order of all of them is cut into parts. bounds: ascending UTF-8."""

    bounds: Sequence[bytes]

    @classmethod
    def of(cls, sample: Iterable[str], parts: int) -> "Splitters":
        """Cut where a sample says that parts would be of one size."""
        texts = sorted({text.encode() for text in sample})
        cuts = {len(texts) * part // parts for part in range(1, parts)}
        return cls([texts[cut] for cut in sorted(cuts) if texts])

    @property
    def parts(self) -> int:
        """Count the parts."""
        return len(self.bounds) + 1

    def part_of(self, rows: pa.RecordBatch, _parts: int) -> Parts:
        """Return the part of each row by its first column; there must be no nulls."""
        keys = rows.column(0).cast(pa.large_binary()).to_pylist()
        return np.fromiter((bisect_right(self.bounds, key) for key in keys), np.int32, len(keys))
