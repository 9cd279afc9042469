"""Small building blocks over numpy arrays: files, ragged rows, sorted strings, lists of rows."""

import mmap
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias
from zipfile import BadZipFile

import numpy as np
from numpy.typing import DTypeLike, NDArray

from recsys.errors import ArtifactCorrupt
from recsys.store.kernels import loops

Rows: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float32]
Longs: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

_DAMAGE = (
    *(ValueError, EOFError, SyntaxError, TypeError, OverflowError, MemoryError),
    AttributeError,  # An archive where an array should be, or the reverse.
)
"""What numpy raises of a file that is no such one."""


def load_array(path: Path) -> NDArray[Any]:
    """Memory-map an .npy file for reading; pickled content is refused.

    Raises:
        ArtifactCorrupt: it is no such file.
    """
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False).view(np.ndarray)
        len(array)  # A single number has none.
    except _DAMAGE as error:
        what = f"{path} cannot be read as an array ({error})."
        raise ArtifactCorrupt(what, "Build it again.") from error
    return array


_SHARED = ("r", "r+", "w+")
"""Modes of maps whose pages are those of the file: nothing is lost when they are let go."""


def release(held: NDArray[Any] | mmap.mmap) -> None:
    """Let go what is mapped of a file; it stays in the cache of the machine, and can be read again.

    What a process has mapped counts as its memory, page by page, for as long as there is room.
    """
    mapped: Any = held
    while isinstance(mapped, np.ndarray):
        if isinstance(mapped, np.memmap) and mapped.mode not in _SHARED:
            return
        mapped = mapped.base
    if isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def load_arrays(path: Path, names: Sequence[str]) -> list[NDArray[Any]]:
    """Read the named arrays of an .npz file; pickled and packed content is refused.

    Raises:
        ArtifactCorrupt: it is no such file, or lacks one of them.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            # What is not packed takes no more memory than the file; `np.savez` packs nothing.
            if sum(entry.file_size for entry in stored.zip.infolist()) > path.stat().st_size:
                raise ValueError("it unpacks to more bytes than it has")
            return [stored[name] for name in names]
    except (*_DAMAGE, OSError, KeyError, BadZipFile) as error:
        raise ArtifactCorrupt(f"{path} cannot be read ({error}).", "Build it again.") from error


def load_offsets(path: Path) -> Longs:
    """Memory-map (n + 1,) offsets.

    Raises:
        ArtifactCorrupt: it is no such file, or there are none.
    """
    offsets: Longs = load_array(path)
    if not len(offsets):
        raise ArtifactCorrupt(f"{path} is damaged: it is empty.", "Build it again.")
    return offsets


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of different length (CSR): row i is `values[starts[i]:starts[i + 1]]`.

    starts: (n + 1,) int64. values: (nnz,) int32.
    """

    starts: Longs
    values: Rows

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.starts) - 1

    def __getitem__(self, row: int) -> Rows:
        """Return one row's values."""
        return self.values[self.starts[row] : self.starts[row + 1]]

    def lengths(self, rows: Rows) -> Longs:
        """Return the length of each given row."""
        return self.starts[rows + 1] - self.starts[rows]

    def take(self, rows: Rows) -> tuple[Rows, Rows]:
        """Concatenate the given rows: (owner, value), both (m,) int32; owner = place in `rows`."""
        return slices(self.starts[rows], self.lengths(rows), self.values)

    def pieces(self, size: int = 4096) -> Iterator[tuple[Rows, slice]]:
        """Divide the rows for work that would take much memory: (rows, where their values are)."""
        for begin in range(0, len(self), size):
            rows = np.arange(begin, min(begin + size, len(self)), dtype=np.int32)
            yield rows, slice(self.starts[begin], self.starts[rows[-1] + 1])

    def occurrences(self, n: int) -> Longs:
        """Count each of the values 0 <= value < n: (n,) int64; np.bincount would copy them all."""
        counts = np.zeros(n, np.int64)
        for _, inside in self.pieces():  # Not np.bincount: it counts to n again for each piece.
            np.add.at(counts, self.values[inside], 1)
            release(self.values)
        return counts

    def save(self, folder: Path, name: str) -> None:
        """Write `name.starts.npy` and `name.values.npy`."""
        np.save(folder / f"{name}.starts.npy", self.starts)
        np.save(folder / f"{name}.values.npy", self.values)

    @classmethod
    def load(cls, folder: Path, name: str) -> "Ragged":
        """Memory-map what `save` wrote."""
        return cls(
            load_offsets(folder / f"{name}.starts.npy"), load_array(folder / f"{name}.values.npy")
        )

    @classmethod
    def from_pairs(cls, owners: Rows, values: Rows, n: int) -> "Ragged":
        """Group values by owner (0 <= owner < n), keeping their order within an owner."""
        order = np.argsort(owners, kind="stable")
        starts = offsets([np.bincount(owners, minlength=n)])
        return cls(starts, np.ascontiguousarray(values[order], dtype=np.int32))

    @classmethod
    def of_pairs(cls, owners: Rows, values: Rows | Longs, n: int, below: int) -> "Ragged":
        """Group values below a bound by owner (0 <= owner < n), ascending within an owner.

        Pairs that are one number each are sorted much quicker than two columns, in less memory.
        """
        pairs = owners.astype(np.int64) * below
        pairs += values
        pairs.sort()
        pairs %= max(below, 1)
        return cls(offsets([np.bincount(owners, minlength=n)]), pairs.astype(np.int32))


