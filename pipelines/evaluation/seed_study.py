"""Seed study, on any index: how much do answers gain when some of the references are known?

Half of each query's gold papers, drawn at random, is set aside to be given; the other half is to be
found, whatever is given: nothing, the first few papers of the half, or all of it. What is set aside
is neither recommended nor counted, so that all arms are asked for the same.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from recsys.eval.measures import DEPTH, POOLED, Doubles, Judged, average, draw, per_query
from recsys.eval.significance import bootstrap_difference, bootstrap_pooled_f1, randomisation_test
from recsys.pipelines.evaluation.seeded_queries import pose
from recsys.pipelines.evaluation.splits import gold
from recsys.pipelines.evaluation.systems import query_rng
from recsys.pipelines.jobs.kept_results import Entry, OpenIndex
from recsys.query.query import Query
from recsys.records import PaperId
from recsys.store.arrays import Rows

if TYPE_CHECKING:
    from recsys.recommend import Recommender

NUMBERS: Sequence[int | None] = (0, 1, 3, 5, None)
"""How many seeds are given; None: the whole half. A smaller half is given whole."""
SHOWN = ("R@20", "F1@20", "MRR")
SAMPLES = 1000

Arm: TypeAlias = tuple[str, int | None]
SeedRow: TypeAlias = Mapping[str, Any]


def _two_stage(recommender: "Recommender", query: Query) -> Rows:
    return recommender.rank(query).rows[:DEPTH]


def _embedding(recommender: "Recommender", query: Query) -> Rows:
    index = recommender.collection.vector_index
    return index.search(query.vector, DEPTH, allowed=query.wanted)[0]


SYSTEMS: Mapping[str, Callable[["Recommender", Query], Rows]] = {
    "two-stage": _two_stage,
    "embedding": _embedding,
}
ARMS: Sequence[Arm] = [(system, number) for system in SYSTEMS for number in NUMBERS]


def seed_answerer(
    open_index: OpenIndex, index: Path, metadata: bool, seed: int
) -> Callable[[PaperId], Entry]:
    """Open the index in a worker; return what asks one query of every arm there."""
    return partial(_ask_arms, open_index(index, metadata=metadata), seed)


def _ask_arms(recommender: "Recommender", seed: int, paper: PaperId) -> Entry:
    """Return how many papers are to be found and, arm by arm, the places of those found, from 0."""
    collection = recommender.collection
    row = int(collection.corpus.rows([paper])[0])
    shuffled = query_rng(seed, paper).permutation(gold(collection, row))
    given, right = np.split(shuffled, [len(shuffled) // 2])
    if len(given) == 0:
        return {"gold": 0, "arms": []}
    arms = []
    for system, number in ARMS:
        posed = pose(collection, row, given=np.sort(given[:number]), metadata=recommender.metadata)
        wanted = posed.query.wanted.copy()
        wanted[given] = False
        found = SYSTEMS[system](recommender, replace(posed.query, wanted=wanted))
        arms.append(np.flatnonzero(np.isin(found, right)).tolist())
    return {"gold": len(right), "arms": arms}


def seed_rows(entries: Sequence[Entry], *, seed: int) -> list[SeedRow]:
    """Average what every query found: a row for each arm; none without queries to halve.

    measures: name -> figure with its 95 % interval. gains: name -> by how much it exceeds the same
    system's without seeds, with the paired interval and p.
    """
    halved = [entry for entry in entries if entry["gold"]]
    if not halved:
        return []
    values = {
        arm: per_query([_judged(entry["arms"][at], entry["gold"]) for entry in halved])
        for at, arm in enumerate(ARMS)
    }
    drawn = draw(len(halved), rng=np.random.default_rng(seed), samples=SAMPLES)
    rows: list[SeedRow] = []
    for (system, number), found in values.items():
        figures, without = average(found, drawn), values[system, 0]
        names = SHOWN if number != 0 else ()
        rows.append(
            {
                "system": system,
                "seeds": "half" if number is None else str(number),
                "queries": len(halved),
                "measures": {name: asdict(figures[name]) for name in SHOWN},
                "gains": {name: _gain(name, found, without, seed) for name in names},
            }
        )
    return rows


def _judged(places: Sequence[int], wanted: int) -> Judged:
    flags = np.zeros(DEPTH, bool)
    flags[list(places)] = True
    return Judged(flags, wanted)


def _gain(
    name: str, found: Mapping[str, Doubles], without: Mapping[str, Doubles], seed: int
) -> dict[str, float]:
    """Compare two arms; F1@20 is pooled, its p that of the queries' own F1@20."""
    rng = np.random.default_rng(seed)
    if name not in POOLED:
        gain = bootstrap_difference(found[name], without[name], rng=rng, samples=SAMPLES)
        return asdict(gain) | {"p": randomisation_test(found[name], without[name], rng=rng)}
    (p, r), own = POOLED[name], f"query {name}"
    pairs = (found[p], found[r]), (without[p], without[r])
    gain = bootstrap_pooled_f1(*pairs, rng=rng, samples=SAMPLES)
    return asdict(gain) | {"p": randomisation_test(found[own], without[own], rng=rng)}
