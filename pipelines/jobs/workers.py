"""Share a list of tasks among processes that each open something once.

Processes are spawned, never forked: ONNX Runtime and Arrow own threads, which a fork would lose
with their locks held. Each computes on one thread, so the results do not depend on how many there
are. A worker waits at its pipe and ends when the pipe closes: none outlives its parent, even one
that was killed.
"""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from threading import Thread
from typing import Any, Generic, cast

from recsys.errors import RecsysError
from recsys.pipelines.jobs.engines.engine_contract import (
    Result,
    Shards,
    Stage,
    Task,
    named,
    place_of,
)

# Sums depend on the order of their parts: on one thread each, any number of workers agrees.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Environment of a process that computes on one thread."""

AHEAD = 2
"""Tasks at a worker: one in work and one waiting, so that it need not wait for its parent."""


class Crew(Generic[Task, Result]):
    """Worker processes with a pipe to each. stage: what they do. size: how many they are."""

    def __init__(self, stage: Stage[Task, Result], size: int) -> None:
        self.stage, self.total = stage, 0
        context = multiprocessing.get_context("spawn")
        self.workers: dict[Connection, BaseProcess] = {}
        self.held: dict[Connection, list[int]] = {}
        try:
            with environment(ONE_THREAD), interrupts_deferred():
                for _ in range(size):
                    here, there = context.Pipe()
                    process = context.Process(target=_work, args=(stage.start, there), daemon=True)
                    process.start()
                    there.close()
                    self.workers[here], self.held[here] = process, []
        except BaseException:
            self.dismiss()
            raise

    def results(self, tasks: Shards[Task]) -> Iterator[tuple[int, Result]]:
        """Hand out the tasks in order and yield the results as they come."""
        waiting = iter(enumerate(tasks))
        self.total = len(tasks)
        for _ in range(AHEAD):
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
            self.held[pipe].append(task[0])
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
                f"done: {self._place(self.held[pipe][0])}.",
                "Run the same command again, with fewer --jobs if memory is short.",
            ) from lost
        if error is not None:
            raise error if position < 0 else named(error, self._place(position))
        self.held[pipe].remove(position)
        return position, result

    def _place(self, position: int) -> str:
        return place_of(self.stage.name, position, self.total)


def _work(start: Callable[[], Callable[[Task], Result]], pipe: Connection) -> None:
    """Do tasks until the pipe closes; answer with (position, result, error)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks: SimpleQueue[tuple[int, Task] | None] = SimpleQueue()
    # A thread takes tasks off the pipe: the parent and a worker that both wait until the other has
    # read what is too long for the pipe would wait for ever.
    Thread(target=_fetch, args=(pipe, tasks), daemon=True).start()
    with suppress(OSError):  # The parent is gone: so is the work.
        do, error = _attempt(start)
        if do is None:
            pipe.send((-1, None, error))
        while do is not None and (given := tasks.get()) is not None:
            position, task = given
            pipe.send((position, *_attempt(do, task)))


def _fetch(pipe: Connection, tasks: SimpleQueue[tuple[int, Task] | None]) -> None:
    """Hand on what comes through the pipe; None when it is closed."""
    with suppress(EOFError, OSError):
        while True:
            tasks.put(pipe.recv())
    tasks.put(None)


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
