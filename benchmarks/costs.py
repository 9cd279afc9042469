"""What the program costs as a whole process: building, updating, answering, and starting."""

import gzip
import json
import shutil
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import recsys
from benchmarks.bench import (
    Bench,
    Cost,
    Figures,
    recsys_program,
    run_module,
    run_program,
    run_recsys,
)
from recsys.errors import InputError
from recsys.machine import VARIABLES
from recsys.models.encoder import MODEL, TOKENIZER
from recsys.pipelines.jobs.engines import ONE_THREAD
from recsys.ranking.ranker import TREES, TreeRanker
from recsys.store.artifacts import ENCODER
from recsys.store.generations import pin

DRAFT = Path("examples/draft.json")
ADDED = 7
"""Papers that an update adds."""
ROUNDS, STARTS = 5, 9
SHOWN = 20
FLOOR = """
import sys
import numpy, onnxruntime
from tokenizers import Tokenizer
model, tokenizer, trees = sys.argv[1:]
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
options.enable_cpu_mem_arena = options.enable_mem_pattern = False
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
with open(tokenizer, "rb") as file:
    Tokenizer.from_buffer(file.read())
onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
with numpy.load(trees) as stored:
    dict(stored)
"""
"""The least that a process does which answers: it opens the models of an index, and ends."""


def measure_build(bench: Bench, corpus: str) -> Figures:
    """Build an index from nothing but the file of papers, the exported encoder included."""
    fresh = bench.work / "fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    out, cache = fresh / f"{corpus}.index", str(fresh / "cache")
    cost = run_recsys("build", bench.papers(corpus), "--out", out, env={"RECSYS_CACHE": cache})
    papers = pin(out).manifest().config["papers"]
    shutil.rmtree(fresh)
    return {corpus: {"papers": papers, "seconds": cost.seconds, "peak_mib": cost.peak_mib}}


def measure_update(bench: Bench, corpus: str) -> Figures:
    """Take the last papers out of a copy of a corpus's index, and add them again."""
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


def measure_serving(bench: Bench, corpora: Sequence[str]) -> Figures:
    """Measure whole processes on the first corpus, and a running process on each."""
    indexes = {corpus: bench.trained(corpus) for corpus in corpora}
    index = indexes[corpora[0]]
    asked = ("recommend", DRAFT, "--index", index, "--quiet", "-k", str(SHOWN))
    peer: list[str | Path] = [sys.executable, "-m", "benchmarks.peer", index, DRAFT]
    costs = by_turns(
        {
            "recommend": lambda: run_recsys(*asked, "--format", "jsonl"),
            "peer": lambda: run_program(peer),
        },
        ROUNDS,
    )
    medians = _medians(costs)
    return {
        "cpu_seconds": medians,
        "ratio": medians["peer"] / medians["recommend"],
        "milliseconds": {
            corpus: timed("drafts", indexes[corpus], bench.split(corpus)) for corpus in corpora
        },
    }


def timed(program: str, *arguments: str | Path) -> Any:  # noqa: ANN401 - JSON.
    """Run one of `timed_programs` on one thread."""
    return run_module("benchmarks.timed_programs", program, *arguments, env=ONE_THREAD)


def measure_start(
    versions: Mapping[str, tuple[Path, Mapping[str, str]]], rounds: int = STARTS
) -> Figures:
    """Run `recsys recommend` of each version, and the floor that no version gets below, by turns.

    Args:
        versions: the index of each, and the environment that names its code; the floor is that of
            the last one's models.
        rounds: processes of each.

    Returns:
        Median CPU seconds, and how many times the floor they are.
    """
    *_, (index, _) = versions.values()
    opened = recsys.load(index)
    encoder, ranker = opened.collection.folder / ENCODER, opened.ranker
    if not isinstance(ranker, TreeRanker) or ranker.folder is None:
        raise InputError("This index answers by no stored ranker.", "Measure another.")
    files = (encoder / MODEL, encoder / TOKENIZER, ranker.folder / TREES)
    one = dict.fromkeys(VARIABLES, "1")  # As the program has it: products on one thread.
    runs = {"floor": partial(run_program, [sys.executable, "-c", FLOOR, *files], env=one)}
    for name, (index, environment) in versions.items():
        asked = ("recommend", DRAFT, "--index", index, "--quiet", "-k", str(SHOWN))
        runs[name] = partial(run_program, [recsys_program(), *asked], env={**one, **environment})
    seconds = _medians(by_turns(runs, rounds))
    floors = {name: seconds[name] / seconds["floor"] for name in versions}
    return {"cpu_seconds": {name: seconds[name] for name in (*versions, "floor")}, "floors": floors}


def by_turns(runs: Mapping[str, Callable[[], Cost]], rounds: int) -> dict[str, list[Cost]]:
    """Run each program once in each round, and once before, which warms the disk cache."""
    costs: dict[str, list[Cost]] = {name: [] for name in runs}
    for turn in range(rounds + 1):
        for name, run in runs.items():
            cost = run()
            if turn:
                costs[name].append(cost)
    return costs


def _medians(costs: Mapping[str, Sequence[Cost]]) -> dict[str, float]:
    return {n: statistics.median(each.cpu_seconds for each in costs[n]) for n in costs}
