"""Let two folders take each other's place in one step, where the system can."""

import ctypes
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

_HERE = -100
"""AT_FDCWD of Linux: paths are those of the process."""
_EXCHANGE = 2
"""RENAME_EXCHANGE of renameat2(2), which Linux and the larger of its file systems know."""


def exchange(one: Path, other: Path) -> bool:
    """Give each of two paths what lies at the other; tell whether that was done.

    Whoever looks at either finds something there at every moment. Nothing is done where the system
    or the file system cannot, or where one of them does not exist.
    """
    call = _renameat2()
    if call is None:
        return False
    done: int = call(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE)
    return done == 0


@cache
def _renameat2() -> Any:  # noqa: ANN401 - What ctypes finds has no type.
    if sys.platform != "linux":
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
