"""Share a list of tasks among processes that each open something once.

Processes are spawned, never forked: ONNX Runtime and Arrow own threads, which a fork would lose
with their locks held. Each computes on one thread, so the results do not depend on how many there
are. A worker waits at its pipe and ends when the pipe closes: none outlives its parent, even one
that was killed.
"""

import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar, cast

from recsys.errors import RecsysError

Task = TypeVar("Task")
Result = TypeVar("Result")

# Sums depend on the order of their parts: on one thread each, any number of workers agrees.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Environment of a process that computes on one thread."""

_AHEAD = 2
"""Tasks at a worker: one in work and one waiting, so that it need not wait for its parent."""


def shared(
    start: Callable[[], Callable[[Task], Result]], tasks: Sequence[Task], *, jobs: int
) -> Generator[tuple[int, Result], None, None]:
    """Yield (position of the task, its result) as results come in.

    Args:
        start: called once in every process; returns the function that does a task. It must be
            importable there: a function of a module, or a `functools.partial` of one.
        tasks: small values that can be sent to another process.
        jobs: processes at most.

    Raises:
        RecsysError: a process ended before its work was done.
        Exception: whatever `start` or a task raised.
    """
    crew = Crew[Task, Result](start, min(jobs, len(tasks)))
    try:
        yield from crew.results(tasks)
    finally:
        crew.dismiss()


class Crew(Generic[Task, Result]):
    """Worker processes with a pipe to each."""

    def __init__(self, start: Callable[[], Callable[[Task], Result]], size: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.workers: dict[Connection, BaseProcess] = {}
        try:
            with environment(ONE_THREAD), interrupts_deferred():
                for _ in range(size):
                    here, there = context.Pipe()
                    process = context.Process(target=_work, args=(start, there), daemon=True)
                    process.start()
                    there.close()
                    self.workers[here] = process
        except BaseException:
            self.dismiss()
            raise

    def results(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Result]]:
        """Hand out the tasks in order and yield the results as they come."""
        waiting = iter(enumerate(tasks))
        for _ in range(_AHEAD):
            for pipe in self.workers:
                self._hand_out(pipe, waiting)
        left = len(tasks)
        while left:
            for pipe in cast(list[Connection], wait(list(self.workers))):
                position, result = self._receive(pipe)
                left -= 1
                self._hand_out(pipe, waiting)
                yield position, result

    def dismiss(self) -> None:
        """End every process and wait until it is gone."""
        for pipe, process in self.workers.items():
            pipe.close()
            process.terminate()
        for process in self.workers.values():
            process.join()

    def _hand_out(self, pipe: Connection, waiting: Iterator[tuple[int, Task]]) -> None:
        task = next(waiting, None)
        if task is not None:
            with suppress(OSError):  # A worker that ended is noticed when its result is received.
                pipe.send(task)

    def _receive(self, pipe: Connection) -> tuple[int, Result]:
        try:
            position, result, error = pipe.recv()
        except (EOFError, OSError) as lost:
            process = self.workers[pipe]
            process.join()
            raise RecsysError(
                f"A worker process ended with exit code {process.exitcode} before its work was "
                "done.",
                "Run the same command again, with fewer --jobs if memory is short.",
            ) from lost
        if error is not None:
            raise error
        return position, result


def _work(start: Callable[[], Callable[[Task], Result]], pipe: Connection) -> None:
    """Do tasks until the pipe closes; answer with (position, result, error)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):  # The parent is gone: so is the work.
        do, error = _attempt(start)
        if do is None:
            pipe.send((-1, None, error))
        while do is not None:
            position, task = pipe.recv()
            pipe.send((position, *_attempt(do, task)))


def _attempt(function: Callable[..., Any], *arguments: object) -> tuple[Any, Exception | None]:
    try:
        return function(*arguments), None
    except Exception as error:
        return None, error


@contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
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
def _interrupts_masked() -> Iterator[None]:
    """Block Ctrl-C for this thread and the processes that it starts, where the system can."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Start processes deaf to Ctrl-C; the parent hears it once all are started, and ends them.

    The mask is what the processes inherit. It does not keep the signal from the parent's other
    threads, which pass it on to Python: so it is also noted, and raised afterwards.
    """
    heard: list[int] = []
    try:
        before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    except ValueError:  # Not the main thread: Ctrl-C is not heard here anyway.
        yield
        return
    try:
        with _interrupts_masked():
            yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
    if heard:
        signal.raise_signal(signal.SIGINT)
