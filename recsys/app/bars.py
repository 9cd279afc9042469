"""Show progress on stderr: a bar on a terminal, a line every 10 % elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from recsys.app.answer_writing import no_colour
from recsys.app.terminal import cleaned, say
from recsys.protocols import Progress, silent


@contextmanager
def shown_progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Give a progress callback that draws on stderr until the block ends."""
    if quiet:
        yield silent
    elif sys.stderr is not None and sys.stderr.isatty():
        with _bars() as progress:
            yield progress
    else:
        yield _lines()


def _lines() -> Progress:
    """Write one line for each finished tenth of a stage, with rate and time left."""
    begun: dict[str, tuple[float, int]] = {}
    tenths: dict[str, int] = {}

    def report(stage: str, done: int, total: int) -> None:
        # A resumed stage begins at done > 0: only what this run did counts towards the rate.
        began, first = begun.setdefault(stage, (time.monotonic(), done))
        tenth = 10 * done // total if total > 0 else 10
        if tenth > tenths.get(stage, 0):
            tenths[stage] = tenth
            seconds = time.monotonic() - began
            say(describe(stage, done, total, steps=done - first, seconds=seconds))

    return report


def describe(stage: str, done: int, total: int, *, steps: int, seconds: float) -> str:
    """Write the state of a stage in one line; steps, seconds: what this run did, and how long.

    >>> describe("encode", 30, 100, steps=30, seconds=15.0)
    'encode: 30 % (30 of 100), 2.0/s, 35 s left'
    """
    if done >= total:
        return f"{stage}: done ({done} in {duration(seconds)})"
    state = f"{stage}: {100 * done // total} % ({done} of {total})"
    if seconds <= 0 or steps <= 0:
        return state
    rate = steps / seconds
    return f"{state}, {rate:,.1f}/s, {duration((total - done) / rate)} left"


def duration(seconds: float) -> str:
    """Write a duration: seconds below two minutes, then minutes, then hours and minutes."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


@contextmanager
def _bars() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    tasks: dict[str, TaskID] = {}
    console = Console(stderr=True, color_system=None if no_colour() else "auto")
    with Bars(*columns, console=console) as bars:

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(cleaned(stage), total=total, rate="")
            speed = bars.tasks[tasks[stage]].speed
            rate = f"{speed:,.0f}/s" if speed else ""
            bars.update(tasks[stage], completed=done, total=total, rate=rate)

        yield report
