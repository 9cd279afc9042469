"""What all requests share: the indexes, the threads, the counters."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from starlette.requests import Request

from recsys.app.web.serve_settings import ServeSettings
from recsys.app.web.shelf import Opened, Shelf
from recsys.app.web.usage_counters import UsageCounters
from recsys.app.web.work_pool import WorkPool
from recsys.app.wiring import open_index

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Service:
    """Everything behind the routes of one process."""

    settings: ServeSettings
    shelf: Shelf
    pool: WorkPool
    counters: UsageCounters

    @classmethod
    def start(cls, settings: ServeSettings) -> "Service":
        """Open the indexes and make the threads.

        Raises:
            ArtifactError: an index is missing, unfinished or damaged.
        """
        paths = {name: Path(path) for name, path in settings.indexes}
        pool = WorkPool(threads=settings.threads, queue=settings.queue, seconds=settings.seconds)
        return cls(settings, Shelf(paths, open_index), pool, UsageCounters())

    async def ask(self, index: str | None, work: Callable[[Opened], T]) -> T:
        """Run work on an index in a thread.

        Raises:
            RecsysError: there is no such index, too many wait, or the work fails.
        """
        return await self.pool.run(partial(self._work, index, work))

    def _work(self, index: str | None, work: Callable[[Opened], T]) -> T:
        return work(self.shelf.current(index))


def service_of(request: Request) -> Service:
    """Return what a request is answered with."""
    service: Service = request.app.state.service
    return service
