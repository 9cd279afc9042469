"""Keep two processes from writing the same thing at once."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from recsys.errors import InputError


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Hold a lock file beside what is written, so that two processes do not mix their work.

    Raises:
        InputError: somebody else holds it.
        OSError: there cannot be a file.
    """
    from filelock import FileLock, Timeout  # Heavy to import, and only writers need it.

    path = out.with_name(f".{out.name}.lock")
    lock = FileLock(path, blocking=False)
    path.touch()  # A place that cannot be written says so here: filelock would take it for held.
    try:
        lock.acquire()
    except Timeout as error:
        raise InputError(
            f"Another process is writing {out}.", "Wait for it, or stop it."
        ) from error
    try:
        yield
    finally:
        # Removed while it is held. A process that had opened it before finds, once it has the lock,
        # that the file has no name any more, and takes the lock for none (filelock looks at the
        # number of links). After the release it would be too late: the file may be another's by
        # then. Windows removes no open file: filelock does it there.
        with suppress(OSError):
            path.unlink()
        lock.release()
