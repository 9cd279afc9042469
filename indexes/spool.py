"""Arrays put aside on the disk while others are made: what is sorted need not fit into memory."""

from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let it go."""
        self._file.close()
