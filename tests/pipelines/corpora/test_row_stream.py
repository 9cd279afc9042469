import gc
import warnings
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.corpora import row_stream
from recsys.pipelines.corpora.row_stream import RowStream, RowWriter

FIELDS = pa.schema([("name", pa.string()), ("year", pa.int16()), ("names", pa.list_(pa.string()))])
MARKS = pa.schema([("mark", pa.int64())])
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.none() | st.text("aé漢", max_size=3),
            "year": st.none() | st.integers(1900, 2000),
            "names": st.none() | st.lists(st.text("ab", max_size=2), max_size=2),
        }
    ),
    max_size=9,
)


def table(rows: list[dict[str, object]]) -> pa.Table:
    return pa.Table.from_pylist(rows, FIELDS)


def stored(rows: pa.Table, folder: Path, *, size: int = 2, at_once: int = 3) -> RowStream:
    writer = RowWriter(rows.schema, folder, at_once=at_once)
    for batch in rows.to_batches(max_chunksize=size):
        writer.add(batch)
    return writer.rows()


@given(ROWS, st.integers(1, 4), st.integers(1, 4), st.data())
def test_a_stream_does_what_a_table_does(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[dict[str, object]],
    size: int,
    at_once: int,
    data: st.DataObject,
) -> None:
    held = table(rows)
    stream = stored(held, tmp_path_factory.mktemp("rows"), size=size, at_once=at_once)
    assert stream.num_rows == len(rows)
    assert stream.table().equals(held)
    assert stream.column("names").equals(held.column("names"))
    assert stream.select(["year", "name"]).table().equals(held.select(["year", "name"]))
    wanted = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    mask = pa.array(wanted, pa.bool_())
    kept, expected = stream.filter(mask), held.filter(mask)
    assert kept.num_rows == expected.num_rows
    assert kept.table().equals(expected)
    longer = kept.followed_by(held)
    assert longer.num_rows == len(expected) + len(rows)
    assert longer.table().equals(pa.concat_tables([expected, held]))
    marks = pa.table({"mark": pa.array(range(len(longer.table())), pa.int64())})
    marked = longer.beside(marks).select(["mark", "name"]).table()
    assert marked.column("mark").to_pylist() == [*range(longer.num_rows)]
    assert marked.column("name").to_pylist() == longer.column("name").to_pylist()
    assert longer.beside(marks).column("mark").equals(marks.column("mark"))


def test_a_column_is_changed_as_it_is_read(tmp_path: Path) -> None:
    rows = stored(table([{"name": each} for each in "abcde"]), tmp_path)
    seen: list[tuple[int, int]] = []

    def change(begin: int, cells: pa.Array) -> pa.Array:
        seen.append((begin, len(cells)))
        return pa.array([f"{begin}{cell}" for cell in cells.to_pylist()])

    other = rows.changed("name", change)
    assert not seen
    assert other.column("name").to_pylist() == ["0a", "0b", "0c", "0d", "4e"]
    assert seen == [(0, 4), (4, 1)]
    assert other.column("year").null_count == 5
    assert len(seen) == 2


def test_many_rows_lie_in_a_file_that_goes_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_stream, "_IN_MEMORY", 100)
    held = table([{"name": f"name {number}" * 20} for number in range(50)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = stored(held, tmp_path)
        assert rows.filter(pa.array([True] * 50)).table().equals(held)
        RowWriter(FIELDS, tmp_path).add(held.to_batches()[0])  # Never finished.
        del rows
        gc.collect()
    assert [*tmp_path.iterdir()] == []
