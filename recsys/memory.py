"""Room for what libraries allocate: some of them end the process where they get none."""

import mmap
import os

MIB = 1 << 20


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