@dataclass(frozen=True)
class SortedStrings:
    """Distinct strings in ascending UTF-8 order, found by binary search without loading them.

    starts: (n + 1,) int64 offsets into blob: (bytes,) uint8.
    """

    starts: Longs
    blob: NDArray[np.uint8]

    def __len__(self) -> int:
        """Count the strings."""
        return len(self.starts) - 1

    def __getitem__(self, code: int) -> str:
        """Return the string at a position."""
        return self.blob[self.starts[code] : self.starts[code + 1]].tobytes().decode()

    def find(self, word: str) -> int | None:
        """Return the position of a string, or None when it is not there. O(log n)."""
        position = int(self.positions([word])[0])
        return None if position < 0 else position

    def find_all(self, words: Iterable[str]) -> Rows:
        """Return the positions of those words that are there, ascending and unique, int32."""
        positions = self.positions(words)
        return distinct(positions[positions >= 0])

    def positions(self, words: Iterable[str]) -> Rows:
        """Return the position of each word, -1 where it is not there: int32. O(log n) each."""
        return np.fromiter((at if there else -1 for at, there in self.places(words)), np.int32)

    def place(self, word: str) -> int:
        """Return the position of the first string that is no smaller than a word. O(log n)."""
        return next(self.places([word]))[0]

    def places(self, words: Iterable[str]) -> Iterator[tuple[int, bool]]:
        """Yield the place of each word, see `place`, and whether it stands there."""
        starts, blob = self.starts.data, self.blob.data  # Quicker than slices of numpy.

        def string(code: int) -> bytes:
            return bytes(blob[starts[code] : starts[code + 1]])

        codes, (step, signs) = range(len(self)), self._signposts
        for word in words:
            wanted = word.encode("utf-8", "surrogatepass")
            end = bisect_right(signs, wanted) * step
            at = bisect_left(codes, wanted, max(end - step, 0), min(end, len(codes)), key=string)
            yield at, at < len(codes) and string(at) == wanted

    @cached_property
    def numbers(self) -> int:
        """Count the words that begin with a digit: they stand before all others."""
        return bisect_left(self, ":")  # Which follows "9".

    @cached_property
    def _signposts(self) -> tuple[int, list[bytes]]:
        """Every so manieth string, some thousand: to compare with them, none has to be fetched."""
        step = max(len(self) >> 10, 1)
        places = ((code, code + 1) for code in range(0, len(self), step))
        return step, [self.blob[slice(*self.starts[[*place]])].tobytes() for place in places]

    def save(self, folder: Path, name: str) -> None:
        """Write `name.starts.npy` and `name.blob.npy`."""
        np.save(folder / f"{name}.starts.npy", self.starts)
        np.save(folder / f"{name}.blob.npy", self.blob)

    @classmethod
    def load(cls, folder: Path, name: str) -> "SortedStrings":
        """Memory-map what `save` wrote."""
        return cls(
            load_offsets(folder / f"{name}.starts.npy"), load_array(folder / f"{name}.blob.npy")
        )

    @classmethod
    def build(cls, words: Sequence[str]) -> "SortedStrings":
        """Store ascending distinct strings."""
        encoded = [word.encode() for word in words]
        lengths = np.array([len(word) for word in encoded], np.int64)
        return cls(offsets([lengths]), np.frombuffer(b"".join(encoded), np.uint8))


