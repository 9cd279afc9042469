"""Candidates of a passage: a union of three pools, and nothing that may not be cited."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recsys.local.local_recommender import LocalPool, PassageReader, gather
from recsys.local.passage import Passage, PassageQuery, pose_passage
from recsys.records import Draft, Paper
from recsys.retrieval.propose import propose
from recsys.retrieval.sources import source_names
from tests.local_worlds import SMALL_POOL, random_local_world, reader_of
from tests.tiny import SMALL, collect, unit

SEEDS = st.integers(0, 2**32 - 1)


def posed(seed: int) -> tuple[PassageReader, PassageQuery]:
    world = random_local_world(seed)
    reader = reader_of(world.collection)
    view = reader.view(world.draft, world.passage)
    vector = reader.encode([world.passage])[0]
    return reader, pose_passage(reader.collection, reader.works, view, world.passage, vector)


@given(SEEDS, st.integers(0, 6), st.integers(0, 3), st.sampled_from([0.0, 0.3, 0.9]))
def test_the_pool_is_the_union_of_what_sentence_draft_and_names_propose(
    seed: int, of_draft: int, named: int, least: float
) -> None:
    reader, asked = posed(seed)
    options = LocalPool(SMALL_POOL.sentence, of_draft, named, least)
    found = gather(reader.collection, asked, options)
    sentence = propose(reader.collection, asked.query, options.sentence, whole=True)
    clear = [
        row
        for row, score in zip(asked.named.rows, asked.named.scores, strict=True)
        if score >= np.float32(least)
    ]
    union = {*sentence.rows.tolist(), *asked.draft.best(of_draft).tolist(), *clear[:named]}
    assert found.rows.tolist() == sorted(row for row in union if asked.query.wanted[row])
    assert found.rows.dtype == np.int32
    considered = np.isin(found.rows, sentence.pool.rows)
    places = np.searchsorted(sentence.pool.rows, found.rows[considered])
    np.testing.assert_array_equal(found.chosen.sources[considered], sentence.pool.sources[places])
    np.testing.assert_array_equal(found.prior[considered], sentence.pool.prior[places])
    assert all(source_names(int(bits)) == () for bits in found.chosen.sources[~considered])
    expected = reader.collection.vectors[found.rows] @ asked.query.vector
    np.testing.assert_allclose(found.cosines, expected, atol=1e-6)


def test_a_paper_of_the_draft_is_not_promising_for_being_the_best_of_few() -> None:
    # Shares are of the best of all that the sentence finds, not of what is added.
    papers = [
        Paper("a", "ferns", year=2000),
        Paper("b", "beetles", year=2000),
        *[Paper(f"c{at}", "ferns", year=2001, references=("a",)) for at in range(4)],
        Paper("d", "ferns", year=2002, references=("a", "b")),
    ]
    towards = np.array([0.1, 0, *[0.9] * 4, 0.8])
    vectors = unit(np.stack([towards, 1 - towards, *[np.zeros(7)] * 6], axis=1))
    reader = reader_of(collect(papers, vectors))
    sentence, passage = np.eye(8, dtype=np.float32)[0], Passage("ferns")
    view = reader.view(Draft("beetles", as_of=2005), passage)
    asked = pose_passage(reader.collection, reader.works, view, passage, sentence)
    few = replace(SMALL, candidates=2)
    found = gather(reader.collection, asked, LocalPool(few, of_draft=50))
    hopes = dict(zip(found.rows.tolist(), found.prior.tolist(), strict=True))
    every = propose(reader.collection, asked.query, SMALL, whole=True)
    expected = dict(zip(every.pool.rows.tolist(), every.pool.prior.tolist(), strict=True))
    assert hopes == {row: expected[row] for row in hopes}
    assert 1 in hopes and hopes[1] < hopes[0]


def test_nothing_at_all_is_no_candidate() -> None:
    reader, asked = posed(3)
    query = replace(asked.query, wanted=np.zeros_like(asked.query.wanted))
    assert gather(reader.collection, replace(asked, query=query)).rows.tolist() == []
