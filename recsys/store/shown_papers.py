"""What is shown of papers: read by row, without Arrow and without a look at the others.

A record is a JSON list of the FIELDS, empty ones at its end left out. A few records are packed
together, one a line: alone they would take nearly twice as much, many of them longer to read.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys.errors import ArtifactCorrupt
from recsys.records import Paper, PaperId
from recsys.store.arrays import Longs, load_array, load_offsets
from recsys.store.npy_rows import GrowingArray

STARTS, BLOB = "shown.starts.npy", "shown.blob.npy"
FIELDS = ("title", "authors", "venue", "doi", "url", "aliases")
"""Id and year lie in arrays of their own."""
TOGETHER = 8
"""Papers packed together."""
_KEPT = 64
"""Packs that are kept in memory, unpacked."""


@dataclass(frozen=True)
class ShownPapers:
    """Packed papers. path: of the blob. starts: (packs + 1,) int64 offsets into blob: uint8."""

    path: Path
    starts: Longs
    blob: NDArray[np.uint8]

    def paper(self, row: int, paper_id: PaperId, year: int | None) -> Paper:
        """Return the paper of a row, whose id and year are known from elsewhere.

        Raises:
            ArtifactCorrupt: its record is damaged.
        """
        pack, place = divmod(row, TOGETHER)
        try:
            title, authors, venue, doi, url, aliases = _values(self._lines(pack)[place])
        except (ValueError, LookupError, TypeError, RecursionError, zlib.error) as error:
            raise ArtifactCorrupt(
                f"{self.path} is damaged: paper {row} cannot be read ({error}).",
                "Build the index again with --force.",
            ) from error
        return Paper(
            id=paper_id,
            title=title,
            abstract=None,
            year=year,
            authors=authors,
            venue=venue,
            doi=doi,
            url=url,
            aliases=aliases,
        )

    @cached_property
    def _lines(self) -> Callable[[int], list[bytes]]:
        """Unpack records; the last ones are kept, because rows that are asked for ascend."""
        return lru_cache(_KEPT)(self._unpacked)

    def _unpacked(self, pack: int) -> list[bytes]:
        packed = self.blob.data[self.starts[pack] : self.starts[pack + 1]]
        return zlib.decompress(packed).split(b"\n")

    @classmethod
    def load(cls, folder: Path) -> "ShownPapers":
        """Memory-map what `ShownWriter` wrote."""
        return cls(folder / BLOB, load_offsets(folder / STARTS), load_array(folder / BLOB))


class ShownWriter:
    """Writes papers in the order of their rows."""

    def __init__(self, folder: Path) -> None:
        """Begin the files."""
        self._starts = GrowingArray(folder / STARTS, np.int64)
        self._blob = GrowingArray(folder / BLOB, np.uint8)
        self._waiting: list[bytes] = []

    def add(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Take the next papers; what is not among FIELDS is left out."""
        lines = map(_line, records)
        while some := list(islice(lines, TOGETHER - len(self._waiting))):
            self._waiting += some
            if len(self._waiting) == TOGETHER:
                self._pack()

    def _pack(self) -> None:
        self._starts.append(np.array([self._blob.length]))
        self._blob.append(np.frombuffer(zlib.compress(b"\n".join(self._waiting)), np.uint8))
        self._waiting.clear()

    def __enter__(self) -> "ShownWriter":
        """Finish the files on the way out."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write the last ones, and the end of all."""
        with self._starts, self._blob:
            if self._waiting:
                self._pack()
            self._starts.append(np.array([self._blob.length]))


def _line(record: Mapping[str, Any]) -> bytes:
    values = [record[name] for name in FIELDS]
    while values and values[-1] in (None, []):
        values.pop()
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()


_Values = tuple[str, tuple[str, ...], str | None, str | None, str | None, tuple[str, ...]]


def _values(line: bytes) -> _Values:
    """Read a record; whoever wrote it, what comes out is of these types."""
    values = json.loads(line)
    values += [None] * (len(FIELDS) - len(values))
    title, authors, venue, doi, url, aliases = values
    texts = _text(venue), _text(doi), _text(url)
    return _text(title) or "", _texts(authors), *texts, _texts(aliases)


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise ValueError(f"{value!r} is no text")


def _texts(values: Sequence[object] | None) -> tuple[str, ...]:
    if not isinstance(values, list | None):
        raise ValueError(f"{values!r} is no list")
    return tuple(text for each in values or () if (text := _text(each)) is not None)
