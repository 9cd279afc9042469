"""Write the rows of an `.npy` matrix in order: a memory map would keep all of it in memory."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from recsys.store.arrays import Floats


def write_rows(path: Path, shape: tuple[int, int], pieces: Iterable[Floats]) -> None:
    """Write an (n, d) float32 matrix of pieces of rows, as `np.save` does."""
    facts = {"descr": np.lib.format.dtype_to_descr(np.dtype(np.float32)), "fortran_order": False}
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {**facts, "shape": shape})
        for piece in pieces:
            file.write(np.ascontiguousarray(piece, np.float32).data)
