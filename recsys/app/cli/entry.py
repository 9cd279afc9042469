"""Where the program begins, and whatever a command raises ends: in one line and an exit code.

It imports next to nothing, so that Ctrl-C finds it listening.
"""

import atexit
import gc
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from io import TextIOWrapper
from types import FrameType

from recsys.app.terminal import hold_streams, say
from recsys.errors import LONGEST_HINT, RecsysError, missing_extra, shortened

INTERRUPTED = 130
JSON_ERRORS, DEBUG = "--json-errors", "RECSYS_DEBUG"
_BEFORE_COLLECTING = 100_000
"""New objects before the first look for garbage: more than an answer makes, so that none is
looked for in vain; to a long command it makes no difference."""
# What libraries say of it; without memory, threads do not start either.
_NO_MEMORY = re.compile(
    r"bad_alloc|[Cc]annot allocate memory|failed to map segment|can't start new thread"
    r"|Failed to launch worker thread"
)
_SHOWN = 200  # Characters.


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

    def leave(number: int, frame: FrameType | None) -> None:
        # An exception could get lost in the import system, and nothing is begun to be undone.
        report_interrupt(sys.argv)
        os._exit(INTERRUPTED)

    hold_streams()
    # Arrow's own allocator keeps what it had, a quarter of what a small update takes, and starts a
    # thread, which ends the process where memory is short.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    os.environ.setdefault("JE_ARROW_MALLOC_CONF", "background_thread:false")
    try:
        usual = signal.getsignal(signal.SIGINT)
        if usual is signal.default_int_handler:
            signal.signal(signal.SIGINT, leave)
        _check_package()
        from recsys.app.cli.program import run

        if usual is signal.default_int_handler:
            signal.signal(signal.SIGINT, usual)
        return exit_code(partial(run, sys.argv[1:]), sys.argv[1:])
    except KeyboardInterrupt:  # Before `exit_code` listens itself, or after it has ended.
        report_interrupt(sys.argv)
        return INTERRUPTED
    except RecsysError as error:
        return _report(error, as_json=JSON_ERRORS in sys.argv)


def _check_package() -> None:
    """Refuse to run where files are missing, or a distribution named `recsys` has added its own.

    On the package index that name is another project's, whose package has the same name as ours.
    """
    package = os.path.abspath(__file__).rsplit(os.sep, 3)[0]
    if not os.path.isdir(os.path.join(package, "pipelines")):
        raise RecsysError(
            f"{package} has no folder `pipelines`: this checkout was made without symbolic links.",
            "Run `git config core.symlinks true && git checkout -- recsys`, or install the wheel.",
        )
    site = os.path.dirname(package)
    for name in os.listdir(site):
        if re.fullmatch(r"(?i)recsys-[^-]+\.dist-info", name):
            raise RecsysError(
                f"Two distributions wrote to {package}: citerec, which "
                f"is this program, and {name.removesuffix('.dist-info')}.",
                "pip uninstall recsys, then pip install --force-reinstall --no-deps citerec",
            )


def exit_code(run: Callable[[], int | None], arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; report its error if it raises one."""
    if not os.environ.get(DEBUG):
        warnings.simplefilter("ignore")  # Those of libraries are for developers.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # No title fails to print.
            encoding = None if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")
    with _interrupts() as heard:
        try:
            code = run() or 0
        except KeyboardInterrupt:
            code = INTERRUPTED
        except Exception as error:
            if os.environ.get(DEBUG):
                import traceback

                say(traceback.format_exc())
            if not heard:
                return _report(error, as_json=JSON_ERRORS in arguments)
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


def report_interrupt(arguments: Sequence[str]) -> None:
    """Say in one line that the user stopped the program."""
    what, hint = "interrupted:", "run the same command again to continue."
    line = f"{what} {hint}"
    if JSON_ERRORS in arguments:
        line = f'{{"error": {{"kind": "Interrupted", "what": "{what}", "hint": "{hint}"}}}}'
    say(line)


def _report(error: Exception, *, as_json: bool) -> int:
    """Report an error, or each error of a group, whose exit code is 1 whatever they are."""
    import json

    code = 1
    for each in error.exceptions if isinstance(error, ExceptionGroup) else (error,):
        *parts, own_code = _explained(each)
        kind, what, hint = (shortened(" ".join(part.split()), LONGEST_HINT) for part in parts)
        if as_json:
            say(json.dumps({"error": {"kind": kind, "what": what, "hint": hint}}))
        else:
            say(f"error: {what} {hint}".rstrip())
        code = 1 if each is not error else own_code
    return code


def _explained(error: Exception) -> tuple[str, str, str, int]:
    """Return the kind of an error, what happened, what to do next, and the exit code."""
    import shutil

    if isinstance(error, ImportError):
        error = missing_extra(error) or error
    kind = type(error).__name__
    if isinstance(error, MemoryError) or _NO_MEMORY.search(str(error)):
        hint = "Free some, raise the limit (`ulimit -v`), or process less at once."
        return MemoryError.__name__, "There is not enough memory.", hint, 1
    if isinstance(error, RecsysError):
        return kind, error.what, error.hint, error.exit_code
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list):
            reason = str(error.args[0][0][-1])  # Of the first file that was not copied.
        place = f"{error.filename}: " if error.filename else ""
        hint = "Check the path, its permissions and the free disk space (`recsys doctor`)."
        return kind, f"{place}{reason}.", hint, 1
    if isinstance(error, UnicodeEncodeError):
        # A name with bytes that are no UTF-8 holds half pairs in their places.
        what = f"{error.object[:_SHOWN]!r} is not UTF-8."
        return kind, what, "Rename the file or the folder in UTF-8.", 1
    if isinstance(error, RecursionError):
        hint = "Use fewer levels of brackets, braces or quotes."
        return kind, "The input is nested too deeply.", hint, 1
    hint = f"Set {DEBUG}=1 to see the traceback, and please report it."
    return kind, f"internal error: {kind}: {error}.", hint, 1
