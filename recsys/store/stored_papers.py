"""What is stored of papers and what is shown of them, in parts: an update adds one.

corpus/
├── papers.parquet                        all columns of the papers of the first part
├── shown.starts.npy, shown.blob.npy      what is shown of them
├── papers.1.parquet, shown.1.*           the part that an update added: the first stays as it is
├── parts.npy        (parts + 1,) int64, where the records of each part begin, counted through
└── records.npy      (n,) int32, the record of each row; the last two where there are several parts

Within a part, records are in the order of rows. Of some, the papers are no longer there.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from recsys.errors import ArtifactCorrupt
from recsys.records import Paper, PaperId
from recsys.store.arrays import GrowingArray, Longs, Rows, load_array, load_offsets, release
from recsys.store.artifacts import fingerprint, sha256

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet

PAPERS = "papers{}.parquet"
PARTS, RECORDS = "parts.npy", "records.npy"
TOGETHER = 4096
"""Papers that are read together."""


def name_of(name: str, part: int) -> str:
    """Name a file of a part: PAPERS, STARTS or BLOB.

    >>> name_of(PAPERS, 0), name_of(PAPERS, 1)
    ('papers.parquet', 'papers.1.parquet')
    """
    return name.format(f".{part}" if part else "")


# What is shown of a part's papers: read without Arrow and without a look at the others.
#
# A record is a JSON list of the FIELDS, empty ones at its end left out. A few records are packed
# together, one a line: alone they would take nearly twice as much, many of them longer to read.

STARTS, BLOB = "shown{}.starts.npy", "shown{}.blob.npy"
FIELDS = ("title", "authors", "venue", "doi", "url", "aliases")
"""Id and year lie in arrays of their own."""
PACKED = 8
"""Papers packed together."""
_KEPT_PACKS = 64
"""Packs that are kept in memory, unpacked."""


@dataclass(frozen=True)
class ShownPapers:
    """Packed papers. path: of the blob. starts: (packs + 1,) int64 offsets into blob: uint8."""

    path: Path
    starts: Longs
    blob: NDArray[np.uint8]

    def paper(self, record: int, paper_id: PaperId, year: int | None) -> Paper:
        """Return the paper of a record, whose id and year are known from elsewhere.

        Raises:
            ArtifactCorrupt: its record is damaged.
        """
        pack, place = divmod(record, PACKED)
        try:
            values = json.loads(self._lines(pack)[place])
            values += [None] * (len(FIELDS) - len(values))
            title, authors, venue, doi, url, aliases = values
            return Paper(  # Whoever wrote the record, what comes out is of these types.
                paper_id,
                _text(title) or "",
                year=year,
                authors=_texts(authors),
                venue=_text(venue),
                doi=_text(doi),
                url=_text(url),
                aliases=_texts(aliases),
            )
        except (ValueError, LookupError, TypeError, RecursionError, zlib.error) as error:
            what = f"{self.path} is damaged: paper {record} cannot be read ({error})."
            raise ArtifactCorrupt(what, "Build the index again with --force.") from error

    @cached_property
    def _lines(self) -> Callable[[int], list[bytes]]:
        """Unpack records; the last ones are kept, because those that are asked for ascend."""
        return lru_cache(_KEPT_PACKS)(self._unpacked)

    def _unpacked(self, pack: int) -> list[bytes]:
        packed = self.blob.data[self.starts[pack] : self.starts[pack + 1]]
        return zlib.decompress(packed).split(b"\n")

    @classmethod
    def load(cls, folder: Path, part: int = 0) -> "ShownPapers":
        """Memory-map what `ShownWriter` wrote."""
        starts, blob = (folder / name_of(name, part) for name in (STARTS, BLOB))
        return cls(blob, load_offsets(starts), load_array(blob))


class ShownWriter:
    """Writes the papers of a part in order."""

    def __init__(self, folder: Path, part: int = 0) -> None:
        """Begin the files."""
        self._starts = GrowingArray(folder / name_of(STARTS, part), np.int64)
        self._blob = GrowingArray(folder / name_of(BLOB, part), np.uint8)
        self._waiting: list[bytes] = []

    def add(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Take the next papers; what is not among FIELDS is left out."""
        for record in records:
            values = [record[name] for name in FIELDS]
            while values and values[-1] in (None, []):
                values.pop()
            line = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
            self._waiting.append(line.encode())
            if len(self._waiting) == PACKED:
                self._pack()

    def _pack(self) -> None:
        self._starts.append(np.array([self._blob.length]))
        self._blob.append(np.frombuffer(zlib.compress(b"\n".join(self._waiting)), np.uint8))
        self._waiting.clear()

    def __enter__(self) -> "ShownWriter":
        """Finish the files on the way out."""
        return self

    def __exit__(self, *_: object) -> None:
        """Write the last ones, and the end of all."""
        with self._starts, self._blob:
            if self._waiting:
                self._pack()
            self._starts.append(np.array([self._blob.length]))


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise ValueError(f"{value!r} is no text")


def _texts(values: Sequence[object] | None) -> tuple[str, ...]:
    if not isinstance(values, list | None):
        raise ValueError(f"{values!r} is no list")
    return tuple(text for each in values or () if (text := _text(each)) is not None)


# The parts.


