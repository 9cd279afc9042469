"""Where the program begins. It imports next to nothing, so that Ctrl-C finds it listening."""

import sys
from collections.abc import Sequence

INTERRUPTED = 130
JSON_ERRORS = "--json-errors"


def main() -> int:
    """Run the command line and return the exit code: see `program.run`."""
    try:
        from recsys.app.cli.program import run

        return run()
    except KeyboardInterrupt:  # Before `run` listens, or after it has ended.
        report_interrupt(sys.argv)
        return INTERRUPTED


def report_interrupt(arguments: Sequence[str]) -> None:
    """Say in one line that the user stopped the program."""
    what, hint = "interrupted:", "run the same command to continue."
    line = f"{what} {hint}"
    if JSON_ERRORS in arguments:
        line = f'{{"error": {{"kind": "Interrupted", "what": "{what}", "hint": "{hint}"}}}}'
    sys.stderr.write(f"{line}\n")