# Write `.npy` files in order: a memory map would keep all of what is written in memory.


def write_rows(path: Path, shape: tuple[int, int], pieces: Iterable[Floats]) -> None:
    """Write an (n, d) float32 matrix of pieces of rows, as `np.save` does."""
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, _facts(np.dtype(np.float32), shape))
        for piece in pieces:
            file.write(np.ascontiguousarray(piece, np.float32).data)


class GrowingArray:
    """Numbers written piece by piece, as many as there will be: the file is that of `np.save`."""

    def __init__(self, path: Path, dtype: DTypeLike, width: int | None = None) -> None:
        """Begin the file. width: of the rows of a matrix; None: a line of numbers."""
        self.length = 0
        self._row = () if width is None else (width,)
        self._dtype: np.dtype[Any] = np.dtype(dtype)
        self._file = path.open("wb")
        self._write_header()

    def append(self, values: NDArray[Any]) -> None:
        """Write (m,) numbers, or (m, width), behind those that are there."""
        self._file.write(np.ascontiguousarray(values, self._dtype).data)
        self.length += len(values)

    def __enter__(self) -> "GrowingArray":
        """Finish the file on the way out."""
        return self

    def __exit__(self, *_: object) -> None:
        """Write down how many there are. NumPy leaves room for any number: no header grows."""
        with self._file:
            self._file.seek(0)
            self._write_header()

    def _write_header(self) -> None:
        np.lib.format.write_array_header_1_0(
            self._file, _facts(self._dtype, (self.length, *self._row))
        )


class GrowingRagged:
    """Rows of values of any length, written some at a time: the files are those of `Ragged.save`.

    Those of `SortedStrings.save` have bytes in `NAME.blob.npy` for the values.
    """

    def __init__(self, folder: Path, name: str, *, blob: bool = False) -> None:
        """Begin both files."""
        values = (f"{name}.blob.npy", np.uint8) if blob else (f"{name}.values.npy", np.int32)
        self._starts = GrowingArray(folder / f"{name}.starts.npy", np.int64)
        self._values = GrowingArray(folder / values[0], values[1])
        self._starts.append(np.zeros(1, np.int64))

    def append(self, lengths: NDArray[Any], values: NDArray[Any]) -> None:
        """Write the next rows: (m,) how many values each has, and all of these."""
        self._starts.append(self._values.length + np.cumsum(lengths, dtype=np.int64))
        self._values.append(values)

    def __enter__(self) -> "GrowingRagged":
        """Finish both files on the way out."""
        return self

    def __exit__(self, *_: object) -> None:
        """Write down how many there are."""
        for file in (self._starts, self._values):
            file.__exit__()


def _facts(dtype: np.dtype[Any], shape: tuple[int, ...]) -> dict[str, Any]:
    return {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}


# Lists of rows: numbers >= 0. An owner is the place, in another list, that a row belongs to.


def slices(begins: Longs, lengths: Longs, values: NDArray[Any]) -> tuple[Rows, NDArray[Any]]:
    """Concatenate `values[begin : begin + length]`: (owner, value), owner = number of the slice."""
    if loops.COMPILED:
        ranges = loops.fit(begins, np.int64), loops.fit(lengths, np.int64)
        count = int(lengths.sum())
        owners, parts = np.empty(count, np.int32), np.empty(count, values.dtype)
        width = np.array([values.itemsize])
        loops.compiled.slices(*ranges, values.view(np.uint8), width, owners, parts.view(np.uint8))
        return owners, parts
    owner, at = spans(begins, lengths)
    return owner, values[at]


