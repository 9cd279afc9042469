"""What an evaluation writes besides its runs: judgements, queries, facts."""

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import InputError
from recsys.eval.recorded_runs import FACTS, QRELS, QUERIES, RUNS
from recsys.eval.trec import write_qrels
from recsys.pipelines.evaluation.batch import WORK, Response
from recsys.pipelines.evaluation.splits import gold, gold_ids
from recsys.records import PaperId
from recsys.store.artifacts import sha256, write_json
from recsys.store.collection import Collection
from recsys.store.corpus import PAPERS
from recsys.store.generations import root_of

MOST_PAIRS = 20_000
"""Probabilities that are kept for the reliability diagram of a system."""
_LIBRARIES = ("recsys", "numpy", "annoy", "lightgbm", "onnxruntime", "whoosh-reloaded")


def check_folder(out: Path) -> None:
    """Make the folder, unless something else is there.

    Raises:
        InputError: it is a file, or holds files of which none tells of an evaluation.
    """
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file.", "Give the path of a folder to write.")
    told = (out / FACTS).exists() or (out / WORK).exists()
    # Folders alone are nobody's: an evaluation that was killed at once leaves such.
    if out.is_dir() and not told and any(not path.is_dir() for path in out.rglob("*")):
        raise InputError(
            f"{out} is not empty and holds no evaluation.", "Give another folder, or a new one."
        )
    (out / RUNS).mkdir(parents=True, exist_ok=True)


def write_folder(
    out: Path,
    collection: Collection,
    queries: Sequence[PaperId],
    facts: Mapping[str, Any],
) -> None:
    """Write all but the runs, and remove the runs of an earlier evaluation."""
    kept = {f"{name}.trec" for name in facts["systems"]}
    for path in (out / RUNS).glob("*.trec"):
        if path.name not in kept:
            path.unlink()
    write_qrels(out / QRELS, {query: gold_ids(collection, query) for query in queries})
    write_json(out / QUERIES, {query: query_facts(collection, query) for query in queries})
    write_json(out / FACTS, facts)


def query_facts(collection: Collection, query: PaperId) -> dict[str, Any]:
    """Tell what slices and readers want to know of a query and its gold papers."""
    row = int(collection.corpus.rows([query])[0])
    paper = collection.corpus.full_papers([row])[0]
    right = gold(collection, row)
    cited = collection.graph.in_counts(right, int(collection.graph.years[row])).tolist()
    shown = collection.corpus.papers(right)
    return {
        "title": paper.title,
        "year": paper.year,
        "venue": paper.venue,
        "has_abstract": bool((paper.abstract or "").strip()),
        "authors": len(paper.authors),
        "gold": {
            each.id: {"in_citations": count, "title": each.title}
            for each, count in zip(shown, cited, strict=True)
        },
    }


def corpus_facts(index: Path, collection: Collection) -> dict[str, Any]:
    """Name the corpus, and what it is by the hash of its papers."""
    return {
        "name": root_of(index).name.removesuffix(".index"),
        "sha256": sha256(collection.corpus.folder / PAPERS),
        "papers": len(collection.corpus),
        "links": len(collection.graph.cites.values),
    }


def versions() -> dict[str, str]:
    """Tell with which software the runs were made."""
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # Run from a source tree.
            found[name] = "unknown"
    return found


def candidate_facts(responses: Mapping[PaperId, Response]) -> dict[str, Any]:
    """Count each query's candidates and the gold papers among them."""
    return {
        "count": {query: response.candidates for query, response in responses.items()},
        "found": {query: response.found for query, response in responses.items()},
    }


def calibration_facts(responses: Mapping[PaperId, Response], seed: int) -> dict[str, Any]:
    """Collect the sampled probabilities and whether they came true, at most MOST_PAIRS."""
    chances = np.array([p for each in responses.values() for p in each.probabilities], np.float64)
    outcomes = np.array([o for each in responses.values() for o in each.outcomes], np.int64)
    kept = np.arange(len(chances))
    if len(kept) > MOST_PAIRS:
        kept = np.sort(np.random.default_rng(seed).choice(kept, MOST_PAIRS, replace=False))
    return {"probability": chances[kept].round(6).tolist(), "outcome": outcomes[kept].tolist()}
