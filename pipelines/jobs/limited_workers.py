"""Share tasks among processes that may be killed: each task has a limit of time and memory.

`workers` trusts its tasks, this does not: a task that takes too long, takes too much memory or
breaks its process down has failed, and the others go on in a process anew.
"""

import math
import signal
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from recsys.pipelines.jobs.workers import ONE_THREAD, environment, interrupts_deferred

Task = TypeVar("Task")
Result = TypeVar("Result")

_GIB = 2**30


class Failure(Enum):
    """Why a task has no result."""

    TIME = "took too long"
    MEMORY = "needs too much memory"
    BROKEN = "broke its process down"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one task may take. memory: bytes of address space of its process, where that counts."""

    seconds: float = 60.0
    memory: int = 2 * _GIB


def limited(
    do: Callable[[Task], Result], tasks: Sequence[Task], *, jobs: int, limits: Limits
) -> Generator[tuple[int, Result | Failure], None, None]:
    """Yield (position of the task, its result or why it has none) as they come.

    Args:
        do: does a task; it must be importable in another process.
        tasks: small values that can be sent to another process.
        jobs: processes at most.
        limits: of each task.

    Raises:
        Exception: whatever a task raised, but MemoryError and RecursionError.
    """
    crew = _Crew[Task, Result](do, tasks, limits)
    try:
        for _ in range(min(jobs, len(tasks))):
            crew.hire()
        yield from crew.results()
    finally:
        crew.dismiss()


@dataclass(slots=True)
class _Worker:
    """A process, the task it is at, and when that must be done (of `time.monotonic`)."""

    process: BaseProcess
    position: int
    until: float


@dataclass(slots=True)
class _Crew(Generic[Task, Result]):
    do: Callable[[Task], Result]
    tasks: Sequence[Task]
    limits: Limits
    begun: int = 0
    workers: dict[Connection, _Worker] = field(default_factory=dict)

    def hire(self) -> None:
        """Start a process at the next task, if there is one."""
        if self.begun == len(self.tasks):
            return
        context = get_context("spawn")
        here, there = context.Pipe()
        with environment(ONE_THREAD), interrupts_deferred():
            process = context.Process(
                target=_work, args=(self.do, there, self.limits.memory), daemon=True
            )
            process.start()
        there.close()
        self.workers[here] = _Worker(process, -1, math.inf)
        self._hand_out(here)

    def results(self) -> Generator[tuple[int, Result | Failure], None, None]:
        """Yield results until all tasks have one."""
        while self.workers:
            nearest = min(worker.until for worker in self.workers.values())
            ready = wait(list(self.workers), max(0.0, nearest - time.monotonic()))
            for pipe in list(self.workers):
                if pipe in ready:
                    yield self._receive(pipe)
                elif self.workers[pipe].until <= time.monotonic():
                    yield self._replace(pipe, Failure.TIME)

    def dismiss(self) -> None:
        """End every process and wait until it is gone."""
        for pipe in list(self.workers):
            self._end(pipe)

    def _hand_out(self, pipe: Connection) -> None:
        worker = self.workers[pipe]
        worker.position, self.begun = self.begun, self.begun + 1
        worker.until = time.monotonic() + self.limits.seconds
        with suppress(OSError):  # A process that ended is noticed when its result is received.
            pipe.send(self.tasks[worker.position])

    def _receive(self, pipe: Connection) -> tuple[int, Result | Failure]:
        position = self.workers[pipe].position
        try:
            result, error = pipe.recv()
        except (EOFError, OSError):
            process = self.workers[pipe].process
            process.join()
            # By the system, when it has no memory left.
            killed = process.exitcode == -getattr(signal, "SIGKILL", 9)
            return self._replace(pipe, Failure.MEMORY if killed else Failure.BROKEN)
        if isinstance(error, MemoryError):  # What is left of its memory is in pieces.
            return self._replace(pipe, Failure.MEMORY)
        if isinstance(error, RecursionError):
            return self._replace(pipe, Failure.BROKEN)
        if error is not None:
            raise error
        if self.begun < len(self.tasks):
            self._hand_out(pipe)
        else:
            self._end(pipe)
        return position, result

    def _replace(self, pipe: Connection, failure: Failure) -> tuple[int, Failure]:
        position = self.workers[pipe].position
        self._end(pipe)
        self.hire()
        return position, failure

    def _end(self, pipe: Connection) -> None:
        worker = self.workers.pop(pipe)
        pipe.close()
        worker.process.kill()
        worker.process.join()


def _work(do: Callable[[Any], Any], pipe: Connection, memory: int) -> None:
    """Do tasks until the pipe closes; answer with (result, error)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit(memory)
    with suppress(EOFError, OSError):  # The parent is gone: so is the work.
        while True:
            task = pipe.recv()
            answer: tuple[Any, Exception | None]
            try:
                answer = do(task), None
            except Exception as error:
                answer = None, error.with_traceback(None)
            pipe.send(answer)


def _limit(memory: int) -> None:
    """Bound the memory of this process and leave no dump, where the system can."""
    try:
        import resource
    except ImportError:  # Windows has none; the clock still ends this process.
        return
    for kind, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0)):
        with suppress(ValueError, OSError):  # A lower limit is set already.
            resource.setrlimit(kind, (most, most))
