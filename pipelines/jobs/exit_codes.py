"""End a program that `python -m` runs by an exit code, and tell its errors in one line."""

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Protocol

from recsys.errors import RecsysError

INTERRUPTED = 130
"""As of a program that SIGINT ends: 128 + 2."""


class Program(Protocol):
    """Takes the words of the command line, None: those of the process; returns its exit code."""

    def __call__(self, arguments: Sequence[str] | None = None) -> int:
        """Run it."""


def ending(main: Callable[[Sequence[str] | None], int | None]) -> Program:
    """Return the exit code of a program: its own (0), that of its error, or INTERRUPTED."""

    @wraps(main)
    def run(arguments: Sequence[str] | None = None) -> int:
        try:
            return main(arguments) or 0
        except RecsysError as error:
            sys.stderr.write(f"error: {error}\n")
            return error.exit_code
        except OSError as error:
            sys.stderr.write(f"error: {error.strerror or error}: {error.filename}\n")
            return RecsysError.exit_code
        except KeyboardInterrupt:
            sys.stderr.write("interrupted\n")
            return INTERRUPTED

    return run
