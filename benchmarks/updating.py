"""What it costs to add a few papers to an index, as a whole process."""

import gzip
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from recsys.pipelines.jobs.programs import Bench, run_recsys

ADDED = 7
DRAFT = Path("examples/draft.json")


def measure_updates(bench: Bench, corpora: Iterable[str]) -> dict[str, Any]:
    """Take the last papers out of a copy of each corpus's index, and add them again."""
    return {corpus: _measure(bench, corpus) for corpus in corpora}


def _measure(bench: Bench, corpus: str) -> dict[str, Any]:
    work = bench.work / "update"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    index = Path(shutil.copytree(bench.built(corpus), work / "x.index"))
    with gzip.open(bench.papers(corpus), "rt", encoding="utf-8") as file:
        lines = [line for line in file if line.strip()]
    last = lines[-ADDED:]
    (work / "ids.txt").write_text("".join(f"{json.loads(line)['id']}\n" for line in last))
    (work / "papers.jsonl").write_text("".join(last), encoding="utf-8")
    run_recsys("update", index, "--remove", work / "ids.txt", "--quiet")
    opening = run_recsys("recommend", DRAFT, "--index", index, "--quiet")
    cost = run_recsys("update", index, work / "papers.jsonl", "--quiet")
    shutil.rmtree(work)
    return {
        "papers": len(lines),
        "added": ADDED,
        "seconds": cost.seconds,
        "peak_mib": cost.peak_mib,
        "opening_mib": opening.peak_mib,
    }
