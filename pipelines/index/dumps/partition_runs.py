"""Rows divided among parts: written as they come, read part by part.

A file of runs is one of Arrow's, with a batch for each part and run: the rows of part p are the
batches p, p + parts, p + 2 parts, ..., in the order in which they were added.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from recsys.store.arrays import Longs, Rows

RUN_BYTES = 16 << 20
"""Bytes of rows that wait in memory until they are divided and written."""
_PACKED = pa.ipc.IpcWriteOptions(compression="lz4")

Parts: TypeAlias = NDArray[Any]


class RunWriter:
    """Takes rows and the part of each, and writes them run by run."""

    def __init__(self, sink: Path | pa.BufferOutputStream, schema: pa.Schema, parts: int) -> None:
        """Begin without rows; sink: a file, or memory for bytes that travel."""
        self.schema, self.parts = schema, parts
        self._sink = sink
        self._waiting: list[pa.RecordBatch] = []
        self._part_of: list[Parts] = []
        self._bytes = 0
        target = pa.OSFile(str(sink), "wb") if isinstance(sink, Path) else sink
        self._target = target
        self._writer = pa.ipc.new_file(target, schema, options=_PACKED)

    def add(self, rows: pa.RecordBatch, part_of: Parts) -> None:
        """Take rows; part_of: (rows,) integers below the number of parts."""
        if not rows.num_rows:
            return
        self._waiting.append(rows)
        self._part_of.append(part_of)
        self._bytes += rows.nbytes
        if self._bytes >= RUN_BYTES:
            self._flush()

    def runs(self) -> "Runs":
        """Finish the file and return what reads it; no more can be added."""
        self.close()
        assert isinstance(self._sink, Path)
        return Runs((self._sink,), self.schema, self.parts)

    def close(self) -> None:
        """Finish the file."""
        self._flush()
        self._writer.close()
        if isinstance(self._sink, Path):
            self._target.close()

    def _flush(self) -> None:
        if not self._waiting:
            return
        part_of = np.concatenate(self._part_of)
        order = np.argsort(part_of, kind="stable")
        ends = np.cumsum(np.bincount(part_of, minlength=self.parts))
        table = pa.Table.from_batches(self._waiting, self.schema)
        held = one_batch(table).take(pa.array(order))
        begin = 0
        for end in ends.tolist():
            self._writer.write_batch(held.slice(begin, end - begin))
            begin = end
        self._waiting.clear()
        self._part_of.clear()
        self._bytes = 0

    def __enter__(self) -> "RunWriter":
        """Finish the file on the way out, whatever happens."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        if isinstance(self._sink, Path) and not self._target.closed:
            self._writer.close()
            self._target.close()


@dataclass(frozen=True, slots=True)
class Runs:
    """Files of runs, which count in their order."""

    paths: Sequence[Path]
    schema: pa.Schema
    parts: int

    def pieces(self, part: int) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Give the rows of a part, and the number of the file in which they lie."""
        for number, path in enumerate(self.paths):
            with pa.OSFile(str(path)) as file, pa.ipc.open_file(file) as reader:
                for at in range(part, reader.num_record_batches, self.parts):
                    yield number, reader.get_batch(at)

    def part(self, part: int) -> pa.RecordBatch:
        """Return all rows of a part."""
        found = [piece for _, piece in self.pieces(part)]
        return one_batch(pa.Table.from_batches(found, self.schema))

    def remove(self) -> None:
        """Delete the files: what they hold was used."""
        for path in self.paths:
            path.unlink(missing_ok=True)


def one_batch(table: pa.Table) -> pa.RecordBatch:
    """Join a table of few rows into one batch."""
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else empty(table.schema)


def empty(schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch without rows."""
    return pa.RecordBatch.from_arrays([pa.array([], each.type) for each in schema], schema=schema)


def batch_of(schema: pa.Schema, *columns: object) -> pa.RecordBatch:
    """Make a batch out of arrays or lists."""
    arrays = [
        each if isinstance(each, pa.Array) else pa.array(each, field.type)
        for each, field in zip(columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def by_hash(keys: pa.Array, parts: int) -> Parts:
    """Divide strings by their hash: equal ones have one part. There must be no nulls."""
    hashes = (crc32(key) for key in keys.cast(pa.large_binary()).to_pylist())
    return np.fromiter(hashes, np.uint32, len(keys)) % np.uint32(parts)


def by_range(values: Longs | Rows, total: int, parts: int) -> Parts:
    """Divide the numbers below total into ranges of about one size, ascending."""
    return (values.astype(np.int64) * parts // max(total, 1)).astype(np.int32)


def first_of_range(part: int, total: int, parts: int) -> int:
    """Return the first number of a range of `by_range`: the last one begins at the total."""
    return -(-part * total // parts)


@dataclass(frozen=True, slots=True)
class Splitters:
    """Strings at which the order of all of them is cut into parts. bounds: ascending UTF-8."""

    bounds: Sequence[bytes]

    @classmethod
    def of(cls, sample: Iterable[str], parts: int) -> "Splitters":
        """Cut where a sample says that parts would be of one size."""
        found = sorted({each.encode() for each in sample})
        cuts = {len(found) * part // parts for part in range(1, parts)}
        return cls([found[cut] for cut in sorted(cuts) if found])

    @property
    def parts(self) -> int:
        """Count the parts."""
        return len(self.bounds) + 1

    def divide(self, keys: pa.Array) -> Parts:
        """Return the part of each string; there must be no nulls."""
        binary = keys.cast(pa.large_binary()).to_pylist()
        return np.fromiter((bisect_right(self.bounds, key) for key in binary), np.int32, len(keys))
