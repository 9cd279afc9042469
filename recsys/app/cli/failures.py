"""Turn whatever a command raises into one line on stderr and an exit code."""

import json
import os
import re
import shutil
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from types import FrameType

from recsys.app.cli.entry import INTERRUPTED, JSON_ERRORS, report_interrupt
from recsys.app.terminal import say
from recsys.errors import LONGEST_HINT, RecsysError, shortened
from recsys.extras import missing_extra

DEBUG = "RECSYS_DEBUG"

_MEMORY = "Free some, raise the limit (`ulimit -v`), or give less at once."
# What libraries say of it; without memory, threads do not start either.
_NO_MEMORY = re.compile(
    r"bad_alloc|[Cc]annot allocate memory|failed to map segment|can't start new thread"
    r"|Failed to launch worker thread"
)
_SHOWN = 200  # Characters.
_NO_UTF_8 = "Rename the file or the folder in UTF-8."
_NESTED = "Give it with fewer levels of brackets, braces or quotes."

Failure = tuple[str, str, str]
"""kind, what happened, what to do next"""


def exit_code(run: Callable[[], int | None], arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; report its error if it raises one."""
    _prepare_streams()
    with _interrupts() as heard:
        try:
            code = run() or 0
        except KeyboardInterrupt:
            code = INTERRUPTED
        except Exception as error:
            if os.environ.get(DEBUG):
                say(traceback.format_exc())
            if not heard:
                return _report_all(error, as_json=JSON_ERRORS in arguments)
            code = INTERRUPTED
    if code == INTERRUPTED:
        report_interrupt(arguments)
    return code


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """List the interrupts heard: compiled modules turn one into some other error."""
    heard: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield heard  # The caller has other plans.
        return
    signal.signal(signal.SIGINT, interrupt)
    try:
        yield heard
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _explain(error: Exception) -> tuple[Failure, int]:
    kind = type(error).__name__
    if isinstance(error, MemoryError) or _NO_MEMORY.search(str(error)):
        return (MemoryError.__name__, "There is not enough memory.", _MEMORY), 1
    if isinstance(error, ImportError) and (missing := missing_extra(error)):
        return (type(missing).__name__, missing.what, missing.hint), missing.exit_code
    if isinstance(error, RecsysError):
        return (kind, error.what, error.hint), error.exit_code
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        hint = "Check the path, its permissions and the free disk space (`recsys doctor`)."
        return (kind, f"{place}{_reason(error)}.", hint), 1
    if isinstance(error, UnicodeEncodeError):
        # A name with bytes that are no UTF-8 holds half pairs in their places.
        return (kind, f"{error.object[:_SHOWN]!r} is no UTF-8.", _NO_UTF_8), 1
    if isinstance(error, RecursionError):
        return (kind, "Something given is nested too deeply.", _NESTED), 1
    debug = f"Set {DEBUG}=1 for the traceback, and report it."
    return (kind, f"internal error: {kind}: {error}.", debug), 1


def _reason(error: OSError) -> str:
    """Return what the system said: for a copied folder, of the first file that was not copied."""
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list):
        return str(error.args[0][0][-1])
    return error.strerror or str(error)


def _report_all(error: Exception, *, as_json: bool) -> int:
    """Report an error, or each error of a group, whose exit code is 1 whatever they are."""
    errors = error.exceptions if isinstance(error, ExceptionGroup) else (error,)
    for each in errors:
        failure, code = _explain(each)
        _report(failure, as_json=as_json)
    return 1 if isinstance(error, ExceptionGroup) else code


def _report(failure: Failure, *, as_json: bool, prefix: str = "error: ") -> None:
    kind, what, hint = (shortened(" ".join(part.split()), LONGEST_HINT) for part in failure)
    if as_json:
        line = json.dumps({"error": {"kind": kind, "what": what, "hint": hint}})
    else:
        line = f"{prefix}{what} {hint}".rstrip()
    say(line)


def _prepare_streams() -> None:
    """Let no title fail to print, and keep the libraries' warnings to developers."""
    if not os.environ.get(DEBUG):
        warnings.simplefilter("ignore")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            encoding = None if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")
