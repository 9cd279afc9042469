"""Two studies of the Citeomatic paper, on any index.

K study (its Table 4): candidates are the K nearest papers, alone or with their citations, and
nothing else; the ranker orders them all. Self-citation study (its Figure 4): how high the answers
put papers by the query's own authors, with a ranker that reads metadata and with one that does not.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.eval.measures import DEPTH, POOLED, Doubles, Judged, average, draw, f1, per_query
from recsys.eval.significance import bootstrap_difference, bootstrap_pooled_f1, randomisation_test
from recsys.pipelines.evaluation.splits import gold, pose, query_rng
from recsys.pipelines.jobs.kept_results import Entry, OpenIndex
from recsys.query.query import Query
from recsys.records import PaperId
from recsys.retrieval.sources import StageOne
from recsys.store.arrays import Rows
from recsys.store.collection import Collection

if TYPE_CHECKING:
    from recsys.recommend import Recommender


NEIGHBOURS = (5, 10, 20, 50, 100, 200, 500)
LENGTHS = (1, *range(5, 101, 5))
CUTOFF = 20
_EVERY = 1_000_000

StudyRow: TypeAlias = Mapping[str, Any]
Ranks: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Arm:
    """One row of the K study: how many neighbours, and whether their citations are candidates."""

    neighbours: int
    expand: bool

    @property
    def stage_one(self) -> StageOne:
        """Take every paper that this arm finds."""
        return StageOne(
            neighbours=self.neighbours, matches=0, candidates=_EVERY, expand=self.expand
        )


ARMS = tuple(Arm(number, expand) for expand in (False, True) for number in NEIGHBOURS)


def k_answerer(open_index: OpenIndex, index: Path, metadata: bool) -> Callable[[PaperId], Entry]:
    """Open the index in a worker; return what asks one query of every arm there."""
    return partial(_ask_arms, open_index(index, metadata=metadata))


def _ask_arms(recommender: "Recommender", paper: PaperId) -> Entry:
    """Return, arm by arm: candidates, gold among them, gold in the first 20, processor seconds."""
    row = int(recommender.collection.corpus.rows([paper])[0])
    posed = recommender.query_of(row)
    query = replace(posed, own_papers=posed.own_papers[:0])
    right = gold(recommender.collection, row)
    arms = []
    for arm in ARMS:
        begun = time.process_time()
        rows = replace(recommender, stage_one=arm.stage_one).rank(query).rows
        seconds = time.process_time() - begun
        hits = np.isin(rows, right)
        arms.append([len(rows), int(hits.sum()), int(hits[:CUTOFF].sum()), seconds])
    return {"gold": len(right), "arms": arms}


def k_rows(entries: Sequence[Entry]) -> list[StudyRow]:
    """Average what every query found: a row for each arm; ms is the median processor time."""
    wanted = np.array([entry["gold"] for entry in entries], np.float64)
    table = np.array([entry["arms"] for entry in entries], np.float64)  # (queries, arms, 4)
    rows: list[StudyRow] = []
    for arm, (count, found, hits, seconds) in zip(ARMS, table.transpose(1, 2, 0), strict=True):
        precision, recall = float(hits.mean()) / CUTOFF, float((hits / wanted).mean())
        rows.append(
            {
                "neighbours": arm.neighbours,
                "citations": arm.expand,
                "candidates": float(count.mean()),
                "candidate recall": float((found / wanted).mean()),
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
    for metadata, lists in answers.items():
        ranks = [own_ranks(collection, query, papers) for query, papers in lists.items()]
        rows += [_own_row(ranks, length, metadata) for length in LENGTHS if length <= k]
    return rows


def _own_row(ranks: Sequence[Ranks], length: int, metadata: bool) -> StudyRow:
    inside = [each[each <= length] for each in ranks]
    nobody = np.array([length + 1])
    filled = [each if len(each) else nobody for each in inside]
    return {
        "length": length,
        "metadata": metadata,
        "mean rank": float(np.mean([each.mean() for each in filled])),
        "first rank": float(np.mean([each[0] for each in filled])),
        "with any": float(np.mean([len(each) > 0 for each in inside])),
    }


def own_ranks(collection: Collection, query: PaperId, papers: Sequence[PaperId]) -> Ranks:
    """Return the ranks, from 1, of the papers that share an author with the query, ascending."""
    corpus = collection.corpus
    authors = corpus.authors[int(corpus.rows([query])[0])]
    rows = [row for paper in papers if (row := corpus.row(paper)) is not None]
    owner, codes = corpus.authors.take(np.array(rows, np.int32))
    return np.unique(owner[np.isin(codes, authors)]).astype(np.int64) + 1


# Seed study, on any index: how much do answers gain when some of the references are known?
#
# Half of each query's gold papers, drawn at random, is set aside to be given; the other half is
# to be found, whatever is given: nothing, the first few papers of the half, or all of it. What is
# set aside is neither recommended nor counted, so that all arms are asked for the same.

NUMBERS: Sequence[int | None] = (0, 1, 3, 5, None)
"""How many seeds are given; None: the whole half. A smaller half is given whole."""
SHOWN = ("R@20", "F1@20", "MRR")
SAMPLES = 1000

SeedArm: TypeAlias = tuple[str, int | None]
SeedRow: TypeAlias = Mapping[str, Any]


def _two_stage(recommender: "Recommender", query: Query) -> Rows:
    return recommender.rank(query).rows[:DEPTH]


def _embedding(recommender: "Recommender", query: Query) -> Rows:
    index = recommender.collection.vector_index
    return index.search(query.vector, DEPTH, allowed=query.wanted)[0]


SEED_SYSTEMS: Mapping[str, Callable[["Recommender", Query], Rows]] = {
    "two-stage": _two_stage,
    "embedding": _embedding,
}
SEED_ARMS: Sequence[SeedArm] = [(system, number) for system in SEED_SYSTEMS for number in NUMBERS]


def seed_answerer(
    open_index: OpenIndex, index: Path, metadata: bool, seed: int
) -> Callable[[PaperId], Entry]:
    """Open the index in a worker; return what asks one query of every arm there."""
    return partial(_ask_seed_arms, open_index(index, metadata=metadata), seed)


def _ask_seed_arms(recommender: "Recommender", seed: int, paper: PaperId) -> Entry:
    """Return how many papers are to be found and, arm by arm, the places of those found, from 0."""
    collection = recommender.collection
    row = int(collection.corpus.rows([paper])[0])
    shuffled = query_rng(seed, paper).permutation(gold(collection, row))
    given, right = np.split(shuffled, [len(shuffled) // 2])
    if len(given) == 0:
        return {"gold": 0, "arms": []}
    arms = []
    for system, number in SEED_ARMS:
        posed = pose(collection, row, given=np.sort(given[:number]), metadata=recommender.metadata)
        wanted = posed.query.wanted.copy()
        wanted[given] = False
        found = SEED_SYSTEMS[system](recommender, replace(posed.query, wanted=wanted))
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
        for at, arm in enumerate(SEED_ARMS)
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