def spans(begins: Longs, lengths: Longs) -> tuple[Rows, Longs]:
    """Concatenate `range(begin, begin + length)`: (owner, index), owner = position of the range."""
    owner = np.repeat(np.arange(len(begins), dtype=np.int32), lengths)
    shift = np.repeat(begins - np.cumsum(lengths) + lengths, lengths)
    return owner, shift + np.arange(len(owner))


def offsets(lengths: Iterable[Longs]) -> Longs:
    """Return where rows begin whose lengths are told in parts: (n + 1,) int64."""
    starts = np.concatenate([np.zeros(1, np.int64), *lengths])
    return np.cumsum(starts, out=starts)


def cuts_of(starts: Longs, size: int) -> list[int]:
    """Divide rows where about so many of their values were: ascending, from 0 to their number."""
    marks = np.searchsorted(starts, np.arange(0, starts[-1], size))
    return [*np.unique(np.concatenate([[0], marks])).tolist(), len(starts) - 1]


def distinct(rows: Rows) -> Rows:
    """Return rows without repetition, ascending: quicker than `np.unique`, and imports less."""
    ascending = np.sort(rows)
    first = np.ones(len(rows), np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return ascending[first]


def number(rows: Rows) -> tuple[Rows, Rows]:
    """Number rows: (the distinct rows, ascending; the number of each row), int32 both."""
    if loops.COMPILED:
        numbers, keys = np.empty((2, len(rows)), np.int32)
        found = np.empty(1, np.int64)
        loops.compiled.number(loops.fit(rows, np.int32), numbers, keys, found)
        return keys[: found[0]], numbers
    keys = distinct(rows)
    return keys, find_rows(keys, rows)


def find_rows(rows: Rows, wanted: Rows) -> Rows:
    """Find the place of each wanted row among distinct rows in any order, -1 where it is not."""
    if loops.COMPILED:
        places = np.empty(len(wanted), np.int32)
        loops.compiled.places(loops.fit(rows, np.int32), loops.fit(wanted, np.int32), places)
        return places
    if not len(rows):
        return np.full(len(wanted), -1, np.int32)
    order = np.argsort(rows, kind="stable").astype(np.int32)
    ascending = rows[order]
    at = np.minimum(np.searchsorted(ascending, wanted), len(rows) - 1)
    return np.where(ascending[at] == wanted, order[at], np.int32(-1)).astype(np.int32)


def look_up(rows: Rows, values: Floats, wanted: Rows) -> Floats:
    """Return the value of each wanted row among distinct rows, 0 where it is not.

    values: (..., len(rows)); the result is (..., len(wanted)) float32.
    """
    at = find_rows(rows, wanted)
    padded = np.concatenate([values, np.zeros((*values.shape[:-1], 1), np.float32)], axis=-1)
    return padded.take(at, axis=-1)  # -1 is the zero at the end.


def totals(owner: Rows, weights: Floats | None, m: int) -> Floats:
    """Sum weights, or ones, by owner (0 <= owner < m) in float64: (m,) float32."""
    if loops.COMPILED:
        sums = np.empty(m, np.float32)
        given = np.empty(0, np.float32) if weights is None else loops.fit(weights, np.float32)
        loops.compiled.totals(loops.fit(owner, np.int32), given, sums)
        return sums
    return np.bincount(owner, weights, minlength=m).astype(np.float32)


def highest(owner: Rows, weights: Floats, m: int) -> Floats:
    """Take the largest weight by owner, at the least 0: (m,) float32."""
    result = np.zeros(m, np.float32)
    np.maximum.at(result, owner, weights)
    return result


# Pick the best rows: higher score first, ties by ascending row.


def top_k(scores: Floats, k: int) -> Rows:
    """Return the positions of the k highest scores, best first, ties by ascending position.

    O(n + k log k).
    """
    k = min(k, len(scores))
    if k <= 0:
        return np.empty(0, np.int32)
    if k == len(scores):
        return np.argsort(-scores, kind="stable").astype(np.int32)
    threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
    above = np.flatnonzero(scores > threshold)
    ties = np.flatnonzero(scores == threshold)[: k - len(above)]
    kept = np.concatenate([above, ties])
    return kept[np.lexsort((kept, -scores[kept]))].astype(np.int32)
