"""How good the answers to the test queries are: runs written by the program, scored by `eval`.

The figures about candidates and probabilities are not in a run: they come from asking the same
queries once more in this process.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

import recsys
from recsys.eval.calibration import expected_calibration_error
from recsys.eval.measures import CANDIDATE_RECALL, CANDIDATES, Judged, flag, summarise
from recsys.eval.trec import ordered, read_run
from recsys.pipelines.evaluation.splits import gold, read_split
from recsys.pipelines.jobs.programs import Bench, run_recsys
from recsys.recommend import Recommender
from recsys.store.collection import Collection

SHOWN = 20
"""Papers that an answer shows unless told otherwise."""
SYSTEMS: Mapping[str, Sequence[str]] = {
    "two-stage": ("--system", "two-stage"),
    "two-stage, no metadata": ("--system", "two-stage", "--no-metadata"),
    "stage one": ("--system", "stage-one"),
    "embedding": ("--system", "embedding"),
    "BM25": ("--system", "bm25"),
}
KEPT = ("P@20", "R@20", "F1@20", "query F1@20", "MRR", "MAP@100", "nDCG@20", "R@100")

Figures: TypeAlias = dict[str, Any]


def measure_quality(bench: Bench, corpus: str) -> Figures:
    """Build, train, answer the test queries by every system, and score.

    Returns:
        {"queries", "papers", "systems": {name: {measure: {value, low, high}}}}.
    """
    index = bench.trained(corpus)
    systems: dict[str, Figures] = {}
    for name, options in SYSTEMS.items():
        run = bench.work / f"{corpus}-{name.replace(', ', '-').replace(' ', '-')}.trec"
        run_recsys("batch", index, "--split", bench.split(corpus), "--run", run, *options)
        systems[name] = {}
        recommender = recsys.load(index, metadata="--no-metadata" not in options)
        queries = read_split(bench.split(corpus), recommender.collection).part("test")
        systems[name] |= score_run(recommender.collection, queries, run)
        if options[1] == "two-stage":
            systems[name] |= score_candidates(recommender, queries)
    papers = len(recommender.collection.corpus)
    return {"queries": len(queries), "papers": papers, "systems": systems}


def gold_of(collection: Collection, query: str) -> set[str]:
    """Return the gold papers of a query, as ids."""
    row = int(collection.corpus.rows([query])[0])
    return {collection.corpus.ids[each] for each in gold(collection, row).tolist()}


def score_run(collection: Collection, queries: Sequence[str], run: Path) -> Figures:
    """Measure a run file; a query that is not in it scores 0."""
    answers, judged = read_run(run), []
    for query in queries:
        right = gold_of(collection, query)
        judged.append(Judged(flag(ordered(answers.get(query, {})), right), len(right)))
    measured = summarise(judged, rng=np.random.default_rng(0))
    return {name: asdict(measured[name]) for name in KEPT}


def score_candidates(recommender: Recommender, queries: Sequence[str]) -> Figures:
    """Measure what stage one proposes and whether the probabilities are true.

    The calibration error is that of the papers shown; "of candidates" counts all of them.
    """
    judged, shown, every = [], [], []
    for query in queries:
        row = int(recommender.collection.corpus.rows([query])[0])
        ranking = recommender.rank(recommender.query_of(row))
        right = gold(recommender.collection, row)
        hits = np.isin(ranking.rows, right)
        judged.append(Judged(hits, len(right), len(hits), int(hits.sum())))
        pairs = np.column_stack([recommender.ranker.probability(ranking.scores), hits])
        shown.append(pairs[:SHOWN])
        every.append(pairs)
    measured = summarise(judged, rng=np.random.default_rng(0))
    errors = {"ECE": shown, "ECE of candidates": every}
    return {
        **{name: asdict(measured[name]) for name in (CANDIDATE_RECALL, CANDIDATES)},
        **{name: {"value": _error(np.concatenate(pairs))} for name, pairs in errors.items()},
    }


def _error(pairs: np.typing.NDArray[np.float64]) -> float:
    return expected_calibration_error(pairs[:, 0], pairs[:, 1].astype(bool))
