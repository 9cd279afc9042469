"""The program without what Windows lacks: `python -m tests.like_windows < commands.json`.

Modules and functions of POSIX are missing, and a file that is open, or mapped, can neither be
replaced, renamed nor removed, nor can a folder that holds one. What this Python's own libraries
chose on their import stays as it is here: the lock files above all.
"""

import json
import multiprocessing.popen_spawn_posix
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import filelock
import onnxruntime
import pyarrow.parquet

from recsys.store import artifacts

MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "readline", "syslog")
OF_SYSTEM = (
    *("fork", "forkpty", "sched_getaffinity", "killpg", "getpgid", "setsid", "getuid", "geteuid"),
    *("getgid", "chown", "fchown", "mkfifo", "nice", "wait4", "getloadavg", "sysconf", "pread"),
    *("O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC", "openpty", "ttyname", "uname"),
)
SIGNALS = (
    *("SIGHUP", "SIGKILL", "SIGALRM", "SIGXCPU", "SIGUSR1", "SIGPIPE", "SIGQUIT"),
    *("alarm", "setitimer", "pthread_sigmask"),
)
CHANGING = ("replace", "rename", "unlink", "remove", "rmdir")
refused: list[str] = []
"""What could not be changed."""
LOADED = (multiprocessing.popen_spawn_posix, shutil, filelock, onnxruntime, pyarrow.parquet)
"""What looks for POSIX when it is imported, or when it works, and is not ours."""


def opened_below(path: str) -> list[str]:
    """Name the files of this process that are open or mapped, at a path or below it."""
    links = Path("/proc/self/fd").iterdir()
    paths = [os.path.realpath(link) for link in links if link.is_symlink()]
    maps = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    paths += [line.split(maxsplit=5)[5] for line in maps if "/" in line]
    whole = os.path.realpath(path)
    return [each for each in paths if each == whole or each.startswith(whole + os.sep)]


def refusing(change: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function change no path that is open."""

    def changed(*paths: Any, **options: Any) -> Any:  # noqa: ANN401 - As the function's own.
        for path in paths:
            if isinstance(path, str | Path) and (still := opened_below(str(path))):
                refused.append(str(path))
                raise PermissionError(13, f"Access is denied ({still[0]} is open)", str(path))
        return change(*paths, **options)

    return changed


def become_windows() -> None:
    """Take away what there is not."""
    for module in MODULES:
        sys.modules[module] = None  # type: ignore[assignment] # So that its import fails.
    for owner, names in ((os, OF_SYSTEM), (signal, SIGNALS)):
        for name in names:
            delattr(owner, name)
    for name in CHANGING:
        setattr(os, name, refusing(getattr(os, name)))
    shutil._use_fd_functions = False  # type: ignore[attr-defined] # By paths, as on Windows.
    artifacts._renameat2 = lambda: None  # type: ignore[assignment] # Nor can folders be swapped.


if __name__ == "__main__":
    become_windows()
    from recsys.app.cli import main

    codes = []
    for words in json.load(sys.stdin):
        sys.argv = ["recsys", *words]
        codes.append(main())
    print(json.dumps({"codes": codes, "refused": refused}))  # noqa: T201
