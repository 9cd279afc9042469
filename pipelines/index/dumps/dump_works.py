"""All works that shards gave, in their order, as they lie on disk."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.collect_report import FileRead
from recsys.pipelines.corpora.work_table import CITED, NO_SPACE, WORKS
from recsys.pipelines.index.dumps.dump_shards import (
    CITED_ROWS,
    HEAD_RUNS,
    HEADS,
    NAME_RUNS,
    NAMES,
    WORK_ROWS,
)
from recsys.pipelines.index.dumps.partition_runs import Runs
from recsys.pipelines.jobs.kept_results import ShardFiles
from recsys.store.arrays import Longs


@dataclass(frozen=True, slots=True)
class DumpWorks:
    """Works of all shards, numbered through.

    starts: (shards + 1,) int64, the first work of each. spaces: of each shard, the id space of its
    works, see `work_table.Space`. parts: that the runs are divided into.
    """

    shards: Sequence[ShardFiles]
    starts: Longs
    spaces: Sequence[int]
    parts: int

    @classmethod
    def of(cls, shards: Sequence[ShardFiles], paths: Sequence[str], parts: int) -> "DumpWorks":
        """Number the works and the spaces: a file of ours has its own, those of a format one."""
        numbers: dict[str, int] = {}
        spaces = []
        for shard, path in zip(shards, paths, strict=True):
            formats = [each[1] for each in shard.facts["files"]]
            name = path if shard.facts["sealed"] else "".join(formats)
            key = ("file " if shard.facts["sealed"] else "format ") + name
            spaces.append(numbers.setdefault(key, len(numbers)))
        works = [int(shard.facts["works"]) for shard in shards]
        return cls(shards, np.cumsum([0, *works]), spaces, parts)

    def __len__(self) -> int:
        """Count the works."""
        return int(self.starts[-1])

    @property
    def cited(self) -> int:
        """Count the cited works that reference lists describe."""
        return sum(int(shard.facts["cited"]) for shard in self.shards)

    @property
    def files(self) -> list[FileRead]:
        """List the files that were read."""
        return [FileRead(*each) for shard in self.shards for each in shard.facts["files"]]

    @property
    def one_sealed_file(self) -> bool:
        """Tell whether all works are of one file of ours: there, two ids are two papers."""
        given = [shard for shard in self.shards if shard.facts["works"]]
        whole = all(shard.facts["sealed"] and not shard.facts["spaceless"] for shard in given)
        return len(given) == 1 and whole

    def batches(self, names: Sequence[str] = WORKS.names) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Read some columns of all works, with the number of the first of each batch."""
        for number, shard in enumerate(self.shards):
            begin = int(self.starts[number])
            for batch in _read(shard, WORK_ROWS, WORKS, names):
                yield begin, self._placed(batch, number)
                begin += batch.num_rows

    def cited_batches(self) -> Iterator[pa.RecordBatch]:
        """Read what reference lists describe; owners are works."""
        for number, shard in enumerate(self.shards):
            if not shard.facts["cited"]:
                continue
            for batch in _read(shard, CITED_ROWS, CITED, CITED.names):
                owners = pc.add(batch.column("owner").cast(pa.int64()), int(self.starts[number]))
                owners = owners.cast(pa.int32())
                yield batch.set_column(0, CITED.field("owner"), owners)

    def names(self, part: int) -> Iterator[pa.RecordBatch]:
        """Read a part of the names of all works."""
        return self._runs(NAMES, NAME_RUNS, part)

    def heads(self, part: int) -> Iterator[pa.RecordBatch]:
        """Read a part of what is compared of all works."""
        return self._runs(HEADS, HEAD_RUNS, part)

    def _runs(self, name: str, schema: pa.Schema, part: int) -> Iterator[pa.RecordBatch]:
        runs = Runs([shard.path(name) for shard in self.shards], schema, self.parts)
        for number, batch in runs.pieces(part):
            rows = pc.add(batch.column("row"), int(self.starts[number]))
            yield self._placed(batch.set_column(1, schema.field("row"), rows), number)

    def _placed(self, batch: pa.RecordBatch, shard: int) -> pa.RecordBatch:
        """Write the number of a shard's space into its works: alone, it had none but 0."""
        at = batch.schema.get_field_index("space")
        if at < 0:
            return batch
        given = pc.not_equal(batch.column(at), NO_SPACE)
        spaces = pc.if_else(given, pa.scalar(self.spaces[shard], pa.int32()), batch.column(at))
        return batch.set_column(at, batch.schema.field(at), spaces)


def _read(
    shard: ShardFiles, file_name: str, schema: pa.Schema, names: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    wanted = [schema.get_field_index(name) for name in names]
    options = pa.ipc.IpcReadOptions(included_fields=wanted)
    with (
        pa.OSFile(str(shard.path(file_name))) as file,
        pa.ipc.open_file(file, options=options) as reader,
    ):
        for number in range(reader.num_record_batches):
            yield reader.get_batch(number).select(list(names))
