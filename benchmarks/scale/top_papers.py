"""The first papers of each test draft's answer, in a process of its own: JSON on stdout.

Run as a file, `python -P top_papers.py INDEX SPLIT`, with PYTHONPATH naming the checkout whose code
shall answer.
"""

import json
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import recsys
from benchmarks.serving import StoredVector
from recsys.errors import NothingFound
from recsys.pipelines.evaluation.splits import gold_ids, read_split
from recsys.query.query import draft_of
from recsys.recommend import Recommender

SHOWN = 20


def main(index: str, split: str) -> None:
    """Answer the test queries of a split, posed as drafts; write papers and gold as JSON."""
    recommender = recsys.load(index)
    queries = read_split(Path(split), recommender.collection).part("test")
    json.dump(top_papers(recommender, queries), sys.stdout)


def top_papers(recommender: Recommender, queries: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Answer papers posed as drafts, by their stored vectors: the papers shown, and the gold."""
    collection, found = recommender.collection, {}
    for query in queries:
        row = int(collection.corpus.rows([query])[0])
        known = replace(recommender, encoder=StoredVector(collection.vectors[row]))
        draft = draft_of(collection.corpus.full_papers([row])[0])
        try:
            answer = known.recommend(draft, SHOWN).recommendations
        except NothingFound:
            answer = ()
        top = [item.paper.id for item in answer]
        found[query] = {"top": top, "gold": list(gold_ids(collection, query))}
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
