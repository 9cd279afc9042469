from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recsys.query.query import make_query
from recsys.retrieval.propose import (
    SEARCHES,
    SOURCES,
    SourceQuery,
    add_nearness,
    bit,
    filtered_retrieval,
    prior,
    propose,
)
from tests.tiny import SMALL, World, random_world, with_nnselect

SEED_NUMBERS = st.integers(0, 2**32 - 1)


def drawn(seed: int) -> tuple[World, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    world = random_world(seed)
    return world, np.random.default_rng(seed).random(len(world.papers)) < 0.4


@given(SEED_NUMBERS)
def test_the_usual_candidates_stay_and_what_is_added_passes_and_is_wanted(seed: int) -> None:
    world, keep = drawn(seed)
    query = make_query(world.collection, world.draft, world.vector)
    usual = propose(world.collection, query, SMALL, whole=True)
    wide = filtered_retrieval(world.collection, query, usual, keep, SMALL)
    at = np.searchsorted(wide.rows, usual.rows)
    assert wide.rows[at].tolist() == usual.rows.tolist()
    assert wide.chosen.sources[at].tolist() == usual.chosen.sources.tolist()
    assert wide.prior[at].tolist() == usual.prior.tolist()
    assert wide.nearest is usual.nearest
    assert (keep & query.wanted)[np.setdiff1d(wide.rows, usual.rows)].all()
    assert (wide.chosen.sources > 0).all()
    assert set(wide.rows.tolist()) <= set(wide.pool.rows.tolist())
    assert (np.diff(wide.rows) > 0).all() and (np.diff(wide.pool.rows) > 0).all()
    own = [float(world.collection.vectors[row] @ query.vector) for row in wide.rows]
    np.testing.assert_allclose(wide.cosines, own, atol=1e-6)
    passing = int(np.count_nonzero(keep[wide.rows]))
    assert passing == min(SMALL.candidates, int(np.count_nonzero(keep[wide.pool.rows])))
    assert passing >= min(SMALL.neighbours, int(np.count_nonzero(keep & query.wanted)))


@given(SEED_NUMBERS)
def test_nothing_is_added_when_nothing_passes(seed: int) -> None:
    world, keep = drawn(seed)
    query = make_query(world.collection, world.draft, world.vector)
    usual = propose(world.collection, query, SMALL, whole=True)
    wide = filtered_retrieval(world.collection, query, usual, np.zeros_like(keep), SMALL)
    assert wide.rows.tolist() == usual.rows.tolist()
    assert len(wide.pool.rows) == len(usual.pool.rows)


@given(SEED_NUMBERS, st.sampled_from(SEARCHES))
def test_a_filter_asks_only_the_searches_that_are_asked(seed: int, only: str) -> None:
    world = with_nnselect(random_world(seed), seed)
    keep = np.random.default_rng(seed).random(len(world.papers)) < 0.4
    query = make_query(world.collection, world.draft, world.vector, nnselect=world.nnselect)
    options = replace(SMALL, searches=(only,))
    usual = propose(world.collection, query, options, whole=True)
    wide = filtered_retrieval(world.collection, query, usual, keep, options)
    name = next(each.name for each in SOURCES if each.key == only)
    added = ~np.isin(wide.pool.rows, usual.pool.rows)
    assert (wide.pool.sources[added] == bit(name)).all()


@given(SEED_NUMBERS)
def test_what_a_filter_adds_is_weighed_as_if_it_had_been_in_the_pool(seed: int) -> None:
    world = with_nnselect(random_world(seed), seed)
    query = make_query(world.collection, world.draft, world.vector, nnselect=world.nnselect)
    # Each search finds one paper, then, for the filter that lets all pass, it finds all of them.
    narrow = replace(SMALL, searches=SEARCHES, neighbours=1, nnselect_neighbours=1, matches=1)
    far = replace(narrow, neighbours=40, nnselect_neighbours=40, matches=40, candidates=40)
    usual = propose(world.collection, query, narrow, whole=True)
    wide = filtered_retrieval(world.collection, query, usual, np.ones(len(world.papers), bool), far)
    every = propose(world.collection, query, far, whole=True)
    asked = SourceQuery(world.collection, query, far)
    added = ~np.isin(wide.pool.rows, usual.pool.rows)
    rows = wide.pool.rows[added]
    cosines = asked.cosines(rows)
    same = prior(asked, usual.found, every.found, rows, cosines)
    same = add_nearness(asked, rows, same)
    np.testing.assert_allclose(wide.pool.prior[added], same, atol=1e-5)
