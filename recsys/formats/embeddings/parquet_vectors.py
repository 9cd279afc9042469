"""Vectors in Parquet: a column `paper_id` of texts and a column `embedding` of lists of numbers.

A null or an empty list says that a paper has no vector.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from recsys.errors import InputError
from recsys.formats.embeddings.vectors import STEP, Embeddings, Gathering
from recsys.progress import Progress
from recsys.store.arrays import Floats

if TYPE_CHECKING:
    import pyarrow as pa

ID, VECTOR = "paper_id", "embedding"


def read_columns(path: Path, progress: Progress) -> Embeddings:
    """Read Parquet.

    Raises:
        InputError: unreadable, no such columns, no vectors, or a row that is wrong; with its
            number, from 1.
    """
    import pyarrow as pa
    import pyarrow.parquet as parquet

    gathering = Gathering(str(path), "row")
    try:
        with parquet.ParquetFile(path) as file:
            _check_schema(file.schema_arrow, path)
            total, number = file.metadata.num_rows, 0
            for batch in file.iter_batches(STEP, columns=[ID, VECTOR]):
                ids = batch[ID].to_pylist()
                vectors = _vectors(batch[VECTOR], gathering.place(number + 1))
                for paper_id, vector in zip(ids, vectors, strict=True):
                    number += 1
                    gathering.add(number, paper_id, vector)
                progress("read", number, total)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"{path} cannot be read as Parquet: {reason}.", "Write it again."
        ) from error
    return gathering.embeddings()


def write_columns(path: Path, embeddings: Embeddings, progress: Progress) -> None:
    """Write Parquet: `embedding` is a list of fixed length, null for a paper without a vector."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    kind, total = pa.list_(pa.float32(), embeddings.dim), len(embeddings)
    schema = pa.schema([(ID, pa.string()), (VECTOR, kind)])
    with parquet.ParquetWriter(path, schema) as writer:
        for begin in range(0, total, STEP):
            progress("write", begin, total)
            ids = pa.array(embeddings.ids[begin : begin + STEP], pa.string())
            flat = pa.array(embeddings.vectors[begin : begin + STEP].ravel())
            vectors = pa.FixedSizeListArray.from_arrays(flat, type=kind)
            writer.write_batch(pa.record_batch([ids, vectors], schema=schema))
        if embeddings.empty:
            nulls = pa.nulls(len(embeddings.empty), kind)
            ids = pa.array(embeddings.empty, pa.string())
            writer.write_batch(pa.record_batch([ids, nulls], schema=schema))
    progress("write", total, total)


def _check_schema(schema: "pa.Schema", path: Path) -> None:
    for name in (ID, VECTOR):
        if schema.names.count(name) != 1:
            raise InputError(
                f"{path} has the columns {', '.join(schema.names)[:200] or 'none'}: there must be "
                f"one {name!r}.",
                f"Name its columns {ID!r} and {VECTOR!r}.",
            )
    kind = schema.field(VECTOR).type
    if not (_is_list(kind) and _is_number(kind.value_type)):
        raise InputError(
            f"{path}: the column {VECTOR!r} is of type {kind}.", "Write lists of numbers into it."
        )


def _is_list(kind: "pa.DataType") -> bool:
    from pyarrow import types

    tests = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    return any(test(kind) for test in tests)


def _is_number(kind: "pa.DataType") -> bool:
    from pyarrow import types

    return bool(types.is_floating(kind) or types.is_integer(kind))


def _vectors(column: "pa.Array", place: str) -> list[Floats | None]:
    """Cut a column of lists into vectors; None where there is none."""
    import pyarrow.compute as compute

    flat = compute.list_flatten(column)
    if flat.null_count:
        raise InputError(
            f"{place} or up to {STEP:,} rows below: an embedding holds a null.",
            "Make the whole embedding null where there is none.",
        )
    with np.errstate(over="ignore"):  # Too large for 32 bits: infinite, which is refused.
        numbers = flat.to_numpy(zero_copy_only=False).astype(np.float32)
    lengths = compute.list_value_length(column).to_numpy(zero_copy_only=False)
    lengths = np.nan_to_num(lengths).astype(np.int64)
    vectors = np.split(numbers, lengths.cumsum()[:-1])
    return [vector if len(vector) else None for vector in vectors]
