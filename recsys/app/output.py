"""Write what a command answers: data to stdout or a file, notes to stderr."""

import os
import sys
from pathlib import Path

from recsys.errors import InputError, near_miss
from recsys.formats.replacing import write_whole


def check_target(out: Path | None) -> None:
    """Refuse an output path that cannot be written, before any work is done.

    Raises:
        InputError: the path is a directory, or its folder does not exist.
    """
    if out is None:
        return
    if out.is_dir():
        raise InputError(f"{out} is a directory.", "Give the path of a file to write.")
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
        _to_stdout(text)
        return
    write_whole(out, text)


def note(text: str, *, quiet: bool = False) -> None:
    """Write a line for people to stderr, unless they asked for quiet."""
    if not quiet:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def no_colour() -> bool:
    """Whether to write without colours and weights: NO_COLOR is not empty, see no-color.org."""
    return bool(os.environ.get("NO_COLOR"))


def _to_stdout(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (`| head`) has what it wanted. Python flushes stdout again when it exits:
        # give it somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
