"""What each search of vectors finds and costs: a page of results.

    python -m benchmarks.vector_search vectors VECTORS.npy --backends exact,ivf
    python -m benchmarks.vector_search answers INDEX --split SPLIT --corpus NAME

`vectors` measures what backends cost to build, to keep and to ask over any (n, d) float32 unit
vectors, `answers` what answers to the test drafts of a real corpus lose by them. All that are
installed are measured unless --backends names some; each run adds its rows to the figures and
writes the page anew. Costs are processor time, ratios are to one scan `vectors @ query` in the same
run; p50 and p95 are what a clock says.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import typer

import recsys
from benchmarks.bench import DOCS, HERE, Docs, Results, chosen, machine, program
from benchmarks.result_tables import Report
from benchmarks.timed_programs import top_papers
from recsys.eval.measures import Judged, f1, flag, per_query
from recsys.indexes.backends import BACKENDS, build_index, holds_vectors, installed, open_built
from recsys.indexes.exact import ExactIndex
from recsys.pipelines.evaluation.splits import read_split
from recsys.protocols import VectorIndex
from recsys.recommend import Recommender
from recsys.stage_one.settings import StageOne
from recsys.store.arrays import Floats, Mask, Rows, load_array
from recsys.store.blas import one_thread
from recsys.store.graph import Years
from recsys.store.layout import VECTOR_FILE
from recsys.store.vectors.stored_vectors import load_vectors

QUERIES = 100
NOISE = 0.5
"""Length of what is added to a paper's vector: a draft is none of the papers."""
FIRST, LAST, AS_OF = 1980, 2019, 2015
"""Years of the papers, all equally frequent, and of the drafts: a tenth of the papers is newer."""

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Trial:
    """What every backend is asked.

    vectors: (n, d). years: (n,) int16. queries: (q, d). allowed: (n,) bool. groups: for each query,
    vectors of some papers near it.
    """

    vectors: Floats
    years: Years
    queries: Floats
    allowed: Mask
    groups: Sequence[Floats]

    @classmethod
    def of(cls, vectors: Floats, options: StageOne) -> "Trial":
        """Draw queries, and of each some of its nearest papers."""
        rng = np.random.default_rng(0)
        rows = np.sort(rng.choice(len(vectors), min(QUERIES, len(vectors)), replace=False))
        noise = rng.standard_normal((len(rows), vectors.shape[1]))
        moved = vectors[rows] + NOISE * noise / np.linalg.norm(noise, axis=1, keepdims=True)
        queries = np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True), np.float32)
        years = rng.integers(FIRST, LAST + 1, len(vectors)).astype(np.int16)
        allowed = years <= AS_OF
        found = ExactIndex(vectors).search_many(queries, options.neighbours, allowed=allowed)
        seeds = [rng.permutation(near)[: options.close_seeds] for near, _ in found]
        return cls(vectors, years, queries, allowed, [vectors[rows] for rows in seeds])


def measure(vectors: Floats, names: Iterable[str]) -> Figures:
    """Measure some backends over the same vectors: by name, see `measure_one`."""
    options = StageOne()
    with one_thread():
        trial = Trial.of(vectors, options)
        scan = statistics.median(_timed(lambda query: vectors @ query, trial.queries[:30])[0])
        return {name: measure_one(name, trial, scan, options) for name in names}


def measure_one(name: str, trial: Trial, scan: float, options: StageOne) -> Figures:
    """Build a backend in a folder of its own, and ask it. scan: seconds of a scan."""
    with TemporaryDirectory() as folder:
        begun = time.process_time()
        facts = build_index(name, trial.vectors, Path(folder), years=trial.years)
        taken = time.process_time() - begun
        if not holds_vectors(facts):
            np.save(Path(folder) / VECTOR_FILE, trial.vectors)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        index = open_built(load_vectors(Path(folder)), Path(folder), facts)
        exact = ExactIndex(trial.vectors)

        def one(query: Floats, asked: VectorIndex = index) -> list[tuple[Rows, Floats]]:
            return [asked.search(query, options.neighbours, allowed=trial.allowed)]

        def many(group: Floats, asked: VectorIndex = index) -> list[tuple[Rows, Floats]]:
            return list(asked.search_many(group, options.per_seed, allowed=trial.allowed))

        one(trial.queries[0])  # What it reads once.
        alone, walls = _timed(one, trial.queries)
        together, _ = _timed(many, trial.groups)
        p50, p95 = (1000 * float(np.quantile(walls, share)) for share in (0.5, 0.95))
        return {
            "build_seconds": taken,
            "bytes_a_paper": size / len(trial.vectors),
            "milliseconds": 1000 * statistics.median(alone),
            "p50": p50,
            "p95": p95,
            "ratio": statistics.median(alone) / scan,
            "recall": statistics.mean(_reached(one(q), one(q, exact)) for q in trial.queries),
            "many_ratio": statistics.median(together) / scan,
            "many_recall": statistics.mean(
                _reached(many(group), many(group, exact)) for group in trial.groups[:20]
            ),
            "load": os.getloadavg()[0],
            "scan": 1000 * scan,
        }


