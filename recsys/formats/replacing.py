"""Write a file for somebody: whole or not at all, and never in the place of what is no file.

A link stays a link, an old file keeps its mode and owner, and what is not a regular file (a device,
a pipe, standard output under any name) is written through.
"""

import contextlib
import errno
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recsys.machine import remove_leftovers, temporary_name

_STREAMS = (1, 2)  # What the program holds as standard output and standard error.
_LONGEST_SUFFIX = 20


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the path of a new file to write; put what it holds where `path` leads at the end.

    The new file has the suffix of `path`, and is gone in any case. An error leaves an old file as
    it was.

    Raises:
        OSError: what is written does not fit, or may not be put there; it names `path`.
    """
    old = None
    with contextlib.suppress(FileNotFoundError):
        old = path.stat()
    if old is not None and stat.S_ISDIR(old.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    regular = old is None or (stat.S_ISREG(old.st_mode) and _stream(old) is None)
    put = _replace if regular else _write_through
    temporary: Path | None = None
    try:
        with put(path, old) as temporary:
            yield temporary
    except OSError as error:
        foreign = error.filename not in (None, str(temporary))
        if error.errno is None or isinstance(error, BrokenPipeError) or foreign:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_whole(path: Path, text: str) -> None:
    """Write a text file, whole or not at all; what is no Unicode in it becomes "?"."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="replace", newline="\n")


@contextmanager
def _replace(path: Path, old: os.stat_result | None) -> Iterator[Path]:
    """Give the path of a sibling that takes the place of the file, or of that which it links to."""
    target = Path(os.path.realpath(path))
    temporary = _sibling(target)
    remove_leftovers(target.parent)
    try:
        if old is not None:  # On the way, too, nobody reads what only its owner may.
            temporary.touch(0o600, exist_ok=False)
        yield temporary
        if old is not None:
            with contextlib.suppress(OSError, AttributeError):  # Windows has none.
                os.chown(temporary, old.st_uid, old.st_gid)
            temporary.chmod(stat.S_IMODE(old.st_mode))
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _write_through(path: Path, old: os.stat_result | None) -> Iterator[Path]:
    """Give the path of a file elsewhere; write what it holds into what is there."""
    with tempfile.TemporaryDirectory() as folder:
        temporary = _sibling(Path(folder, path.name))
        yield temporary
        stream = None if old is None else _stream(old)
        if stream is not None and sys.stdout is not None:
            sys.stdout.flush()
        # Not opened anew: that would empty the file which `>> log` appends to.
        into = os.open(path, os.O_WRONLY) if stream is None else os.dup(stream)
        with temporary.open("rb") as source, open(into, "wb") as sink:
            shutil.copyfileobj(source, sink)


def _stream(old: os.stat_result) -> int | None:
    """Return the descriptor of the standard stream that a file is, under whatever name."""
    for descriptor in _STREAMS:
        with contextlib.suppress(OSError):
            if os.path.samestat(old, os.fstat(descriptor)):
                return descriptor
    return None


def _sibling(target: Path) -> Path:
    """Name a file beside: not by the target's name, which may be as long as names can be."""
    return target.with_name(temporary_name(target.suffix[:_LONGEST_SUFFIX]))
