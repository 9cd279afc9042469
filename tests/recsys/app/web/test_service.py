"""Threads are bounded, and so are those who wait for them."""

import asyncio
import json
import shutil
import threading
from pathlib import Path

import pytest

from recsys.app.web.index_registry import IndexRegistry, named
from recsys.app.web.replies import RequestError, UnknownIndex
from recsys.app.web.service import WorkPool
from recsys.app.wiring import open_index
from recsys.errors import InputError
from recsys.recommend import Recommender
from recsys.store.artifacts import MANIFEST
from tests.built_index import Built
from tests.conftest import RunCli
from tests.recsys.app.web.served import DRAFT, serving, settings_of


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


# An index that is changed is picked up; one that is damaged leaves the former.


def add_paper(run_cli: RunCli, index: Path, folder: Path, name: str) -> None:
    """Add a paper that a draft on rivers should cite."""
    papers = folder / f"{name}.jsonl"
    paper = {"id": name, "title": "Rivers, measured again", "year": 2001}
    papers.write_text(json.dumps(paper) + "\n", encoding="utf-8")
    assert run_cli("update", index, papers, "--quiet").code == 0


def test_an_index_that_is_updated_is_picked_up_between_questions(
    built: Built, tmp_path: Path, run_cli: RunCli
) -> None:
    index = built.copy(tmp_path)
    with serving(settings_of(index)) as client:
        before = client.get("/v1/indexes").json()["indexes"][0]
        assert client.get("/v1/papers/new").status_code == 404
        add_paper(run_cli, index, tmp_path, "new")
        assert client.get("/v1/papers/new").json()["title"] == "Rivers, measured again"
        after = client.get("/v1/indexes").json()["indexes"][0]
        assert after["papers"] == before["papers"] + 1
        assert after["fingerprint"] != before["fingerprint"]
        answer = client.post("/v1/recommendations", json={"draft": DRAFT}).json()
        assert "new" in [each["id"] for each in answer["recommendations"]]


def test_an_index_that_loses_its_ranker_while_it_is_served_says_so(
    built: Built, tmp_path: Path, run_cli: RunCli
) -> None:
    index = built.copy(tmp_path)
    with serving(settings_of(index)) as client:
        asked = client.get("/v1/indexes")
        assert asked.json()["indexes"][0]["remarks"] == []
        assert run_cli("build", built.papers, "--out", index, "--force", "--quiet").code == 0
        again = client.get("/v1/indexes", headers={"If-None-Match": asked.headers["ETag"]})
        (remark,) = again.json()["indexes"][0]["remarks"]
        assert remark.startswith("This index lost its own ranker when it was rebuilt")
        assert client.get("/healthz").json() == {"status": "ok"}
        shutil.rmtree(index)
        assert client.get("/v1/indexes").json()["indexes"][0]["remarks"] == [remark]


def test_an_index_that_is_damaged_or_gone_leaves_the_former(built: Built, tmp_path: Path) -> None:
    index = built.copy(tmp_path)
    registry = IndexRegistry({"small": index}, open_index)
    before = registry.current()
    manifest = (index / MANIFEST).read_bytes()
    (index / MANIFEST).write_bytes(b"{}")
    assert registry.current() is before
    (served,) = registry
    assert served.trouble
    (index / MANIFEST).unlink()
    assert registry.current() is before
    (index / MANIFEST).write_bytes(manifest)
    assert registry.current().fingerprint == before.fingerprint
    assert served.trouble is None


def test_an_index_that_cannot_be_opened_for_want_of_memory_leaves_the_former(
    built: Built, tmp_path: Path
) -> None:
    index, failures = built.copy(tmp_path), list[Exception]()

    def opener(path: Path) -> Recommender:
        if failures:
            raise failures.pop()
        return open_index(path)

    registry = IndexRegistry({"small": index}, opener)
    before = registry.current()
    (served,) = registry
    for error in (MemoryError(), OSError(24, "Too many open files")):
        failures.append(error)
        (index / MANIFEST).write_bytes((index / MANIFEST).read_bytes() + b" ")
        assert registry.current() is before
        assert served.trouble


def test_an_unknown_index_is_named_with_those_that_there_are(built: Built) -> None:
    registry = IndexRegistry({"small": built.index}, open_index)
    with pytest.raises(UnknownIndex, match="smal") as caught:
        registry.current("smal")
    assert "small" in str(caught.value)
    assert registry.current("").name == registry.current("small").name == "small"


def test_names_and_doubles(tmp_path: Path) -> None:
    paths = [tmp_path / "a" / "my.index", tmp_path / "b" / "my.index", tmp_path / "c"]
    assert list(named(paths)) == ["my", "my-2", "c"]
    with pytest.raises(InputError, match="twice"):
        named([tmp_path / "a", tmp_path / "b" / ".." / "a"])
