"""Somebody else's index: its arrays are wrong, and every manifest says that they are right.

No hash tells; what decides memory safety must be checked where an index is opened.
"""

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.torture.damage import reseal

Array = NDArray[Any]


def _at(array: Array, place: int, value: np.generic | float) -> Array:
    changed = array.copy()
    if not array.size:
        return changed
    changed.reshape(-1)[place % array.size] = value
    return changed


def _integers(array: Array) -> bool:
    return bool(array.dtype.kind in "iu") and array.size > 0


def _largest(array: Array) -> float:
    return np.iinfo(array.dtype).max if array.dtype.kind in "iu" else 3e38


WRONG: Mapping[str, Callable[[Array, int], Array]] = {
    "another dtype": lambda a, at: a.astype(np.float64 if a.dtype.kind in "iu" else np.int16),
    "wider": lambda a, at: a.astype(np.int64 if a.dtype.itemsize < 8 else np.int16),
    "text": lambda a, at: a.astype("U4"),
    "more dimensions": lambda a, at: a.reshape(1, *a.shape),
    "flat": lambda a, at: a.reshape(-1)[: max(a.size - 1, 0)],
    "one too few": lambda a, at: a[:-1],
    "one too many": lambda a, at: np.concatenate([a, a[-1:]]),
    "none at all": lambda a, at: a[:0],
    "a scalar": lambda a, at: np.array(0, a.dtype),
    "big-endian": lambda a, at: a.astype(a.dtype.newbyteorder(">")),
    "a value far too large": lambda a, at: _at(a, at, _largest(a)),
    "a value just too large": lambda a, at: _at(a, at, a.max() + 1) if _integers(a) else a * 2,
    "a negative value": lambda a, at: _at(a, at, -1) if a.dtype.kind in "if" else _at(a, at, 255),
    "falling": lambda a, at: a[::-1],
    "no number": lambda a, at: _at(a, at, np.nan) if a.dtype.kind == "f" else a * 0,
    "from one on": lambda a, at: a + np.array(1, a.dtype) if a.dtype.kind in "if" else a[1:],
}
"""What a stranger may have written instead of an array; `at` is a place in it."""


def arrays_of(index: Path) -> list[str]:
    """Name the arrays of an index."""
    return sorted(path.relative_to(index).as_posix() for path in index.rglob("*.npy"))


def make_strange(index: Path, name: str, what: str, at: int) -> bool:
    """Put a wrong array into an index, and seal it; False: it is the same array as before."""
    path = index / name
    before = np.load(path)
    wrong = WRONG[what](before, at)
    if wrong.dtype == before.dtype and wrong.shape == before.shape:
        if np.array_equal(wrong, before, equal_nan=wrong.dtype.kind == "f"):
            return False
    held = io.BytesIO()
    np.save(held, wrong)
    path.write_bytes(held.getvalue())
    reseal(index)
    return True
