"""Examples for the local ranker: drawn alike whoever else is drawn, and true to their queries."""

from dataclasses import replace

import numpy as np
import pytest

from pipelines.local.local_queries import (
    KNOWN,
    LocalQueries,
    LocalQuery,
    local_queries,
    pose_query,
)
from pipelines.local.local_table import RAW, READ, Way, drawn_way, example, table_of
from recsys.local.context_view import ContextUse
from recsys.local.local_features import LOCAL_FEATURES, compute_local
from recsys.local.rank_passages import PassageRanker
from recsys.store.products import remembered_products
from tests.pipelines.local.small_passages import invented_contexts, open_small_local
from tests.pipelines.small_index import write_small_index


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


def test_half_of_the_queries_read_contexts_where_there_are_any(found: LocalQueries) -> None:
    plain = [drawn_way(query, seed=0) for query in found.queries]
    assert {way.contexts for way in plain} == {ContextUse.HIDDEN}
    ways = [drawn_way(query, seed=0, contexts=True) for query in found.queries]
    # Never all of them: who has contexts would be known by having some.
    assert {way.contexts for way in ways} == {ContextUse.HIDDEN, ContextUse.ONLY}
    assert np.mean([way.contexts is ContextUse.ONLY for way in ways]) == pytest.approx(
        READ, abs=0.12
    )
    assert [replace(way, contexts=ContextUse.HIDDEN) for way in ways] == plain


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("masked", [True, False])
def test_an_example_is_what_the_query_is_answered_with(
    known: str, masked: bool, ranker: PassageRanker, found: LocalQueries
) -> None:
    reader = ranker.reader
    for query in found.queries[50:54]:
        made = example(reader, query, Way(known, masked))
        posed = pose_query(
            reader.collection,
            reader.works,
            query,
            known,
            masked=masked,
            contexts=ContextUse.HIDDEN,
        )
        with remembered_products():  # Else the last bit of a cosine may differ.
            view = reader.view(posed.draft, posed.passage)
            facts = reader.facts(view, posed.passage, reader.encode([posed.passage])[0])
            expected = compute_local(facts, LOCAL_FEATURES)
        assert made is not None and made.gold == len(query.gold)
        np.testing.assert_array_equal(made.features, expected)
        assert made.relevant.dtype == np.int8
        assert made.relevant.tolist() == np.isin(facts.rows, query.gold).tolist()


def test_other_works_of_the_sentence_are_no_negatives(
    ranker: PassageRanker, found: LocalQueries
) -> None:
    reader, corpus = ranker.reader, ranker.reader.collection.corpus
    query = LocalQuery(
        int(corpus.rows(["rivers-08"])[0]),
        "Rivers (2006) and Rivers (2007) measured rivers.",
        corpus.rows(["rivers-07"]),
    )
    way = Way(KNOWN[0], masked=False)
    made = example(reader, query, way)
    both = example(reader, replace(query, gold=corpus.rows(["rivers-06", "rivers-07"])), way)
    assert made is not None and both is not None
    assert len(made.relevant) == len(both.relevant) - 1
    assert (made.relevant.sum(), both.relevant.sum()) == (1, 2)


def test_nothing_is_left_to_ask_of_a_sentence_that_was_all_names(
    ranker: PassageRanker, found: LocalQueries
) -> None:
    query = replace(found.queries[50], text="(Rivers, 2004)")
    assert example(ranker.reader, query, Way(KNOWN[0], masked=True)) is None
    assert example(ranker.reader, query, Way(KNOWN[1], masked=True)) is not None


def test_examples_are_put_one_after_the_other(ranker: PassageRanker, found: LocalQueries) -> None:
    made = [
        example(ranker.reader, query, Way(KNOWN[1], masked=True)) for query in found.queries[:3]
    ]
    examples = [each for each in made if each is not None]
    table = table_of(examples)
    assert len(examples) == 3
    ends = np.cumsum([len(each.relevant) for each in examples])
    for each, part in zip(examples, np.split(np.arange(ends[-1]), ends[:-1]), strict=True):
        np.testing.assert_array_equal(table.features[part], each.features)
        np.testing.assert_array_equal(table.relevant[part], each.relevant)
