"""What answers cost on one index, in a process of its own: JSON on stdout.

Run as a file, `python -P answer_costs.py INDEX DRAFTS`, with PYTHONPATH naming the checkout whose
code shall answer: this program uses only what the versions to compare have in common. Drafts are
papers of the corpus, their stored vectors given, so that nothing is encoded. All times are CPU
milliseconds; run it on one thread.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import recsys
from benchmarks.serving import StoredVector
from recsys.query.query import draft_of
from recsys.recommend import Recommender
from recsys.records import Draft
from recsys.store.arrays import Floats

VECTORS = "vectors.npy"
"""Beside the drafts: those of the corpus in 32 bits, which an index may store otherwise."""
SHOWN, REFERENCES = 20, 31
WARM_UP, TIMED, TIMED_CITING = 8, 40, 16
PARTS = ("vectors", "bm25", "trees", "stage one", "ranking", "columns")
"""What the time of an answer is told apart into; `trees` are all scores, also by networks, and
`ranking` holds all before it."""


def main(index: str, drafts: str) -> None:
    """Time opening, the first answer, warm ones, their parts, and a scan; write JSON."""
    begun = time.process_time()
    recommender = recsys.load(index)
    opening = 1000 * (time.process_time() - begun)
    rows = _rows(recommender, Path(drafts))
    plain = _posed(recommender, rows)
    first = time_answers(recommender, rows[:1], plain[:1])
    citing = _citing(recommender, rows[:TIMED_CITING], plain)
    time_answers(recommender, rows[-WARM_UP:], plain[-WARM_UP:])
    scans, warm, cited = [], [], []
    whole = np.load(Path(drafts).with_name(VECTORS), mmap_mode="r").view(np.ndarray)
    for at in range(0, TIMED, 8):  # Taking turns: a machine that is busy for a while slows all.
        scans += time_scans(whole, rows[at : at + 2])
        warm += time_answers(recommender, rows[at : at + 8], plain[at : at + 8])
        half = slice(at // 2, at // 2 + 4)
        cited += time_answers(recommender, rows[half], citing[half])
    facts = {
        "papers": len(recommender.collection.corpus),
        "opening": opening,
        "first": first[0],
        "scan": statistics.median(scans),
        "warm": statistics.median(warm),
        "with references": statistics.median(cited),
        "parts": time_parts(recommender, rows[:TIMED], plain),
        "parts with references": time_parts(recommender, rows[:TIMED_CITING], citing),
    }
    json.dump(facts, sys.stdout)


def time_answers(
    recommender: Recommender, rows: Sequence[int], drafts: Sequence[Draft]
) -> list[float]:
    """Answer drafts whose vectors are those of rows: milliseconds of each."""
    taken = []
    for row, draft in zip(rows, drafts, strict=False):
        known = replace(recommender, encoder=StoredVector(recommender.collection.vectors[row]))
        begun = time.process_time()
        known.recommend(draft, SHOWN)
        taken.append(1000 * (time.process_time() - begun))
    return taken


def time_scans(vectors: Floats, rows: Sequence[int]) -> list[float]:
    """Multiply all vectors with each of some, as a search without an index does."""
    taken = []
    for row in rows:
        query = np.array(vectors[row])
        begun = time.process_time()
        vectors @ query
        taken.append(1000 * (time.process_time() - begun))
    return taken


def time_parts(
    recommender: Recommender, rows: Sequence[int], drafts: Sequence[Draft]
) -> dict[str, float]:
    """Answer drafts while the calls inside are timed: the median of what each part takes.

    `candidates` counts what is ranked, and `features` are the microseconds per candidate of all
    that is neither a search nor scores between a query and its ranking.
    """
    every = []
    with _watched(recommender) as spent:
        for row, draft in zip(rows, drafts, strict=False):
            spent.update(dict.fromkeys(spent, 0.0))
            whole = time_answers(recommender, [row], [draft])[0]
            every.append(dict(spent) | {"answer": whole})
    medians = {name: statistics.median(each[name] for each in every) for name in every[0]}
    between = medians["ranking"] - medians["stage one"] - medians["trees"]
    features = 1000 * between / max(medians["candidates"], 1)
    return medians | {"features": features}


@contextmanager
def _watched(recommender: Recommender) -> Iterator[dict[str, float]]:
    """Time the parts of answers in a `with` block: milliseconds by part, added up."""
    import recsys.recommend as module

    collection = recommender.collection
    spent = dict.fromkeys((*PARTS, "candidates"), 0.0)
    watched: Sequence[tuple[str, Any, str]] = (
        ("vectors", type(collection.vector_index), "search"),
        ("vectors", type(collection.vector_index), "search_many"),
        ("bm25", type(collection.text_index), "search"),
        ("trees", type(recommender.ranker), "score"),
        ("stage one", module, "propose"),
        ("ranking", Recommender, "rank"),
        ("columns", type(collection.corpus), "papers"),
    )
    before = [(owner, name, getattr(owner, name)) for _, owner, name in watched]
    try:
        for part, owner, name in watched:
            setattr(owner, name, _timed(getattr(owner, name), part, spent))
        yield spent
    finally:
        for owner, name, usual in before:
            setattr(owner, name, usual)


def _timed(usual: Callable[..., Any], part: str, spent: dict[str, float]) -> Callable[..., Any]:
    def timed(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - whatever it wraps.
        begun = time.process_time()
        found = usual(*arguments, **named)
        spent[part] += 1000 * (time.process_time() - begun)
        if part == "trees":
            spent["candidates"] = len(found)  # A ranker that looks twice scores them twice.
        return found

    return timed


def _rows(recommender: Recommender, drafts: Path) -> list[int]:
    with drafts.open(encoding="utf-8") as file:
        ids = [json.loads(line)["id"] for line in islice(file, TIMED + WARM_UP)]
    return [int(row) for row in recommender.collection.corpus.rows(ids)]


def _posed(recommender: Recommender, rows: Sequence[int]) -> list[Draft]:
    return [draft_of(recommender.collection.corpus.full_papers([row])[0]) for row in rows]


def _citing(recommender: Recommender, rows: Sequence[int], drafts: Sequence[Draft]) -> list[Draft]:
    """Let drafts cite the older papers that are nearest to them."""
    collection, citing = recommender.collection, []
    for row, draft in zip(rows, drafts, strict=False):
        cosines = np.array(collection.vectors @ np.array(collection.vectors[row]))
        cosines[collection.corpus.years >= (draft.as_of or 0)] = -1
        near = np.argpartition(-cosines, REFERENCES)[:REFERENCES]
        ids = tuple(collection.corpus.ids[int(each)] for each in near)
        citing.append(replace(draft, references=ids))
    return citing


if __name__ == "__main__":
    main(*sys.argv[1:])
