"""Where no citation is known, features that read citations say so instead of 0."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.query.query import make_query
from recsys.ranking.feature_context import FeatureContext
from recsys.ranking.features import (
    BY_NAME,
    LINKS_AROUND,
    UNKNOWN,
    compute,
    feature_names,
)
from recsys.records import Draft, Paper
from recsys.retrieval.propose import SEARCHES, propose
from recsys.store.collection import Collection
from recsys.store.graph import CitationGraph
from tests.recsys.ranking.worked_example import context_of
from tests.rows import each_row
from tests.tiny import SMALL, World, collect, random_world, with_nnselect

SEEDS = st.integers(0, 2**32 - 1)
OLD = feature_names(metadata=True, nnselect=True)
NEW = feature_names(metadata=True, nnselect=True, any_corpus=True)
READS_LINKS = np.array([BY_NAME[name].reads_links for name in NEW])


def with_links(collection: Collection, citing: list[int], cited: list[int]) -> Collection:
    pair = np.array(citing, np.int32), np.array(cited, np.int32)
    return replace(collection, graph=CitationGraph.build(*pair, collection.graph.years))


def asked(world: World, collection: Collection) -> FeatureContext:
    """Ask for the candidates of the world as it is, whatever links the collection has."""
    query = make_query(world.collection, world.draft, world.vector, nnselect=world.nnselect)
    candidates = propose(world.collection, query, replace(SMALL, searches=tuple(SEARCHES)))
    return FeatureContext(collection, query, candidates)


@given(SEEDS)
def test_without_links_exactly_the_features_that_read_them_are_unknown(seed: int) -> None:
    world = with_nnselect(random_world(seed), seed)
    context = asked(world, with_links(world.collection, [], []))
    table = compute(context, NEW)
    assert (table[:, READS_LINKS] == UNKNOWN).all()
    plain = tuple(name for name in NEW if not BY_NAME[name].reads_links)
    np.testing.assert_array_equal(table[:, ~READS_LINKS], compute(context, plain))
    assert (table[:, NEW.index(LINKS_AROUND)] == 0).all()


@given(SEEDS)
def test_features_without_the_mark_do_not_depend_on_links(seed: int) -> None:
    world = with_nnselect(random_world(seed), seed)
    linked, bare = world.collection, with_links(world.collection, [], [])
    names = tuple(name for name in OLD if not BY_NAME[name].reads_links)
    with_them, without = (compute(asked(world, each), names) for each in (linked, bare))
    np.testing.assert_array_equal(with_them, without)


@given(SEEDS)
def test_with_a_link_features_are_what_they_were_and_above_unknown(seed: int) -> None:
    world = with_nnselect(random_world(seed), seed)
    context = asked(world, world.collection)
    table, before = compute(context, NEW), compute(context, OLD)
    kept = np.array([name in OLD for name in NEW])
    assert (before[:, READS_LINKS[kept]] > UNKNOWN).all()
    if context.links_around:
        np.testing.assert_array_equal(table[:, kept], before)


@given(SEEDS)
def test_rankers_that_learned_from_zeros_get_zeros(seed: int) -> None:
    world = random_world(seed)
    table = compute(asked(world, with_links(world.collection, [], [])), ("votes_near", "citations"))
    assert (table == 0).all()


# The draft is of 2010. Its candidates are a, b and c; late is newer.
PAPERS = (
    Paper("a", "graph", year=2001),
    Paper("b", "graph", year=2005),
    Paper("c", "graph", year=2010),
    Paper("late", "graph", year=2012),
)


@each_row(
    ("citing", "cited", "links"),
    [
        ([], [], 0),
        ([1], [0], 2),  # b cites a: a citation of a, and a reference of b.
        ([2], [0], 0),  # c is of the draft's year: it has not been read yet.
        ([3, 3], [0, 1], 0),  # Not yet written.
        ([1], [3], 0),  # What b cites is not yet written.
        ([1, 3], [0, 1], 2),
    ],
)
def test_links_count_as_of_the_query(citing: list[int], cited: list[int], links: int) -> None:
    vectors = np.array([[1, 0]] * 4, np.float32)
    collection = with_links(collect(PAPERS, vectors), citing, cited)
    query = make_query(collection, Draft("graph", as_of=2010), vectors[0])
    context = context_of(collection, query)
    assert context.rows.tolist() == [0, 1, 2]
    assert context.links_around == pytest.approx(links / 3)
    column = compute(context, (LINKS_AROUND, "votes_near"))
    np.testing.assert_allclose(column[:, 0], np.log1p(links / 3), rtol=1e-6)
    assert (column[:, 1] == UNKNOWN).all() == (links == 0)