def _timed(
    call: Callable[[Floats], object], arguments: Iterable[Floats]
) -> tuple[list[float], list[float]]:
    """Call with each argument; return the seconds of each, of processors and by the clock."""
    taken, walls = [], []
    for argument in arguments:
        begun, begun_wall = time.process_time(), time.perf_counter()
        call(argument)
        taken.append(time.process_time() - begun)
        walls.append(time.perf_counter() - begun_wall)
    return taken, walls


def _reached(found: Iterable[tuple[Rows, Floats]], truth: Iterable[tuple[Rows, Floats]]) -> float:
    """Tell which share of the true cosines was found; which of equal ones does not matter."""
    pairs = zip(found, truth, strict=True)
    shares = [np.mean(near[: len(best)] >= best[-1] - 1e-6) for (_, near), (_, best) in pairs]
    return float(np.mean(shares))


def compare_backends(index: Path, split: Path, names: Iterable[str]) -> dict[str, Figures]:
    """Answer the test drafts of a split by each backend, built over the vectors of an index.

    Returns:
        By backend: F1@20 and MRR of two stages, and the share of the nearest papers that the
        search finds.
    """
    recommender = recsys.load(index)
    queries = read_split(split, recommender.collection).part("test")
    rows = recommender.collection.corpus.rows(queries).tolist()
    with one_thread():
        return {name: _ask(recommender, name, rows) for name in names}


def _ask(recommender: Recommender, name: str, rows: Sequence[int]) -> Figures:
    collection, k = recommender.collection, StageOne().neighbours
    whole, years = collection.vectors[:], collection.corpus.years
    with TemporaryDirectory() as folder:
        facts = build_index(name, whole, Path(folder), years=years)
        search = open_built(whole, Path(folder), facts)
        asked = replace(recommender, collection=replace(collection, vector_index=search))
        found = judged(top_papers(asked, rows))
        exact, shares = ExactIndex(collection.vectors), []
        for row in rows:  # As stage one does, among the papers that are older.
            query, allowed = np.array(whole[row]), years < years[row]
            near, got = (each.search(query, k, allowed=allowed)[0] for each in (exact, search))
            shares.append(np.isin(near, got).mean() if len(near) else 1)
    return {"drafts": len(rows), **found, "recall": float(np.mean(shares))}


def judged(answers: Any) -> dict[str, float]:  # noqa: ANN401 - JSON of `timed_programs`.
    """Measure answers: F1@20 of the averaged precision and recall, and MRR."""
    flags = [(flag(each["top"], set(each["gold"])), len(each["gold"])) for each in answers.values()]
    values = per_query([Judged(hits, gold) for hits, gold in flags])
    means = {name: float(each.mean()) for name, each in values.items()}
    return {"F1@20": f1(means["P@20"], means["R@20"]), "MRR": means["MRR"]}


def vectors(
    vectors: Path,
    backends: str = "",
    docs: Docs = DOCS,
    results: Results = HERE / "engines-search.json",
) -> None:
    """Measure what backends cost over some vectors."""
    report, whole = Report("engines-search", results, docs), load_array(vectors)
    found = report.read() | {"machine": machine()}
    rows = found.setdefault("sizes", {}).setdefault(str(len(whole)), {})
    rows |= measure(whole, chosen(backends, BACKENDS) if backends else installed())
    report.keep(found)


def answers(
    index: Path,
    split: Annotated[Path, typer.Option()],
    corpus: Annotated[str, typer.Option(help="Its name, for the table.")],
    backends: str = "",
    docs: Docs = DOCS,
    results: Results = HERE / "engines-search.json",
) -> None:
    """Measure what answers to the test drafts of a corpus lose by backends."""
    report = Report("engines-search", results, docs)
    found = report.read() | {"machine": machine()}
    rows = found.setdefault("answers", {}).setdefault(corpus, {})
    names = chosen(backends, BACKENDS) if backends else installed()
    rows |= compare_backends(index, split, names)
    report.keep(found)


main = program("benchmarks.vector_search", vectors, answers)
if __name__ == "__main__":
    sys.exit(main())
