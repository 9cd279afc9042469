"""Read files that somebody gave to the page, in a process of their own that can be killed.

What a stranger wrote may be meant to take all time and memory. Their names are labels: none is
ever opened, here or there.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import IO, TypeVar

import recsys
from recsys.app.web.given.given_text import GivenDraft
from recsys.app.web.given.reading_messages import (
    DRAFT,
    LIST,
    TEXT,
    Request,
    parse_list_answer,
    parse_manuscript_answer,
    parse_text_answer,
)
from recsys.app.web.problem_details import RequestError
from recsys.errors import DraftError, InputError, RecsysError
from recsys.formats.drafts.bundle import label
from recsys.formats.files import MAX_BYTES
from recsys.records import Bibliography, Manuscript

MOST_FILES = 100
MOST_ANSWER = 64 * 2**20
"""Bytes of an answer; a hundred thousand references take less."""

_GIB = 2**30
_CHILD = (sys.executable, "-P", "-m", "recsys.app.web.given.reading_child")
_KEPT = ("PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "SystemRoot")
"""Of the environment, what Python itself may need to start."""
_INSTEAD = "Give title and abstract instead."

_Found = TypeVar("_Found", Manuscript, Bibliography, GivenDraft)


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file as somebody gave it; its name may be anything."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What reading may cost: seconds and bytes of one process, and how many run at once."""

    seconds: float = 20.0
    memory: int = _GIB
    at_once: int = 2


def read_given(files: Sequence[GivenFile], limits: ReadingLimits | None = None) -> Manuscript:
    """Read files that were given together as one draft; see `formats.drafts.bundle`.

    Raises:
        InputError: they cannot be read, or (DraftError) not within the limits, or are no draft.
        MissingExtraError: a format needs a package that is not installed.
        RecsysError: no process could be started.
    """
    return _read(DRAFT, files, limits or ReadingLimits(), parse_manuscript_answer)


def read_given_text(files: Sequence[GivenFile], limits: ReadingLimits | None = None) -> GivenDraft:
    """Read files as one draft, with its sentences; see `read_given` for what it raises."""
    return _read(TEXT, files, limits or ReadingLimits(), parse_text_answer)


def read_given_list(
    files: Sequence[GivenFile], limits: ReadingLimits | None = None
) -> Bibliography:
    """Read lists of references, one after the other; see `read_given` for what it raises."""
    return _read(LIST, files, limits or ReadingLimits(), parse_list_answer)


def _read(
    task: str,
    files: Sequence[GivenFile],
    limits: ReadingLimits,
    parse: Callable[[bytes], _Found],
) -> _Found:
    names = [label(file.name.replace("\\", "/").rpartition("/")[2]) for file in files]
    named = _named(names)
    _check(named, files)
    sizes = tuple(len(file.content) for file in files)
    request = Request(task, limits.seconds, limits.memory, tuple(names), sizes)
    with _turn(named, limits):
        ended = _run(request, [file.content for file in files])
    try:
        return parse(ended.answer)
    except (MemoryError, ValueError) as error:
        raise _failure(ended, error, named, limits) from None


def _failure(ended: "_Ended", error: Exception, named: str, limits: ReadingLimits) -> DraftError:
    """Say why there is no answer."""
    if ended.timed_out:
        return DraftError(f"{named} took longer than {limits.seconds:g} s to read.", _INSTEAD)
    if isinstance(error, MemoryError) or ended.out_of_memory:
        most = f"{limits.memory / _GIB:.2g} GiB"
        return DraftError(f"{named} needs more than {most} of memory to read.", _INSTEAD)
    return DraftError(f"{named} could not be read: its reader broke down.", _INSTEAD)


def _check(named: str, files: Sequence[GivenFile]) -> None:
    if not files:
        raise DraftError("No file was given.", "Give a draft, or its title and abstract.")
    if len(files) > MOST_FILES:
        raise InputError(f"{len(files)} files were given.", f"Give at most {MOST_FILES}, or a zip.")
    if sum(len(file.content) for file in files) > MAX_BYTES:
        raise InputError(f"{named}: more than {MAX_BYTES // 2**20} MB were given.", _INSTEAD)


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0]}{more}" if names else "nothing"


class _Turns:
    """How many processes are reading now."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.taken = 0


_TURNS = _Turns()


@contextmanager
def _turn(named: str, limits: ReadingLimits) -> Iterator[None]:
    """Wait until fewer processes read than may at once, as long as one of them may take."""
    with _TURNS.changed:
        if not _TURNS.changed.wait_for(lambda: _TURNS.taken < limits.at_once, limits.seconds):
            raise RequestError(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"{named} was not read: others are being read.",
                "Try again in a moment.",
                wait=1,
            )
        _TURNS.taken += 1
    try:
        yield
    finally:
        with _TURNS.changed:
            _TURNS.taken -= 1
            _TURNS.changed.notify_all()


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a reading process ended: with an answer, which may be none."""

    answer: bytes
    timed_out: bool = False
    out_of_memory: bool = False


@dataclass(slots=True)
class _Clock:
    """Kills a process, and whatever it has started, when its time is up."""

    process: subprocess.Popen[bytes]
    rang: bool = field(default=False)

    def ring(self) -> None:
        self.rang = True
        kill_group(self.process)


def _run(request: Request, contents: Sequence[bytes]) -> _Ended:
    """Run a reading process to its end, or to that of its time."""
    try:
        process = subprocess.Popen(
            _CHILD,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(os.environ),
            start_new_session=True,
        )
    except OSError as error:
        raise RecsysError(
            "No process could be started to read what was given.", "Try again in a moment."
        ) from error
    clock = _Clock(process)
    timer = threading.Timer(request.seconds, clock.ring)
    timer.daemon = True
    with process:
        assert process.stdin is not None and process.stdout is not None
        writer = threading.Thread(
            target=_write, args=(process.stdin, request.header(), contents), daemon=True
        )
        try:
            timer.start()
            writer.start()
            answer = process.stdout.read(MOST_ANSWER + 1)
            signalled = 0 if answer else -process.wait()
        finally:
            timer.cancel()
            kill_group(process)
            for thread in (timer, writer):
                if thread.ident is not None:  # It has been started.
                    thread.join()
    return _Ended(
        answer if len(answer) <= MOST_ANSWER else b"",
        timed_out=clock.rang or signalled == getattr(signal, "SIGXCPU", None),
        # By the system, when it has no memory left.
        out_of_memory=signalled == getattr(signal, "SIGKILL", None),
    )


def _write(stream: IO[bytes], header: bytes, contents: Sequence[bytes]) -> None:
    with suppress(OSError, ValueError):  # Who ends early needs no more of it.
        with stream:
            stream.write(header)
            for content in contents:
                stream.write(content)


def kill_group(process: "subprocess.Popen[bytes]") -> None:
    """End a process and all that it has started, unless it has been waited for."""
    if process.returncode is not None:
        return
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _environment(whole: Mapping[str, str]) -> dict[str, str]:
    """Return what the process gets of the environment: where its modules are, and no more."""
    home = str(Path(recsys.__file__).parents[1])
    others = [
        os.path.abspath(each) for each in whole.get("PYTHONPATH", "").split(os.pathsep) if each
    ]
    kept = {name: whole[name] for name in _KEPT if name in whole}
    path = os.pathsep.join(dict.fromkeys((home, *others)))
    return kept | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
