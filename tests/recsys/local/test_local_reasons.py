"""Reasons at a place: each kind where it holds, in words that are true, at most three of them."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.local.local_features import LocalFacts
from recsys.local.local_recommender import explain_local
from recsys.local.passage import Passage
from recsys.ranking.reasons import MOST_REASONS
from recsys.records import Draft, Paper
from recsys.store.collection import Collection
from tests.local_worlds import random_local_world, reader_of
from tests.tiny import collect, unit

PAPERS = (
    Paper("a", "Old honey", year=2001, authors=("Ann Ash",)),
    Paper("b", "Graph ranking of ferns", year=2002, references=("a",)),
    Paper("c", "Beetle clouds", year=2003, references=("a", "b")),
    Paper("d", "Engine gravel", year=2004, references=("a", "c")),
    Paper("e", "Lonely stones", year=2005),
)
VECTORS = unit(np.pad([[0.2, 1], [1, 0], [0.9, 0.1], [0.8, 0.2], [0, 1]], ((0, 0), (0, 6))))
SENTENCE = np.eye(8, dtype=np.float32)[0]
ALONE = Draft(title="", as_of=2010)


@pytest.fixture(scope="module")
def collection() -> Collection:
    return collect(PAPERS, VECTORS)


def facts_of(collection: Collection, passage: Passage, draft: Draft = ALONE) -> LocalFacts:
    reader = reader_of(collection)
    return reader.facts(reader.view(draft, passage), passage, SENTENCE)


def every_reason(facts: LocalFacts, paper_id: str) -> dict[str, str]:
    """Ask for all kinds, however many: kind -> text."""
    papers: Sequence[Paper] = PAPERS
    row = next(row for row, paper in enumerate(papers) if paper.id == paper_id)
    at = int(np.flatnonzero(facts.rows == row)[0])
    found = explain_local(facts, range(len(facts.rows)), [papers[row] for row in facts.rows], 9)
    return {reason.kind: reason.text for reason in found[at]}


def test_each_kind_says_what_the_collection_holds(collection: Collection) -> None:
    facts = facts_of(collection, Passage("Graph ranking of beetles (Ash, 2001)"))
    assert every_reason(facts, "a") == {
        "named": "named in the sentence: Ash (2001)",
        "votes": "cited by 3 of the 5 papers nearest to it",
        "near": "among the 4 nearest to it",
        "citations": "cited 3 times in this corpus",
    }
    assert every_reason(facts, "b") == {
        "terms": "shares the term graph ranking",
        "votes": "cited by 1 of the 5 papers nearest to it",
        "near": "the nearest to the sentence",
        "citations": "cited once in this corpus",
    }
    assert every_reason(facts, "e") == {"near": "among the 5 nearest to it"}


def test_ties_to_what_stands_beside_are_told_the_most_direct_one(collection: Collection) -> None:
    def tie(paper_id: str, *beside: str) -> str:
        return every_reason(facts_of(collection, Passage("ferns", beside)), paper_id)["beside"]

    assert tie("a", "b") == "cited by what the sentence cites already"
    assert tie("b", "a") == "cited together with what the sentence cites already"
    assert "beside" not in every_reason(facts_of(collection, Passage("ferns", ("e",))), "a")


def test_the_best_of_the_draft_are_said_to_be_so(collection: Collection) -> None:
    draft = Draft("Honey", as_of=2010)
    told = every_reason(facts_of(collection, Passage("ferns"), draft), "a")
    assert told["draft"] == "among the 20 that your draft as a whole calls for"
    assert "draft" not in every_reason(facts_of(collection, Passage("ferns")), "a")


def test_a_name_that_hardly_fits_is_no_reason(collection: Collection) -> None:
    sure = every_reason(facts_of(collection, Passage("as Ash (2002) says")), "a")
    unsure = every_reason(facts_of(collection, Passage("as Ash et al. (2002) say")), "a")
    assert "named" in sure and "named" not in unsure


def test_a_single_neighbour_is_no_plural() -> None:
    papers = (Paper("a", "Honey", year=2001), Paper("b", "New", year=2002, references=("a",)))
    small = collect(papers, VECTORS[:2])
    facts = facts_of(small, Passage("ferns"), Draft(title="", as_of=2003))
    texts = {reason.text for reason in explain_local(facts, [0], papers[:1])[0]}
    assert "cited by 1 of the 2 papers nearest to it" in texts
    assert "cited once in this corpus" in texts


@given(st.integers(0, 2**32 - 1))
def test_reasons_are_few_distinct_and_in_the_order_of_the_table(seed: int) -> None:
    world = random_local_world(seed)
    reader = reader_of(world.collection)
    view = reader.view(world.draft, world.passage)
    facts = reader.facts(view, world.passage, reader.encode([world.passage])[0])
    papers = [world.world.papers[row] for row in facts.rows.tolist()]
    told, every = (explain_local(facts, range(len(papers)), papers, k) for k in (MOST_REASONS, 9))
    assert len(told) == len(papers)
    order = ["named", "context", "beside", "terms", "votes", "draft", "near", "citations"]
    for at, (reasons, more) in enumerate(zip(told, every, strict=True)):
        assert reasons == more[:MOST_REASONS]
        assert [each.kind for each in more] == [k for k in order if k in {r.kind for r in more}]
        assert len({reason.kind for reason in reasons}) == len(reasons)
        assert ("named" in {each.kind for each in reasons}) == (facts.named[at] >= 0.3)
