"""What answers lose by each search of vectors: those to the test drafts of a real corpus."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import recsys
from benchmarks.scale.equal_answers import f1_of
from benchmarks.scale.top_papers import top_papers
from recsys.eval.measures import flag, reciprocal_rank
from recsys.indexes.backends import build_index, installed, open_built
from recsys.indexes.exact import ExactIndex
from recsys.pipelines.evaluation.splits import read_split
from recsys.protocols import VectorIndex
from recsys.recommend import Recommender
from recsys.retrieval.settings import StageOne
from recsys.store.blas import one_thread


def compare_backends(
    index: Path, split: Path, names: Iterable[str] = ()
) -> dict[str, dict[str, float]]:
    """Answer the test drafts of a split by each backend, built over the vectors of an index.

    Args:
        index: whose papers and vectors are asked for.
        split: names the test drafts.
        names: of backends; without, all whose packages are installed.

    Returns:
        By backend: F1@20 and MRR of two stages, and the share of the nearest papers that the
        search finds.
    """
    recommender = recsys.load(index)
    queries = read_split(split, recommender.collection).part("test")
    with one_thread():
        return {name: _ask(recommender, name, queries) for name in names or installed()}


def _ask(recommender: Recommender, name: str, queries: Sequence[str]) -> dict[str, float]:
    collection = recommender.collection
    whole = collection.vectors[:]  # As they are searched does not depend on how they are stored.
    with TemporaryDirectory() as folder:
        facts = build_index(name, whole, Path(folder), years=collection.corpus.years)
        search = open_built(whole, Path(folder), facts)
        asked = replace(recommender, collection=replace(collection, vector_index=search))
        answers = top_papers(asked, queries)
        first = [reciprocal_rank(flag(each["top"], set(each["gold"]))) for each in answers.values()]
        return {
            "drafts": len(answers),
            "F1@20": f1_of(answers),
            "MRR": float(np.mean(first)),
            "recall": _recall(asked, search, queries),
        }


def _recall(recommender: Recommender, search: VectorIndex, queries: Sequence[str]) -> float:
    """Find the papers nearest to each draft, as stage one does, among those that are older."""
    collection, k = recommender.collection, StageOne().neighbours
    exact, shares = ExactIndex(collection.vectors), []
    years = collection.corpus.years
    for row in collection.corpus.rows(list(queries)).tolist():
        query, allowed = np.array(collection.vectors[row]), years < years[row]
        nearest, found = (each.search(query, k, allowed=allowed)[0] for each in (exact, search))
        shares.append(np.isin(nearest, found).mean() if len(nearest) else 1)
    return float(np.mean(shares))
