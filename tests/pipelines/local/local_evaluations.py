"""Evaluate sentences of small corpora, quickly, and read what was written."""

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recsys.passages import Context
from recsys.pipelines.jobs.engines import ProcessPool, Shards, Stage
from recsys.pipelines.jobs.kept_results import Entry
from recsys.pipelines.local.evaluate_local import LocalEvaluation, LocalReport, evaluate_local
from recsys.pipelines.local.local_queries import LocalQueries, local_queries
from recsys.pipelines.local.local_systems import LOCAL_SYSTEMS
from recsys.progress import Progress, silent
from tests.pipelines.local.small_passages import invented_contexts, open_small_local
from tests.pipelines.small_index import open_small_collection

ALL = LocalEvaluation(
    systems=tuple(LOCAL_SYSTEMS), years=(2008, 2011), jobs=1, command="recsys it", masked=False
)
QUICK = replace(ALL, systems=("bm25", "local"), k=20)
USUAL = ProcessPool.map


def usual_or_here(
    pool: ProcessPool, stage: Stage[str, Entry], shards: Shards[str]
) -> Generator[tuple[int, Entry], None, None]:
    """Work in this process where one is asked for: to start one takes a second."""
    if pool.jobs is None or pool.jobs > 1:
        yield from USUAL(pool, stage, shards)
    else:
        yield from enumerate(map(stage.start(), shards))


@contextmanager
def in_one_process() -> Iterator[None]:
    """Let evaluations of one process run in this one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ProcessPool, "map", usual_or_here)
        yield


def queries_of(index: Path) -> LocalQueries:
    """Ask all invented sentences, and one by a paper that the index does not have."""
    contexts = [*invented_contexts(), Context("mars", "rivers-03", "Unknown.")]
    return local_queries(open_small_collection(index), contexts)


def evaluated(
    index: Path,
    found: LocalQueries,
    options: LocalEvaluation,
    out: Path,
    progress: Progress = silent,
) -> LocalReport:
    return evaluate_local(
        index, found, options, out, open_local=open_small_local, progress=progress
    )


def facts_of(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    return value


def contents(folder: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in (folder / "runs").glob("*.trec")}


class Stop(Exception):
    """Raised where a test stops an evaluation."""
