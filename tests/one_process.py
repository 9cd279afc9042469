"""The work of worker processes, done in this one: to start a process takes a second or two."""

import pickle
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from recsys.pipelines.jobs.engines import ProcessPool, Result, Shards, Stage, Task, named, place_of


def through_a_pipe(value: Any) -> Any:  # noqa: ANN401 - Whatever it is, it comes out the same.
    """Return what another process would get, or fail where it would not get there."""
    return pickle.loads(pickle.dumps(value))


def here(
    pool: ProcessPool, stage: Stage[Task, Result], shards: Shards[Task]
) -> Generator[tuple[int, Result], None, None]:
    """Do what `ProcessPool.map` does, in this process."""
    start: Callable[[], Callable[[Task], Result]] = through_a_pipe(stage.start)
    do = start()
    for position, task in enumerate(shards):
        try:
            result = do(through_a_pipe(task))
        except Exception as error:
            raise named(error, place_of(stage.name, position, len(shards))) from None
        yield position, through_a_pipe(result)


@contextmanager
def in_one_process(most: int | None = None) -> Iterator[None]:
    """Start no workers meanwhile, for pools of at most so many processes; None: for any pool."""
    usual = ProcessPool.map

    def map_here(
        pool: ProcessPool, stage: Stage[Task, Result], shards: Shards[Task]
    ) -> Generator[tuple[int, Result], None, None]:
        few = most is None or (pool.jobs is not None and pool.jobs <= most)
        work = here if few else usual
        return work(pool, stage, shards)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ProcessPool, "map", map_here)
        yield
