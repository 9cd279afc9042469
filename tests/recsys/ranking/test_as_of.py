"""The as-of rule: what was written after the draft changes nothing.

Time travel (`tests.time_travel`) must give the same candidates with the same features.
"""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.edge_dropout import drop_edges
from recsys.query.query import draft_of, make_query
from recsys.ranking.feature_context import FeatureContext
from recsys.ranking.features import compute, feature_names
from recsys.ranking.ranker import SECOND_NAMES, second_columns
from recsys.records import Draft, Paper
from recsys.retrieval.propose import SEARCHES, USUAL, Candidates, propose
from recsys.store.arrays import Floats
from recsys.store.collection import Collection
from tests.recsys.ranking.test_network import some_network
from tests.time_travel import back_in_time, may_be_seen
from tests.tiny import SMALL, World, collect, random_world, with_nnselect

ALL = feature_names(metadata=True)
SEEDS = st.integers(0, 2**32 - 1)


def answer(collection: Collection, world: World) -> tuple[Candidates, Floats]:
    query = make_query(collection, world.draft, world.vector, nnselect=world.nnselect)
    nnselect = collection.nnselect is not None
    searches = tuple(SEARCHES) if nnselect else USUAL
    candidates = propose(collection, query, replace(SMALL, searches=searches))
    names = feature_names(metadata=True, nnselect=nnselect, any_corpus=True)
    context = FeatureContext(collection, query, candidates)
    chances = np.clip(candidates.cosines, 0, 1) ** 4
    return candidates, np.hstack([compute(context, names), second_columns(context, chances)])


@given(SEEDS, st.booleans(), st.sampled_from([None, None, 0.0, 0.1, 0.3, 0.6]))
def test_nothing_written_later_changes_candidates_or_features(
    seed: int, nnselect: bool, share: float | None
) -> None:
    """share: of the links that are known; None: all."""
    world = with_nnselect(random_world(seed), seed) if nnselect else random_world(seed)
    present, past = world.collection, back_in_time(world, np.random.default_rng(seed))
    if share is not None:
        present, past = (drop_edges(each, share, seed=seed) for each in (present, past))
    now, features = answer(present, world)
    then, features_then = answer(past, world)
    network = some_network(features.shape[1])
    np.testing.assert_allclose(
        network.score(features), network.score(features_then), rtol=1e-3, atol=1e-3
    )
    np.testing.assert_array_equal(now.rows, then.rows)
    np.testing.assert_array_equal(now.chosen.sources, then.chosen.sources)
    known = present.nnselect is not None
    first = feature_names(metadata=True, nnselect=known, any_corpus=True)
    for column, name in enumerate((*first, *SECOND_NAMES)):
        np.testing.assert_allclose(
            features[:, column], features_then[:, column], rtol=1e-4, atol=1e-5, err_msg=name
        )


@given(SEEDS)
def test_candidates_may_be_seen_and_are_not_cited_yet(seed: int) -> None:
    world = with_nnselect(random_world(seed), seed)
    query = make_query(world.collection, world.draft, world.vector, nnselect=world.nnselect)
    candidates = propose(world.collection, query, replace(SMALL, searches=tuple(SEARCHES)))
    assert may_be_seen(world)[candidates.rows].all()
    assert not set(world.draft.references) & {world.papers[row].id for row in candidates.rows}


def test_own_citations_stay_hidden_when_the_draft_is_dated_after_its_paper() -> None:
    papers = [
        Paper("cited", "graph", year=2010),
        Paper("other", "graph", year=2010),
        Paper("own", "graph", year=2015, references=("cited",)),
    ]
    vectors = np.array([[1, 0], [1, 0], [1, 0]], np.float32)
    collection = collect(papers, vectors)
    for as_of in (2015, 2020, None):
        draft = Draft("graph", as_of=as_of, paper_id="own")
        query = make_query(collection, draft, vectors[2])
        candidates = propose(collection, query, SMALL)
        table = compute(FeatureContext(collection, query, candidates), ALL)
        assert query.before == 2015
        np.testing.assert_array_equal(table[0], table[1])


def test_paper_that_the_draft_will_be_stays_hidden_where_an_older_paper_cites_it() -> None:
    papers = [
        Paper("fan", "graph", year=2010, references=("own",)),
        Paper("own", "graph", year=2015, references=("fan",)),
    ]
    collection = collect(papers, np.array([[0.6, 0.8], [1, 0]], np.float32))
    query = make_query(collection, draft_of(papers[1]), collection.vectors[1])
    candidates = propose(collection, query, SMALL)
    names = ("references", "references_best", "references_mean", "references_votes")
    assert candidates.rows.tolist() == [0]
    assert compute(FeatureContext(collection, query, candidates), names).tolist() == [[0, 0, 0, 0]]
