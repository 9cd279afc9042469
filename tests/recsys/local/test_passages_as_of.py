"""The as-of rule of passages: what was written after the draft changes nothing at any place."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recsys.local.local_features import LOCAL_FEATURES, compute_local
from recsys.local.local_recommender import PassageReader, explain_local
from recsys.local.passage import Passage
from recsys.records import Draft, Paper, Reason
from recsys.store.arrays import Floats, Rows
from recsys.store.collection import Collection
from tests.local_worlds import LocalWorld, random_local_world, reader_of, recommender_of
from tests.time_travel import back_in_time, may_be_seen
from tests.tiny import collect, unit

SEEDS = st.integers(0, 2**32 - 1)


def answer(
    collection: Collection, world: LocalWorld
) -> tuple[Rows, Floats, list[tuple[Reason, ...]]]:
    """Candidates, their features, and the reasons for them."""
    reader: PassageReader = reader_of(collection)
    view = reader.view(world.draft, world.passage)
    facts = reader.facts(view, world.passage, reader.encode([world.passage])[0])
    papers = [world.world.papers[row] for row in facts.rows.tolist()]
    reasons = explain_local(facts, range(len(papers)), papers)
    return facts.rows, compute_local(facts, LOCAL_FEATURES), reasons


@given(SEEDS)
def test_nothing_written_later_changes_a_passages_answer(seed: int) -> None:
    world = random_local_world(seed)
    now, features, reasons = answer(world.collection, world)
    past = back_in_time(world.world, np.random.default_rng(seed))
    then, features_then, reasons_then = answer(past, world)
    assert now.tolist() == then.tolist()
    for column, name in enumerate(LOCAL_FEATURES):
        np.testing.assert_allclose(
            features[:, column], features_then[:, column], rtol=1e-4, atol=1e-5, err_msg=name
        )
    assert reasons == reasons_then


@given(SEEDS)
def test_what_is_recommended_may_be_seen_and_is_not_cited_in_the_sentence(seed: int) -> None:
    world = random_local_world(seed)
    (items,) = recommender_of(world.collection).recommend(world.draft, [world.passage], 50)
    seen = {
        paper.id
        for paper, known in zip(world.world.papers, may_be_seen(world.world), strict=True)
        if known
    }
    found = {item.paper.id for item in items}
    assert len(found) == len(items)
    assert found <= seen - set(world.passage.beside)


def posed(papers: tuple[Paper, ...], draft: Draft) -> LocalWorld:
    """Pose a draft to papers that are all alike to the encoder."""
    world = random_local_world(0)
    collection = collect(papers, unit(np.ones((len(papers), 8))))
    small = replace(world.world, papers=papers, collection=collection, draft=draft)
    return LocalWorld(small, Passage("a graph"))


def test_own_citations_stay_hidden_when_the_draft_is_dated_after_its_paper() -> None:
    papers = (
        Paper("cited", "graph", year=2010),
        Paper("other", "graph", year=2010),
        Paper("own", "graph", year=2015, references=("cited",)),
    )
    alike = [place for place, name in enumerate(LOCAL_FEATURES) if not name.endswith("rank")]
    for as_of in (2015, 2020, None):
        world = posed(papers, Draft("graph", as_of=as_of, paper_id="own"))
        rows, features, _ = answer(world.collection, world)
        assert rows.tolist() == [0, 1]
        np.testing.assert_array_equal(features[0, alike], features[1, alike])


def test_a_citation_of_the_drafts_year_counts_for_nothing() -> None:
    papers = (
        Paper("a", "graph ranking", year=2010),
        Paper("b", "graph ranking", year=2010),
        Paper("c", "graph corpus", year=2014, references=("a",)),
        Paper("d", "graph corpus", year=2015, references=("b",)),
    )
    world = posed(papers, Draft("graph", as_of=2015))
    rows, _, reasons = answer(world.collection, world)
    kinds = [{reason.kind for reason in told} for told in reasons]
    told = dict(zip(rows.tolist(), kinds, strict=True))
    assert "votes" in told[0] and "votes" not in told[1]
