"""Vectors in Parquet: any type of list of numbers, and every way in which a row can be wrong."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from recsys.errors import InputError
from recsys.formats.embeddings import Embeddings, read_embeddings, write_embeddings
from tests.rows import each_row

IDS = pa.array(["a", "b", "c"])


def read(folder: Path, **columns: Any) -> Embeddings:  # noqa: ANN401 - pyarrow has no types.
    path = folder / "vectors.parquet"
    parquet.write_table(pa.table(columns), path)
    return read_embeddings(path)


@each_row(
    "kind",
    [
        pa.list_(pa.float32(), 2),
        pa.list_(pa.float64()),
        pa.large_list(pa.float16()),
        pa.list_(pa.int32(), 2),
    ],
)
def test_any_list_of_numbers_is_a_vector(tmp_path: Path, kind: pa.DataType) -> None:
    values = pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int8())).cast(kind)
    found = read(tmp_path, paper_id=IDS, embedding=values)
    assert (found.ids, found.empty) == (("a", "c"), ("b",))
    assert found.vectors[:].tolist() == [[1, 2], [3, 4]]


def test_what_is_written_has_lists_of_fixed_length(tmp_path: Path) -> None:
    path = tmp_path / "vectors.parquet"
    write_embeddings(path, Embeddings(("a",), np.ones((1, 3), np.float32), ("b",)))
    table = parquet.read_table(path)
    assert table.schema.field("embedding").type == pa.list_(pa.float32(), 3)
    assert table.to_pydict() == {"paper_id": ["a", "b"], "embedding": [[1, 1, 1], None]}


@each_row(
    ("ids", "vectors", "message"),
    [
        (IDS, [[1.0], [2.0, 3.0], [4.0]], "row 2: the embedding has 2 numbers, .* file 1"),
        (IDS, [[1.0], [2.0], [np.nan]], "row 3: number 1 of the embedding is nan"),
        (IDS, [[1.0], [1e40], [1.0]], "row 2: number 1 of the embedding is inf"),
        (IDS, [[1.0], [None], [1.0]], "row 1 or up to .* rows below: an embedding holds a null"),
        (pa.array(["a", "b", "a"]), [[1.0]] * 3, "row 3: the paper 'a' .* in row 1"),
        (pa.array(["a", None, "b"]), [[1.0]] * 3, "row 2: the paper_id None is no text"),
        (pa.array([1, 2, 3]), [[1.0]] * 3, "row 1: the paper_id 1 is no text"),
        (IDS, pa.array([None] * 3, pa.list_(pa.float32())), "holds no vector"),
        (IDS, ["x", "y", "z"], "the column 'embedding' is of type string"),
        (IDS, [["x"], ["y"], ["z"]], "the column 'embedding' is of type list"),
    ],
)
def test_wrong_rows_are_named(tmp_path: Path, ids: pa.Array, vectors: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match=message):
        read(tmp_path, paper_id=ids, embedding=vectors)


def test_missing_columns_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the columns id, embedding: there must be one 'paper_id'"):
        read(tmp_path, id=IDS, embedding=[[1.0]] * 3)


def test_another_file_is_no_parquet(tmp_path: Path) -> None:
    path = tmp_path / "vectors.parquet"
    path.write_text("no", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        read_embeddings(path)
