"""What all requests share: the settings, the indexes, the threads, the counters."""

import asyncio
import json
import os
import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter
from starlette.requests import Request

from recsys.app.web.index_registry import IndexRegistry, OpenIndex
from recsys.app.web.kept_questions import KeptQuestion, QuestionStore, SharedStore, Store
from recsys.app.web.replies import RequestError
from recsys.app.web.upload_reader import UploadedDraft
from recsys.app.web.uploads import UploadedFile, read_uploaded_draft, read_uploaded_lists
from recsys.app.wiring import open_index
from recsys.records import Bibliography, PaperId

T = TypeVar("T")

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
    body to arrive. body: bytes of a request at most. store: address and secret of the process that
    keeps the questions of all workers; None: this one keeps its own.
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
    store: tuple[str, str] | None = None

    def hand_on(self) -> None:
        """Leave the settings to the processes that are started from now on."""
        os.environ[VARIABLE] = json.dumps(asdict(self))

    @classmethod
    def handed_on(cls) -> "ServeSettings":
        """Take what `hand_on` left."""
        return TypeAdapter(cls).validate_json(os.environ[VARIABLE])


class UsageCounters:
    """Counts requests and their seconds in one process: nothing that was asked is in it."""

    BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
    """Upper bounds in seconds."""
    MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

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
            self._buckets[bisect_left(self.BUCKETS, seconds)] += 1
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
        for place, bound in enumerate(self.BUCKETS):
            below += self._buckets[place]
            yield f'recsys_request_seconds_bucket{{le="{bound:g}"}} {below}'
        total = self._buckets.total()
        yield f'recsys_request_seconds_bucket{{le="+Inf"}} {total}'
        yield f"recsys_request_seconds_sum {self._seconds:.6f}"
        yield f"recsys_request_seconds_count {total}"
        yield "# HELP recsys_questions_in_work Questions that are being answered or wait."
        yield "# TYPE recsys_questions_in_work gauge"
        yield f"recsys_questions_in_work {inside}"


class WorkPool:
    """Runs work in threads; what would have to wait too long is refused at once."""

    def __init__(self, *, threads: int, queue: int, seconds: float) -> None:
        """Make the threads.

        Args:
            threads: how many pieces of work run at once.
            queue: how many more may wait.
            seconds: how long anybody waits for one.
        """
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="answer")
        self._most, self._seconds = threads + queue, seconds
        self.inside = 0

    async def run(self, work: Callable[[], T]) -> T:
        """Run work in a thread and wait for it.

        A thread cannot be stopped: work that takes too long keeps its place until it ends.

        Raises:
            RequestError: too many wait, or it takes too long.
        """
        if self.inside >= self._most:
            what = f"{self.inside} questions are being answered or wait already."
            hint = "Ask again in a moment."
            raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, what, hint, wait=1)
        self.inside += 1
        loop = asyncio.get_running_loop()

        def count_down() -> None:
            self.inside -= 1

        def leave(_: object) -> None:
            with suppress(RuntimeError):  # The server has ended.
                loop.call_soon_threadsafe(count_down)

        future = self._executor.submit(work)
        future.add_done_callback(leave)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._seconds)
        except TimeoutError as error:
            what = f"The answer took longer than {self._seconds:g} s."
            hint = "Ask with a shorter draft or fewer references."
            raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, what, hint, wait=5) from error

    def close(self) -> None:
        """Start nothing more, and wait for what runs."""
        self._executor.shutdown(wait=True, cancel_futures=True)


class Service:
    """Everything behind the routes of one process."""

    def __init__(self, settings: ServeSettings) -> None:
        """Open the indexes and make the threads.

        Raises:
            ArtifactError: an index is missing, unfinished or damaged.
        """
        self.settings, self.counters = settings, UsageCounters()
        paths = {name: Path(path) for name, path in settings.indexes}
        self.indexes = IndexRegistry(paths, open_index)
        self.picks = 0  # How many wait for a pick.
        self.ending: Callable[[], bool] = lambda: False  # Whether the server ends.
        self.store: Store = SharedStore(*settings.store) if settings.store else QuestionStore()
        # Files are read in threads of their own, so that a slow one holds up no answer.
        self.pool, self.reading = (
            WorkPool(threads=settings.threads, queue=settings.queue, seconds=settings.seconds)
            for _ in range(2)
        )

    def close(self) -> None:
        """Wait for what runs."""
        self.pool.close()
        self.reading.close()

    async def read_draft(
        self, files: Sequence[UploadedFile], *, sentences: bool = True
    ) -> UploadedDraft:
        """Read files as one draft; see `read_uploaded_draft`."""
        return await self.reading.run(partial(read_uploaded_draft, files, sentences=sentences))

    async def read_lists(self, files: Sequence[UploadedFile]) -> Bibliography:
        """Read files as lists of references; see `read_uploaded_lists`."""
        return await self.reading.run(partial(read_uploaded_lists, files))

    async def ask(self, index: str | None, work: Callable[[OpenIndex], T]) -> T:
        """Run work on an index in a thread.

        Raises:
            RecsysError: there is no such index, too many wait, or the work fails.
        """
        return await self.pool.run(lambda: work(self.indexes.current(index)))

    def keep(self, question: KeptQuestion) -> str:
        """Keep a question, and return its key; one without a collection gets an empty one."""
        collection = question.collection or self.store.put(b"[]")
        return self.store.put(replace(question, collection=collection).packed())

    def kept(self, key: str) -> KeptQuestion | None:
        """Return a question, None when it is no longer kept."""
        raw = self.store.get(key)
        return KeptQuestion.unpacked(raw) if raw else None

    def pinned(self, question: KeptQuestion) -> list[PaperId]:
        """List the papers of a question's collection, those pinned last at the end."""
        ids: list[PaperId] = json.loads(self.store.get(question.collection) or b"[]")
        return ids


def service_of(request: Request) -> Service:
    """Return what a request is answered with."""
    service: Service = request.app.state.service
    return service
