"""Examples for the local ranker: drawn alike whoever else is drawn, and true to their queries."""

from dataclasses import replace

import numpy as np
import pytest

from recsys.local.local_features import LOCAL_FEATURES, compute_local
from recsys.local.local_recommender import PassageRanker
from recsys.local.passage import ContextUse
from recsys.pipelines.local.local_queries import (
    KNOWN,
    LocalQueries,
    beside,
    local_queries,
    pose_query,
    references_of,
)
from recsys.pipelines.local.train_local import RAW, Way, drawn_way, example
from recsys.store.vectors import dot_cache
from tests.pipelines.local.small_passages import invented_contexts, open_small_local
from tests.pipelines.small_index import write_small_index
from tests.rows import each_row


@pytest.fixture(scope="module")
def ranker(tmp_path_factory: pytest.TempPathFactory) -> PassageRanker:
    return open_small_local(write_small_index(tmp_path_factory.mktemp("table") / "small.index"))


@pytest.fixture(scope="module")
def found(ranker: PassageRanker) -> LocalQueries:
    return local_queries(ranker.reader.collection, invented_contexts())


def test_all_ways_are_drawn_and_most_are_masked(found: LocalQueries) -> None:
    ways = [drawn_way(query, seed=0) for query in found.queries]
    assert set(ways) == {Way(known, masked) for known in KNOWN for masked in (True, False)}
    assert np.mean([not way.masked for way in ways]) == pytest.approx(RAW, abs=0.12)
    assert ways == [drawn_way(query, seed=0) for query in found.queries]
    assert ways != [drawn_way(query, seed=1) for query in found.queries]


def test_sentences_of_one_paper_are_posed_in_several_ways(found: LocalQueries) -> None:
    ways: dict[int, set[Way]] = {}
    for query in found.queries:
        ways.setdefault(query.citing, set()).add(drawn_way(query, seed=0))
    assert max(len(each) for each in ways.values()) > 1


@each_row("known", KNOWN)
@each_row("masked", [True, False])
def test_an_example_is_what_the_query_is_answered_with(
    known: str, masked: bool, ranker: PassageRanker, found: LocalQueries
) -> None:
    reader = ranker.reader
    for query in found.queries[50:54]:
        way = Way(known, masked, ContextUse.HIDDEN)
        made = example(reader, query, way)
        assert made is not None
        posed = pose_query(
            reader.collection, reader.works, query, known, masked=masked, contexts=way.contexts
        )
        with dot_cache():  # Else the last bit of a cosine may differ.
            view = reader.view(posed.draft, posed.passage)
            facts = reader.facts(view, posed.passage, reader.encode([posed.passage])[0])
            expected = compute_local(facts, LOCAL_FEATURES)
        listed = references_of(reader.collection, query)
        others = beside(reader.collection, reader.works, query, listed)
        kept = ~np.isin(facts.rows, reader.collection.corpus.rows(others))
        np.testing.assert_array_equal(made.features, expected[kept])
        np.testing.assert_array_equal(made.relevant, np.isin(facts.rows[kept], query.gold))
        assert made.relevant.dtype == np.int8
        assert made.gold == len(query.gold)


def test_nothing_is_left_to_ask_of_a_sentence_that_was_all_names(
    ranker: PassageRanker, found: LocalQueries
) -> None:
    query = replace(found.queries[50], text="(Rivers, 2004)")
    assert example(ranker.reader, query, Way(KNOWN[0], masked=True)) is None
    assert example(ranker.reader, query, Way(KNOWN[1], masked=True)) is not None
