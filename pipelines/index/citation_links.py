"""Resolve references: which of the named papers are in the corpus, and which links that makes."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.paper_names import NOBODY, PaperNames
from recsys.store.arrays import Longs, Rows, SortedStrings
from recsys.store.graph import CitationGraph
from recsys.store.row_remap import GONE

_OUTSIDE = NOBODY
_AT_ONCE = 1 << 19
"""References resolved at a time, or as many as there are papers: each time, ids are hashed anew."""


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """How the references were resolved."""

    links: int
    outside: int
    to_self: int
    repeated: int


@dataclass(frozen=True, slots=True)
class LinkChanges:
    """Links that are there now and were not before, and the other way round."""

    gained: int
    lost: int


@dataclass(slots=True)
class Resolver:
    """Takes the references of all papers in the order of their rows, and finds the links.

    ids: of the corpus. names: what else its papers are called.
    """

    ids: SortedStrings
    names: PaperNames
    _waiting: list[pa.Array] = field(default_factory=list)
    _lengths: list[Longs] = field(default_factory=list)
    _first: int = 0
    _citing: list[Rows] = field(default_factory=list)
    _cited: list[Rows] = field(default_factory=list)
    _counts: Longs = field(default_factory=lambda: np.zeros(4, np.int64))

    def add(self, references: pa.ChunkedArray) -> None:
        """Take the lists of ids that the next papers refer to."""
        self._lengths.append(_lengths(references))
        for chunk in references.chunks:
            self._waiting.append(chunk.flatten().cast(pa.large_string()))
        if sum(map(len, self._waiting)) >= max(_AT_ONCE, len(self.ids)):
            self._resolve()

    def links(self) -> tuple[Rows, Rows, LinkCounts]:
        """Return the distinct links, (citing, cited) ascending, and what became of the rest."""
        self._resolve()
        citing, cited = _joined(self._citing), _joined(self._cited)
        return citing, cited, LinkCounts(*self._counts.tolist())

    def _resolve(self) -> None:
        lengths = np.concatenate([np.empty(0, np.int64), *self._lengths])
        found = self._rows(pa.chunked_array(self._waiting, pa.large_string()))
        citing = np.repeat(np.arange(self._first, self._first + len(lengths)), lengths)
        outside, to_self = found == _OUTSIDE, found == citing
        inside = ~(outside | to_self)
        pairs = np.sort(_pairs(citing[inside], found[inside], len(self.ids)))
        distinct = pairs[np.flatnonzero(np.diff(pairs, prepend=-1))]  # Quicker than np.unique.
        self._citing.append((distinct // len(self.ids)).astype(np.int32))
        self._cited.append((distinct % len(self.ids)).astype(np.int32))
        self._counts += [len(distinct), outside.sum(), to_self.sum(), len(pairs) - len(distinct)]
        self._first += len(lengths)
        self._waiting.clear()
        self._lengths.clear()

    def _rows(self, names: pa.ChunkedArray) -> Longs:
        """Return the row of each name: int64, _OUTSIDE where it is none of the corpus."""
        buffers = [None, pa.py_buffer(self.ids.starts), pa.py_buffer(self.ids.blob)]
        ids = pa.Array.from_buffers(pa.large_string(), len(self.ids), buffers)
        rows: Longs = pc.fill_null(pc.index_in(names, ids), _OUTSIDE).to_numpy().astype(np.int64)
        left = np.flatnonzero(rows == _OUTSIDE)
        if len(left) and len(self.names.names):
            rows[left] = self.names.find(plain_names(names.take(pa.array(left))))
        return rows


def plain_names(names: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """Bring names to the spelling in which papers are looked up by them: DOIs in lower case."""
    return pc.if_else(pc.starts_with(names, "10."), pc.utf8_lower(names), names)


def _joined(parts: list[Rows]) -> Rows:
    """Concatenate; the parts go, because there are many links."""
    joined = np.concatenate(parts)
    parts.clear()
    return joined


def link_changes(old: CitationGraph, new: CitationGraph, today: Rows) -> LinkChanges:
    """Count the links that came and went.

    today: (old,) int32, the new row of each old one, GONE where there is none.
    """
    n = len(new.cites)
    citing = today[np.repeat(np.arange(len(today)), np.diff(old.cites.starts))]
    cited = today[old.cites.values]
    both = (citing != GONE) & (cited != GONE)
    before = _pairs(citing[both], cited[both], n)
    owner = np.repeat(np.arange(n), np.diff(new.cites.starts))
    common = np.intersect1d(before, _pairs(owner, new.cites.values, n), assume_unique=True)
    return LinkChanges(len(new.cites.values) - len(common), len(old.cites.values) - len(common))


def _pairs(citing: Longs | Rows, cited: Longs | Rows, n: int) -> Longs:
    """Number pairs of rows."""
    pairs: Longs = citing.astype(np.int64) * n + cited
    return pairs


def _lengths(references: pa.ChunkedArray) -> Longs:
    lengths: Longs = pc.fill_null(pc.list_value_length(references), 0).to_numpy().astype(np.int64)
    return lengths
