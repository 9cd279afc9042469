"""What each search of vectors costs to build, to keep and to ask, and what it finds.

Run as `python -m benchmarks.vector_backends VECTORS.npy [BACKEND ...]` over any (n, d)
float32 unit vectors; it writes JSON to stdout. Costs are processor time as a multiple of one scan
`vectors @ query` in the same run; p50 and p95 are what a clock says.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from recsys.indexes.backends import build_index, holds_vectors, installed, open_built
from recsys.indexes.exact import ExactIndex
from recsys.protocols import VectorIndex
from recsys.retrieval.settings import StageOne
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


@dataclass(frozen=True, slots=True)
class Trial:
    """What every backend is asked.

    vectors: (n, d). years: (n,) int16. queries: (q, d). allowed: (n,) bool. truth: the nearest k of
    each query. seeds: for each query, the rows of some papers near it.
    """

    vectors: Floats
    years: Years
    queries: Floats
    allowed: Mask
    truth: Sequence[Floats]
    seeds: Sequence[Rows]

    @classmethod
    def of(cls, vectors: Floats, options: StageOne) -> "Trial":
        """Draw queries and find their nearest papers exactly."""
        rng = np.random.default_rng(0)
        rows = np.sort(rng.choice(len(vectors), min(QUERIES, len(vectors)), replace=False))
        noise = rng.standard_normal((len(rows), vectors.shape[1]))
        moved = vectors[rows] + NOISE * noise / np.linalg.norm(noise, axis=1, keepdims=True)
        queries = np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True), np.float32)
        years = rng.integers(FIRST, LAST + 1, len(vectors)).astype(np.int16)
        allowed = years <= AS_OF
        found = ExactIndex(vectors).search_many(queries, options.neighbours, allowed=allowed)
        seeds = [rng.permutation(near)[: options.close_seeds] for near, _ in found]
        truth = [cosines for _, cosines in found]
        return cls(vectors, years, queries, allowed, truth, seeds)


@dataclass(frozen=True, slots=True)
class Figures:
    """What a backend costs. Seconds and milliseconds of processor time; ratios to one scan.

    p50, p95: milliseconds by the clock, of one search.
    """

    build_seconds: float
    bytes_a_paper: float
    milliseconds: float
    p50: float
    p95: float
    ratio: float
    recall: float
    many_ratio: float
    many_recall: float


def measure(vectors: Floats, names: Iterable[str]) -> dict[str, Any]:
    """Measure some backends over the same vectors."""
    options = StageOne()
    with one_thread():
        trial = Trial.of(vectors, options)
        scan = statistics.median(_timed(lambda query: vectors @ query, trial.queries[:30])[0])
        found = {name: asdict(measure_one(name, trial, scan, options)) for name in names}
    return {"papers": len(vectors), "scan_milliseconds": 1000 * scan, "backends": found}


def measure_one(name: str, trial: Trial, scan: float, options: StageOne) -> Figures:
    """Build a backend in a folder of its own, and ask it. scan: seconds of a scan."""
    with TemporaryDirectory() as folder:
        begun = time.process_time()
        facts = build_index(name, trial.vectors, Path(folder), years=trial.years)
        taken = time.process_time() - begun
        if not holds_vectors(facts):
            np.save(Path(folder) / VECTOR_FILE, trial.vectors)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        vectors, allowed = load_vectors(Path(folder)), trial.allowed
        index = open_built(vectors, Path(folder), facts)
        index.search(trial.queries[0], options.neighbours, allowed=allowed)  # What it reads once.
        alone, walls = _timed(
            lambda query: index.search(query, options.neighbours, allowed=allowed), trial.queries
        )
        groups = [trial.vectors[rows] for rows in trial.seeds]
        together, _ = _timed(
            lambda group: index.search_many(group, options.per_seed, allowed=allowed), groups
        )
        one, many = statistics.median(alone), statistics.median(together)
        return Figures(
            build_seconds=taken,
            bytes_a_paper=size / len(trial.vectors),
            milliseconds=1000 * one,
            p50=1000 * float(np.quantile(walls, 0.5)),
            p95=1000 * float(np.quantile(walls, 0.95)),
            ratio=one / scan,
            recall=_recall(index, trial, options.neighbours),
            many_ratio=many / scan,
            many_recall=_recall_of_many(index, trial, groups[:20], options.per_seed),
        )


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


def _recall(index: VectorIndex, trial: Trial, k: int) -> float:
    found = (index.search(query, k, allowed=trial.allowed)[1] for query in trial.queries)
    return _reached(found, trial.truth)


def _recall_of_many(index: VectorIndex, trial: Trial, groups: Sequence[Floats], k: int) -> float:
    exact = ExactIndex(trial.vectors)
    shares = []
    for group in groups:
        truth = (cosines for _, cosines in exact.search_many(group, k, allowed=trial.allowed))
        found = (cosines for _, cosines in index.search_many(group, k, allowed=trial.allowed))
        shares.append(_reached(found, truth))
    return statistics.mean(shares)


def _reached(found: Iterable[Floats], truth: Iterable[Floats]) -> float:
    """Tell which share of the true cosines was found; which of equal ones does not matter."""
    pairs = zip(found, truth, strict=True)
    return float(np.mean([np.mean(near[: len(best)] >= best[-1] - 1e-6) for near, best in pairs]))


def main(vectors: str, *names: str) -> None:
    """Measure backends, all that are installed unless some are named, and write the figures."""
    json.dump(measure(load_array(Path(vectors)), names or installed()), sys.stdout, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
