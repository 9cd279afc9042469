"""The studies of queries, on papers whose answer is known."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recsys.eval.significance import bootstrap_difference, randomisation_test
from recsys.pipelines.evaluation.query_studies import (
    ARMS,
    NEIGHBOURS,
    SEED_ARMS,
    SEED_SYSTEMS,
    k_answerer,
    k_rows,
    seed_answerer,
    seed_rows,
    self_citation_rows,
)
from recsys.pipelines.evaluation.splits import gold
from recsys.records import PaperId
from recsys.store.collection import Collection
from tests.pipelines.small_index import (
    TOPICS,
    YEARS,
    open_small_collection,
    open_small_index,
)
from tests.rows import each_row

QUERIES = [f"{topic}-{age:02}" for age in range(YEARS) for topic in TOPICS]


@each_row("metadata", [True, False])
def test_candidates_are_the_neighbours_and_their_citations(index: Path, metadata: bool) -> None:
    entry = k_answerer(open_small_index, index, metadata)("rivers-08")
    recommender = open_small_index(index)
    collection = recommender.collection
    query = recommender.query_of(int(collection.corpus.rows(["rivers-08"])[0]))
    nearest = collection.vector_index.search(query.vector, 5, allowed=query.allowed)[0]
    older = nearest[collection.graph.older(nearest, 2008)]
    cited = collection.graph.references(older)[1]
    both = np.union1d(nearest, cited[query.allowed[cited]])
    counts = {arm: figures[0] for arm, figures in zip(ARMS, entry["arms"], strict=True)}
    assert counts[ARMS[0]] == 5
    assert counts[ARMS[len(NEIGHBOURS)]] == len(both)
    assert entry["gold"] == 2
    for arm, (count, found, hits, seconds) in zip(ARMS, entry["arms"], strict=True):
        assert count <= (arm.neighbours if not arm.expand else 10**6)
        assert 0 <= hits <= found <= 2
        assert seconds >= 0


def test_rows_average_the_queries() -> None:
    arms = len(ARMS)
    entries = [
        {"gold": 2, "arms": [[10, 1, 1, 0.001]] * arms},
        {"gold": 4, "arms": [[20, 4, 2, 0.003]] * arms},
    ]
    rows = k_rows(entries)
    assert len(rows) == arms
    assert rows[0] == {
        "neighbours": 5,
        "citations": False,
        "candidates": 15,
        "candidate recall": 0.75,
        "P@20": pytest.approx(0.075),
        "R@20": 0.5,
        "F1@20": pytest.approx(2 * 0.075 * 0.5 / 0.575),
        "ms": pytest.approx(2),
    }


def test_lists_without_own_papers_count_as_their_length_plus_one(collection: Collection) -> None:
    lists = {
        "rivers-08": ["deserts-02", "rivers-04", "deserts-01", "deserts-00", "rivers-01"],
        "deserts-08": ["rivers-01"],
        "undated": ["rivers-01", "undated"],  # Nobody is known to have written it.
    }
    rows = self_citation_rows(collection, {True: lists, False: lists}, 5)
    assert [(row["length"], row["metadata"]) for row in rows] == [
        (length, metadata) for metadata in (True, False) for length in (1, 5)
    ]
    figures = [[row[name] for name in ("mean rank", "first rank", "with any")] for row in rows]
    expected = [[2, 2, 0], [(3.5 + 6 + 6) / 3, (2 + 6 + 6) / 3, 1 / 3]] * 2
    assert np.array(figures) == pytest.approx(np.array(expected))


@pytest.fixture(scope="module")
def found(index: Path) -> dict[PaperId, dict[str, Any]]:
    """What every query finds."""
    return entries(index)


def entries(
    index: Path, queries: Sequence[str] = QUERIES, *, seed: int = 0
) -> dict[PaperId, dict[str, Any]]:
    ask = seed_answerer(open_small_index, index, True, seed)
    return {query: dict(ask(query)) for query in queries}


def entry(wanted: int, without: list[int], given: list[int]) -> dict[str, Any]:
    """What a query would have found: some places without seeds, others with any."""
    arms = [without if number == 0 else given for _, number in SEED_ARMS]
    return {"gold": wanted, "arms": arms}


def test_half_of_the_references_is_set_aside_and_the_other_to_be_found(
    index: Path, found: dict[PaperId, dict[str, Any]]
) -> None:
    collection = open_small_collection(index)
    for query, facts in found.items():
        right = gold(collection, int(collection.corpus.rows([query])[0]))
        assert facts["gold"] == (len(right) - len(right) // 2 if len(right) > 1 else 0)
        assert len(facts["arms"]) == (len(SEED_ARMS) if facts["gold"] else 0)
        for places in facts["arms"]:
            assert len(places) <= facts["gold"]
            assert places == sorted(set(places))


def test_what_is_set_aside_is_ranked_by_no_arm(
    index: Path, found: dict[PaperId, dict[str, Any]]
) -> None:
    """Of two references, the better placed is found where it stands, the other a place higher."""
    recommender = open_small_index(index)
    collection = recommender.collection
    moved = 0
    for query, facts in found.items():
        row = int(collection.corpus.rows([query])[0])
        right = gold(collection, row)
        if len(right) == 2:
            asked = recommender.query_of(row)
            ranked = collection.vector_index.search(asked.vector, 50, allowed=asked.allowed)[0]
            one, other = np.flatnonzero(np.isin(ranked, right)).tolist()
            place = facts["arms"][SEED_ARMS.index(("embedding", 0))]
            assert place in ([one], [other - 1])
            moved += place == [other - 1]
    assert moved


def test_rows_average_the_queries_and_compare_each_arm_with_none_given() -> None:
    found = [entry(2, [0, 30], [0, 1]), entry(4, [], [2]), entry(0, [], [])] * 4
    rows = seed_rows(found, seed=3)
    assert [(row["system"], row["seeds"]) for row in rows] == [
        (system, seeds) for system in SEED_SYSTEMS for seeds in ("0", "1", "3", "5", "half")
    ]
    plain, half = rows[0], rows[4]
    assert plain["queries"] == 8
    assert plain["gains"] == {}
    assert plain["measures"]["R@20"]["value"] == pytest.approx((0.5 + 0) / 2)
    assert half["measures"]["R@20"]["value"] == pytest.approx((1 + 0.25) / 2)
    assert half["measures"]["MRR"]["value"] == pytest.approx((1 + 1 / 3) / 2)
    one, other = np.array([1, 0.25] * 4), np.array([0.5, 0] * 4)
    rng = np.random.default_rng(3)
    expected = bootstrap_difference(one, other, rng=rng)
    gain = half["gains"]["R@20"]
    assert (gain["value"], gain["low"], gain["high"]) == pytest.approx(
        (expected.value, expected.low, expected.high)
    )
    assert gain["p"] == randomisation_test(one, other, rng=rng) == 2 / 2**8
