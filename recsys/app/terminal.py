"""Write for people: the one place through which words reach a terminal.

Titles, keys, file names and arguments come from strangers. What a terminal would act upon in them
is shown as in JSON, `\\u001b`, which changes no value of JSON either.
"""

import contextlib
import errno
import os
import re
import sys
from typing import TextIO

# Control characters but tab and line ends, what turns the direction of text, and half pairs.
_ACTED_UPON = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)"
)


def cleaned(text: str) -> str:
    """Show what a terminal would act upon instead of letting it act."""
    return _ACTED_UPON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def say(text: str) -> None:
    """Write a line to stderr; where nobody can hear it, it is lost, and nothing else is."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"{cleaned(text)}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        _give_up(sys.stderr)


def show(text: str) -> None:
    """Write to stdout, cleaned.

    Raises:
        OSError: it is closed, or what it leads to takes no more.
    """
    draw(cleaned(text))


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
