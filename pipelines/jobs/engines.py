"""What runs a stage of work over shards: processes of this machine; for clusters `ray_cluster`.

The work on a shard is a pure function of it: another try gives the same, and so do other
processes. Shards and results travel between machines: both are bytes, arrays or plain values.

Processes are spawned, never forked: ONNX Runtime and Arrow own threads, which a fork would lose
with their locks held. Each computes on one thread, so the results do not depend on how many there
are. A worker waits at its pipe and ends when the pipe closes: none outlives its parent, even one
that was killed.
"""

import math
import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from threading import Thread
from typing import Any, ClassVar, Generic, Protocol, TypeVar, cast

from recsys.errors import RecsysError
from recsys.machine import processors

# Sums depend on the order of their parts: on one thread each, any number of workers agrees.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Environment of a process that computes on one thread."""
AHEAD = 2
"""Tasks at a worker: one in work and one waiting, so that it need not wait for its parent."""

Task = TypeVar("Task")
Result = TypeVar("Result")
Given = TypeVar("Given", covariant=True)


@dataclass(frozen=True, slots=True)
class Stage(Generic[Task, Result]):
    """Work that is done to every shard.

    name: in messages and of progress. start: called once in every process; returns the function
    that does a shard. It must be importable there: a function of a module, or a
    `functools.partial` of one. gpu_start: called instead in a process that has a GPU, if such
    processes are wanted; None: the stage has no use for one.
    """

    name: str
    start: Callable[[], Callable[[Task], Result]]
    gpu_start: Callable[[], Callable[[Task], Result]] | None = None


class Shards(Protocol[Given]):
    """What a stage is done to: a sequence, or what is read as it is iterated over."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Given]: ...


class Engine(Protocol):
    """Runs stages."""

    @property
    def here(self) -> bool:
        """Tell whether work is on this machine alone."""
        ...

    def map(
        self, stage: Stage[Task, Result], shards: Shards[Task]
    ) -> Generator[tuple[int, Result], None, None]:
        """Yield (position of the shard, its result) as results come in.

        Who wants no more of them closes the generator: that ends the work. The shards are iterated
        over once, as there is room for them: they need not all be in memory.

        Raises:
            RecsysError: a process was lost before its shard was done.
            Exception: whatever `start` or a shard raised, with the shard named.
        """
        ...


def place_of(stage: str, position: int, total: int) -> str:
    """Name a shard to people. position: from 0."""
    return f"shard {position + 1} of {total} of '{stage}'"


def named(error: Exception, place: str) -> Exception:
    """Say in an error where it happened; errors of ours say it to who runs the program, too."""
    error.add_note(f"In {place}.")
    if isinstance(error, RecsysError):
        error.what = f"{error.what} This was {place}."
        error.args = (error.what,)
    return error


@dataclass(frozen=True, slots=True)
class ProcessPool:
    """The engine of one machine. jobs: processes at most; None: one per processor."""

    here: ClassVar[bool] = True
    jobs: int | None = None

    def map(
        self, stage: Stage[Task, Result], shards: Shards[Task]
    ) -> Generator[tuple[int, Result], None, None]:
        """Do as `Engine.map` says; a process that ends early is an error, and not replaced."""
        return WorkerPool(stage, shards).results(self.jobs or processors())


USUAL = ProcessPool()
"""The engine where none is named."""


class Failure(Enum):
    """Why a task within limits has no result."""

    TIME = "took too long"
    MEMORY = "needs too much memory"
    BROKEN = "broke its process down"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one task may take. memory: bytes of address space of its process, where that counts."""

    seconds: float = 60.0
    memory: int = 2 << 30


def limited(
    do: Callable[[Task], Result], tasks: Sequence[Task], *, jobs: int, limits: Limits
) -> Generator[tuple[int, Result | Failure], None, None]:
    """Yield (position of the task, its result or why it has none) as they come.

    A task that takes too long, takes too much memory or breaks its process down has failed, and the
    others go on in a process anew.

    Args:
        do: does a task; it must be importable in another process.
        tasks: small values that can be sent to another process.
        jobs: processes at most.
        limits: of each task.

    Raises:
        Exception: whatever a task raised, but MemoryError and RecursionError.
    """
    stage: Stage[Task, Result] = Stage("tasks", partial(partial, do))
    return WorkerPool(stage, tasks, limits).results(jobs)


@dataclass(slots=True)
class _Worker:
    """A process, the positions of its tasks, and when the first of them must be done."""

    process: BaseProcess
    held: deque[int] = field(default_factory=deque)
    until: float = math.inf


