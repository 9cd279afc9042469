"""What the process uses of its machine: processors, memory, and names of temporary files."""

import mmap
import os
import re
import sys
import zlib
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

# From 1.29 on at the latest, ONNX Runtime reports to Microsoft as soon as it is imported, and keeps
# an id of the machine below the home. It reads this when it is imported: nothing leaves unasked.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")


def processors() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux; elsewhere a process is not bound to some of them.
        return len(os.sched_getaffinity(0))
    # Python 3.13 and newer count what the process may use by themselves.
    return getattr(os, "process_cpu_count", os.cpu_count)() or 1


# One thread for the products of an answer: they are too small to be shared.
#
# A BLAS that shares a product of some megabytes among threads takes two to four times the processor
# time, and more than that where other programs want the processors, too.

VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""What the libraries behind numpy read when they are loaded, and never again."""


def start_on_one_thread() -> None:
    """Let numpy start no threads; before it is imported, and unless the user has said otherwise."""
    for name in VARIABLES:
        os.environ.setdefault(name, "1")


def one_thread() -> AbstractContextManager[object]:
    """Multiply on one thread inside a `with` block, in the whole process."""
    if all(os.environ.get(name) == "1" for name in VARIABLES):
        return nullcontext()
    limited: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return limited


@cache
def _controller() -> "ThreadpoolController":
    """Look once for the libraries that are loaded: that costs more than an answer."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


# Room for what libraries allocate, and what is given back of it.

MIB = 1 << 20
_MMAP_THRESHOLD = -3
"""The number of M_MMAP_THRESHOLD in glibc's malloc.h."""


def require_room(needed: int) -> None:
    """Ask for so many bytes and give them back, where a limit (`ulimit -v`) is set.

    Raises:
        MemoryError: they are not to be had.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limits.
        return
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


# Temporary files of processes that were killed: the next one that writes there removes them.

_OURS = re.compile(r"\.(?P<host>[0-9a-f]{8})\.(?P<pid>\d+)\.[0-9a-f]{8}\.tmp")


def temporary_name(suffix: str = "") -> str:
    """Name a file that nobody else writes, by machine and process."""
    return f".{_host()}.{os.getpid()}.{os.urandom(4).hex()}.tmp{suffix}"


def is_temporary(name: str) -> bool:
    """Tell a temporary file by its name, whoever writes it or wrote it."""
    return _OURS.match(name) is not None


def remove_leftovers(folder: Path) -> None:
    """Remove the files of a folder that are so named by processes of this machine that ended.

    What cannot be removed stays: it is in nobody's way.
    """
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        found = _OURS.match(name)
        # Where a disk is shared, only its own machine knows whether a process runs.
        if found and found["host"] == _host() and not is_running(found["pid"]):
            with suppress(OSError):
                (folder / name).unlink()


def is_running(number: str) -> bool:
    """Tell whether the process of a number runs; what cannot be told is taken so."""
    if os.name != "posix":  # Elsewhere the question would be the end of the process.
        return True
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    except PermissionError:  # It is somebody else's.
        pass
    return True


def _host() -> str:
    if hasattr(os, "uname"):  # What `platform.node` asks, whose import takes milliseconds.
        name = os.uname().nodename
    else:
        from platform import node

        name = node()
    return f"{zlib.crc32(name.encode()):08x}"
