"""Studies that ask every query of a part in several ways, on any index.

K study (Citeomatic's Table 4): candidates are the K nearest papers, alone or with their citations,
and nothing else; the ranker orders them all. Self-citation study (its Figure 4): how high the
answers put papers by the query's own authors, with a ranker that reads metadata and with one that
does not.

Seed study: how much do answers gain when some of the references are known? Half of each query's
gold papers, drawn at random, is set aside to be given; the other half is to be found, whatever is
given: nothing, the first few papers of the half, or all of it. What is set aside is neither
recommended nor counted, so that all arms are asked for the same.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from recsys.eval.measures import DEPTH, POOLED, Judged, average, draw, f1, per_query
from recsys.eval.significance import bootstrap_difference, pooled_f1_gain, randomisation_test
from recsys.pipelines.evaluation.splits import gold, pose, query_rng
from recsys.pipelines.jobs.kept_results import Entry, OpenIndex
from recsys.query.query import Query
from recsys.records import PaperId
from recsys.retrieval.propose import StageOne
from recsys.store.arrays import Rows
from recsys.store.collection import Collection

if TYPE_CHECKING:
    from recsys.recommend import Recommender

StudyRow: TypeAlias = Mapping[str, Any]

NEIGHBOURS = (5, 10, 20, 50, 100, 200, 500)
ARMS = tuple(
    StageOne(neighbours=number, matches=0, candidates=1_000_000, expand=expand)
    for expand in (False, True)
    for number in NEIGHBOURS
)
"""Rows of the K study: how many neighbours, and whether their citations are candidates, too."""
CUTOFF = 20
LENGTHS = (1, *range(5, 101, 5))


def k_answerer(open_index: OpenIndex, index: Path, metadata: bool) -> Callable[[PaperId], Entry]:
    """Open the index in a worker; return what asks one query of every arm there.

    An arm gives: candidates, gold among them, gold in the first 20, processor seconds.
    """
    recommender = open_index(index, metadata=metadata)

    def ask(paper: PaperId) -> Entry:
        row = int(recommender.collection.corpus.rows([paper])[0])
        posed = recommender.query_of(row)
        query = replace(posed, own_papers=posed.own_papers[:0])
        right = gold(recommender.collection, row)
        arms = []
        for arm in ARMS:
            begun = time.process_time()
            rows = replace(recommender, stage_one=arm).rank(query).rows
            seconds = time.process_time() - begun
            hits = np.isin(rows, right)
            arms.append([len(rows), int(hits.sum()), int(hits[:CUTOFF].sum()), seconds])
        return {"gold": len(right), "arms": arms}

    return ask


def k_rows(entries: Sequence[Entry]) -> list[StudyRow]:
    """Average what every query found: a row for each arm; ms is the median processor time."""
    right = np.array([entry["gold"] for entry in entries], np.float64)
    table = np.array([entry["arms"] for entry in entries], np.float64)  # (queries, arms, 4)
    rows: list[StudyRow] = []
    for arm, (count, found, hits, seconds) in zip(ARMS, table.transpose(1, 2, 0), strict=True):
        precision, recall = float(hits.mean()) / CUTOFF, float((hits / right).mean())
        rows.append(
            {
                "neighbours": arm.neighbours,
                "citations": arm.expand,
                "candidates": float(count.mean()),
                "candidate recall": float((found / right).mean()),
                f"P@{CUTOFF}": precision,
                f"R@{CUTOFF}": recall,
                f"F1@{CUTOFF}": f1(precision, recall),
                "ms": 1000 * float(np.median(seconds)),
            }
        )
    return rows


def self_citation_rows(
    collection: Collection, answers: Mapping[bool, Mapping[PaperId, Sequence[PaperId]]], k: int
) -> list[StudyRow]:
    """Say how high papers by the queries' authors stand in lists of 1, 5, 10, ..., at most k.

    mean rank and first rank: of the papers in the list that share an author with the query, the
    length of the list plus one where there is none; averaged over the queries. with any: share of
    the queries whose list has one.

    Args:
        answers: by whether the ranker read metadata: query -> papers, best first.
    """
    rows: list[StudyRow] = []
    corpus = collection.corpus
    for metadata, lists in answers.items():
        ranks = []  # From 1, of the papers that share an author with the query, ascending.
        for query, papers in lists.items():
            [asked] = corpus.papers(corpus.rows([query]))
            own = corpus.written_by(asked.authors).papers
            known = [row for paper in papers if (row := corpus.row(paper)) is not None]
            ranks.append(np.flatnonzero(np.isin(np.array(known, np.int32), own)) + 1)
        for length in (each for each in LENGTHS if each <= k):
            inside = [own[own <= length] for own in ranks]
            filled = [own if len(own) else np.array([length + 1]) for own in inside]
            rows.append(
                {
                    "length": length,
                    "metadata": metadata,
                    "mean rank": float(np.mean([own.mean() for own in filled])),
                    "first rank": float(np.mean([own[0] for own in filled])),
                    "with any": float(np.mean([len(own) > 0 for own in inside])),
                }
            )
    return rows


NUMBERS: Sequence[int | None] = (0, 1, 3, 5, None)
"""How many seeds are given; None: the whole half. A smaller half is given whole."""
SHOWN = ("R@20", "F1@20", "MRR")
SAMPLES = 1000


SEED_SYSTEMS: Mapping[str, Callable[["Recommender", Query], Rows]] = {
    "two-stage": lambda recommender, query: recommender.rank(query).rows[:DEPTH],
    "embedding": lambda recommender, query: recommender.collection.vector_index.search(
        query.vector, DEPTH, allowed=query.wanted
    )[0],
}
SEED_ARMS = [(system, number) for system in SEED_SYSTEMS for number in NUMBERS]


def seed_answerer(
    open_index: OpenIndex, index: Path, metadata: bool, seed: int
) -> Callable[[PaperId], Entry]:
    """Open the index in a worker; return what asks one query of every arm there.

    It tells how many papers are to be found and, arm by arm, the places of those found, from 0.
    """
    recommender = open_index(index, metadata=metadata)
    collection = recommender.collection

    def ask(paper: PaperId) -> Entry:
        row = int(collection.corpus.rows([paper])[0])
        shuffled = query_rng(seed, paper).permutation(gold(collection, row))
        given, right = np.split(shuffled, [len(shuffled) // 2])
        if len(given) == 0:
            return {"gold": 0, "arms": []}
        arms = []
        for system, number in SEED_ARMS:
            seeds = np.sort(given[:number])
            query = pose(collection, row, given=seeds, metadata=recommender.metadata).query
            wanted = query.wanted.copy()
            wanted[given] = False
            found = SEED_SYSTEMS[system](recommender, replace(query, wanted=wanted))
            arms.append(np.flatnonzero(np.isin(found, right)).tolist())
        return {"gold": len(right), "arms": arms}

    return ask


def seed_rows(entries: Sequence[Entry], *, seed: int) -> list[StudyRow]:
    """Average what every query found: a row for each arm; none without queries to halve.

    measures: name -> figure with its 95 % interval. gains: name -> by how much it exceeds the same
    system's without seeds, with the paired interval and p; F1@20 is pooled, its p that of the
    queries' own F1@20.
    """
    halved = [entry for entry in entries if entry["gold"]]
    if not halved:
        return []
    drawn = draw(len(halved), rng=np.random.default_rng(seed), samples=SAMPLES)
    rows: list[StudyRow] = []
    for at, (system, number) in enumerate(SEED_ARMS):
        flags = np.zeros((len(halved), DEPTH), bool)
        for line, entry in zip(flags, halved, strict=True):
            line[entry["arms"][at]] = True
        values = per_query(
            [Judged(line, entry["gold"]) for line, entry in zip(flags, halved, strict=True)]
        )
        gains = {}
        if number == 0:
            without = values
        for name in SHOWN if number != 0 else ():
            rng = np.random.default_rng(seed)
            if name in POOLED:
                again = draw(len(halved), rng=rng, samples=SAMPLES)
                gain = pooled_f1_gain(values, without, again, name)
            else:
                gain = bootstrap_difference(values[name], without[name], rng=rng, samples=SAMPLES)
            tested = f"query {name}" if name in POOLED else name
            chance = randomisation_test(values[tested], without[tested], rng=rng)
            gains[name] = asdict(gain) | {"p": chance}
        figures = average(values, drawn)
        rows.append(
            {
                "system": system,
                "seeds": "half" if number is None else str(number),
                "queries": len(halved),
                "measures": {name: asdict(figures[name]) for name in SHOWN},
                "gains": gains,
            }
        )
    return rows