@dataclass(frozen=True)
class StoredPapers:
    """What is stored of n papers.

    folder: where it was opened; by now it may be removed. files: the Parquet file of each part,
    mapped. shown: of each part. firsts: (parts + 1,) int64, where the records of each begin.
    records: (n,) int32, of each row; None: they are the rows. reading: held by who reads a file.
    """

    folder: Path
    files: Sequence[mmap]
    shown: Sequence[ShownPapers]
    firsts: Longs
    records: Rows | None
    reading: Lock = field(default_factory=Lock, repr=False, compare=False)

    def __len__(self) -> int:
        """Count the papers."""
        return int(self.firsts[-1]) if self.records is None else len(self.records)

    def paper(self, row: int, paper_id: PaperId, year: int | None) -> Paper:
        """Return what is shown of a paper, whose id and year are known from elsewhere.

        Raises:
            ArtifactCorrupt: its record is damaged.
        """
        record = row if self.records is None else int(self.records[row])
        part = int(np.searchsorted(self.firsts, record, side="right")) - 1
        return self.shown[part].paper(record - int(self.firsts[part]), paper_id, year)

    def take(self, rows: Rows | Longs, columns: Sequence[str] | None = None) -> "pyarrow.Table":
        """Read some papers in the order of (m,) rows; columns: None, all. Cheap if rows ascend."""
        return self.read(rows if self.records is None else self.records[rows], columns)

    def read(self, records: Rows | Longs, columns: Sequence[str] | None = None) -> "pyarrow.Table":
        """Read (m,) records, see `take`."""
        import pyarrow as pa

        names, (starts, _) = None if columns is None else tuple(columns), self._groups
        groups = np.searchsorted(starts, records, side="right") - 1
        order = np.argsort(groups, kind="stable")
        pieces = [self._group(0, names).slice(0, 0)]
        for places in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
            if len(places):
                group = int(groups[places[0]])
                inside = pa.array(records[places] - starts[group])
                pieces.append(self._group(group, names).take(inside))
        table = pa.Table.from_batches(pieces)
        if (order[1:] > order[:-1]).all():
            return table
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        return table.take(pa.array(place))

    def batches(
        self, columns: Sequence[str] | None = None, size: int = TOGETHER
    ) -> "Iterator[tuple[int, pyarrow.Table]]":
        """Read all papers by ascending row, some at a time: (the first row, a table)."""
        for begin in range(0, len(self), size):
            yield begin, self.take(np.arange(begin, min(begin + size, len(self))), columns)

    def columns(self, *names: str) -> "pyarrow.Table":
        """Read some columns of all papers, rows ascending."""
        import pyarrow as pa

        return pa.concat_tables([table for _, table in self.batches(names)])

    def left(self) -> Longs:
        """Return the records whose papers are no longer there, ascending."""
        gone = np.ones(self.firsts[-1], bool)
        gone[... if self.records is None else self.records] = False
        return np.flatnonzero(gone)

    def sha256(self) -> str:
        """Hash the Parquet file; of several parts all of them, and which records count."""
        names = [name_of(PAPERS, part) for part in range(len(self.files))]
        hashes = [sha256(self.folder / name) for name in names]
        if self.records is None:
            return hashes[0]
        return fingerprint([*hashes, sha256(self.folder / RECORDS)])

    @cached_property
    def readers(self) -> "Sequence[pyarrow.parquet.ParquetFile]":
        """What reads the file of each part."""
        import pyarrow as pa
        import pyarrow.parquet as parquet

        buffers = (pa.BufferReader(pa.py_buffer(file)) for file in self.files)
        return [parquet.ParquetFile(buffer) for buffer in buffers]

    @cached_property
    def _groups(self) -> tuple[Longs, Sequence[tuple[int, int]]]:
        """The first record of each row group, and its part and its number there."""
        sizes, places = [0], []
        for part, reader in enumerate(self.readers):
            for group in range(reader.metadata.num_row_groups):
                sizes.append(reader.metadata.row_group(group).num_rows)
                places.append((part, group))
            if sum(sizes) != self.firsts[part + 1]:
                what = f"{self.folder / name_of(PAPERS, part)} is damaged: it holds other papers."
                raise ArtifactCorrupt(what, "Build the index again with --force.")
        return np.cumsum(sizes[:-1]), places

    @cached_property
    def _group(self) -> "Callable[[int, tuple[str, ...] | None], pyarrow.RecordBatch]":
        """Read a row group; the last ones are kept: one of each part, where rows ascend."""
        return lru_cache(len(self.files) + 1)(self._read_group)

    def _read_group(self, number: int, names: tuple[str, ...] | None) -> "pyarrow.RecordBatch":
        part, group = self._groups[1][number]
        columns = None if names is None else list(names)
        with self.reading:  # Arrow crashes where two threads read a file by one reader.
            # Without its own threads: where memory is short they do not start, and it waits.
            table = self.readers[part].read_row_group(group, columns, use_threads=False)
            release(self.files[part])
        return table.combine_chunks().to_batches()[0]

    @classmethod
    def load(cls, folder: Path, n: int) -> "StoredPapers":
        """Memory-map what is stored of n papers.

        Raises:
            ArtifactCorrupt: the files do not fit each other.
        """
        firsts, records = np.array([0, n]), None
        if (folder / PARTS).is_file():
            firsts, records = load_offsets(folder / PARTS), load_array(folder / RECORDS)
            names = [name_of(PAPERS, part) for part in range(len(firsts) - 1)]
            if (
                firsts.dtype != np.int64
                or records.dtype != np.int32
                or (firsts.shape, records.shape) != ((len(names) + 1,), (n,))
                or firsts[0] != 0
                or (firsts[1:] <= firsts[:-1]).any()
                or not all((folder / name).is_file() for name in names)
            ):
                what = f"{folder / PARTS} and what lies beside it do not fit {n} papers."
                raise ArtifactCorrupt(what, "Build the index again with --force.")
        parts = range(len(firsts) - 1)
        files = []
        for part in parts:
            with (folder / name_of(PAPERS, part)).open("rb") as file:
                files.append(mmap(file.fileno(), 0, access=ACCESS_READ))
        return cls(folder, files, [ShownPapers.load(folder, at) for at in parts], firsts, records)
