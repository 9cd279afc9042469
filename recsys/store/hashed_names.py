"""Ids, DOIs and addresses of papers whatever their case, found without reading columns of them.

Few hashes of 32 bits are those of two names by chance: who asks has a look at the papers found.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Rows, load_array
from recsys.store.graph import distinct

HASHES, ROWS = "named.hashes.npy", "named.rows.npy"
Hashes = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class HashedNames:
    """Names of papers, but for ids in lower case: those are found as they stand.

    hashes: (m,) uint32, ascending. rows: (m,) int32, of the paper that has the name.
    """

    hashes: Hashes
    rows: Rows

    def find(self, names: Iterable[str]) -> Rows:
        """Return the papers that may have one of these names, in lower case: ascending, int32."""
        wanted = np.fromiter(sorted({*map(_hash, names)}), np.uint32)
        begins, ends = (np.searchsorted(self.hashes, wanted, side) for side in ("left", "right"))
        hits = np.flatnonzero(begins < ends)
        spans = zip(begins[hits].tolist(), ends[hits].tolist(), strict=True)
        found = [self.rows[begin:end] for begin, end in spans]
        return distinct(np.concatenate([np.empty(0, np.int32), *found]))

    def save(self, folder: Path) -> None:
        """Write both arrays."""
        np.save(folder / HASHES, self.hashes)
        np.save(folder / ROWS, self.rows)

    @classmethod
    def load(cls, folder: Path) -> "HashedNames":
        """Memory-map what `save` wrote."""
        return cls(load_array(folder / HASHES), load_array(folder / ROWS))


class NameHasher:
    """Takes papers in the order of their rows."""

    def __init__(self) -> None:
        """Begin with no paper."""
        self._count = 0
        self._pieces: list[tuple[Hashes, Rows]] = []

    def add(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Take the next papers: what they are called in their id, doi and url."""
        held = [*records]
        self._pieces.append(hashes_of(held, self._count))
        self._count += len(held)

    def hashed(self) -> HashedNames:
        """Return the names of all that was taken."""
        parts = zip(*self._pieces, strict=True)
        hashes, rows = (np.concatenate(part) for part in parts)
        order = np.argsort(hashes, kind="stable")
        return HashedNames(hashes[order], rows[order])


def hashes_of(records: Iterable[Mapping[str, Any]], first: int) -> tuple[Hashes, Rows]:
    """Hash what papers are called, and tell their rows; first: the row of the first one."""
    hashes: list[int] = []
    rows: list[int] = []
    for row, record in enumerate(records, first):
        names = _names(record)
        hashes += map(_hash, names)
        rows += [row] * len(names)
    return np.array(hashes, np.uint32), np.array(rows, np.int32)


def _names(record: Mapping[str, Any]) -> set[str]:
    paper_id, doi, url = (record[name] for name in ("id", "doi", "url"))
    names = {(paper_id or "").lower(), (doi or "").lower()} - {paper_id}
    return {name for name in (*names, (url or "").lower()) if name}


def _hash(name: str) -> int:
    return crc32(name.encode("utf-8", "surrogatepass"))
