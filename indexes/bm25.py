"""BM25 over an inverted copy of the term store: the answering path's text index."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.errors import ArtifactCorrupt
from recsys.indexes.backends import Facts, Former
from recsys.store import terms
from recsys.store.arrays import (
    Floats,
    GrowingArray,
    Longs,
    Mask,
    Ragged,
    Rows,
    cuts_of,
    load_array,
    load_offsets,
    offsets,
    release,
    spans,
)
from recsys.store.collection import check_postings
from recsys.store.graph import Years
from recsys.store.kernels import dispatch
from recsys.store.kernels.dispatch import K1, Counts, Norms, Postings, QueryTerms, levels
from recsys.store.terms import B, QueryText, TermStore

# Arrays put aside on the disk while others are made: what is sorted need not fit into memory.

Place: TypeAlias = tuple[int, int, np.dtype[Any]]
"""Where an array lies: first byte, number of bytes, type."""
_IN_MEMORY = 1 << 24
"""Bytes from which on they are written to the disk."""


class Spool:
    """A file without a name, which goes with the process whatever becomes of that."""

    def __init__(self, folder: Path) -> None:
        """Begin it on the disk of a folder."""
        from tempfile import SpooledTemporaryFile  # No answer needs it.

        self._file = SpooledTemporaryFile(_IN_MEMORY, dir=str(folder))  # Closed by `__exit__`.
        self._end = 0

    def put(self, array: NDArray[Any]) -> Place:
        """Put (m,) numbers aside."""
        place = self._end, array.nbytes, array.dtype
        self._file.seek(self._end)
        self._file.write(np.ascontiguousarray(array).data)
        self._end += array.nbytes
        return place

    def get(self, place: Place) -> NDArray[Any]:
        """Read what was put there."""
        begin, size, dtype = place
        self._file.seek(begin)
        return np.frombuffer(self._file.read(size), dtype)

    def __enter__(self) -> "Spool":
        """Close it on the way out."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let it go."""
        self._file.close()


# The papers of each term: a term store inverted, from file to file.

STARTS = "postings.starts.npy"
ROWS = "postings.rows.npy"
LEVELS = "postings.levels.npy"
MEAN = "postings.mean.npy"
"""The mean length of papers up to which levels are bounds, see `dispatch.levels`: (1,) float64."""
SPARE = 1.02
"""How much longer papers may become on average before levels are computed anew."""
_AT_ONCE = 1 << 22
"""Terms of papers that are sorted at a time, in some 150 MB."""
_ROW_BITS = 32


def write_postings(folder: Path) -> None:
    """Invert the terms that `TermStore.save` wrote into a folder, from file to file.

    Pieces of papers are sorted by term, divided by ranges of terms and put aside; then each range
    is put together. What that takes of memory does not grow with the papers.
    """
    store = TermStore.load(folder)
    counts = np.zeros(len(store.idf), np.int64)
    for _, _, codes, _ in _pieces(folder):
        np.add.at(counts, codes, 1)
    starts = offsets([counts])
    np.save(folder / STARTS, starts)
    mean = mean_length(store)
    np.save(folder / MEAN, [SPARE * mean])
    norms = _norms_at(SPARE * mean, mean, store.norms)
    with (
        Spool(folder) as spool,
        GrowingArray(folder / ROWS, np.int32) as rows,
        GrowingArray(folder / LEVELS, np.uint8) as weighed,
    ):
        for places in _divided(folder, np.array(cuts_of(starts, _AT_ONCE)), spool):
            keys = np.concatenate([spool.get(key) for key, _ in places])
            found = np.concatenate([spool.get(frequency) for _, frequency in places])
            order = np.argsort(keys)
            papers = (keys[order] & ((1 << _ROW_BITS) - 1)).astype(np.int32)
            rows.append(papers)
            weighed.append(levels(found[order], norms[papers]))


def mean_length(store: TermStore) -> float:
    """Return the length that norms compare those of papers with, see `TermStore`."""
    total = sum(
        int(store.frequencies[at : at + _AT_ONCE].sum(dtype=np.int64))
        for at in range(0, len(store.frequencies), _AT_ONCE)
    )
    return max(total / max(len(store.norms), 1), 1.0)


def _norms_at(other: float, mean: float, norms: Norms) -> Norms:
    """Tell what norms would be, were the mean length another one."""
    least = K1 * (1 - B)
    return least + (norms - least) * (mean / other)


def _mean_of_levels(folder: Path) -> float:
    """Read up to which mean length levels are bounds; 0 where it is not known, as of old ones."""
    known = load_array(folder / MEAN) if (folder / MEAN).is_file() else np.empty(0)
    return float(known[0]) if known.shape == (1,) and known.dtype == np.float64 else 0.0


