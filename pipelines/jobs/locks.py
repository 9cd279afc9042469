"""Keep two processes from writing the same thing at once."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from recsys.errors import InputError
from recsys.progress import Progress, silent

if TYPE_CHECKING:
    from filelock import BaseFileLock


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Hold a lock file beside what is written, so that two processes do not mix their work.

    Raises:
        InputError: somebody else holds it.
        OSError: there cannot be a file.
    """
    path = out.with_name(f".{out.name}.lock")
    with holding(path, out):
        try:
            yield
        finally:
            discard(path)


@contextmanager
def holding(
    path: Path, out: Path, *, again: bool = False, wait: bool = False, progress: Progress = silent
) -> Iterator[bool]:
    """Hold a lock file, which stays. Gives whether the process did not hold it already.

    Args:
        path: the lock file.
        out: what it guards.
        again: whether a process that holds it may take it again.
        wait: whether to wait for another process, or to refuse.
        progress: told of the waiting.

    Raises:
        InputError: somebody else holds it.
        OSError: there cannot be a file.
    """
    from filelock import FileLock, Timeout  # Heavy to import, and only writers need it.

    lock = FileLock(path, is_singleton=True)
    path.touch()  # A place that cannot be written says so here: filelock would take it for held.
    refused = InputError(f"Another process is writing {out}.", "Wait for it, or stop it.")
    if lock.is_locked and not again:
        raise refused
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        if not wait:
            raise refused from error
        _await(lock, f"wait for the process that writes {out}", progress)
    try:
        yield lock.lock_counter == 1
    finally:
        lock.release()


def discard(path: Path) -> None:
    """Remove a lock file that is held, with what it guards.

    A process that had opened it before finds, once it has the lock, that the file has no name any
    more, and takes the lock for none (filelock looks at the number of links). After the release it
    would be too late: the file may be another's by then. Windows removes no open file: filelock
    does it there.
    """
    with suppress(OSError):
        path.unlink()


def _await(lock: "BaseFileLock", stage: str, progress: Progress) -> None:
    progress(stage, 0, 1)
    lock.acquire()
    progress(stage, 1, 1)
