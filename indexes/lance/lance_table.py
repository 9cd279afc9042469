"""Tables of LanceDB beside the other files of an index: made, carried on, and opened.

NAME.lance/          the table: id, year, and what is searched; its files are never written again
NAME.items.npy       (items,) int32: the row of each id, GONE where it is no longer there
engine.years.npy     see `recsys.indexes.row_conditions`

Rows are numbered anew by every update, ids stay: a table is changed by what is new and gone only.
"""

import shutil
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from recsys.indexes.backends import Former
from recsys.indexes.exact import Carried, load_items
from recsys.indexes.lance.lance_places import connection, failed
from recsys.indexes.row_conditions import Condition, RowConditions, load_years, write_years
from recsys.store.arrays import Mask, Rows
from recsys.store.artifacts import link_or_copy
from recsys.store.graph import UNKNOWN_YEAR, Years
from recsys.store.row_remap import GONE

MOST_DEAD = 0.2
"""Share of the ids that are gone above which a table is made anew."""
SPARE = 16
"""Rows that are compared in full beside one and a half times those that are wanted: the engine
rounds, and counts what was removed among the papers until it is written anew."""
_AT_ONCE = 8192
"""Rows that are written, or ids that are deleted, at a time."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a table holds beside ids and years.

    table, column: names. kind: of the column. of: its values for some rows.
    """

    table: str
    column: str
    kind: pa.DataType
    of: Callable[[Rows], pa.Array]


@dataclass(frozen=True, slots=True)
class LanceTable:
    """An open table. items: the row of each id, all of today's. conditions: of these rows.

    folder, name: where it lies, for errors.
    """

    table: Any
    items: Carried
    conditions: RowConditions
    folder: Path
    name: str

    def count(self, wanted: int, inside: int, condition: Condition | None) -> int:
        """Return how many rows the engine is asked for, to find so many of those inside."""
        count = wanted + wanted // 2 + SPARE
        if condition is None:  # The engine returns what is not allowed, too.
            return ceil(count * (len(self.conditions.order) / max(inside, 1)))
        return count + len(condition.excluded)

    def found(self, asked: Any, condition: Condition | None) -> pa.Table:  # noqa: ANN401 - see `table`
        """Ask the engine, for rows that a condition allows."""
        if (where := self.where(condition)) is not None:
            asked = asked.where(where, prefilter=True)
        with failed(self.folder, self.name):
            return asked.to_arrow()

    def where(self, condition: Condition | None) -> str | None:
        """Write the years of a condition in SQL; None: all of them."""
        if condition is None or not len(self.conditions.found):
            return None
        newest = f"year <= {condition.newest}"
        if not condition.undated and self.conditions.found[0] == UNKNOWN_YEAR:
            return f"{newest} AND year > {UNKNOWN_YEAR}"
        return None if condition.newest >= self.conditions.found[-1] else newest


def met(rows: Rows, condition: Condition | None, allowed: Mask | None) -> Rows:
    """Correct found rows by the exceptions of a condition; all rows are ascending and distinct."""
    if condition is not None and len(condition.included):
        rows = np.union1d(rows, condition.included).astype(np.int32)
    rows = np.sort(rows)
    return rows if allowed is None else rows[allowed[rows]]


def create(folder: Path, content: Content, years: Years | None, n: int) -> LanceTable:
    """Write the table of n rows into a folder; the caller indexes and then settles it."""
    told, rows = write_years(folder, years, n), np.arange(n, dtype=np.int32)
    shutil.rmtree(folder / f"{content.table}.lance", ignore_errors=True)
    reader = pa.RecordBatchReader.from_batches(_schema(content), _batches(content, told, rows, 0))
    table = connection(folder).create_table(content.table, reader)
    if n:
        from lancedb.index import BTree  # After `lance_places`, which says how it is imported.

        table.create_index("year", config=BTree())
    np.save(folder / _items_file(content.table), rows)
    return LanceTable(table, Carried.of(rows, n), RowConditions.of(told), folder, content.table)


def carried(
    folder: Path, content: Content, former: Former, years: Years | None, n: int
) -> LanceTable | None:
    """Take over a former table, less what is gone, more what is new; None: it is worth little.

    A paper whose year is another one now is new.
    """
    name = content.table
    if not (former.folder / f"{name}.lance").is_dir():
        return None  # It lies elsewhere.
    before = load_years(former.folder, len(former.rows))
    old = load_items(former.folder / _items_file(name), len(former.rows))
    told = write_years(folder, years, n)
    same = (former.rows != GONE) & (told[former.rows] == before)
    known = Carried.over(old, np.where(same, former.rows, np.int32(GONE)), n)
    now = Carried.of(np.concatenate([known.rows, known.unknown]), n)
    if now.gone > MOST_DEAD * len(now.rows):
        return None
    # The engine writes none of its files again: they get second names.
    copy = folder / f"{name}.lance"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(former.folder / copy.name, copy, copy_function=link_or_copy)
    table = connection(folder).open_table(name)
    gone = np.flatnonzero((known.rows == GONE) & (old != GONE))
    for begin in range(0, len(gone), _AT_ONCE):
        named = ", ".join(map(str, gone[begin : begin + _AT_ONCE].tolist()))
        table.delete(f"id IN ({named})")
    if len(known.unknown):
        batches = _batches(content, told, known.unknown, len(old))
        table.add(pa.RecordBatchReader.from_batches(_schema(content), batches))
    np.save(folder / _items_file(name), now.rows)
    return LanceTable(table, now, RowConditions.of(told), folder, name)


def settle(table: Any) -> None:  # noqa: ANN401 - lancedb ships no types.
    """Bring new rows into all indexes, and remove what former versions alone need."""
    with warnings.catch_warnings():  # That others may read them: nobody can, yet.
        warnings.simplefilter("ignore", UserWarning)
        table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)


def open_lance(folder: Path, name: str, n: int) -> LanceTable:
    """Open the table of n rows, in the folder or on the store where the index lies.

    Raises:
        ArtifactError: it is not there, or not of these rows.
        SourceUnreachable: the store does not answer.
    """
    items = Carried.of(load_items(folder / _items_file(name), n), n)
    conditions = RowConditions.of(load_years(folder, n))
    with failed(folder, name):
        return LanceTable(connection(folder).open_table(name), items, conditions, folder, name)


def _items_file(name: str) -> str:
    return f"{name}.items.npy"


def _schema(content: Content) -> pa.Schema:
    return pa.schema([("id", pa.int32()), ("year", pa.int16()), (content.column, content.kind)])


def _batches(content: Content, years: Years, rows: Rows, first: int) -> Iterator[pa.RecordBatch]:
    """Give some rows as they are written; their ids are the numbers from the first on."""
    for begin in range(0, len(rows), _AT_ONCE):
        part = rows[begin : begin + _AT_ONCE]
        ids = np.arange(first + begin, first + begin + len(part), dtype=np.int32)
        columns = [pa.array(ids), pa.array(years[part]), content.of(part)]
        yield pa.RecordBatch.from_arrays(columns, schema=_schema(content))
