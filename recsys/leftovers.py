"""Temporary files of processes that were killed: the next one that writes there removes them."""

import os
import re
import zlib
from pathlib import Path

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
            try:
                (folder / name).unlink()
            except OSError:
                continue


def is_running(number: str) -> bool:
    """Tell whether the process of a number runs; what cannot be told is taken so."""
    if os.name != "posix":  # Elsewhere the question would be the end of the process.
        return True
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    except PermissionError:  # It is somebody else's.
        return True
    return True


def _host() -> str:
    if hasattr(os, "uname"):  # What `platform.node` asks, whose import takes milliseconds.
        name = os.uname().nodename
    else:
        from platform import node

        name = node()
    return f"{zlib.crc32(name.encode()):08x}"
