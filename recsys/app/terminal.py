"""Write for people and programs: the one place through which words reach a terminal.

Titles, keys, file names and arguments come from strangers. What a terminal would act upon in them
is shown as in JSON, `\\u001b`, which changes no value of JSON either.
"""

import contextlib
import errno
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from recsys.errors import InputError, near_path
from recsys.protocols import Progress, silent

# Control characters but tab and line ends, what turns the direction of text, and half pairs.
_ACTED_UPON = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)"
)

_NARROWEST = 20
"""Columns of a wrapped line, however narrow the terminal is."""


def cleaned(text: str) -> str:
    """Show what a terminal would act upon instead of letting it act."""
    return _ACTED_UPON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def say(text: str) -> None:
    """Write lines to stderr; where nobody can hear them, they are lost, and nothing else is."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"{wrapped(cleaned(text), columns_of(sys.stderr))}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        _give_up(sys.stderr)


def columns_of(stream: TextIO | None) -> int | None:
    """Return how wide the terminal is that a stream leads to; None where it leads to none."""
    if stream is None or not stream.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    with contextlib.suppress(OSError, ValueError, AttributeError):
        return os.get_terminal_size(stream.fileno()).columns or None
    return None


def wrapped(text: str, columns: int | None, *, hanging: int = 0) -> str:
    """Wrap lines between words; what goes on is indented as its line, and by `hanging` more.

    >>> print(wrapped("  See `recsys train --help`.", 20))
      See `recsys
      train --help`.
    """
    if columns is None:
        return text
    import textwrap

    lines = []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()) + hanging)
        rows = textwrap.wrap(
            line,
            max(columns, len(indent) + _NARROWEST),
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines += rows or [""]
    return "\n".join(lines)


def show(text: str) -> None:
    """Write to stdout, cleaned.

    Raises:
        OSError: it is closed, or what it leads to takes no more.
    """
    draw(cleaned(text))


def show_bytes(raw: bytes) -> None:
    """Write to stdout, to the byte, unless it would reach a terminal: see `show`."""
    stream = sys.stdout
    if stream is None or stream.isatty() or not hasattr(stream, "buffer"):
        show(raw.decode("utf-8", errors="replace"))
        return
    stream.flush()
    stream.buffer.write(raw)
    stream.buffer.flush()


def draw(text: str) -> None:
    """Write to stdout what was cleaned before it was coloured; see `show`."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard output")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:  # The reader (`| head`) has what it wanted.
        _give_up(sys.stdout)
    except OSError as error:
        _give_up(sys.stdout)
        raise OSError(error.errno, error.strerror, "standard output") from error


def hold_streams() -> None:
    """Open what is closed of the standard streams, so that no file is opened in their place.

    What a library writes to stderr would land in that file.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)


def _give_up(stream: TextIO) -> None:
    # Python flushes the stream again when it exits: give what is left somewhere to go.
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


# Write what a command answers: data to stdout or a file, notes to stderr.


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
        what = f"There is no folder {out.parent} to write {out.name} in.{near_path(out.parent)}"
        raise InputError(what, "Create it first.")


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


# Show progress on stderr: one bar on a terminal, a line now and then elsewhere.

_FIRST_LINE, _SILENCE = 5.0, 30.0
"""Seconds until the first line of a stage without a bar, and between lines at most."""
_BAR = 24
"""Columns of the bar: with what stands beside it, it fits in 80."""


@contextlib.contextmanager
def shown_progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Give a progress callback that draws on stderr until the block ends."""
    if quiet:
        yield silent
    elif sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        with _bar() as progress:
            yield progress
    else:
        yield _lines()


def _lines() -> Progress:
    """Write a line for each finished tenth of a stage, and where one takes long, between them."""
    begun: dict[str, tuple[float, int]] = {}
    said: dict[str, tuple[int, float]] = {}

    def report(stage: str, done: int, total: int) -> None:
        # A resumed stage begins at done > 0: only what this run did counts towards the rate.
        now = time.monotonic()
        began, first = begun.setdefault(stage, (now, done))
        tenth, last = said.get(stage, (0, began + _FIRST_LINE - _SILENCE))
        now_tenth = 10 * done // total if total > 0 else 10
        if now_tenth > tenth or (first < done < total and now - last >= _SILENCE):
            said[stage] = now_tenth, now
            say(describe(stage, done, total, steps=done - first, seconds=now - began))

    return report


def describe(stage: str, done: int, total: int, *, steps: int, seconds: float) -> str:
    """Write the state of a stage in one line; steps, seconds: what this run did, and how long.

    >>> describe("encoding papers", 300, 1000, steps=300, seconds=15.0)
    'encoding papers: 30 % (300 of 1,000), 35 s left'
    """
    if done >= total:
        counted = f"({done:,} in {duration(seconds)})" if total > 1 else f"in {duration(seconds)}"
        return f"{stage}: done {counted}"
    state = f"{stage}: {100 * done // total} % ({done:,} of {total:,})"
    left = time_left(done, total, steps=steps, seconds=seconds)
    return f"{state}, {left}" if left else state


def time_left(done: int, total: int, *, steps: int, seconds: float) -> str:
    """Say how long the rest of a stage takes, at the rate of this run; "" where that is open."""
    if seconds <= 0 or steps <= 0 or done >= total:
        return ""
    return f"{duration((total - done) * seconds / steps)} left"


def duration(seconds: float) -> str:
    """Write a duration: seconds below two minutes, then minutes, then hours and minutes."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


@contextlib.contextmanager
def _bar() -> Iterator[Progress]:
    """Draw the stage that runs, below nothing of those before, and wipe it out at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(_BAR),
        TextColumn("{task.fields[state]}", markup=False),
    )
    console = Console(stderr=True, color_system=None if no_colour() else "auto")
    begun: dict[str, tuple[float, int]] = {}
    shown = ""
    bars = Bars(*columns, console=console, transient=True)
    task = bars.add_task("", state="")

    def report(stage: str, done: int, total: int) -> None:
        nonlocal shown
        if stage != shown:
            bars.reset(task, description=cleaned(stage).capitalize(), total=total, state="")
            if not shown:
                bars.start()  # A command without any stage draws nothing.
            shown = stage
        now = time.monotonic()
        began, first = begun.setdefault(stage, (now, done))
        left = time_left(done, total, steps=done - first, seconds=now - began)
        state = f"{done:,}/{total:,}  {left}" if total > 1 else ""
        bars.update(task, completed=done, total=total, state=state)

    try:
        yield report
    finally:
        if shown:
            bars.stop()


# Tell how a result was made, so that it can be made again.


def command_line() -> str:
    """Return the command that runs, as a shell takes it."""
    import shlex

    return shlex.join(["recsys", *sys.argv[1:]])


def made(seed: int, **files: Path) -> dict[str, str]:
    """Tell what it takes to make a result again; files: what was read, by name."""
    from recsys.pipelines.evaluation.batch import versions
    from recsys.store.artifacts import CREATED_BY, sha256

    return {
        "command": command_line(),
        "program": CREATED_BY,
        "seed": str(seed),
        **{f"{name} sha256": sha256(path) for name, path in files.items() if path.is_file()},
        "versions": ", ".join(f"{name} {version}" for name, version in versions().items()),
    }
