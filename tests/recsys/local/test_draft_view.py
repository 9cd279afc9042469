"""A draft's own candidates as its passages look them up, against a plain dict."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import DraftError
from recsys.local.passage import COLUMNS, OUTSIDE, DraftView
from recsys.ranking.features import compute, feature_names
from recsys.records import Draft
from tests.local_worlds import LocalWorld, random_local_world, reader_of

SEEDS = st.integers(0, 2**32 - 1)


def view_of(world: LocalWorld) -> DraftView:
    return reader_of(world.collection).view(world.draft, world.passage)


def test_the_columns_are_those_of_the_ranker_and_three_outcomes() -> None:
    assert COLUMNS == (*feature_names(metadata=False), "score", "probability", "rank")


@given(SEEDS)
def test_columns_are_looked_up_as_in_a_dict(seed: int) -> None:
    world = random_local_world(seed)
    view = view_of(world)
    assert (np.diff(view.rows) > 0).all()
    asked = np.random.default_rng(seed).integers(0, len(world.world.papers), 30).astype(np.int32)
    for place, name in enumerate(COLUMNS):
        known = dict(zip(view.rows.tolist(), view.columns[:, place].tolist(), strict=True))
        expected = [known.get(row, float(OUTSIDE)) for row in asked.tolist()]
        assert view.column(name, asked).tolist() == expected


@given(SEEDS)
def test_a_view_repeats_the_drafts_own_ranking(seed: int) -> None:
    world = random_local_world(seed)
    recommender, view = reader_of(world.collection).recommender, view_of(world)
    if not len(view.rows):
        return
    ranking = recommender.rank(recommender.query_to(world.draft))
    assert view.rows.tolist() == sorted(ranking.rows.tolist())
    ranks = np.arange(1, len(ranking.rows) + 1)
    assert view.column("rank", ranking.rows).tolist() == ranks.tolist()
    np.testing.assert_array_equal(view.column("score", ranking.rows), ranking.scores)
    np.testing.assert_array_equal(
        view.column("probability", ranking.rows), recommender.ranker.probability(ranking.scores)
    )
    names = feature_names(metadata=False)
    features = compute(ranking.context, names)[ranking.positions]
    for place, name in enumerate(names):
        np.testing.assert_array_equal(view.column(name, ranking.rows), features[:, place])


@given(SEEDS, st.integers(0, 8))
def test_the_best_are_first_by_rank_and_may_be_cited(seed: int, k: int) -> None:
    view = view_of(random_local_world(seed))
    ranks = view.column("rank", view.rows).tolist()
    first = [row for _, row in sorted(zip(ranks, view.rows.tolist(), strict=True))][:k]
    assert view.best(k).tolist() == [row for row in first if view.query.wanted[row]]


def test_a_draft_that_says_nothing_has_no_view_but_its_moment() -> None:
    world = random_local_world(7)
    own = next(paper for paper in world.world.papers if paper.year == 2004)
    for references in ((), ("nowhere",)):
        draft = Draft(title=" ", as_of=2006, paper_id=own.id, references=references)
        view = reader_of(world.collection).view(draft, world.passage)
        assert view.rows.tolist() == view.best(9).tolist() == []
        assert view.columns.shape == (0, len(COLUMNS))
        assert view.query.before == 2004
        assert not view.query.allowed[world.collection.corpus.row(own.id) or 0]
        asked = np.array([0, 3], np.int32)
        assert view.column("rank", asked).tolist() == [OUTSIDE, OUTSIDE]


def test_references_are_a_draft_without_words() -> None:
    world = random_local_world(7)
    draft = Draft(title="", as_of=2009, references=(world.world.papers[0].id,))
    assert len(reader_of(world.collection).view(draft, world.passage).rows)


def test_where_nobody_says_anything_there_is_an_error() -> None:
    world = random_local_world(7)
    with pytest.raises(DraftError, match="neither a title nor an abstract"):
        DraftView.of(reader_of(world.collection).recommender, Draft(title=""), "  ")
