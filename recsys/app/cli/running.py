"""Find what serves a command line, and import no more than that."""

import os
from collections.abc import Callable, Sequence
from functools import partial

from recsys.app.cli.command_table import COMMANDS
from recsys.app.cli.declarations import call
from recsys.app.cli.plain_arguments import read
from recsys.version import CREATED_BY

COMPLETION = "_RECSYS_COMPLETE"
"""Set where a shell asks how a word could go on."""


def task(words: Sequence[str]) -> Callable[[], int]:
    """Return what serves a command line: the command itself, where nothing is to be explained."""
    if COMPLETION not in os.environ:
        if list(words) == ["--version"]:
            return _show_version
        if (plain := _plain(words)) is not None:
            return plain
    from recsys.app.cli.program import run

    return partial(run, words)


def _plain(words: Sequence[str]) -> Callable[[], int] | None:
    """Read a command's name and well-formed arguments, if that is what the words are."""
    for name, place in COMMANDS.items():
        own = name.split()
        if list(words[: len(own)]) == own:
            command = place.load()
            values = read(command, words[len(own) :])
            return None if values is None else partial(call, name, command, values)
    return None


def _show_version() -> int:
    from recsys.app.terminal import show

    show(f"{CREATED_BY}\n")
    return 0
