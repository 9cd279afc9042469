"""Ask before anything is sent: on a terminal by a question, elsewhere by an option."""

import sys
from collections.abc import Iterable

from recsys.app.output import note
from recsys.app.terminal import say
from recsys.errors import InputError, UsageError

_YES = frozenset({"y", "yes"})


def agree(lines: Iterable[str], *, yes: bool, quiet: bool) -> None:
    """Show a plan, and return once it is agreed to.

    yes: it was agreed to on the command line.

    Raises:
        UsageError: there is no terminal to ask on.
        InputError: the answer is no.
    """
    told = "\n".join(lines)
    if yes:
        note(told, quiet=quiet)
        return
    say(told)
    if not (_is_terminal(sys.stdin) and _is_terminal(sys.stderr)):
        raise UsageError("Nothing was asked of any source: --yes agrees to the plan above.")
    say("Ask for them? [y/N]")
    if sys.stdin.readline().strip().lower() not in _YES:
        raise InputError("Nothing was asked of any source.", "Answer y, or give --yes.")


def _is_terminal(stream: object) -> bool:
    isatty = getattr(stream, "isatty", None)
    return isatty is not None and bool(isatty())
