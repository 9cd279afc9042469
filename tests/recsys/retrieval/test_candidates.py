from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.indexes.exact import ExactIndex
from recsys.query.query import make_query
from recsys.records import Draft, Paper
from recsys.retrieval.propose import (
    SEARCHES,
    SOURCES,
    CitationEdges,
    StageOne,
    WeightedPapers,
    bit,
    check_searches,
    propose,
    ties,
    votes,
)
from recsys.store.arrays import Floats
from recsys.store.collection import Collection, Space
from tests.rows import each_row
from tests.tiny import SMALL, collect, random_world, with_nnselect

SEED_NUMBERS = st.integers(0, 2**32 - 1)
PAPERS = (
    Paper("a", "Beetles", year=2010),
    Paper("b", "Clouds", year=2011, references=("a",)),
    Paper("c", "Graph", year=2012, references=("a",)),
    Paper("d", "Engines", year=2012, authors=("Ann Ash",), references=("e",)),
    Paper("e", "Ferns", year=2011),
    Paper("f", "Gravel", year=2014, references=("a", "e")),
    Paper("g", "Honey", year=2015, references=("a", "b")),
)
VECTORS = np.eye(7, dtype=np.float32)


@pytest.fixture(scope="module")
def collection() -> Collection:
    return collect(PAPERS, VECTORS)


