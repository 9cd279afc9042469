"""A bounded number of threads that answer, and a bounded number of questions that wait for them."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import TypeVar

from recsys.app.web.problem_details import RequestError

T = TypeVar("T")


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
            raise RequestError(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"{self.inside} questions are being answered or wait already.",
                "Ask again in a moment.",
                wait=1,
            )
        self.inside += 1
        future = self._executor.submit(work)
        loop = asyncio.get_running_loop()
        future.add_done_callback(lambda _: self._left(loop))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._seconds)
        except TimeoutError as error:
            raise RequestError(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"The answer took longer than {self._seconds:g} s.",
                "Ask with a shorter draft or fewer references.",
                wait=5,
            ) from error

    def close(self) -> None:
        """Start nothing more, and wait for what runs."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _left(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.call_soon_threadsafe(self._count_down)
        except RuntimeError:  # The server has ended.
            return

    def _count_down(self) -> None:
        self.inside -= 1
