"""The two studies, on papers whose answer is known."""

from pathlib import Path

import numpy as np
import pytest

from recsys.pipelines.evaluation.query_studies import (
    ARMS,
    NEIGHBOURS,
    k_answerer,
    k_rows,
    own_ranks,
    self_citation_rows,
)
from recsys.store.collection import Collection
from tests.pipelines.small_index import (
    open_small_collection,
    open_small_index,
    write_small_index,
)
from tests.rows import each_row


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_index(tmp_path_factory.mktemp("studies") / "small.index")


@pytest.fixture(scope="module")
def collection(index: Path) -> Collection:
    return open_small_collection(index)


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


def test_ranks_of_papers_that_share_an_author(collection: Collection) -> None:
    papers = ["deserts-02", "rivers-04", "deserts-01", "undated", "rivers-01"]
    assert own_ranks(collection, "rivers-08", papers).tolist() == [2, 5]
    assert own_ranks(collection, "rivers-08", papers[:1]).tolist() == []
    assert own_ranks(collection, "undated", papers).tolist() == []


def test_lists_without_own_papers_count_as_their_length_plus_one(collection: Collection) -> None:
    lists = {
        "rivers-08": ["deserts-02", "rivers-04", "deserts-01", "deserts-00", "rivers-01"],
        "deserts-08": ["rivers-01"],
    }
    rows = self_citation_rows(collection, {True: lists, False: lists}, 5)
    assert [(row["length"], row["metadata"]) for row in rows] == [
        (length, metadata) for metadata in (True, False) for length in (1, 5)
    ]
    assert rows[0] == {
        "length": 1,
        "metadata": True,
        "mean rank": 2,
        "first rank": 2,
        "with any": 0,
    }
    assert rows[1] == {
        "length": 5,
        "metadata": True,
        "mean rank": (3.5 + 6) / 2,
        "first rank": (2 + 6) / 2,
        "with any": 0.5,
    }
