from dataclasses import replace

import numpy as np
import pytest

from recsys.indexes.exact import ExactIndex
from recsys.query.query import Query, draft_of, make_query
from recsys.records import Draft, Paper
from recsys.store.collection import Collection, Space
from tests.rows import each_row
from tests.tiny import collect, unit

PAPERS = (
    Paper("a", "Graph ranking", year=2010, authors=("Ann Ash",), venue="Oak"),
    Paper("b", "Beetles", year=2012, authors=("Ann Ash", "Bob Birch")),
    Paper("c", "Clouds", abstract="over graphs", year=2015, authors=("Ann Ash",), venue="Oak 2015"),
    Paper("d", "Undated"),
)


@pytest.fixture(scope="module")
def collection() -> Collection:
    return collect(PAPERS, np.eye(4, dtype=np.float32))


def ask(collection: Collection, draft: Draft, *, metadata: bool = True) -> Query:
    return make_query(collection, draft, collection.vectors[0], metadata=metadata)


@each_row(
    ("draft", "allowed", "before"),
    [
        (Draft("graph"), "abcd", 2016),
        (Draft("graph", as_of=2012), "abd", 2012),  # Not those of its year.
        # In an evaluation, the paper itself and papers of unknown year are hidden ...
        (draft_of(PAPERS[2]), "ab", 2015),
        (Draft("graph", as_of=2012, paper_id="elsewhere"), "ab", 2012),
        # ... and a paper of the corpus is drafted no later than in its own year.
        *[
            (Draft("Beetles", as_of=as_of, paper_id="b"), "a", before)
            for as_of, before in [(2011, 2011), (2012, 2012), (2020, 2012), (None, 2012)]
        ],
    ],
)
def test_what_a_draft_may_see_and_which_citations_count(
    collection: Collection, draft: Draft, allowed: str, before: int
) -> None:
    query = ask(collection, draft)
    assert "".join(PAPERS[row].id for row in np.flatnonzero(query.allowed)) == allowed
    assert query.before == before


def test_seeds_are_the_known_references_that_may_be_seen(collection: Collection) -> None:
    draft = Draft("graph", references=("c", "a", "a", "unknown"), as_of=2012)
    assert ask(collection, draft).seeds.tolist() == [0]
    assert ask(collection, Draft("graph", references=("c", "a"))).seeds.tolist() == [0, 2]


def test_own_papers_are_those_by_any_author_that_may_be_seen(collection: Collection) -> None:
    draft = Draft("graph", authors=("Birch, B.", "A. Ash"), as_of=2012)
    assert ask(collection, draft).own_papers.tolist() == [0, 1]


def test_venue_is_compared_without_its_year(collection: Collection) -> None:
    codes = [ask(collection, Draft("graph", venue=venue)).venue for venue in ("OAK", "Fir", None)]
    assert codes == [collection.corpus.venue_code("Oak"), -1, -1]
    assert codes[0] >= 0


def test_without_metadata_authors_and_venue_stay_unread(collection: Collection) -> None:
    query = ask(collection, Draft("graph", authors=("Ann Ash",), venue="Oak"), metadata=False)
    assert (len(query.authors), len(query.own_papers), query.venue) == (0, 0, -1)


def test_paper_poses_as_the_draft_it_once_was() -> None:
    paper = Paper("x", "T", abstract="A", year=2001, authors=("N",), venue="V", references=("y",))
    assert draft_of(paper) == Draft(
        "T", abstract="A", authors=("N",), venue="V", references=(), as_of=2001, paper_id="x"
    )


def with_nnselect(collection: Collection) -> Collection:
    vectors = unit(np.array([[1, 0], [0, 1], [1, 1], [1, 0]], np.float32))
    return replace(collection, nnselect=Space(vectors, ExactIndex(vectors)))


def test_vector_of_nnselect_is_that_of_the_text_pulled_towards_the_seeds(
    collection: Collection,
) -> None:
    both, text = with_nnselect(collection), np.array([1, 0], np.float32)
    plain = make_query(both, Draft("graph"), collection.vectors[0], nnselect=text)
    assert plain.nnselect is not None and plain.nnselect.tolist() == [1, 0]
    draft = Draft("graph", references=("b",))
    pulled = make_query(both, draft, collection.vectors[0], nnselect=text).nnselect
    one_seed = 0.5 * 1 / (1 + 2)
    assert pulled == pytest.approx(unit(np.array([1, one_seed])))


def test_seeds_alone_point_to_their_mean_in_the_space_of_nnselect(collection: Collection) -> None:
    query = make_query(with_nnselect(collection), Draft(references=("a", "b")), None)
    assert query.nnselect == pytest.approx(unit(np.array([1, 1])))


def test_long_lists_come_closest_to_the_text_first() -> None:
    vectors = unit(np.array([[0.1, 1], [1, 0], [0.5, 0.5], [1, 0]], np.float32))
    four = collect(PAPERS, vectors)
    draft = Draft("graph", references=("a", "b", "c", "d"), disliked=("a", "c"))
    query = make_query(four, draft, np.array([1, 0], np.float32))
    assert query.seeds.tolist() == [1, 3, 2, 0]  # b and d are equally close.
    assert query.disliked.tolist() == [2, 0]


def test_a_list_without_a_text_comes_closest_to_its_middle_first() -> None:
    vectors = unit(np.array([[1, 0], [1, 0.1], [1, 0.2], [0, 1]], np.float32))
    four = collect(PAPERS, vectors)
    query = make_query(four, Draft(references=("a", "b", "c", "d")), None)
    assert query.seeds.tolist() == [2, 1, 0, 3]
