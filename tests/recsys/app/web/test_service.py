"""Threads are bounded, and so are those who wait for them."""

import asyncio
import threading

import pytest

from recsys.app.web.replies import RequestError
from recsys.app.web.service import WorkPool


def test_work_is_done_in_a_thread_and_its_errors_come_back() -> None:
    async def main() -> None:
        pool = WorkPool(threads=1, queue=0, seconds=5)
        assert await pool.run(lambda: threading.current_thread().name) != "MainThread"
        with pytest.raises(KeyError):
            await pool.run(lambda: dict[str, int]()["none"])
        await asyncio.sleep(0)
        assert pool.inside == 0
        pool.close()

    asyncio.run(main())


def test_more_than_may_wait_are_refused_at_once_and_later_ones_are_not() -> None:
    async def main() -> None:
        pool, go_on = WorkPool(threads=1, queue=1, seconds=5), threading.Event()
        waiting = [asyncio.create_task(pool.run(go_on.wait)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(RequestError) as caught:
            await pool.run(go_on.wait)
        assert (caught.value.status, caught.value.wait) == (503, 1)
        go_on.set()
        assert await asyncio.gather(*waiting) == [True, True]
        await asyncio.sleep(0.01)
        assert await pool.run(lambda: 3) == 3
        pool.close()

    asyncio.run(main())


def test_work_that_takes_too_long_keeps_its_place_until_it_ends() -> None:
    async def main() -> None:
        pool, go_on = WorkPool(threads=1, queue=0, seconds=0.05), threading.Event()
        with pytest.raises(RequestError) as caught:
            await pool.run(go_on.wait)
        assert caught.value.status == 503
        assert pool.inside == 1
        go_on.set()
        for _ in range(100):
            await asyncio.sleep(0.01)
            if not pool.inside:
                break
        assert pool.inside == 0
        pool.close()

    asyncio.run(main())
