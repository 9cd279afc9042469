"""Papers like the disliked ones penalise_negatives: by how much, and nothing else."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.query.query import make_query
from recsys.ranking.feature_context import FeatureContext
from recsys.recommend import MARGIN, STRENGTH, penalise_negatives
from recsys.records import Draft, Paper
from recsys.retrieval.propose import StageOne
from tests.recsys.ranking.worked_example import context_of
from tests.tiny import collect, random_world

# c and d are cited together, by f; the draft points at a.
PAPERS = (
    Paper("a", "Honey", year=2000),
    Paper("b", "Honey", year=2000),
    Paper("c", "Honey", year=2000),
    Paper("d", "Honey", year=2000),
    Paper("e", "Honey", year=2000),
    Paper("f", "Honey", year=2001, references=("c", "d")),
)
VECTORS = np.array([[1, 0], [0.28, 0.96], [0.6, 0.8], [0.8, 0.6], [0, 1], [1, 0]], np.float32)
SCORES = np.array([3, 2, 1, 0, -1], np.float32)
SPREAD = math.sqrt(2)


def facts_of(*, references: tuple[str, ...] = (), disliked: tuple[str, ...] = ()) -> FeatureContext:
    collection = collect(PAPERS, VECTORS)
    draft = Draft("Honey", references=references, disliked=disliked)
    query = make_query(collection, draft, VECTORS[0])
    return context_of(collection, query, StageOne())


def test_paper_sinks_by_what_it_is_closer_to_a_disliked_paper_than_to_the_draft() -> None:
    context = facts_of(disliked=("e",))
    assert context.rows.tolist() == [0, 1, 2, 3, 5]
    excess = [0, 0.96 - 0.28, 0, 0, 0]  # The others' is no more than the margin.
    lost = [STRENGTH * SPREAD * max(0, each - MARGIN) for each in excess]
    assert penalise_negatives(context, SCORES) == pytest.approx(SCORES - np.array(lost), abs=1e-5)


def test_being_cited_together_counts_as_being_close() -> None:
    context = facts_of(disliked=("d",))
    assert context.rows.tolist() == [0, 1, 2, 4, 5]
    together = 1 / math.sqrt((1 + 3) * (1 + 3))
    # To d, b has the cosine .8, c .96, e .6, a and f .8.
    excess = [0, 0.8 - 0.28, 0.96 + together - 0.6, 0.6, 0]
    lost = [STRENGTH * SPREAD * max(0, each - MARGIN) for each in excess]
    assert penalise_negatives(context, SCORES) == pytest.approx(SCORES - np.array(lost), abs=1e-5)


def test_paper_as_close_to_the_list_as_to_the_disliked_keeps_its_score() -> None:
    context = facts_of(references=("b",), disliked=("e",))
    found = penalise_negatives(context, SCORES[:4])
    assert context.rows.tolist() == [0, 2, 3, 5]
    assert found.tolist() == SCORES[:4].tolist()


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_no_score_rises_and_disliked_papers_are_gone(seed: int, number: int) -> None:
    world = random_world(seed)
    rng = np.random.default_rng(seed)
    disliked = tuple(str(each.id) for each in rng.permutation(np.array(world.papers))[:number])
    draft = replace(world.draft, disliked=disliked)
    query = make_query(world.collection, draft, world.vector)
    context = context_of(world.collection, query)
    rows = context.rows.tolist()
    assert not set(disliked) & {world.papers[row].id for row in rows}
    scores = rng.standard_normal(len(rows)).astype(np.float32)
    before = scores.copy()
    after = penalise_negatives(context, scores)
    assert (after <= before).all()
    assert scores.tolist() == before.tolist()
