"""Write `.npy` files in order: a memory map would keep all of what is written in memory."""

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from recsys.store.arrays import Floats


def write_rows(path: Path, shape: tuple[int, int], pieces: Iterable[Floats]) -> None:
    """Write an (n, d) float32 matrix of pieces of rows, as `np.save` does."""
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, _facts(np.dtype(np.float32), shape))
        for piece in pieces:
            file.write(np.ascontiguousarray(piece, np.float32).data)


class GrowingArray:
    """Numbers written piece by piece, as many as there will be: the file is that of `np.save`."""

    def __init__(self, path: Path, dtype: DTypeLike) -> None:
        """Begin the file."""
        self.length = 0
        self._dtype: np.dtype[Any] = np.dtype(dtype)
        self._file = path.open("wb")
        self._write_header()

    def append(self, values: NDArray[Any]) -> None:
        """Write (m,) numbers behind those that are there."""
        self._file.write(np.ascontiguousarray(values, self._dtype).data)
        self.length += len(values)

    def __enter__(self) -> "GrowingArray":
        """Finish the file on the way out."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write down how many there are. NumPy leaves room for any number: no header grows."""
        with self._file:
            self._file.seek(0)
            self._write_header()

    def _write_header(self) -> None:
        facts = _facts(self._dtype, (self.length,))
        np.lib.format.write_array_header_1_0(self._file, facts)


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
            file.__exit__(None, None, None)


def _facts(dtype: np.dtype[Any], shape: tuple[int, ...]) -> dict[str, Any]:
    descr = np.lib.format.dtype_to_descr(dtype)
    return {"descr": descr, "fortran_order": False, "shape": shape}