class WorkerPool(Generic[Task, Result]):
    """Worker processes of a stage, with a pipe to each.

    limits: of each task, see `limited`; None: who fails to do one ends all.
    """

    def __init__(
        self, stage: Stage[Task, Result], tasks: Shards[Task], limits: Limits | None = None
    ) -> None:
        self.stage, self.total, self.limits = stage, len(tasks), limits
        self.waiting = iter(enumerate(tasks))
        self.workers: dict[Connection, _Worker] = {}

    def results(self, size: int) -> Generator[tuple[int, Any], None, None]:
        """Start so many workers, hand out the tasks in order, and yield results as they come."""
        try:
            for _ in range(min(size, self.total)):
                self._start()
            for _ in range(AHEAD if self.limits is None else 1):
                for pipe in self.workers:
                    self._hand_out(pipe, next(self.waiting, None))
            while self.workers:
                nearest = min(worker.until for worker in self.workers.values())
                patience = None if nearest == math.inf else max(0.0, nearest - time.monotonic())
                for pipe in cast(list[Connection], wait(list(self.workers), patience)):
                    yield self._receive(pipe)
                for pipe, worker in list(self.workers.items()):
                    if worker.until <= time.monotonic() and not pipe.poll():
                        yield self._fail(pipe, Failure.TIME)
        finally:
            self._end(*self.workers)

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        memory = None if self.limits is None else self.limits.memory
        with _environment(ONE_THREAD), _interrupts_deferred():
            process = context.Process(
                target=_work, args=(self.stage.start, there, memory), daemon=True
            )
            process.start()
            there.close()
            self.workers[here] = _Worker(process)
        return here

    def _hand_out(self, pipe: Connection, task: tuple[int, Task] | None) -> None:
        if task is not None:
            worker = self.workers[pipe]
            worker.held.append(task[0])
            if self.limits is not None:
                worker.until = time.monotonic() + self.limits.seconds
            with suppress(OSError):  # A worker that ended is noticed when its result is received.
                pipe.send(task)

    def _receive(self, pipe: Connection) -> tuple[int, Any]:
        worker = self.workers[pipe]
        try:
            position, result, error = pipe.recv()
        except (EOFError, OSError) as lost:
            worker.process.join()
            code = worker.process.exitcode
            if self.limits is not None:
                # By the system, when it has no memory left.
                killed = code == -getattr(signal, "SIGKILL", 9)
                return self._fail(pipe, Failure.MEMORY if killed else Failure.BROKEN)
            raise RecsysError(
                f"A worker process ended with exit code {code} before its work was done: "
                f"{place_of(self.stage.name, worker.held[0], self.total)}.",
                "Run the same command again, with fewer --jobs if memory is short.",
            ) from lost
        if self.limits is not None and isinstance(error, MemoryError | RecursionError):
            memory = isinstance(error, MemoryError)  # What is left of it is in pieces.
            return self._fail(pipe, Failure.MEMORY if memory else Failure.BROKEN)
        if error is not None and (position < 0 or self.limits is not None):
            raise error
        if error is not None:
            raise named(error, place_of(self.stage.name, position, self.total))
        worker.held.popleft()
        self._hand_out(pipe, next(self.waiting, None))
        if not worker.held:
            self._end(pipe)
        return position, result

    def _fail(self, pipe: Connection, failure: Failure) -> tuple[int, Failure]:
        """Go on in a process anew, if there is a task for one."""
        position = self.workers[pipe].held[0]
        self._end(pipe)
        if (task := next(self.waiting, None)) is not None:
            self._hand_out(self._start(), task)
        return position, failure

    def _end(self, *pipes: Connection) -> None:
        """End workers and wait until they are gone."""
        workers = [self.workers.pop(pipe) for pipe in pipes]
        for pipe, worker in zip(pipes, workers, strict=True):
            pipe.close()
            worker.process.kill()
        for worker in workers:
            worker.process.join()


def _work(
    start: Callable[[], Callable[[Task], Result]], pipe: Connection, memory: int | None
) -> None:
    """Do tasks until the pipe closes; answer with (position, result, error)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if memory is not None:
        with suppress(ImportError):  # Windows has none; the clock still ends this process.
            import resource

            for kind, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0)):
                with suppress(ValueError, OSError):  # A lower limit is set already.
                    resource.setrlimit(kind, (most, most))
    tasks: SimpleQueue[tuple[int, Task] | None] = SimpleQueue()

    def fetch() -> None:
        with suppress(EOFError, OSError):
            while True:
                tasks.put(pipe.recv())
        tasks.put(None)

    # A thread takes tasks off the pipe: the parent and a worker that both wait until the other has
    # read what is too long for the pipe would wait for ever.
    Thread(target=fetch, daemon=True).start()
    with suppress(OSError):  # The parent is gone: so is the work.
        do, error = _attempt(start)
        if do is None:
            pipe.send((-1, None, error))
        while do is not None and (given := tasks.get()) is not None:
            position, task = given
            pipe.send((position, *_attempt(do, task)))


def _attempt(function: Callable[..., Any], *arguments: object) -> tuple[Any, Exception | None]:
    try:
        return function(*arguments), None
    except Exception as error:
        return None, error


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for the processes started meanwhile."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Start a process deaf to Ctrl-C; the parent hears it once it is started, and ends it.

    The mask is what the process inherits, where the system can. It does not keep the signal from
    the parent's other threads, which pass it on to Python: so it is also noted, and raised
    afterwards.
    """
    heard: list[int] = []
    try:
        before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    except ValueError:  # Not the main thread: Ctrl-C is not heard here anyway.
        yield
        return
    masking = hasattr(signal, "pthread_sigmask")
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if masking else set()
    try:
        yield
    finally:
        if masking:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
    if heard:
        signal.raise_signal(signal.SIGINT)
