"""Measure, keep the figures, and rewrite the tables of docs/results.

Run as `python -m benchmarks --data DIR --docs docs/results`; `--only` measures some sections again
and keeps the figures of the others.
"""

import shutil
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import recsys
from benchmarks.bench import (
    DOCS,
    HERE,
    OUT,
    Bench,
    Cost,
    Data,
    Docs,
    Figures,
    Results,
    Work,
    chosen,
    program,
    run_module,
    run_program,
    run_recsys,
)
from benchmarks.corpora.measure import measure_corpora, write_corpora
from benchmarks.map_quality import measure_maps
from benchmarks.matching_quality import measure_matching
from benchmarks.result_tables import Report, written
from docs.made.marked_pages import page_with, rewrite_block
from recsys.eval.measures import means
from recsys.eval.significance import expected_calibration_error
from recsys.indexes.opening import open_collection
from recsys.pipelines.evaluation.splits import gold, read_split
from recsys.pipelines.jobs.engines import ONE_THREAD
from recsys.pipelines.ranking.fit_ranker import fit
from recsys.pipelines.ranking.training_table import collect, judge
from recsys.protocols import silent
from recsys.ranking.features import feature_names
from recsys.recommend import Recommender
from recsys.store.generations import pin

VIS, ARCHAEOLOGY = CORPORA = ("vis", "archaeology")
SHOWN = 20
"""Papers that an answer shows unless told otherwise."""
DRAFT = Path("examples/draft.json")
ROUNDS = 5
"""Processes of each program that answers."""
SEEDS = (0, 1, 2)


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


def measure_serving(bench: Bench, corpora: Sequence[str]) -> Figures:
    """Measure whole processes on the first corpus, and a running process on each."""
    indexes = {corpus: bench.trained(corpus) for corpus in corpora}
    index = indexes[corpora[0]]
    asked = ("recommend", DRAFT, "--index", index, "--quiet", "-k", str(SHOWN))
    peer: list[str | Path] = [sys.executable, "-m", "benchmarks.peer", index, DRAFT]
    runs: Mapping[str, Callable[[], Cost]] = {
        "recommend": lambda: run_recsys(*asked, "--format", "jsonl"),
        "peer": lambda: run_program(peer),
    }
    spent: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(ROUNDS + 1):  # The first warms the disk cache.
        for name, run in runs.items():
            cost = run()
            if turn:
                spent[name].append(cost.cpu_seconds)
    medians = {name: statistics.median(each) for name, each in spent.items()}
    program = partial(run_module, "benchmarks.timed_programs", "drafts", env=ONE_THREAD)
    return {
        "cpu_seconds": medians,
        "ratio": medians["peer"] / medians["recommend"],
        "milliseconds": {
            corpus: program(indexes[corpus], bench.split(corpus)) for corpus in corpora
        },
    }


def measure_calibration(bench: Bench, corpus: str) -> Figures:
    """Ask the test queries of a corpus's own rankers: how far their chances are off."""
    index, found = bench.trained(corpus), {}
    for name, metadata in (("two-stage", True), ("two-stage, no metadata", False)):
        recommender = recsys.load(index, metadata=metadata)
        queries = read_split(bench.split(corpus), recommender.collection).part("test")
        found[name] = {"queries": len(queries), "ECE": calibration_error(recommender, queries)}
    return found


def calibration_error(recommender: Recommender, queries: Sequence[str]) -> float:
    """Take the expected calibration error of the papers shown."""
    chances, hits = [], []
    for row in recommender.collection.corpus.rows(queries).tolist():
        ranking = recommender.rank(recommender.query_of(row))
        chances.append(ranking.probabilities[:SHOWN])
        hits.append(np.isin(ranking.rows[:SHOWN], gold(recommender.collection, row)))
    return expected_calibration_error(np.concatenate(chances), np.concatenate(hits))


def measure_precision(bench: Bench, corpus: str) -> Figures:
    """Train on vectors in f32 and in int8, and compare F1@20 on the dev queries."""
    indexes = {"int8": bench.built(corpus), "f32": bench.built(corpus, precision="f32")}
    figures = {name: f1_by_seed(index, bench.split(corpus)) for name, index in indexes.items()}
    means = {name: float(np.mean(each)) for name, each in figures.items()}
    return {"corpus": corpus, "F1@20": figures, "cost": means["f32"] - means["int8"]}


def f1_by_seed(index: Path, split: Path) -> list[float]:
    """Train once per seed and return each ranker's F1@20 on dev."""
    collection = open_collection(index)
    parts, names = read_split(split, collection), feature_names(metadata=True)
    train, dev = (
        collect(collection, collection.corpus.rows(ids), names, progress=silent, stage="features")
        for ids in (parts.train, parts.dev)
    )
    fitted = (fit(train, dev, names, seed=seed) for seed in SEEDS)
    return [means(judge(dev.scored(each.predict), dev))["F1@20"] for each in fitted]


OWN_BLOCKS: Mapping[str, Callable[[Any], str]] = {
    "map": partial(written, "map"),
    "corpora": write_corpora,
}
"""Sections that have blocks of their own."""
SECTIONS: Mapping[str, Callable[[Bench], Any]] = {
    "build": partial(measure_build, corpus=VIS),
    "calibration": lambda bench: {corpus: measure_calibration(bench, corpus) for corpus in CORPORA},
    "precision": partial(measure_precision, corpus=VIS),
    "matching": partial(measure_matching, corpora=CORPORA),
    "serving": partial(measure_serving, corpora=CORPORA),
    "map": partial(measure_maps, corpora=CORPORA),
    "corpora": measure_corpora,
}


def measure(
    data: Data,
    only: str = ",".join(SECTIONS),
    work: Work = OUT,
    docs: Docs = DOCS,
    results: Results = HERE / "results.json",
) -> None:
    """Measure sections, keep their figures, and rewrite the tables of the pages."""
    names, report = chosen(only, SECTIONS), Report("benchmarks", results, docs)
    found = report.read()
    for name in set(names) & set(OWN_BLOCKS):
        page_with(docs, name)
    for name in names:
        sys.stderr.write(f"== {name}\n")
        found[name] = SECTIONS[name](Bench(data, work))
        report.keep({key: found[key] for key in SECTIONS if key in found})
        if name in OWN_BLOCKS:
            rewrite_block(docs, name, OWN_BLOCKS[name](found[name]))


main = program("benchmarks", measure)
if __name__ == "__main__":
    sys.exit(main())
