"""What a second look tells, against counting it paper by paper."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.query.query import make_query
from recsys.ranking.evidence import Evidence
from recsys.ranking.second_look import RESTART, SECOND_NAMES, STEPS, SecondLook, look_again
from recsys.retrieval.propose import propose
from tests.tiny import SMALL, World, random_world

WORLDS = st.integers(0, 2**32 - 1)


def look_of(world: World, seed: int = 0) -> SecondLook:
    """Give the candidates of a world random chances, some of them none."""
    query = make_query(world.collection, world.draft, world.vector)
    evidence = Evidence(world.collection, query, propose(world.collection, query, SMALL))
    chances = np.random.default_rng(seed).random(len(evidence)).astype(np.float32)
    return SecondLook(evidence, np.where(chances < 0.3, np.float32(0), chances))


def citers_of(look: SecondLook) -> list[set[int]]:
    """Who cites each candidate, of those that count."""
    edges = look.evidence.citers
    return [set(edges.rows[edges.owner == at].tolist()) for at in range(len(look.evidence))]


def references_of(look: SecondLook) -> list[list[int]]:
    edges = look.evidence.references
    return [edges.rows[edges.owner == at].tolist() for at in range(len(look.evidence))]


@given(WORLDS)
def test_company_is_that_of_the_favourites_but_itself(seed: int) -> None:
    look = look_of(random_world(seed), seed)
    citers = citers_of(look)
    expected = [
        sum(
            float(look.chances[other]) * len(citers[at] & citers[other])
            for other in look.favourites.tolist()
            if other != at
        )
        for at in range(len(citers))
    ]
    np.testing.assert_allclose(look.company, expected, rtol=1e-4, atol=1e-4)


@given(WORLDS)
def test_votes_are_the_chances_of_the_favourites_that_cite_it(seed: int) -> None:
    look = look_of(random_world(seed), seed)
    references, rows = references_of(look), look.evidence.rows.tolist()
    favourites = look.favourites.tolist()
    total = max(float(look.chances[look.favourites].sum()), 1e-9)
    votes = [
        sum(float(look.chances[other]) for other in favourites if row in references[other]) / total
        for row in rows
    ]
    cited = [
        sum(float(look.chances[rows.index(r)]) for r in cites if r in rows) for cites in references
    ]
    np.testing.assert_allclose(look.votes, votes, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(look.cited, cited, rtol=1e-4, atol=1e-5)


@given(WORLDS)
def test_the_walk_is_that_of_its_matrix(seed: int) -> None:
    look = look_of(random_world(seed), seed)
    citers = citers_of(look)
    papers = sorted(set().union(*citers)) if citers else []
    cites = np.array([[paper in each for paper in papers] for each in citers], float)
    cites = cites.reshape(len(citers), len(papers))
    up = cites / np.maximum(cites.sum(axis=1, keepdims=True), 1)
    down = (cites / np.maximum(cites.sum(axis=0, keepdims=True), 1)).T
    begin = look.chances.astype(float) / max(float(look.chances.sum()), 1e-9)
    place = begin
    for _ in range(STEPS):
        place = RESTART * begin + (1 - RESTART) * (place @ up @ down)
    np.testing.assert_allclose(look.walk, place, rtol=1e-4, atol=1e-6)


@given(WORLDS)
def test_likeness_is_the_cosine_with_the_other_favourites(seed: int) -> None:
    look = look_of(random_world(seed), seed)
    vectors = np.asarray(look.evidence.collection.vectors[look.evidence.rows])
    for at in range(len(look.chances)):
        others = [other for other in look.favourites.tolist() if other != at]
        weights = look.chances[others]
        if weights.sum() > 0:
            expected = float((vectors[others] @ vectors[at]) @ weights / weights.sum())
            assert look.likeness[at] == pytest.approx(expected, abs=1e-4)


@given(WORLDS)
def test_every_column_is_a_number_also_where_nothing_has_a_chance(seed: int) -> None:
    look = look_of(random_world(seed), seed)
    for chances in (look.chances, np.zeros_like(look.chances)):
        table = look_again(look.evidence, chances)
        assert table.shape == (len(look.evidence), len(SECOND_NAMES))
        assert np.isfinite(table).all()