def carry(store: TermStore, folder: Path, former: Former, *, years: Years | None = None) -> Facts:
    """Renumber the former postings, and put those of new papers between them, some at a time.

    Levels stay while they are bounds: to find how often a term is in a paper, papers would have to
    be read term by term.
    """
    from recsys.store.row_remap import GONE, MergedLists  # No answer needs them.

    mean, at_most = mean_length(store), _mean_of_levels(former.folder)
    if former.codes is None or not mean <= at_most <= SPARE**2 * mean:
        return build(store, folder)
    old = Ragged(load_offsets(former.folder / STARTS), load_array(former.folder / ROWS))
    old_levels = load_array(former.folder / LEVELS)
    fresh = np.ones(len(store.norms), bool)
    fresh[former.rows[former.rows != GONE]] = False
    rows = np.flatnonzero(fresh).astype(np.int32)
    owners, at = spans(store.terms.starts[rows], store.terms.lengths(rows))
    papers, codes = rows[owners], store.terms.values[at]
    order = np.lexsort((papers, codes))
    papers, codes, frequencies = papers[order], codes[order], store.frequencies[at[order]]
    weighed = levels(frequencies, _norms_at(at_most, mean, store.norms)[papers])
    counts = np.zeros(len(store.idf), np.int64)
    merged = MergedLists(old, former.codes, former.rows, (codes, papers))
    with (
        GrowingArray(folder / ROWS, np.int32) as row_file,
        GrowingArray(folder / LEVELS, np.uint8) as level_file,
    ):
        for piece in merged.pieces(_AT_ONCE, counts):
            kept = old_levels[piece.old][piece.kept]
            row_file.append(np.insert(piece.values, piece.places, papers[piece.new]))
            level_file.append(np.insert(kept, piece.places, weighed[piece.new]))
            release(old_levels)
    np.save(folder / STARTS, offsets([counts]))
    np.save(folder / MEAN, [at_most])
    return {}


def _divided(folder: Path, cuts: Longs, spool: Spool) -> list[list[tuple[Place, Place]]]:
    """Put keys and frequencies aside; return where they lie, for each range of terms."""
    ranges: list[list[tuple[Place, Place]]] = [[] for _ in cuts[1:]]
    for first, starts, codes, frequencies in _pieces(folder):
        owners = np.repeat(np.arange(first, first + len(starts) - 1), np.diff(starts))
        # Code and row in one number: by it, rows ascend within a term.
        keys = codes.astype(np.int64) << _ROW_BITS | owners
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
    for first, end in pairwise(cuts_of(starts, _AT_ONCE)):
        inside = slice(starts[first], starts[end])
        codes = load_array(folder / name)[inside]
        frequencies = load_array(folder / terms.FREQUENCIES)[inside]
        yield first, starts[first : end + 1], codes, frequencies


@dataclass(frozen=True, slots=True)
class Bm25Index:
    """The papers of each term; what a term weighs in a paper is computed when it is asked for."""

    store: TermStore
    postings: Postings

    def search(
        self, query: QueryText, k: int, *, allowed: Mask | None = None
    ) -> tuple[Rows, Floats]:
        """Return up to k (rows, scores > 0), best first. O(sum of the terms' document counts).

        Raises:
            ArtifactCorrupt: a term names papers that are not there.
        """
        words = QueryTerms(query.codes, self.store.idf[query.codes], query.counts)
        try:
            return dispatch.matches(self.postings, words, allowed, k)
        except (IndexError, ValueError) as error:
            raise ArtifactCorrupt(
                f"The words of this index are damaged ({error}).",
                "Build the index again with --force.",
            ) from error

    @classmethod
    def load(cls, folder: Path, store: TermStore) -> "Bm25Index":
        """Memory-map what `write_postings` wrote."""
        starts = load_offsets(folder / STARTS)
        rows, levels = load_array(folder / ROWS), load_array(folder / LEVELS)
        stored = starts, rows, levels
        return cls(store, Postings(*stored, store.norms, store.terms, store.frequencies))


def build(store: TermStore, folder: Path, *, years: Years | None = None) -> Facts:
    """Invert the terms that are saved in a folder, from file to file."""
    write_postings(folder)
    return {}


def open_index(store: TermStore, folder: Path, facts: Mapping[str, Any]) -> Bm25Index:
    """Memory-map the postings.

    Raises:
        ArtifactCorrupt: they do not fit the terms.
    """
    index = Bm25Index.load(folder, store)
    check_postings(folder, index.postings, store)
    return index


def summary(facts: Mapping[str, Any], papers: int) -> str:
    """Say how words are searched."""
    return "The words are searched by BM25, in files of the papers of each."
