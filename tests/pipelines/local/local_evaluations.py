"""Evaluate sentences of small corpora, quickly, and read what was written."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from recsys.local.local_recommender import LocalPool, PassageRanker, PassageReader
from recsys.pipelines.local.evaluate_local import (
    LOCAL_SYSTEMS,
    LocalEvaluation,
    LocalReport,
    evaluate_local,
)
from recsys.pipelines.local.local_queries import LocalQueries, local_queries
from recsys.protocols import Progress, silent
from recsys.records import Context
from tests.local_worlds import COLUMNS
from tests.pipelines.small_index import (
    TOPICS,
    YEARS,
    SumRanker,
    open_small_collection,
    open_small_index,
)
from tests.tiny import SMALL

# Sentences in which the invented papers cite each other, and what answers them.

POOL = LocalPool(sentence=replace(SMALL, candidates=9), of_draft=6, named=4)


def open_small_local(index: Path) -> PassageRanker:
    """Open an index of `tests.pipelines.small_index` without models."""
    recommender = replace(open_small_index(index, metadata=False), stage_one=SMALL)
    return PassageRanker(PassageReader(recommender, POOL), SumRanker(COLUMNS))


def invented_contexts() -> list[Context]:
    """Of each paper with two references three sentences: naming one, both together, and nobody."""
    contexts = []
    for topic in TOPICS:
        name = topic.title()
        for age in range(2, YEARS):
            citing, one, two = (f"{topic}-{each:02}" for each in (age, age - 1, age - 2))
            named = f"{name} ({2000 + age - 1}) measured {topic} with care."
            both = f"Surveys of {topic} are many ({name}, {2000 + age - 1}; {name}, {1998 + age})."
            nobody = f"An instrument for {topic} was built {age} times."
            contexts += [Context(citing, one, named), Context(citing, two, nobody)]
            contexts += [Context(citing, each, both) for each in (one, two)]
    return contexts


ALL = LocalEvaluation(
    systems=tuple(LOCAL_SYSTEMS), years=(2008, 2011), jobs=1, command="recsys it", masked=False
)
QUICK = replace(ALL, systems=("bm25", "local"), k=20)


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
