"""What the second pass reads, against counting it paper by paper."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.ranking.feature_context import FeatureContext
from recsys.ranking.ranker import FAVOURITES, RESTART, SECOND_NAMES, STEPS, second_columns
from recsys.store.arrays import Floats, top_k
from tests.recsys.ranking.worked_example import context_in
from tests.tiny import random_world

WORLDS = st.integers(0, 2**32 - 1)


def drawn(seed: int) -> tuple[FeatureContext, Floats, dict[str, Floats]]:
    """Give the candidates of a world random chances, some of them none; return the columns."""
    context = context_in(random_world(seed))
    chances = np.random.default_rng(seed).random(len(context)).astype(np.float32)
    chances = np.where(chances < 0.3, np.float32(0), chances)
    columns = second_columns(context, chances).T
    return context, chances, dict(zip(SECOND_NAMES, columns, strict=True))


def citers_of(context: FeatureContext) -> list[set[int]]:
    """Who cites each candidate, of those that count."""
    edges = context.citers
    return [set(edges.rows[edges.owner == at].tolist()) for at in range(len(context))]


@given(WORLDS)
def test_company_is_that_of_the_favourites_but_itself(seed: int) -> None:
    context, chances, columns = drawn(seed)
    citers, favourites = citers_of(context), top_k(chances, FAVOURITES).tolist()
    expected = [
        sum(
            float(chances[other]) * len(citers[at] & citers[other])
            for other in favourites
            if other != at
        )
        for at in range(len(citers))
    ]
    np.testing.assert_allclose(
        np.expm1(columns["favourite_company"]), expected, rtol=1e-4, atol=1e-4
    )


@given(WORLDS)
def test_votes_are_the_chances_of_the_favourites_that_cite_it(seed: int) -> None:
    context, chances, columns = drawn(seed)
    edges, rows = context.references, context.rows.tolist()
    references = [edges.rows[edges.owner == at].tolist() for at in range(len(context))]
    favourites = top_k(chances, FAVOURITES).tolist()
    total = max(float(chances[favourites].sum()), 1e-9)
    votes = [
        sum(float(chances[other]) for other in favourites if row in references[other]) / total
        for row in rows
    ]
    cited = [
        sum(float(chances[rows.index(row)]) for row in cites if row in rows) for cites in references
    ]
    np.testing.assert_allclose(columns["favourite_votes"], votes, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(np.expm1(columns["favourites_cited"]), cited, rtol=1e-4, atol=1e-5)


@given(WORLDS)
def test_the_walk_is_that_of_its_matrix(seed: int) -> None:
    context, chances, columns = drawn(seed)
    citers = citers_of(context)
    papers = sorted(set().union(*citers)) if citers else []
    cites = np.array([[paper in own for paper in papers] for own in citers], float)
    cites = cites.reshape(len(citers), len(papers))
    up = cites / np.maximum(cites.sum(axis=1, keepdims=True), 1)
    down = (cites / np.maximum(cites.sum(axis=0, keepdims=True), 1)).T
    begin = chances.astype(float) / max(float(chances.sum()), 1e-9)
    place = begin
    for _ in range(STEPS):
        place = RESTART * begin + (1 - RESTART) * (place @ up @ down)
    ratio = (place - RESTART * begin) / (begin + 1e-4)
    np.testing.assert_allclose(columns["walk_ratio"], ratio, rtol=1e-3, atol=1e-3)
    share = place / max(place.max(initial=0), 1e-9)
    np.testing.assert_allclose(columns["walk_share"], share, rtol=1e-4, atol=1e-6)


@given(WORLDS)
def test_likeness_is_the_cosine_with_the_other_favourites(seed: int) -> None:
    context, chances, columns = drawn(seed)
    vectors = np.asarray(context.collection.vectors[context.rows])
    favourites = top_k(chances, FAVOURITES).tolist()
    for at in range(len(chances)):
        others = [other for other in favourites if other != at]
        weights = chances[others]
        if weights.sum() > 0:
            expected = float((vectors[others] @ vectors[at]) @ weights / weights.sum())
            assert columns["favourite_cosine"][at] == pytest.approx(expected, abs=1e-4)


@given(WORLDS)
def test_every_column_is_a_number_also_where_nothing_has_a_chance(seed: int) -> None:
    context, chances, _ = drawn(seed)
    for given_chances in (chances, np.zeros_like(chances)):
        table = second_columns(context, given_chances)
        assert table.shape == (len(context), len(SECOND_NAMES))
        assert np.isfinite(table).all()
