import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recsys.query.query import make_query
from recsys.ranking.evidence import Evidence
from recsys.ranking.facts import RECENT, Byline
from recsys.records import Draft, Paper
from recsys.retrieval.propose import propose
from recsys.retrieval.sources import StageOne
from recsys.store.name_keys import author_keys
from tests.tiny import SMALL, collect, random_world

SEEDS = st.integers(0, 2**32 - 1)


def byline(papers: list[Paper], draft: Draft) -> Byline:
    collection = collect(papers, np.eye(len(papers), dtype=np.float32))
    query = make_query(collection, draft, collection.vectors[0])
    return Byline(Evidence(collection, query, propose(collection, query, StageOne())))


def test_spellings_of_one_name_are_one_author() -> None:
    papers = [Paper("a", "x", year=2000, authors=("Ash, Ann", "Bob Birch"))]
    found = byline(papers, Draft("x", authors=("A. Ash",)))
    assert (found.shared.tolist(), found.shared_share.tolist()) == ([1], [0.5])


def test_papers_of_the_drafts_year_by_its_authors_are_known_but_do_not_vote() -> None:
    papers = [
        Paper("a", "x", year=2000, authors=("Bob Birch",)),
        Paper("b", "x", year=2005, authors=("Ann Ash", "Bob Birch"), references=("a",)),
    ]
    found = byline(papers, Draft("x", authors=("Ann Ash",), as_of=2005))
    assert found.older.tolist() == []
    assert found.votes.tolist() == [0, 0]
    assert found.habit.tolist() == [0, 0]
    assert found.coauthored.tolist() == [1, 1]


def test_recent_votes_are_those_of_the_last_years_before_the_draft() -> None:
    papers = [Paper("a", "x", year=1990)] + [
        Paper(f"b{year}", "x", year=year, authors=("Ann Ash",), references=("a",))
        for year in (2005, 2006, 2009)
    ]
    found = byline(papers, Draft("x", authors=("Ann Ash",), as_of=2010))
    assert RECENT == 4
    assert (found.votes[0], found.recent_votes[0]) == (3, 2)


def test_habit_leaves_out_papers_that_were_not_yet_written() -> None:
    papers = [
        Paper("a", "x", year=2000, authors=("Ann Ash",), references=("b", "c")),
        Paper("b", "x", year=1990, authors=("Bob Birch",)),
        Paper("c", "x", year=2020, authors=("Bob Birch",)),
    ]
    assert byline(papers, Draft("x", authors=("Ann Ash",), as_of=2010)).habit.tolist() == [0, 1]


def test_unknown_venue_is_no_venue_in_common() -> None:
    papers = [Paper("a", "x", year=2000), Paper("b", "x", year=2001, references=("a",))]
    found = byline(papers, Draft("x", venue=None))
    assert found.same_venue.tolist() == [0, 0]
    assert found.venue_citers.tolist() == [0, 0]


@given(SEEDS)
def test_authors_in_common_equal_a_count_in_plain_python(seed: int) -> None:
    world = random_world(seed)
    query = make_query(world.collection, world.draft, world.vector)
    found = Byline(Evidence(world.collection, query, propose(world.collection, query, SMALL)))
    ours = set(author_keys(world.draft.authors))
    theirs = [set(author_keys(world.papers[row].authors)) for row in found.evidence.rows]
    assert found.shared.tolist() == [len(ours & keys) for keys in theirs]
