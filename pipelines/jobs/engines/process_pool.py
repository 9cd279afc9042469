"""The engine of one machine: spawned processes, one for each processor."""

from collections.abc import Generator
from dataclasses import dataclass

from recsys.pipelines.jobs.engines.engine_contract import Result, Shards, Stage, Task
from recsys.pipelines.jobs.workers import Crew
from recsys.processors import processors


@dataclass(frozen=True, slots=True)
class ProcessPool:
    """jobs: processes at most; None: one per processor. See `workers` for how they live."""

    jobs: int | None = None

    @property
    def here(self) -> bool:
        """Tell that work stays on this machine."""
        return True

    def map(
        self, stage: Stage[Task, Result], shards: Shards[Task]
    ) -> Generator[tuple[int, Result], None, None]:
        """Do as `Engine.map` says; a process that ends early is an error, and not replaced."""
        crew = Crew[Task, Result](stage, min(self.jobs or processors(), len(shards)))
        try:
            yield from crew.results(shards)
        finally:
            crew.dismiss()


USUAL = ProcessPool()
"""The engine where none is named."""
