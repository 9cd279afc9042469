"""The feature table of passages: every column means what its name says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.local.local_features import (
    DRAFT,
    LOCAL_FEATURES,
    SENTENCE,
    LocalFacts,
    compute_local,
    profile_cosines,
)
from recsys.local.passage import COLUMNS, MOST_CITERS, OUTSIDE
from recsys.ranking.feature_context import FeatureContext
from recsys.ranking.features import compute, descending_rank, feature_names
from recsys.records import Draft, Paper
from recsys.store.arrays import Floats
from tests.local_worlds import LocalWorld, facts_of, random_local_world, reader_of
from tests.tiny import collect, unit

SEEDS = st.integers(0, 2**32 - 1)


def column(facts: LocalFacts, name: str) -> Floats:
    found: Floats = compute_local(facts, (name,))[:, 0]
    return found


@given(SEEDS)
def test_the_table_is_its_columns_in_the_order_asked(seed: int) -> None:
    facts = facts_of(random_local_world(seed))
    table = compute_local(facts, LOCAL_FEATURES)
    assert table.shape == (len(facts.rows), len(LOCAL_FEATURES)) and table.dtype == np.float32
    assert np.isfinite(table).all()
    backwards = compute_local(facts, LOCAL_FEATURES[::-1])
    np.testing.assert_array_equal(backwards[:, ::-1], table)


@given(SEEDS)
def test_the_sentence_and_its_draft_are_read_as_drafts_are(seed: int) -> None:
    facts = facts_of(random_local_world(seed))
    names = feature_names(metadata=False)
    sentence = compute_local(facts, tuple(SENTENCE + name for name in names))
    np.testing.assert_array_equal(sentence, compute(facts.sentence, names))
    for name in COLUMNS:
        expected = facts.asked.draft.column(name, facts.rows)
        np.testing.assert_array_equal(column(facts, DRAFT + name), expected)


@given(SEEDS)
def test_names_are_looked_up_as_in_a_dict(seed: int) -> None:
    facts = facts_of(random_local_world(seed))
    named = facts.asked.named
    for name, values in (("named", named.scores), ("named_share", named.shares)):
        known = dict(zip(named.rows.tolist(), values.tolist(), strict=True))
        expected = [known.get(row, 0.0) for row in facts.rows.tolist()]
        assert column(facts, name).tolist() == expected
    scores = column(facts, "named")
    assert column(facts, "named_best").tolist() == [scores.max(initial=0)] * len(facts.rows)
    for name in ("named", "profile"):
        expected = descending_rank(column(facts, name)).tolist()
        assert column(facts, f"{name}_rank").tolist() == expected


@given(SEEDS)
def test_what_the_two_stages_say_is_read_of_every_candidate_of_theirs(seed: int) -> None:
    facts = facts_of(random_local_world(seed))
    names = tuple(name for name in LOCAL_FEATURES if name.startswith(DRAFT))
    assert names == tuple(DRAFT + name for name in COLUMNS)
    columns, view = compute_local(facts, names), facts.asked.draft
    known = dict(zip(view.rows.tolist(), view.columns.tolist(), strict=True))
    nothing = [float(OUTSIDE)] * len(COLUMNS)
    assert columns.tolist() == [known.get(row, nothing) for row in facts.rows.tolist()]


# Profiles against a plain loop over papers, and as of their moment.


def plainly(world: LocalWorld, evidence: FeatureContext) -> list[float]:
    """The formula, paper by paper: v(p) + mean of v(c) over the older c that cite p."""
    papers, vectors = world.world.papers, world.collection.vectors
    cosines = []
    for row in evidence.rows.tolist():
        citers = [
            vectors[other]
            for other, paper in enumerate(papers)
            if paper.year is not None
            and paper.year < evidence.query.before
            and papers[row].id in paper.references
            and other != row
        ]
        profile: Floats = vectors[row] + (np.mean(citers, axis=0) if citers else 0)
        cosines.append(float(profile @ evidence.query.vector / np.linalg.norm(profile)))
    return cosines


@given(SEEDS)
def test_a_profile_is_the_paper_and_the_mean_of_its_older_citers(seed: int) -> None:
    world = random_local_world(seed)
    evidence = facts_of(world).sentence
    found = profile_cosines(evidence)
    assert found.dtype == np.float32 and found.shape == (len(evidence),)
    np.testing.assert_allclose(found, plainly(world, evidence), atol=1e-4)


def test_only_the_latest_citers_of_a_much_cited_paper_describe_it() -> None:
    ice, fire = np.eye(8, dtype=np.float32)[:2]
    years = [2000 + at for at in range(MOST_CITERS + 5)]
    papers = [Paper("a", "graph", year=1999)]
    papers += [Paper(f"c{year}", "graph", year=year, references=("a",)) for year in years]
    vectors = np.stack([ice, *[fire if at < 5 else ice for at in range(len(years))]])
    world = random_local_world(0)
    reader = reader_of(collect(papers, vectors))
    posed = reader.pose(Draft("graph", as_of=2100), world.passage, ice)
    facts = reader.facts_of(posed)
    # The five early ones, of another direction, are left out.
    assert facts.profile[np.flatnonzero(facts.rows == 0)[0]] == 1


def test_a_paper_that_its_citers_cancel_out_has_no_direction() -> None:
    vector = unit(np.arange(1.0, 9.0))
    papers = [Paper("a", "graph", year=2000), Paper("b", "graph", year=2001, references=("a",))]
    reader = reader_of(collect(papers, np.stack([vector, -vector])))
    world = random_local_world(0)
    posed = reader.pose(Draft("graph", as_of=2005), world.passage, vector)
    facts = reader.facts_of(posed)
    assert facts.profile.tolist() == pytest.approx([0, -1])
