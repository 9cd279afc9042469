"""Workers: every task once, errors and interrupts in the parent, nobody left behind.

Within limits, who takes too long or too much has failed, and the others go on.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from multiprocessing import resource_tracker
from pathlib import Path

import pytest

from recsys.errors import InputError, RecsysError
from recsys.pipelines.jobs.engines import (
    Failure,
    Limits,
    ProcessPool,
    Result,
    Stage,
    Task,
    limited,
)
from tests.rows import each_row

BUSY = """
import time
from functools import partial
from recsys.pipelines.jobs.engines import ProcessPool, Stage

if __name__ == "__main__":
    rest = Stage("rest", partial(partial, time.sleep))
    for at, _ in ProcessPool(2).map(rest, [0.0, 0.0] + [0.2] * 500):
        print(at, flush=True)
"""


def shared(
    start: Callable[[], Callable[[Task], Result]], tasks: Sequence[Task], *, jobs: int
) -> Generator[tuple[int, Result], None, None]:
    return ProcessPool(jobs).map(Stage("tries", start), tasks)


def powers(jobs: int, tasks: list[int]) -> dict[int, int]:
    return dict(shared(partial(partial, pow, 2), tasks, jobs=jobs))


def test_every_task_is_done_where_signals_cannot_be_masked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resource_tracker.ensure_running()  # Python's own, which masks them where it is started.
    monkeypatch.delattr(signal, "pthread_sigmask", raising=False)  # As on Windows.
    assert powers(2, [5, 3]) == {0: 32, 1: 8}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_workers_compute_on_one_thread_and_leave_the_environment_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    before = dict(os.environ)
    start: partial[partial[str | None]] = partial(partial, os.getenv)
    assert dict(shared(start, ["OMP_NUM_THREADS"], jobs=1)) == {0: "1"}
    assert dict(os.environ) == before


def test_an_error_in_a_task_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        dict(shared(partial(partial, pow, 0), [1, -1, 2], jobs=2))
    assert raised.value.__notes__ == ["In shard 2 of 3 of 'tries'."]


def test_tasks_and_results_may_be_longer_than_a_pipe_holds() -> None:
    long = [bytes([at]) * 2_000_000 for at in range(6)]
    assert dict(shared(partial(partial, bytes), long, jobs=2)) == dict(enumerate(long))


def refuse_to_start() -> None:
    raise InputError("Nothing is there.", "Bring it.")


def fail_to_open() -> None:
    raise FileNotFoundError(2, "No such file", "x")


def test_an_error_at_the_start_keeps_its_hint() -> None:
    with pytest.raises(InputError) as raised:
        dict(shared(refuse_to_start, [1], jobs=1))  # type: ignore[arg-type]  # Never returns.
    assert (raised.value.what, raised.value.hint) == ("Nothing is there.", "Bring it.")
    with pytest.raises(FileNotFoundError):
        dict(shared(fail_to_open, [1], jobs=1))  # type: ignore[arg-type]  # Never returns.


def test_a_worker_that_dies_is_an_error_and_not_a_hang() -> None:
    with pytest.raises(RecsysError, match=r"exit code 3 .*shard \d of 3 of 'tries'"):
        dict(shared(partial(partial, os._exit), [3, 3, 3], jobs=2))


def test_no_process_is_left_when_the_results_are_not_wanted_any_more() -> None:
    pids: partial[partial[int]] = partial(partial, _pid)
    with closing(shared(pids, list(range(50)), jobs=2)) as results:
        _, pid = next(results)
        assert _alive(pid)
    assert not _alive(pid)


def _pid(task: int) -> int:
    return os.getpid()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a program whose two workers are busy, in a process group of its own."""
    script = tmp_path / "busy.py"
    script.write_text(BUSY, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    process = subprocess.Popen(
        [sys.executable, str(script)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    answered: set[str] = set()
    while not {"0", "1"} <= answered:  # The first tasks of either worker: both listen then.
        answered.add(process.stdout.readline().strip())
        assert "" not in answered
    yield process
    if _group_alive(process.pid):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _group_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _wait_until_gone(group: int) -> bool:
    deadline = time.monotonic() + 10
    while _group_alive(group) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not _group_alive(group)


def test_ctrl_c_ends_every_process_with_one_traceback(busy: subprocess.Popen[str]) -> None:
    os.killpg(busy.pid, signal.SIGINT)
    _, err = busy.communicate(timeout=10)
    assert err.count("KeyboardInterrupt") == 1
    assert _wait_until_gone(busy.pid)


@pytest.mark.parametrize("blow", [signal.SIGTERM, signal.SIGKILL])
def test_workers_do_not_outlive_a_parent_that_is_killed(
    busy: subprocess.Popen[str], blow: signal.Signals
) -> None:
    busy.send_signal(blow)
    assert busy.wait(timeout=10) == -blow
    assert _wait_until_gone(busy.pid)


SHORT = Limits(seconds=20.0)


def task(kind: str) -> str:
    """Do what a task is told to; a worker imports this."""
    if kind == "endless":
        while True:
            pass
    if kind == "large":
        return str(len(bytearray(2**40)))
    if kind == "deep":
        return task_within(kind)
    if kind == "gone":
        os._exit(3)
    if kind == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "wrong":
        raise ValueError(kind)
    return kind.upper()


def task_within(kind: str) -> str:
    return task_within(kind) + kind


def done(kinds: list[str], *, jobs: int = 2, limits: Limits = SHORT) -> list[str | Failure]:
    found = dict(limited(task, kinds, jobs=jobs, limits=limits))
    return [found[place] for place in range(len(kinds))]


@each_row("jobs", [1, 3])
def test_every_task_within_limits_is_done_once(jobs: int) -> None:
    assert done(["a", "b", "c", "d"], jobs=jobs) == ["A", "B", "C", "D"]
    assert done([], jobs=jobs) == []


def test_who_breaks_down_has_failed_and_errors_are_raised_here() -> None:
    kinds = ["large", "a", "gone", "killed", "deep", "b"]
    failures = [Failure.MEMORY, "A", Failure.BROKEN, Failure.MEMORY, Failure.BROKEN, "B"]
    assert done(kinds) == failures
    with pytest.raises(ValueError, match="wrong"):
        done(["a", "wrong"])


def test_who_takes_too_long_is_ended() -> None:
    limits = Limits(seconds=4.0)  # Starting a process takes a good part of one.
    assert done(["endless", "a"], jobs=2, limits=limits) == [Failure.TIME, "A"]


def test_nobody_is_left_behind_when_results_are_not_wanted() -> None:
    results = limited(task, ["a", "b", "c"], jobs=1, limits=SHORT)
    next(results)
    results.close()
    assert not multiprocessing.active_children()
