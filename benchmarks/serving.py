"""What an answer costs: a whole process against its peer, and a draft in a running process.

Run as `python -m benchmarks.serving INDEX SPLIT`, it times the dev queries in this
process and writes JSON to stdout.
"""

import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import recsys
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.jobs.engines import ONE_THREAD
from recsys.pipelines.jobs.programs import Bench, Cost, recsys_program, run_module, run_program
from recsys.query.query import draft_of
from recsys.recommend import Recommender
from recsys.records import PaperId
from recsys.store.arrays import Floats
from recsys.store.collection import Collection

ROUNDS = 5
WARM_UP = 20
SHOWN = 20
REFERENCES = 40
"""References of a draft that cites much."""


@dataclass(frozen=True, slots=True)
class StoredVector:
    """An encoder that knows its one answer: for timing everything but encoding."""

    vector: Floats
    fingerprint: str = "stored"

    @property
    def dim(self) -> int:
        """Length of the vector."""
        return len(self.vector)

    def encode(self, texts: Sequence[tuple[str, str | None]]) -> Floats:
        """Return the stored vector for each text."""
        return np.tile(self.vector, (len(texts), 1))


def measure_serving(bench: Bench, corpora: Sequence[str]) -> dict[str, Any]:
    """Measure whole processes on the first corpus, and a running process on each."""
    found: dict[str, Any] = measure_processes(bench, corpora[0])
    found["milliseconds"] = {
        corpus: run_module(
            "benchmarks.serving",
            bench.trained(corpus),
            bench.split(corpus),
            env=ONE_THREAD,
        )
        for corpus in corpora
    }
    return found


def measure_processes(bench: Bench, corpus: str) -> dict[str, Any]:
    """Compare `recsys recommend` with its peer, taking turns: medians of CPU seconds."""
    index = bench.trained(corpus)
    draft = write_draft(bench, corpus)
    commands: dict[str, list[str | Path]] = {
        "recommend": [recsys_program(), "recommend", draft, "--index", index, "--quiet"],
        "peer": [sys.executable, "-m", "benchmarks.peer", index, draft],
    }
    commands["recommend"] += ["-k", str(SHOWN), "--format", "jsonl"]
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for turn in range(ROUNDS + 1):  # The first turn warms the disk cache.
        for name, command in commands.items():
            cost = run_program(command)
            if turn:
                costs[name].append(cost)
    cpu = {name: [cost.cpu_seconds for cost in costs[name]] for name in costs}
    medians = {name: statistics.median(seconds) for name, seconds in cpu.items()}
    return {
        "cpu_seconds": medians,
        "rounds": cpu,
        "seconds": {n: statistics.median(cost.seconds for cost in costs[n]) for n in costs},
        "ratio": medians["peer"] / medians["recommend"],
        "same_papers": _shared(costs["recommend"][0].out, costs["peer"][0].out),
    }


def write_draft(bench: Bench, corpus: str) -> Path:
    """Write the first dev query as a draft file and return it."""
    recommender = recsys.load(bench.index(corpus))
    query = read_split(bench.split(corpus), recommender.collection).part("dev")[0]
    collection = recommender.collection
    draft = asdict(draft_of(collection.corpus.full_papers(collection.corpus.rows([query]))[0]))
    draft["id"] = draft.pop("paper_id")
    path = bench.work / f"{corpus}-draft.json"
    filled = {name: value for name, value in draft.items() if value}
    path.write_text(json.dumps(filled, ensure_ascii=False), encoding="utf-8")
    return path


def time_drafts(
    recommender: Recommender, queries: Sequence[str], *, references: int = 0
) -> list[float]:
    """Answer corpus papers posed as drafts, their vectors given: CPU milliseconds of each.

    references: so many of the papers nearest to a draft are given as what it cites.
    """
    collection = recommender.collection
    rows = [int(collection.corpus.rows([query])[0]) for query in queries]
    drafts = [draft_of(paper) for paper in collection.corpus.full_papers(rows)]
    if references:
        given = [_nearest_older(collection, row, references) for row in rows]
        drafts = [
            replace(draft, references=each) for draft, each in zip(drafts, given, strict=True)
        ]
        time.sleep(1)  # Threads of that search may still wait for more, and would be counted.
    taken = []
    for row, draft in zip(rows, drafts, strict=True):
        known = replace(recommender, encoder=StoredVector(collection.vectors[row]))
        begun = time.process_time()
        known.recommend(draft, SHOWN)
        taken.append(1000 * (time.process_time() - begun))
    return taken


def _nearest_older(collection: Collection, row: int, k: int) -> tuple[PaperId, ...]:
    older = collection.graph.older(
        np.arange(len(collection.corpus), dtype=np.int32), collection.corpus.year(row) or 0
    )
    rows, _ = collection.vector_index.search(collection.vectors[row], k, allowed=older)
    return tuple(collection.corpus.ids[each] for each in rows.tolist())


def _shared(ours: str, theirs: str) -> int:
    """Count the papers that both answers name."""
    one = {json.loads(line)["id"] for line in ours.splitlines()}
    return len(one & {line.split("\t")[2] for line in theirs.splitlines()})


def main(index: str, split: str) -> None:
    """Time the dev queries of a split, as they are and with REFERENCES; write figures as JSON."""
    recommender = recsys.load(index)
    queries = read_split(Path(split), recommender.collection).part("dev")
    time_drafts(recommender, queries[:WARM_UP])
    taken = time_drafts(recommender, queries)
    cited = time_drafts(recommender, queries, references=REFERENCES)
    facts = {
        "median": statistics.median(taken),
        "p95": float(np.quantile(taken, 0.95)),
        "with_references": statistics.median(cited),
    }
    json.dump({**facts, "drafts": len(taken)}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
