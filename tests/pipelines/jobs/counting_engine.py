"""An engine of this process that tells what it was asked to do."""

from collections.abc import Generator
from dataclasses import dataclass, field

from recsys.pipelines.jobs.engines import Result, Shards, Stage, Task


@dataclass
class CountingEngine:
    """Does one shard after the other, the last one first where it works backwards.

    most: shards after which it is killed. done: those that it did.
    """

    most: int = 1000
    backwards: bool = False
    done: list[object] = field(default_factory=list)
    here: bool = True

    def map(
        self, stage: Stage[Task, Result], shards: Shards[Task]
    ) -> Generator[tuple[int, Result], None, None]:
        do = stage.start()
        for position, shard in sorted(enumerate(shards), reverse=self.backwards):
            if len(self.done) == self.most:
                raise KeyboardInterrupt
            self.done.append(shard)
            yield position, do(shard)
