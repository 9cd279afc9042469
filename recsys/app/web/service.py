"""What all requests share: the indexes, the threads, the counters."""

import json
import os
import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from starlette.requests import Request

from recsys.app.web.shelf import Opened, Shelf
from recsys.app.web.work_pool import WorkPool
from recsys.app.wiring import open_index

# What `recsys serve` was told, in a form that its worker processes are given, too.

VARIABLE = "RECSYS_SERVE"
"""The environment variable that hands the settings to worker processes."""
MEGABYTE = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeSettings:
    """How to serve.

    indexes: name and path of each. hosts: values of the header Host that are answered, lower case.
    any_address: whether every address given as numbers is, too. token: what must be shown. threads:
    questions answered at once. queue: how many more may wait. seconds: for an answer, and for a
    body to arrive. body: bytes of a request at most.
    """

    indexes: tuple[tuple[str, str], ...]
    hosts: tuple[str, ...]
    any_address: bool = False
    token: str | None = None
    metrics: bool = False
    starter: bool = False
    threads: int = 2
    queue: int = 32
    seconds: float = 30.0
    body: int = 16 * MEGABYTE

    def hand_on(self) -> None:
        """Leave the settings to the processes that are started from now on."""
        os.environ[VARIABLE] = json.dumps(asdict(self))

    @classmethod
    def handed_on(cls) -> "ServeSettings":
        """Take what `hand_on` left."""
        value = json.loads(os.environ[VARIABLE])
        pairs = tuple((name, path) for name, path in value.pop("indexes"))
        return cls(indexes=pairs, hosts=tuple(value.pop("hosts")), **value)


# Count requests and their seconds, for Prometheus: nothing that was asked is in it.

BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds in seconds."""
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class UsageCounters:
    """Counters of one process."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: Counter[int] = Counter()
        self._seconds = 0.0

    def count(self, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        with self._lock:
            self._requests[route, status] += 1
            self._buckets[bisect_left(BUCKETS, seconds)] += 1
            self._seconds += seconds

    def text(self, *, inside: int) -> str:
        """Write the counters in Prometheus' text format; inside: questions that are in work."""
        with self._lock:
            return "".join(f"{line}\n" for line in self._lines(inside))

    def _lines(self, inside: int) -> Iterator[str]:
        yield "# HELP recsys_requests_total Requests by route and status."
        yield "# TYPE recsys_requests_total counter"
        for (route, status), number in sorted(self._requests.items()):
            yield f'recsys_requests_total{{route="{route}",status="{status}"}} {number}'
        yield "# HELP recsys_request_seconds How long requests took."
        yield "# TYPE recsys_request_seconds histogram"
        below = 0
        for place, bound in enumerate(BUCKETS):
            below += self._buckets[place]
            yield f'recsys_request_seconds_bucket{{le="{bound:g}"}} {below}'
        total = self._buckets.total()
        yield f'recsys_request_seconds_bucket{{le="+Inf"}} {total}'
        yield f"recsys_request_seconds_sum {self._seconds:.6f}"
        yield f"recsys_request_seconds_count {total}"
        yield "# HELP recsys_questions_in_work Questions that are being answered or wait."
        yield "# TYPE recsys_questions_in_work gauge"
        yield f"recsys_questions_in_work {inside}"


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Service:
    """Everything behind the routes of one process.

    pool: answers. reading: reads files, so that a slow one holds up no answer.
    """

    settings: ServeSettings
    shelf: Shelf
    pool: WorkPool
    reading: WorkPool
    counters: UsageCounters

    @classmethod
    def start(cls, settings: ServeSettings) -> "Service":
        """Open the indexes and make the threads.

        Raises:
            ArtifactError: an index is missing, unfinished or damaged.
        """
        paths = {name: Path(path) for name, path in settings.indexes}
        bounds = {"threads": settings.threads, "queue": settings.queue}
        pool, reading = (WorkPool(**bounds, seconds=settings.seconds) for _ in range(2))
        return cls(settings, Shelf(paths, open_index), pool, reading, UsageCounters())

    def close(self) -> None:
        """Wait for what runs."""
        self.pool.close()
        self.reading.close()

    async def read(self, work: Callable[[], T]) -> T:
        """Read files in a thread.

        Raises:
            RecsysError: too many wait, or a file cannot be read.
        """
        return await self.reading.run(work)

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