def rows(*numbers: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(numbers, np.int32)


def sources_of(collection: Collection, draft: Draft, options: StageOne) -> dict[str, set[str]]:
    query = make_query(collection, draft, VECTORS[1])
    found = propose(collection, query, options)
    return {PAPERS[row].id: set(found.source_names(at)) for at, row in enumerate(found.rows)}


def test_every_source_names_what_it_proposed(collection: Collection) -> None:
    draft = Draft("graph", authors=("Ann Ash",), as_of=2014)
    assert sources_of(collection, draft, StageOne(neighbours=1)) == {
        "a": {"cited-by-neighbour"},
        "b": {"ann"},
        "c": {"bm25"},
        "d": {"author"},
        "e": {"author"},
    }


def test_seeds_propose_what_is_near_cited_citing_or_cited_together(
    collection: Collection,
) -> None:
    draft = Draft("nothing", references=("e",), as_of=2016)
    options = StageOne(neighbours=1, per_seed=1)
    assert sources_of(collection, draft, options) == {
        "a": {"cited-by-neighbour", "seed"},  # f cites a and e.
        "b": {"ann"},
        "d": {"seed"},  # It cites e.
        "f": {"seed"},
    }


def test_fewer_candidates_keep_the_highest_prior(collection: Collection) -> None:
    query = make_query(collection, Draft("graph", as_of=2016), VECTORS[1])
    every = propose(collection, query, StageOne())
    few = propose(collection, query, StageOne(candidates=2))
    best = np.sort(np.lexsort((every.rows, -every.prior))[:2])
    assert few.rows.tolist() == every.rows[best].tolist()
    assert len(few.pool.rows) == len(every.pool.rows) == len(PAPERS)


def by_nnselect(collection: Collection, order: str) -> tuple[Collection, Floats]:
    """Add a space of NNSelect where these papers are nearest to a draft, in this order."""
    vectors = np.zeros((len(PAPERS), 2), np.float32)
    for place, paper_id in enumerate(order):
        cosine = 1 - place / 10
        vectors["abcdefg".index(paper_id)] = cosine, np.sqrt(1 - cosine**2)
    return replace(collection, nnselect=Space(vectors, ExactIndex(vectors))), vectors[0] * 0 + (
        1,
        0,
    )


def test_nnselect_proposes_its_nearest_papers_and_what_they_cite(collection: Collection) -> None:
    both, second = by_nnselect(collection, "db")
    query = make_query(both, Draft("nothing", as_of=2014), VECTORS[6], nnselect=second)
    options = StageOne(("nnselect",), nnselect_neighbours=1)
    found = propose(both, query, options)
    sources = {PAPERS[row].id: found.source_names(at) for at, row in enumerate(found.rows)}
    assert sources == {"d": ("nnselect",), "e": ("cited-by-neighbour",)}
    assert found.found["nnselect"].rows.tolist() == [3]
    assert found.prior == pytest.approx([2 * 1, 1])  # Twice the cosine; one vote.


@given(SEED_NUMBERS)
def test_nnselect_changes_nothing_where_it_is_not_asked(seed: int) -> None:
    world = random_world(seed)
    query = make_query(world.collection, world.draft, world.vector)
    plain = propose(world.collection, query, SMALL)
    other = with_nnselect(world, seed)
    asked = make_query(other.collection, other.draft, other.vector, nnselect=other.nnselect)
    found = propose(other.collection, asked, SMALL)
    for name in ("rows", "sources", "cosines", "prior"):
        np.testing.assert_array_equal(getattr(found.chosen, name), getattr(plain.chosen, name))


@given(SEED_NUMBERS, st.sampled_from(list(SEARCHES)))
def test_a_search_that_is_not_asked_is_no_source(seed: int, left_out: str) -> None:
    world = with_nnselect(random_world(seed), seed)
    query = make_query(world.collection, world.draft, world.vector, nnselect=world.nnselect)
    searches = tuple(name for name in SEARCHES if name != left_out)
    options = replace(SMALL, searches=searches, candidates=1000)
    every = propose(world.collection, query, replace(options, searches=tuple(SEARCHES)))
    found = propose(world.collection, query, options)
    name = next(each.name for each in SOURCES if each.key == left_out)
    assert not (found.chosen.sources & bit(name)).any()
    assert set(found.rows.tolist()) <= set(every.rows.tolist())
    for search in SEARCHES:  # They remain evidence.
        mine, theirs = found.found[search], every.found[search]
        np.testing.assert_array_equal(mine.rows, theirs.rows)


@each_row(
    ("names", "message"),
    [(["nselect"], "Did you mean 'nnselect'"), ([], "nothing that candidates could come from")],
)
def test_searches_that_do_not_exist_are_refused(names: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_searches(names)


@given(SEED_NUMBERS)
def test_candidates_are_unique_ascending_and_have_cosines_of_their_own(
    seed: int,
) -> None:
    world = random_world(seed)
    query = make_query(world.collection, world.draft, world.vector)
    found = propose(world.collection, query, SMALL)
    assert (np.diff(found.rows) > 0).all()
    assert len(found.rows) == min(SMALL.candidates, len(found.pool.rows))
    assert (found.chosen.sources > 0).all()
    assert all(found.source_names(at) for at in range(len(found.rows)))
    own = [float(world.collection.vectors[row] @ query.vector) for row in found.rows]
    np.testing.assert_allclose(found.cosines, own, atol=1e-6)
    for voters in (found.nearest, found.matches):  # The best come first.
        assert (np.diff(voters.weights) <= 0).all() and (voters.weights >= 0).all()
        assert len(voters.rows) <= 5


@given(SEED_NUMBERS)
def test_votes_equal_a_count_in_plain_python(seed: int) -> None:
    world = random_world(seed)
    rng = np.random.default_rng(seed)
    n, before = len(world.papers), 2006
    voters = rng.permutation(n)[: n // 2 + 1].astype(np.int32)
    weights = rng.random(len(voters)).astype(np.float32)
    asked = np.sort(rng.permutation(n)[: n // 2]).astype(np.int32)
    expected = [0.0] * len(asked)
    for voter, weight in zip(voters, weights, strict=True):
        paper = world.papers[voter]
        for at, row in enumerate(asked):
            if paper.year is not None and paper.year < before and row != voter:
                expected[at] += float(weight) * (world.papers[row].id in paper.references)
    counted = votes(world.collection.graph, WeightedPapers(voters, weights), before, asked)
    np.testing.assert_allclose(counted, expected, atol=1e-5)


def test_citation_edges_name_both_papers_by_position(collection: Collection) -> None:
    edges = CitationEdges.of(collection.graph, rows(5, 1, 6), 2015, rows(0, 4))
    assert set(zip(edges.citing.tolist(), edges.cited.tolist(), strict=True)) == {
        (0, 0),
        (0, 1),
        (1, 0),
    }
    assert edges.votes(np.array([1, 10, 100], np.float32)).tolist() == [11, 1]


def test_ties_are_cocitations_and_citations_by_and_of_the_seeds(collection: Collection) -> None:
    # Seeds a and b: b, c, f cite a; g cites both, and so votes twice; b itself cites a.
    shared, direct = ties(collection.graph, rows(0, 1), 2016, rows(0, 1, 4, 6))
    assert shared.tolist() == [1 + 1 + 1 + 2 + 1, 2, 1, 0]
    assert direct.tolist() == [1, 1, 0, 2]


@given(SEED_NUMBERS, st.integers(1, 12), st.integers(1, 6))
def test_who_is_proposed_does_not_depend_on_how_many_are_compared_with_the_seeds(
    seed: int, candidates: int, per_seed: int
) -> None:
    world = random_world(seed)
    query = make_query(world.collection, world.draft, world.vector)
    options = replace(SMALL, candidates=candidates, per_seed=per_seed)
    some = propose(world.collection, query, options)
    every = propose(world.collection, query, options, whole=True)
    np.testing.assert_array_equal(some.rows, every.rows)
    np.testing.assert_allclose(some.prior, every.prior, atol=1e-6)
    assert (some.pool.prior >= every.pool.prior - 1e-6).all()
