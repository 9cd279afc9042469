"""Rows of works and papers that wait in a file: memory holds a few thousand of them at a time."""

import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from tempfile import SpooledTemporaryFile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

AT_ONCE = 4096
"""Rows that are read together."""
_IN_MEMORY = 1 << 24
"""Bytes from which on rows are written to a file, which has no name and goes with its rows."""


@dataclass(frozen=True, slots=True)
class RowStream:
    """Rows that are read anew whenever they are asked for: some of what a Table of Arrow offers.

    What takes one of these takes a table as well. read: gives these columns, batch by batch.
    """

    schema: pa.Schema
    num_rows: int
    read: Callable[[Sequence[str]], Iterator[pa.RecordBatch]]

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """Read all rows."""
        return self.read(self.schema.names)

    def select(self, names: Sequence[str]) -> "RowStream":
        """Keep some columns."""
        return replace(self, schema=pa.schema([self.schema.field(name) for name in names]))

    def column(self, name: str) -> pa.ChunkedArray:
        """Read a column into memory."""
        return self.select([name]).table().column(0)

    def table(self) -> pa.Table:
        """Read all of it into memory."""
        return pa.Table.from_batches(self.to_batches(), self.schema)

    def filter(self, wanted: pa.BooleanArray) -> "RowStream":
        """Keep the rows that are wanted; batches that stay whole are not copied."""
        kept = wanted.to_numpy(zero_copy_only=False)

        def read(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
            for begin, batch in _counted(self.read(names)):
                some = kept[begin : begin + batch.num_rows]
                yield batch if some.all() else batch.filter(pa.array(some))

        return RowStream(self.schema, int(np.count_nonzero(kept)), read)

    def followed_by(self, table: pa.Table) -> "RowStream":
        """Put the rows of a table behind these."""

        def read(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
            return chain(self.read(names), table.select(names).to_batches(AT_ONCE))

        return RowStream(self.schema, self.num_rows + table.num_rows, read)

    def beside(self, others: pa.Table) -> "RowStream":
        """Put the columns of a table beside these, which are as many rows."""

        def read(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
            own = [name for name in names if name not in others.column_names]
            if not own:
                yield from others.select(names).to_batches(AT_ONCE)
                return
            for begin, batch in _counted(self.read(own)):
                some = pa.Table.from_batches([batch])
                for name in others.column_names:
                    cells = others.column(name).slice(begin, batch.num_rows)
                    some = some.append_column(others.schema.field(name), cells)
                yield from some.select(names).combine_chunks().to_batches()

        return RowStream(pa.schema([*self.schema, *others.schema]), self.num_rows, read)

    def changed(self, name: str, change: Callable[[int, pa.Array], pa.Array]) -> "RowStream":
        """Change a column as it is read; change: is told the number of its first row."""

        def read(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
            for begin, batch in _counted(self.read(names)):
                cells = dict(zip(names, batch.columns, strict=True))
                if name in cells:
                    cells[name] = change(begin, cells[name])
                fields = [self.schema.field(each) for each in names]
                yield pa.RecordBatch.from_arrays([*cells.values()], schema=pa.schema(fields))

        return replace(self, read=read)

    def derived(
        self, name: str, others: Sequence[str], change: Callable[[pa.RecordBatch], pa.Array]
    ) -> "RowStream":
        """Change a column as it is read; change: is given it and the other columns."""

        def read(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
            if name not in names:
                yield from self.read(names)
                return
            asked = [*names, *(each for each in others if each not in names)]
            for batch in self.read(asked):
                at = batch.schema.get_field_index(name)
                changed = batch.set_column(at, batch.schema.field(at), change(batch))
                yield changed.select(list(names))

        return replace(self, read=read)


class RowWriter:
    """Takes rows, and gives them back as a stream."""

    def __init__(self, schema: pa.Schema, folder: Path, *, at_once: int = AT_ONCE) -> None:
        """Begin without rows; folder: where the file lies. at_once: rows that wait in memory."""
        self._schema, self._at_once = schema, at_once
        self._waiting: list[pa.RecordBatch] = []
        self._count = self._ready = 0
        self._stored = _Stored(folder)
        self._writer = parquet.ParquetWriter(
            self._stored.file,
            schema,
            compression="lz4",
            use_dictionary=False,
            write_statistics=False,
            use_compliant_nested_type=False,
        )
        # Before the file is closed: an unfinished writer would write on.
        weakref.finalize(self, self._writer.close)

    def add(self, batch: pa.RecordBatch) -> None:
        """Take rows."""
        self._waiting.append(batch)
        self._ready += batch.num_rows
        if self._ready >= self._at_once:
            self._write()

    def rows(self) -> RowStream:
        """Return all rows; no more can be added."""
        self._write()
        self._writer.close()
        return RowStream(self._schema, self._count, self._stored.read)

    def _write(self) -> None:
        if self._ready:
            self._writer.write_table(pa.Table.from_batches(self._waiting, self._schema))
        self._count += self._ready
        self._ready = 0
        self._waiting.clear()


class _Stored:
    """A file of rows that is closed, and so removed, when nobody can ask for them any more."""

    def __init__(self, folder: Path) -> None:
        self.file = SpooledTemporaryFile(_IN_MEMORY, dir=str(folder))
        weakref.finalize(self, self.file.close)

    def read(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        stored = parquet.ParquetFile(pa.PythonFile(self.file, mode="r"))
        for group in range(stored.num_row_groups):
            table = stored.read_row_group(group, columns=[*names], use_threads=False)
            yield from table.select(names).combine_chunks().to_batches()


def _counted(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Give batches with the number of their first row."""
    begin = 0
    for batch in batches:
        yield begin, batch
        begin += batch.num_rows
