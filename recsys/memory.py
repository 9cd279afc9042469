"""Room for what libraries allocate, and what is given back of it."""

import mmap
import os
import sys
from contextlib import suppress

MIB = 1 << 20
_MMAP_THRESHOLD = -3
"""The number of M_MMAP_THRESHOLD in glibc's malloc.h."""


def require_room(needed: int) -> None:
    """Ask for so many bytes and give them back, where a limit (`ulimit -v`) is set.

    Raises:
        MemoryError: they are not to be had.
    """
    if os.name != "posix":
        return
    import resource

    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        return  # The system gives more than there is: to ask would tell nothing.
    try:
        mmap.mmap(-1, needed, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError as error:
        raise MemoryError(f"{needed >> 20} MiB are needed.") from error


def return_large_blocks() -> None:
    """Let blocks of a megabyte and more go back to the system as soon as they are free.

    glibc keeps blocks as large as the largest that was ever freed, up to 32 MB, in the heap of
    their thread, where a small one behind them holds them: a server would keep what bodies took.
    """
    if sys.platform != "linux":
        return
    import ctypes

    with suppress(OSError, AttributeError):  # Another C library.
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, MIB)


def let_go(mapped: mmap.mmap) -> None:
    """Give back the pages of a mapped file that were read; they are read again when needed.

    They would count as memory of the process, until somebody else wants it.
    """
    if sys.platform == "linux":
        mapped.madvise(mmap.MADV_DONTNEED)
