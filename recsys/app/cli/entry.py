"""Where the program begins. It imports next to nothing, so that Ctrl-C finds it listening."""

import atexit
import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from types import FrameType

from recsys.app.terminal import hold_streams, say

INTERRUPTED = 130
JSON_ERRORS = "--json-errors"
_BEFORE_COLLECTING = 100_000
"""New objects before the first look for garbage: more than an answer makes, so that none is
looked for in vain; to a long command it makes no difference."""


def console() -> int:
    """Be the console script: run `main`, and end at once.

    What Python takes apart at its end the system frees anyway, in a tenth of an answer's time; and
    libraries that lacked memory when they began crash there.
    """
    gc.set_threshold(_BEFORE_COLLECTING)
    if (code := main()) == 0:
        threading = sys.modules.get("threading")
        if threading is not None and any(
            not each.daemon and each is not threading.main_thread()
            for each in threading.enumerate()
        ):
            return code  # Python waits for these threads.
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def main() -> int:
    """Run the command line; return the exit code: 0 ok, 1 error, 2 usage, 3 nothing found."""
    hold_streams()
    # Arrow's own allocator keeps what it had, a quarter of what a small update takes, and starts a
    # thread, which ends the process where memory is short.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    os.environ.setdefault("JE_ARROW_MALLOC_CONF", "background_thread:false")
    try:
        usual = signal.getsignal(signal.SIGINT)
        if usual is signal.default_int_handler:
            signal.signal(signal.SIGINT, _leave)
        from recsys.app.cli.failures import exit_code
        from recsys.app.cli.program import run

        if usual is signal.default_int_handler:
            signal.signal(signal.SIGINT, usual)
        return exit_code(partial(run, sys.argv[1:]), sys.argv[1:])
    except KeyboardInterrupt:  # Before `exit_code` listens itself, or after it has ended.
        report_interrupt(sys.argv)
        return INTERRUPTED


def _leave(number: int, frame: FrameType | None) -> None:
    # An exception could get lost in the import system, and nothing is begun that must be undone.
    report_interrupt(sys.argv)
    os._exit(INTERRUPTED)


def report_interrupt(arguments: Sequence[str]) -> None:
    """Say in one line that the user stopped the program."""
    what, hint = "interrupted:", "run the same command again; it continues from what it has kept."
    line = f"{what} {hint}"
    if JSON_ERRORS in arguments:
        line = f'{{"error": {{"kind": "Interrupted", "what": "{what}", "hint": "{hint}"}}}}'
    say(line)
