"""Show progress on stderr: a bar on a terminal, a line every 10 % elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from recsys.app.answer_writing import no_colour
from recsys.app.terminal import cleaned, say
from recsys.progress import Progress, silent


@contextmanager
def shown_progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Give a progress callback that draws on stderr until the block ends."""
    if quiet:
        yield silent
    elif sys.stderr is not None and sys.stderr.isatty():
        with _bars() as progress:
            yield progress
    else:
        yield Lines()


@dataclass
class Lines:
    """Writes one line per finished tenth of a stage, with rate and time left."""

    _begun: dict[str, tuple[float, int]] = field(default_factory=dict)
    _tenths: dict[str, int] = field(default_factory=dict)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Write a line when another tenth is done."""
        # A resumed stage begins at done > 0: only what this run did counts towards the rate.
        begun, first = self._begun.setdefault(stage, (time.monotonic(), done))
        tenth = 10 * done // total if total > 0 else 10
        if tenth <= self._tenths.get(stage, 0):
            return
        self._tenths[stage] = tenth
        state = describe(stage, done, total, Pace(done - first, time.monotonic() - begun))
        say(state)


@dataclass(frozen=True, slots=True)
class Pace:
    """How many steps were done in how many seconds."""

    steps: int
    seconds: float


def describe(stage: str, done: int, total: int, pace: Pace) -> str:
    """Write the state of a stage in one line.

    >>> describe("encode", 30, 100, Pace(30, 15.0))
    'encode: 30 % (30 of 100), 2.0/s, 35 s left'
    """
    if done >= total:
        return f"{stage}: done ({done} in {duration(pace.seconds)})"
    state = f"{stage}: {100 * done // total} % ({done} of {total})"
    if pace.seconds <= 0 or pace.steps <= 0:
        return state
    rate = pace.steps / pace.seconds
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
