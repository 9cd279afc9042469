"""Write what a command answers: data to stdout or a file, notes to stderr."""

import contextlib
import os
import sys
from pathlib import Path

from recsys.app.terminal import say, show
from recsys.errors import InputError, near_miss


def check_target(out: Path | None) -> None:
    """Refuse an output that cannot be written, before any work is done; None is stdout.

    Raises:
        InputError: stdout is closed, the path is a directory, or its folder does not exist.
    """
    if out is None:
        if sys.stdout is None:
            raise InputError("Standard output is closed.", "Give a file by --out.")
        return
    if out.is_dir():
        raise InputError(f"{out} is a directory.", "Give the path of a file to write.")
    out = Path(os.path.realpath(out)) if out.is_symlink() and not out.exists() else out
    if not out.parent.is_dir():
        known = [p.name for p in out.parent.parent.glob("*")] if out.parent.parent.is_dir() else []
        raise InputError(
            f"There is no folder {out.parent} to write {out.name} in."
            f"{near_miss(out.parent.name, known)}",
            "Create it first.",
        )


def check_folder(out: Path) -> None:
    """Refuse an output folder that cannot be one, before any work is done.

    Raises:
        InputError: the path is a file.
    """
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file.", "Give the path of a folder to write.")


def emit(text: str, out: Path | None = None) -> None:
    """Write data to a file, whole or not at all, or to stdout when there is no path."""
    if out is None:
        show(text)
        return
    from recsys.formats.replacing import write_whole

    with contextlib.suppress(BrokenPipeError):  # As with stdout: the reader has what it wanted.
        write_whole(out, text)


def note(text: str, *, quiet: bool = False) -> None:
    """Write a line for people to stderr, unless they asked for quiet."""
    if not quiet:
        say(text)


def no_colour() -> bool:
    """Whether to write without colours and weights: NO_COLOR is not empty, see no-color.org."""
    return bool(os.environ.get("NO_COLOR"))
