"""Triplets are what they say: cited, not cited, and never newer than the query."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recsys.models.pairs import counts_as_of
from recsys.pipelines.evaluation.splits import gold
from recsys.pipelines.studies.citeomatic.negatives import (
    Kind,
    Margins,
    Miner,
    Mining,
    Sampling,
    TripletSampler,
    jaccard,
    nearest,
    ragged,
)
from recsys.store.arrays import Rows
from recsys.store.collection import Collection
from recsys.store.graph import CitationGraph
from tests.tiny import random_world

SEEDS = st.integers(0, 10_000)


def queries_of(collection: Collection) -> Rows:
    rows = [row for row in range(len(collection.corpus)) if len(gold(collection, row))]
    return np.array(rows, np.int32)


def drawn_from(seed: int) -> tuple[Collection, TripletSampler]:
    collection = random_world(seed).collection
    queries = queries_of(collection)
    assume(len(queries))
    return collection, TripletSampler.build(collection, queries)


@given(SEEDS)
def test_triplets_are_of_the_past_and_of_their_kind(seed: int) -> None:
    collection, sampler = drawn_from(seed)
    graph = collection.graph
    rng = np.random.default_rng(seed)
    near = Miner.build(sampler, collection.terms.terms, 99, Mining(5, 100)).neighbours(
        collection.vectors[:]
    )
    triplets = sampler.epoch(rng, near)
    near_of = {int(row): set(near[place].tolist()) for place, row in enumerate(sampler.queries)}
    columns = (triplets.query, triplets.positive, triplets.negative, triplets.kind)
    for query, positive, negative, kind in np.stack(columns, axis=1).tolist():
        right = gold(collection, query).tolist()
        assert positive in right
        assert negative != query and negative not in graph.cites[query]
        assert 0 <= graph.years[negative] <= graph.years[query]
        if kind == Kind.CITED_BY_CITED:
            assert any(negative in graph.cites[row] for row in right)
        if kind == Kind.NEIGHBOUR:
            assert negative in near_of[query]


@given(SEEDS, st.integers(1, 3))
def test_every_positive_gets_so_many_of_every_kind_that_there_is(seed: int, per_kind: int) -> None:
    collection, _ = drawn_from(seed)
    queries = queries_of(collection)
    sampler = TripletSampler.build(collection, queries, Sampling(per_kind=per_kind))
    triplets = sampler.epoch(np.random.default_rng(0))
    assert Kind.NEIGHBOUR not in triplets.kind
    for place, query in enumerate(queries.tolist()):
        right = gold(collection, query)
        own = triplets.take(triplets.query == query)
        positives = sorted(own.positive[own.kind == Kind.CITED_BY_CITED].tolist())
        there = len(sampler.cited_by_cited[place]) > 0
        assert positives == (sorted(right.tolist() * per_kind) if there else [])


@given(SEEDS)
def test_a_query_that_could_cite_more_gets_random_negatives(seed: int) -> None:
    collection, sampler = drawn_from(seed)
    triplets = sampler.epoch(np.random.default_rng(seed))
    years = collection.graph.years
    for query in sampler.queries.tolist():
        possible = np.flatnonzero((years >= 0) & (years <= years[query]))
        left = set(possible.tolist()) - {query, *collection.graph.cites[query].tolist()}
        own = triplets.take((triplets.query == query) & (triplets.kind == Kind.RANDOM))
        if len(left) * 4 > len(possible):  # A draw fails so often only once in a million times.
            assert len(own) == 2 * len(gold(collection, query))
        assert set(own.negative.tolist()) <= left


@given(SEEDS)
def test_an_epoch_depends_on_the_generator_alone(seed: int) -> None:
    _, sampler = drawn_from(seed)
    once, again, other = (sampler.epoch(np.random.default_rng(each)) for each in (1, 1, 2))
    assert once.negative.tolist() == again.negative.tolist()
    assert once.query.tolist() == again.query.tolist()
    assert sorted(once.positive.tolist()) == sorted(other.positive.tolist()) or len(once) != len(
        other
    )


def test_margins_count_citations_as_of_the_query() -> None:
    years = np.array([2000, 2001, 2005, 2006], np.int16)
    graph = CitationGraph.build(np.array([1, 2, 3], np.int32), np.array([0, 0, 0], np.int32), years)
    rows, before = np.zeros(4, np.int32), np.array([2001, 2002, 2006, 2010], np.int16)
    assert counts_as_of(graph, rows, before).tolist() == [0, 1, 2, 3]
    assert Margins().of(np.zeros(1, np.int8), np.array([3]), np.array([3])) == pytest.approx(0.3)


@given(SEEDS, st.integers(1, 12))
def test_scanning_finds_the_nearest_that_are_not_newer(seed: int, k: int) -> None:
    collection, sampler = drawn_from(seed)
    years, vectors = collection.graph.years, collection.vectors[:]
    found = nearest(vectors, sampler, k)
    for place, query in enumerate(sampler.queries.tolist()):
        allowed = np.flatnonzero((years >= 0) & (years <= years[query]))
        cosines = np.sort(vectors[allowed] @ vectors[query])[::-1][:k]
        assert set(found[place].tolist()) <= set(allowed.tolist())
        own = np.sort(vectors[found[place]] @ vectors[query])[::-1]
        np.testing.assert_allclose(own, cosines, atol=1e-6)


def test_a_large_corpus_is_searched_by_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    collection = random_world(5).collection
    sampler = TripletSampler.build(collection, queries_of(collection))
    scanned = nearest(collection.vectors[:], sampler, 4)
    monkeypatch.setattr("recsys.pipelines.studies.citeomatic.negatives.SCANNED", 0)
    found = nearest(collection.vectors[:], sampler, 4)
    shared = [set(found[i].tolist()) & set(scanned[i].tolist()) for i in range(len(found))]
    assert sum(map(len, shared)) >= 0.8 * len(scanned.values)
    years = collection.graph.years
    owner, rows = found.take(np.arange(len(found), dtype=np.int32))
    assert (years[rows] <= years[sampler.queries[owner]]).all() and years[rows].min() >= 0


WORD_SETS = st.lists(st.sets(st.integers(0, 7)).map(sorted), min_size=2, max_size=6)


@given(WORD_SETS, st.data())
def test_jaccard_divides_the_shared_words_by_all(
    sets: list[list[int]], data: st.DataObject
) -> None:
    words = ragged([np.array(each, np.int32) for each in sets])
    rows = st.integers(0, len(sets) - 1)
    queries = data.draw(st.lists(rows, min_size=1, max_size=3))
    others = data.draw(
        st.lists(st.lists(rows, max_size=4), min_size=len(queries), max_size=len(queries))
    )
    found = jaccard(
        np.array(queries, np.int32),
        ragged([np.array(each, np.int32) for each in others]),
        words,
        8,
    )
    expected = [
        len(a & b) / max(len(a | b), 1)
        for query, rows_of in zip(queries, others, strict=True)
        for a, b in ((set(sets[query]), set(sets[row])) for row in rows_of)
    ]
    np.testing.assert_allclose(found, expected)
