"""Profiles against a plain loop over papers, and as of their moment."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.local.local_features import profile_cosines
from recsys.local.passage import MOST_CITERS
from recsys.ranking.feature_context import FeatureContext
from recsys.records import Draft, Paper
from recsys.store.arrays import Floats
from tests.local_worlds import LocalWorld, random_local_world, reader_of
from tests.tiny import collect, unit


def evidence_of(world: LocalWorld) -> FeatureContext:
    reader = reader_of(world.collection)
    view = reader.view(world.draft, world.passage)
    vector = reader.encode([world.passage])[0]
    return reader.facts(view, world.passage, vector).sentence


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


@given(st.integers(0, 2**32 - 1))
def test_a_profile_is_the_paper_and_the_mean_of_its_older_citers(seed: int) -> None:
    world = random_local_world(seed)
    evidence = evidence_of(world)
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
    view = reader.view(Draft("graph", as_of=2100), world.passage)
    facts = reader.facts(view, world.passage, ice)
    # The five early ones, of another direction, are left out.
    assert facts.profile[np.flatnonzero(facts.rows == 0)[0]] == 1


def test_a_paper_that_its_citers_cancel_out_has_no_direction() -> None:
    vector = unit(np.arange(1.0, 9.0))
    papers = [Paper("a", "graph", year=2000), Paper("b", "graph", year=2001, references=("a",))]
    reader = reader_of(collect(papers, np.stack([vector, -vector])))
    world = random_local_world(0)
    view = reader.view(Draft("graph", as_of=2005), world.passage)
    facts = reader.facts(view, world.passage, vector)
    assert facts.profile.tolist() == pytest.approx([0, -1])
