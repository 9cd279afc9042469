"""Kill this process at a chosen step that it takes on the disk: by injection, not by chance.

What the standard library and numpy offer for changing a disk is wrapped, in this process only, so
that each step is counted and the k-th one kills: before it happens, in its middle (half of what it
should write is there), or after it. What compiled libraries write themselves (Arrow, Annoy,
LightGBM) is no step; the steps before and after it are.
"""

import builtins
import io
import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial, wraps
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

Free: TypeAlias = Any
"""Whatever the wrapped functions take and give."""

BEFORE, WITHIN, AFTER = "before", "within", "after"

_CALLS = (
    "link",
    "mkdir",
    "remove",
    "rename",
    "replace",
    "rmdir",
    "symlink",
    "truncate",
    "unlink",
)
_ON_DESCRIPTORS = ("fsync", "fdatasync", "ftruncate")
_WRITING = set("wax+")
_NAMES = ("buffering", "encoding", "errors", "newline")
"""What `open` takes after the mode, in order."""


@dataclass(slots=True)
class Steps:
    """The steps of this process so far, and at which one it dies.

    root: what is below it counts, and whatever is named by a descriptor. at: the step that kills,
    from 0; None: none does. mode: before, within or after it. seen: the steps, and whether each
    can be cut in its middle.
    """

    root: Path
    at: int | None = None
    mode: str = BEFORE
    seen: list[tuple[str, bool]] = field(default_factory=list)
    pid: int = field(default_factory=os.getpid)

    def take(
        self, name: str, do: Callable[[], Free], halve: Callable[[], object] | None = None
    ) -> Free:
        """Take a step, or die of it. halve: does half of it; None: it cannot be halved."""
        if os.getpid() != self.pid:
            return do()
        number = len(self.seen)
        self.seen.append((name, halve is not None))
        if number != self.at:
            return do()
        if self.mode == WITHIN and halve is not None:
            halve()
        elif self.mode == AFTER:
            do()
        os.kill(self.pid, signal.SIGKILL)

    def below(self, path: object) -> bool:
        """Tell whether a path is one whose changes count."""
        if not isinstance(path, str | bytes | os.PathLike):
            return False
        return os.fsdecode(os.path.abspath(os.fspath(path))).startswith(str(self.root))


def inject(steps: Steps) -> None:
    """Wrap what changes a disk, until this process ends."""

    def counts(*args: Free, **keywords: Free) -> bool:
        """Tell whether a path below the root is given, or a name in a folder by descriptor."""
        return keywords.get("dir_fd") is not None or any(steps.below(each) for each in args[:2])

    def creates(path: Free, flags: Free = 0, *rest: Free, **keywords: Free) -> bool:
        return bool(flags & os.O_CREAT) and counts(path, **keywords)

    for name in _CALLS:
        _wrap(steps, os, name, counts)
    for name in _ON_DESCRIPTORS:
        _wrap(steps, os, name, lambda *args: True)
    _wrap(steps, os, "open", creates)
    _wrap(steps, np, "save", lambda file, *_, **__: steps.below(file), 0)
    _wrap(steps, shutil, "copyfile", lambda _, target, **__: steps.below(target), 1)
    _wrap(steps, np.memmap, "flush", lambda *args: True)
    for module in (io, builtins):
        setattr(module, "open", partial(_open, steps, io.open))  # noqa: B010


def _wrap(
    steps: Steps, module: Free, name: str, counts: Callable[..., bool], file: int | None = None
) -> None:
    """Wrap a function. file: place of the argument that names a file which is written whole.

    Within means then that half of it is there.
    """
    original = getattr(module, name)

    @wraps(original)
    def wrapped(*args: Free, **keywords: Free) -> Free:
        do = partial(original, *args, **keywords)
        if not counts(*args, **keywords):
            return do()
        if file is None:
            return steps.take(name, do)

        def as_one_step() -> Free:
            own, steps.pid = steps.pid, -1  # Its own steps are not counted.
            try:
                return do()
            finally:
                steps.pid = own

        def half() -> None:
            do()
            with io.FileIO(args[file], "r+") as written:
                written.truncate(os.path.getsize(args[file]) // 2)

        return steps.take(name, as_one_step, half)

    setattr(module, name, wrapped)


def _open(
    steps: Steps, original: Free, file: Free, mode: str = "r", *rest: Free, **more: Free
) -> Free:
    """Open a file; one that is written counts its writes, and when it is closed."""
    if not (_WRITING & set(mode) and steps.below(file)):
        return original(file, mode, *rest, **more)
    plain = "".join(c for c in mode if c not in "bt")
    raw = steps.take(f"open {mode}", partial(_Counted, steps, file, plain))
    if rest[:1] == (0,) or more.get("buffering") == 0:
        return raw
    buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
    if "b" in mode:
        return buffered
    given = dict(zip(_NAMES, rest, strict=False)) | more
    return io.TextIOWrapper(
        buffered, given.get("encoding"), given.get("errors"), given.get("newline")
    )


class _Counted(io.FileIO):
    """A file whose writes and whose close are steps."""

    def __init__(self, steps: Steps, file: Free, mode: str) -> None:
        super().__init__(file, mode)
        self._steps = steps

    def write(self, data: Free) -> int:
        half = bytes(data)[: len(data) // 2]
        written: int = self._steps.take(
            "write", partial(super().write, data), partial(super().write, half)
        )
        return written

    def close(self) -> None:
        if self.closed:
            super().close()
        else:
            self._steps.take("close", super().close)
