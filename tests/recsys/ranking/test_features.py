"""Every feature against a value worked out by hand, and what holds for the table as a whole."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.query.query import draft_of, make_query
from recsys.ranking.feature_context import FeatureContext
from recsys.ranking.features import (
    AUTHORS,
    BY_NAME,
    FEATURES,
    compute,
    feature_names,
    read_nnselect,
)
from recsys.records import Draft
from recsys.retrieval.propose import SEARCHES, StageOne, propose
from tests.recsys.ranking.worked_example import (
    ANY_CORPUS,
    EXPECTED,
    PAPERS,
    SECOND,
    SEEDED,
    context_of,
    worked_example,
)
from tests.rows import each_row
from tests.tiny import SMALL, random_world, with_nnselect

ALL = feature_names(metadata=True)


def test_worked_example_proposes_the_five_papers_written_down_here() -> None:
    candidates = worked_example().candidates
    assert candidates.rows.tolist() == [0, 1, 2, 3, 4]
    assert candidates.nearest.rows.tolist() == [2, 1, 3]
    assert candidates.matches.rows.tolist() == [0, 3]
    assert worked_example("a", "c").rows.tolist() == [1, 3, 4, 5]


def test_every_feature_has_a_value_worked_out_by_hand() -> None:
    assert set(EXPECTED) == set(ALL)
    assert set(EXPECTED | ANY_CORPUS | SECOND) == set(BY_NAME)


@each_row(("seeds", "expected"), [((), EXPECTED | ANY_CORPUS | SECOND), (("a", "c"), SEEDED)])
def test_features_have_the_values_worked_out_by_hand(
    seeds: tuple[str, ...], expected: dict[str, list[float]]
) -> None:
    context = worked_example(*seeds)
    found = {name: compute(context, (name,))[:, 0].tolist() for name in expected}
    assert found == {
        name: pytest.approx(values, rel=1e-5, abs=1e-6) for name, values in expected.items()
    }


def test_features_of_nnselect_are_those_that_need_it() -> None:
    context = worked_example()
    bare = replace(context, collection=replace(context.collection, nnselect=None))
    bare = replace(bare, query=replace(context.query, nnselect=None))
    assert not read_nnselect(ALL)
    for name in SECOND:
        assert read_nnselect([*ALL, name])
        with pytest.raises(InputError, match="without NNSelect"):
            compute(bare, (name,))
    assert np.isfinite(compute(bare, ALL)).all()


def test_names_are_unique_and_say_what_they_mean_and_in_what_unit() -> None:
    assert len(BY_NAME) == len(FEATURES)
    assert all(feature.meaning.strip() and feature.unit.strip() for feature in FEATURES)


def test_features_without_metadata_do_not_read_authors_or_venue() -> None:
    collection, query = worked_example().collection, worked_example().query
    names = feature_names(metadata=False)
    stranger = replace(draft_of(PAPERS[-1]), authors=("Nobody Known",), venue="Nowhere")
    tables = []
    for draft in (draft_of(PAPERS[-1]), stranger):
        plain = make_query(collection, draft, query.vector, metadata=False)
        tables.append(compute(context_of(collection, plain), names))
    np.testing.assert_array_equal(tables[0], tables[1])


def test_metadata_flags_mark_what_changes_with_authors_and_venue() -> None:
    context = worked_example()
    nobody, nothing = context.query.authors[:0], context.query.own_papers[:0]
    stranger = replace(context.query, authors=nobody, own_papers=nothing, venue=-1)
    before, after = (compute(asked, ALL) for asked in (context, replace(context, query=stranger)))
    changed = {name for i, name in enumerate(ALL) if not np.allclose(before[:, i], after[:, i])}
    assert changed == {feature.name for feature in FEATURES if feature.group == AUTHORS}


DEGENERATE = {
    "no known words": Draft("zzz qqq", as_of=2020),
    "only stop words": Draft("of the and", as_of=2020),
    "empty title": Draft("", "graph", as_of=2020),
    "before every paper": Draft("graph", as_of=1900),
    "unknown people": Draft("graph", authors=("X Y",), venue="Z", as_of=2020),
    "no moment": Draft("graph ranking"),
    "cites everything": Draft("graph", references=tuple(paper.id for paper in PAPERS)),
    "cites one": Draft("graph", references=("c",), as_of=2020),
    "unknown references": Draft("graph", references=("nope",), as_of=2020),
}


@each_row("draft", DEGENERATE.values())
def test_degenerate_drafts_give_finite_features(draft: Draft) -> None:
    collection, query = worked_example().collection, worked_example().query
    asked = make_query(collection, draft, query.vector)
    candidates = propose(collection, asked, StageOne())
    table = compute(FeatureContext(collection, asked, candidates), ALL)
    assert table.shape == (len(candidates.rows), len(ALL))
    assert np.isfinite(table).all()


@given(st.integers(0, 2**32 - 1))
def test_features_of_random_collections_are_finite_and_shares_at_most_one(seed: int) -> None:
    world = with_nnselect(random_world(seed), seed)
    query = make_query(world.collection, world.draft, world.vector, nnselect=world.nnselect)
    options = replace(SMALL, searches=tuple(SEARCHES))
    names = tuple(BY_NAME)
    candidates = propose(world.collection, query, options)
    table = compute(FeatureContext(world.collection, query, candidates), names)
    assert np.isfinite(table).all()
    shares = [i for i, name in enumerate(names) if BY_NAME[name].unit.endswith("share")]
    assert (table[:, shares] <= 1 + 1e-5).all()
