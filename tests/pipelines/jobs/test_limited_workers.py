"""Workers with limits: who takes too long or too much has failed, and the others go on."""

import os
import signal

import pytest

from recsys.pipelines.jobs.engines import Failure, Limits, limited
from tests.rows import each_row

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
def test_every_task_is_done_once(jobs: int) -> None:
    assert done(["a", "b", "c", "d"], jobs=jobs) == ["A", "B", "C", "D"]


def test_nothing_is_started_for_no_tasks() -> None:
    assert done([]) == []


def test_who_breaks_down_has_failed_and_the_others_go_on() -> None:
    kinds = ["large", "a", "gone", "killed", "deep", "b"]
    failures = [Failure.MEMORY, "A", Failure.BROKEN, Failure.MEMORY, Failure.BROKEN, "B"]
    assert done(kinds) == failures


def test_who_takes_too_long_is_ended() -> None:
    limits = Limits(seconds=4.0)  # Starting a process takes a good part of one.
    assert done(["endless", "a"], jobs=2, limits=limits) == [Failure.TIME, "A"]


def test_an_error_of_a_task_is_raised_here() -> None:
    with pytest.raises(ValueError, match="wrong"):
        done(["a", "wrong"])


def test_nobody_is_left_behind_when_results_are_not_wanted() -> None:
    import multiprocessing

    results = limited(task, ["a", "b", "c"], jobs=1, limits=SHORT)
    next(results)
    results.close()
    assert not multiprocessing.active_children()
