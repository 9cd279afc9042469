"""What each search of vectors costs to build, to keep and to ask, and what it finds.

Run as `python -m pipelines.benchmarks.vector_backends VECTORS.npy [BACKEND ...]` over any (n, d)
float32 unit vectors; it writes JSON to stdout. Costs are processor time as a multiple of one scan
`vectors @ query` in the same run.
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

from indexes.backends import BACKENDS, build_index, holds_vectors, open_built
from indexes.exact import ExactIndex
from recsys.protocols import VectorIndex
from recsys.stage_one.settings import StageOne
from recsys.store.arrays import Floats, Mask, Rows, load_array
from recsys.store.blas import one_thread
from recsys.store.layout import VECTOR_FILE
from recsys.store.vectors.stored_vectors import load_vectors

QUERIES = 100
NOISE = 0.5
"""Length of what is added to a paper's vector: a draft is none of the papers."""
ALLOWED = 0.9
"""Share of the papers that may be found: an answer knows nothing that is newer than its draft."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What every backend is asked.

    vectors: (n, d). queries: (q, d). allowed: (n,) bool. truth: the nearest k of each query. seeds:
    for each query, the rows of some papers near it.
    """

    vectors: Floats
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
        allowed = rng.random(len(vectors)) < ALLOWED
        found = ExactIndex(vectors).search_many(queries, options.neighbours, allowed=allowed)
        seeds = [rng.permutation(near)[: options.close_seeds] for near, _ in found]
        return cls(vectors, queries, allowed, [cosines for _, cosines in found], seeds)


@dataclass(frozen=True, slots=True)
class Figures:
    """What a backend costs. Seconds and milliseconds of processor time; ratios to one scan."""

    build_seconds: float
    bytes_a_paper: float
    milliseconds: float
    ratio: float
    recall: float
    many_ratio: float
    many_recall: float


def measure(vectors: Floats, names: Iterable[str]) -> dict[str, Any]:
    """Measure some backends over the same vectors."""
    options = StageOne()
    with one_thread():
        trial = Trial.of(vectors, options)
        scan = _median(lambda query: vectors @ query, trial.queries[:30])
        found = {name: asdict(measure_one(name, trial, scan, options)) for name in names}
    return {"papers": len(vectors), "scan_milliseconds": 1000 * scan, "backends": found}


def measure_one(name: str, trial: Trial, scan: float, options: StageOne) -> Figures:
    """Build a backend in a folder of its own, and ask it. scan: seconds of a scan."""
    with TemporaryDirectory() as folder:
        begun = time.process_time()
        facts = build_index(name, trial.vectors, Path(folder))
        taken = time.process_time() - begun
        if not holds_vectors(facts):
            np.save(Path(folder) / VECTOR_FILE, trial.vectors)
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        vectors, allowed = load_vectors(Path(folder)), trial.allowed
        index = open_built(vectors, Path(folder), facts)
        one = _median(
            lambda query: index.search(query, options.neighbours, allowed=allowed), trial.queries
        )
        groups = [trial.vectors[rows] for rows in trial.seeds]
        many = _median(
            lambda group: index.search_many(group, options.per_seed, allowed=allowed), groups
        )
        return Figures(
            build_seconds=taken,
            bytes_a_paper=size / len(trial.vectors),
            milliseconds=1000 * one,
            ratio=one / scan,
            recall=_recall(index, trial, options.neighbours),
            many_ratio=many / scan,
            many_recall=_recall_of_many(index, trial, groups[:20], options.per_seed),
        )


def _median(call: Callable[[Floats], object], arguments: Iterable[Floats]) -> float:
    """Call with each argument; return the median of the processor seconds that it took."""
    taken = []
    for argument in arguments:
        begun = time.process_time()
        call(argument)
        taken.append(time.process_time() - begun)
    return statistics.median(taken)


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
    """Measure backends, all unless some are named, and write the figures."""
    json.dump(measure(load_array(Path(vectors)), names or BACKENDS), sys.stdout, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
