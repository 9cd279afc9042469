"""What each search of vectors finds and costs.

    python -m benchmarks.vector_search vectors VECTORS.npy --backends exact,ivf
    python -m benchmarks.vector_search answers INDEX --split SPLIT --corpus NAME

`vectors` measures what backends cost to build, to keep and to ask over any (n, d) float32 unit
vectors, `answers` what answers to the test drafts of a real corpus lose by them. All that are
installed are measured unless --backends names some; each run adds its rows to the figures and
writes the tables anew. Costs are processor time; p50 and p95 are what a clock says.
"""

import statistics
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import typer

import recsys
from benchmarks.bench import DOCS, HERE, Docs, Figures, Results, chosen, machine, program
from benchmarks.result_tables import Report
from benchmarks.timed_programs import top_papers
from recsys.eval.measures import Judged, flag, means
from recsys.indexes.backends import BACKENDS, build_index, holds_vectors, installed, open_built
from recsys.indexes.exact import ExactIndex
from recsys.machine import one_thread
from recsys.pipelines.evaluation.splits import read_split
from recsys.retrieval.propose import StageOne
from recsys.store.arrays import Floats, load_array
from recsys.store.artifacts import VECTOR_FILE
from recsys.store.vectors import load_vectors

QUERIES = 100
NOISE = 0.5
"""Length of what is added to a paper's vector: a draft is none of the papers."""
FIRST, LAST, AS_OF = 1980, 2019, 2015
"""Years of the papers, all equally frequent, and of the drafts: a tenth of the papers is newer."""


def measure(vectors: Floats, names: Iterable[str]) -> dict[str, Figures]:
    """Measure some backends over the same vectors, asked for the papers nearest to some drafts.

    Returns:
        By backend: "build_seconds", "bytes_a_paper", "milliseconds" of processor time and "p50" and
        "p95" by the clock of a search, and "recall", the share of the true cosines that it finds.
    """
    rng, k = np.random.default_rng(0), StageOne().neighbours
    rows = np.sort(rng.choice(len(vectors), min(QUERIES, len(vectors)), replace=False))
    noise = rng.standard_normal((len(rows), vectors.shape[1]))
    moved = vectors[rows] + NOISE * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    queries = np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True), np.float32)
    years = rng.integers(FIRST, LAST + 1, len(vectors)).astype(np.int16)
    allowed, found = years <= AS_OF, {}
    with one_thread():
        truth = [ExactIndex(vectors).search(each, k, allowed=allowed)[1] for each in queries]
        for name in names:
            with TemporaryDirectory() as folder:
                place, begun = Path(folder), time.process_time()
                facts = build_index(name, vectors, place, years=years)
                costs = {"build_seconds": time.process_time() - begun}
                if not holds_vectors(facts):
                    np.save(place / VECTOR_FILE, vectors)
                files = (path for path in place.rglob("*") if path.is_file())
                costs["bytes_a_paper"] = sum(path.stat().st_size for path in files) / len(vectors)
                index = open_built(load_vectors(place), place, facts)
                index.search(queries[0], k, allowed=allowed)  # What it reads once.
                taken, walls, shares = [], [], []
                for query, best in zip(queries, truth, strict=True):
                    begun, begun_wall = time.process_time(), time.perf_counter()
                    near = index.search(query, k, allowed=allowed)[1]
                    taken.append(1000 * (time.process_time() - begun))
                    walls.append(1000 * (time.perf_counter() - begun_wall))
                    # Which of equal ones are found does not matter.
                    shares.append(np.mean(near[: len(best)] >= best[-1] - 1e-6))
                found[name] = costs | {
                    "milliseconds": statistics.median(taken),
                    "p50": float(np.quantile(walls, 0.5)),
                    "p95": float(np.quantile(walls, 0.95)),
                    "recall": float(np.mean(shares)),
                }
    return found


def compare_backends(index: Path, split: Path, names: Iterable[str]) -> dict[str, Figures]:
    """Answer the test drafts of a split by each backend, built over the vectors of an index.

    Returns:
        By backend: F1@20 and MRR of two stages, and the share of the nearest papers that the
        search finds.
    """
    recommender, k = recsys.load(index), StageOne().neighbours
    collection = recommender.collection
    queries = read_split(split, collection).part("test")
    rows = collection.corpus.rows(queries).tolist()
    whole, years = collection.vectors[:], collection.corpus.years
    exact, found = ExactIndex(collection.vectors), {}
    with one_thread():
        for name in names:
            with TemporaryDirectory() as folder:
                facts = build_index(name, whole, Path(folder), years=years)
                search = open_built(whole, Path(folder), facts)
                asked = replace(recommender, collection=replace(collection, vector_index=search))
                answers, shares = judged(top_papers(asked, rows)), []
                for row in rows:  # As stage one does, among the papers that are older.
                    query, allowed = np.array(whole[row]), years < years[row]
                    near, got = (s.search(query, k, allowed=allowed)[0] for s in (exact, search))
                    shares.append(np.isin(near, got).mean() if len(near) else 1)
                found[name] = {"drafts": len(rows), **answers, "recall": float(np.mean(shares))}
    return found


def judged(answers: Any) -> dict[str, float]:  # noqa: ANN401 - JSON of `timed_programs`.
    """Measure answers: F1@20 of the averaged precision and recall, and MRR."""
    judged = [
        Judged(flag(each["top"], set(each["gold"])), len(each["gold"])) for each in answers.values()
    ]
    return {name: figure for name, figure in means(judged).items() if name in ("F1@20", "MRR")}


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
