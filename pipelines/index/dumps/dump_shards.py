"""Read one file of works as a shard: rows in their order, and runs by name and by title.

What a shard gives travels as bytes: a process holds, packed, what the records of its file come to.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.errors import RecsysError
from recsys.pipelines.corpora.bucket_files import address, fetched
from recsys.pipelines.corpora.clusters import is_preprint, title_head
from recsys.pipelines.corpora.library_works import PdfReading
from recsys.pipelines.corpora.row_stream import RowStream
from recsys.pipelines.corpora.source_files import SourceFile
from recsys.pipelines.corpora.source_intake import SourceIntake
from recsys.pipelines.corpora.work_table import CITED, WORKS, Works
from recsys.pipelines.index.dumps.partition_runs import RunWriter, by_hash
from recsys.pipelines.jobs.kept_results import MadeFiles

WORK_ROWS, CITED_ROWS, REJECTED = "works.arrow", "cited.arrow", "rejects.jsonl"
NAMES, HEADS = "names.runs", "heads.runs"
NAME_RUNS = pa.schema([("name", pa.string()), ("row", pa.int64())])
"""Names of works; row: of the work in its file."""
_COMPARED = ("title", "authors", "year", "doi", "space", "own_id", "sealed")
HEAD_RUNS = pa.schema(
    [
        ("head", pa.string()),
        ("row", pa.int64()),
        *(WORKS.field(name) for name in _COMPARED),
        ("preprint", pa.bool_()),
    ]
)
"""What is compared of works whose titles begin alike."""
_PACKED = pa.ipc.IpcWriteOptions(compression="zstd")


@dataclass(frozen=True, slots=True)
class FileShard:
    """What is read as one: a file, or all PDFs together.

    path: of the file; of the first PDF. pdfs: where it is PDFs. named: see `SourceFile`. tables:
    names of the tables that are read before. parts: that runs are divided into.
    """

    path: Path
    named: bool
    columns: tuple[tuple[str, str], ...]
    parts: int
    tables: tuple[str, ...] = ()
    pdfs: tuple[Path, ...] = ()


def reader() -> Callable[[FileShard], MadeFiles]:
    """Begin in a process that reads files."""
    return read_shard


def read_shard(shard: FileShard, pdfs: PdfReading | None = None) -> MadeFiles:
    """Read a file as `SourceIntake` does.

    pdfs: how PDFs are read; None: there are none.

    Raises:
        InputError: see `SourceIntake.read`.
    """
    with TemporaryDirectory(prefix="recsys-") as place:
        folder = Path(place)
        rejects = folder / REJECTED
        with SourceIntake(rejects, pdfs or PdfReading(folder), shard.tables) as intake:
            if shard.pdfs:
                intake.read_pdfs(shard.pdfs)
            else:
                _read(intake, shard, folder)
            works = intake.taken()
        files = dict(_files(works, shard.parts))
        if rejects.exists():
            files[REJECTED] = rejects.read_bytes()
    return MadeFiles(files, _facts(intake, works))


def _read(intake: SourceIntake, shard: FileShard, folder: Path) -> None:
    """Read a file; one of a bucket has its own name in what is told."""
    path = fetched(shard.path, folder)
    columns = dict(shard.columns)
    try:
        intake.read(SourceFile(path, shard.named), columns, lambda *_: None)
    except RecsysError as error:
        error.what = error.what.replace(str(path), address(shard.path))
        error.args = (error.what,)
        raise
    intake.skipped[:] = [each.replace(str(path), address(shard.path)) for each in intake.skipped]


def _facts(intake: SourceIntake, works: Works) -> dict[str, Any]:
    sealed = works.works.select(["sealed"]).to_batches()
    return {
        "files": [[each.name, each.format, each.works] for each in intake.files],
        "skipped": intake.skipped,
        "works": works.works.num_rows,
        "cited": works.cited.num_rows,
        "sealed": any(pc.any(batch.column(0)).as_py() for batch in sealed),
        "spaceless": _spaceless(works.works),
        "rejected": intake.rejected,
        "oddities": intake.oddities,
        "remarks": intake.remarks,
        "languages": intake.languages,
    }


def _spaceless(works: RowStream) -> bool:
    """Tell whether a work has no id that its file gave."""
    return any(batch.column(0).null_count for batch in works.select(["own_id"]).to_batches())


def _files(works: Works, parts: int) -> Iterator[tuple[str, bytes]]:
    rows, names, heads = (pa.BufferOutputStream() for _ in range(3))
    by_name, by_head = RunWriter(names, NAME_RUNS, parts), RunWriter(heads, HEAD_RUNS, parts)
    with pa.ipc.new_file(rows, WORKS, options=_PACKED) as writer:
        first = 0
        for batch in works.works.to_batches():
            writer.write_batch(batch)
            _add_names(by_name, batch, first)
            _add_heads(by_head, batch, first)
            first += batch.num_rows
    for name, sink, runs in ((NAMES, names, by_name), (HEADS, heads, by_head)):
        runs.close()
        yield name, sink.getvalue().to_pybytes()
    yield WORK_ROWS, rows.getvalue().to_pybytes()
    if works.cited.num_rows:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, CITED, options=_PACKED) as writer:
            writer.write_table(works.cited)
        yield CITED_ROWS, sink.getvalue().to_pybytes()


def _add_names(runs: RunWriter, works: pa.RecordBatch, first: int) -> None:
    names = works.column("names")
    flat = names.flatten()
    lengths = pc.list_value_length(names).to_numpy(zero_copy_only=False)
    rows = np.repeat(np.arange(first, first + len(names), dtype=np.int64), lengths)
    batch = pa.RecordBatch.from_arrays([flat, pa.array(rows)], schema=NAME_RUNS)
    runs.add(batch, by_hash(flat, runs.parts))


def _add_heads(runs: RunWriter, works: pa.RecordBatch, first: int) -> None:
    heads = [title_head(title) for title in works.column("title").to_pylist()]
    there = [head is not None for head in heads]
    told = works.filter(pa.array(there, pa.bool_()))
    found = pa.array(compress(heads, there), pa.string())
    rows = first + np.flatnonzero(there)
    columns = [told.column(name) for name in _COMPARED]
    arrays = [found, pa.array(rows, pa.int64()), *columns, pa.array(_preprints(told), pa.bool_())]
    runs.add(pa.RecordBatch.from_arrays(arrays, schema=HEAD_RUNS), by_hash(found, runs.parts))


def _preprints(works: pa.RecordBatch) -> Sequence[bool]:
    columns = (works.column(name).to_pylist() for name in ("doi", "venue", "names"))
    return [is_preprint(*told) for told in zip(*columns, strict=True)]


def counted(facts: Mapping[str, Any], name: str) -> dict[str, int]:
    """Return what a shard counted, once JSON has had it."""
    return {str(key): int(count) for key, count in facts[name].items()}
