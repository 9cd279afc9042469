"""Work over queries that survives being killed, whatever the number of processes."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from recsys.pipelines.jobs.engines import ProcessPool
from recsys.pipelines.jobs.kept_results import Entry, Gathered, Sidecar, gather
from recsys.progress import Progress, silent

QUERIES = ["a", "bb", "ccc", "dddd", "eeeee"]


class Stop(Exception):
    pass


def measure(factor: int) -> Callable[[str], Entry]:
    return lambda query: {"length": factor * len(query)}


def measured(path: Path, queries: list[str], progress: Progress = silent) -> Gathered:
    sidecar = Sidecar(path, "lengths")
    return gather(
        "lengths",
        partial(measure, 2),
        queries,
        sidecar=sidecar,
        engine=ProcessPool(2),
        progress=progress,
    )


def test_entries_come_in_the_order_of_the_queries(tmp_path: Path) -> None:
    gathered = measured(tmp_path / "x", QUERIES)
    assert list(gathered.entries.items()) == [(q, {"length": 2 * len(q)}) for q in QUERIES]
    assert gathered.continued == 0


def test_work_that_was_stopped_is_continued_and_the_sidecar_stays(tmp_path: Path) -> None:
    def stop(stage: str, done: int, total: int) -> None:
        if done == 3:
            raise Stop

    with pytest.raises(Stop):
        measured(tmp_path / "x", QUERIES, stop)
    seen: list[int] = []
    gathered = measured(tmp_path / "x", QUERIES, lambda stage, done, total: seen.append(done))
    assert (gathered.continued, seen) == (3, [3, 4, 5])
    assert list(gathered.entries) == QUERIES
    assert measured(tmp_path / "x", QUERIES).continued == 5


def test_only_what_is_asked_is_returned(tmp_path: Path) -> None:
    measured(tmp_path / "x", QUERIES)
    assert list(measured(tmp_path / "x", ["ccc", "a"]).entries) == ["ccc", "a"]
