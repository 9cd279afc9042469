"""Do something in a forked process, and tell what became of it.

The process that forks computes nothing itself: it has no threads and no sessions to lose, and a
child costs milliseconds instead of the imports.
"""

import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from recsys.errors import RecsysError

SECONDS = 60
"""Processor time of what writes; readers have the usual one."""
HANG = 5
"""Seconds of processor time after which a child hangs: other processes may have the machine."""
PATIENCE = 12
"""How many times as long it may take by the clock."""
MEMORY = 1 << 30
"""Bytes that a child may map for some kilobytes that it reads, where that is asked."""

Json: TypeAlias = Any
"""What JSON can hold: all that passes from a child."""

OK, REFUSED, FOREIGN, CRASH, HANGS, KILLED = "ok refused foreign crash hang killed".split()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a child.

    kind: `ok` with its value; `refused` by an error of recsys; `foreign`, another exception;
    `crash` by a signal; `hang`; `killed` by SIGKILL, which only harnesses send.
    """

    kind: str
    value: Json = None
    said: str = ""


def in_child(
    work: Callable[[], Json], *, seconds: int = HANG, memory: int = 0, kill_after: float = 0
) -> Outcome:
    """Do it in another process, and wait.

    Args:
        work: what JSON can hold is passed back.
        seconds: processor time that it may take.
        memory: bytes that it may map beside what is mapped already; 0: any number.
        kill_after: kill it after so many seconds, if it is not finished by then; 0: never.
    """
    inside, outside = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(inside)
        _be_a_child(work, outside, seconds, memory)
    os.close(outside)
    try:
        late, answer = _read(inside, pid, kill_after or seconds * PATIENCE)
    finally:
        os.close(inside)
        _kill_all(pid)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        # What it was just about to start: until it is waited for, its id is its own.
        _kill_all(pid)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if answer:
        return Outcome(**json.loads(answer))
    if kill_after and not code:
        return Outcome(OK)  # It ended by itself at the last moment.
    if (late and not kill_after) or code == -signal.SIGXCPU:
        return Outcome(HANGS, said="no answer in time")
    return Outcome(KILLED) if code == -signal.SIGKILL else Outcome(CRASH, said=f"exit code {code}")


def done(work: Callable[[], Json], *, seconds: int = SECONDS) -> Json:
    """Do in a child what must not fail, such as the preparation of a torture."""
    outcome = in_child(work, seconds=seconds)
    if outcome.kind != OK:
        raise RuntimeError(f"undisturbed, it ended so: {outcome.kind} {outcome.said}")
    return outcome.value


def _kill_all(pid: int) -> None:
    """End a child and its own processes, if it has left any."""
    for end in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            end(pid, signal.SIGKILL)


def _read(pipe: int, pid: int, seconds: float) -> tuple[bool, bytes]:
    """Read what the child says until it ends; True: it did not end in time.

    Its end is that of the process: the pipe may be held by processes that it has left.
    """
    parts, until, ended = list[bytes](), time.monotonic() + seconds, os.pidfd_open(pid)
    os.set_blocking(pipe, False)
    try:
        while True:
            ready, _, _ = select.select([pipe, ended], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                return True, b""
            part = None
            with suppress(BlockingIOError):
                part = os.read(pipe, 1 << 16)
            if part:
                parts.append(part)
            elif ended in ready or part is not None:
                return False, b"".join(parts)
    finally:
        os.close(ended)


def _be_a_child(work: Callable[[], Json], pipe: int, seconds: int, memory: int) -> None:
    os.setsid()
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        if memory:
            # The hard limit stays, so that what happened can be told.
            limit = mapped() + memory
            resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        # Nothing that a library prints reaches the terminal.
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        sys.stdin = open(0, encoding="utf-8", closefd=False)
        answer = {"kind": OK, "value": work()}
    except RecsysError as error:
        answer = {"kind": REFUSED, "said": str(error), "value": type(error).__name__}
    except BaseException as error:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        told = "".join(traceback.format_exception(error))[-4000:]
        answer = {"kind": FOREIGN, "said": told}
    with suppress(OSError):
        data = json.dumps(answer).encode()
        while data:
            data = data[os.write(pipe, data) :]
    os._exit(0)


def mapped() -> int:
    """Return how many bytes this process has mapped."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
