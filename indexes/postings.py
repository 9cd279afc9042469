"""The papers of each term: a term store inverted, in memory or from file to file."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from recsys.indexes.spool import Place, Spool
from recsys.store import terms
from recsys.store.arrays import Longs, Rows, load_array, load_offsets
from recsys.store.kernels.in_numpy import Counts, Levels, levels
from recsys.store.npy_rows import GrowingArray
from recsys.store.term_counts import offsets
from recsys.store.terms import TermStore

STARTS = "postings.starts.npy"
ROWS = "postings.rows.npy"
LEVELS = "postings.levels.npy"
_AT_ONCE = 1 << 22
"""Terms of papers that are sorted at a time, in some 150 MB."""
_ROW_BITS = 32


def inverted(store: TermStore) -> tuple[Longs, Rows, Levels]:
    """Return starts, rows and levels as in `recsys.store.kernels.in_numpy.Postings`."""
    keys = _keys(store.terms.values, store.terms.starts, 0)
    order = np.argsort(keys)
    starts = offsets([store.terms.occurrences(len(store.vocabulary))])
    rows = _rows(keys[order])
    return starts, rows, levels(store.frequencies[order], store.norms[rows])


def write_postings(folder: Path) -> None:
    """Invert the terms that `TermStore.save` wrote into a folder, as `Bm25Index.save` would.

    Pieces of papers are sorted by term, divided by ranges of terms and put aside; then each range
    is put together. What that takes of memory does not grow with the papers.
    """
    starts = offsets([_document_counts(folder)])
    np.save(folder / STARTS, starts)
    norms = load_array(folder / terms.NORMS)
    with (
        Spool(folder) as spool,
        GrowingArray(folder / ROWS, np.int32) as rows,
        GrowingArray(folder / LEVELS, np.uint8) as weighed,
    ):
        for places in _divided(folder, _cuts(starts), spool):
            keys = np.concatenate([spool.get(key) for key, _ in places])
            found = np.concatenate([spool.get(frequency) for _, frequency in places])
            order = np.argsort(keys)
            papers = _rows(keys[order])
            rows.append(papers)
            weighed.append(levels(found[order], norms[papers]))


def _divided(folder: Path, cuts: Longs, spool: Spool) -> list[list[tuple[Place, Place]]]:
    """Put keys and frequencies aside; return where they lie, for each range of terms."""
    ranges: list[list[tuple[Place, Place]]] = [[] for _ in cuts[1:]]
    for first, starts, codes, frequencies in _pieces(folder):
        keys = _keys(codes, starts, first)
        order = np.argsort(keys)
        keys, found = keys[order], frequencies[order]
        ends = np.searchsorted(keys, cuts << _ROW_BITS)
        for places, (begin, end) in zip(ranges, pairwise(ends.tolist()), strict=True):
            places.append((spool.put(keys[begin:end]), spool.put(found[begin:end])))
    return ranges


def _pieces(folder: Path) -> Iterator[tuple[int, Longs, Rows, Counts]]:
    """Read papers some at a time: (the first row, starts, codes, frequencies).

    The files are mapped anew each time: pages of a map that stays would count as memory.
    """
    name = f"{terms.TERMS}.values.npy"
    starts = np.array(load_offsets(folder / f"{terms.TERMS}.starts.npy"))
    cuts = _cuts(starts).tolist()
    for first, end in pairwise(cuts):
        inside = slice(starts[first], starts[end])
        codes = load_array(folder / name)[inside]
        frequencies = load_array(folder / terms.FREQUENCIES)[inside]
        yield first, starts[first : end + 1], codes, frequencies


def _cuts(starts: Longs) -> Longs:
    """Divide rows at about every _AT_ONCE of their values: ascending, from 0 to their number."""
    marks = np.searchsorted(starts, np.arange(0, starts[-1], _AT_ONCE))
    return np.unique(np.concatenate([[0], marks, [len(starts) - 1]]))


def _document_counts(folder: Path) -> Longs:
    counts = np.zeros(len(load_array(folder / terms.IDF)), np.int64)
    for _, _, codes, _ in _pieces(folder):
        np.add.at(counts, codes, 1)
    return counts


def _keys(codes: Rows, starts: Longs, first: int) -> Longs:
    """Put code and row in one number: by it, rows ascend within a term."""
    owners = np.repeat(np.arange(first, first + len(starts) - 1), np.diff(starts))
    return codes.astype(np.int64) << _ROW_BITS | owners


def _rows(keys: Longs) -> Rows:
    return (keys & ((1 << _ROW_BITS) - 1)).astype(np.int32)
