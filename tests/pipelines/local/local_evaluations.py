"""Evaluate sentences of small corpora, quickly, and read what was written."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from recsys.passages import Context
from recsys.pipelines.local.evaluate_local import (
    LOCAL_SYSTEMS,
    LocalEvaluation,
    LocalReport,
    evaluate_local,
)
from recsys.pipelines.local.local_queries import LocalQueries, local_queries
from recsys.progress import Progress, silent
from tests.pipelines.local.small_passages import invented_contexts, open_small_local
from tests.pipelines.small_index import open_small_collection

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
