from dataclasses import replace

import numpy as np
import pytest

from indexes.exact import ExactIndex
from recsys.asking.query import Query, draft_of, make_query
from recsys.records import Draft, Paper
from recsys.store.collection import Collection, Space
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


def test_live_draft_sees_every_paper_and_citations_of_all_dated_ones(
    collection: Collection,
) -> None:
    query = ask(collection, Draft("graph"))
    assert query.allowed.tolist() == [True, True, True, True]
    assert query.before == 2016


def test_as_of_hides_newer_papers_but_not_those_of_its_year(collection: Collection) -> None:
    query = ask(collection, Draft("graph", as_of=2012))
    assert query.allowed.tolist() == [True, True, False, True]
    assert query.before == 2012


def test_evaluation_hides_the_paper_itself_and_papers_of_unknown_year(
    collection: Collection,
) -> None:
    query = ask(collection, draft_of(PAPERS[2]))
    assert query.allowed.tolist() == [True, True, False, False]


@pytest.mark.parametrize(
    ("as_of", "before"), [(2011, 2011), (2012, 2012), (2020, 2012), (None, 2012)]
)
def test_paper_of_the_corpus_is_drafted_no_later_than_its_own_year(
    collection: Collection, as_of: int | None, before: int
) -> None:
    assert ask(collection, Draft("Beetles", as_of=as_of, paper_id="b")).before == before


def test_evaluation_of_a_paper_outside_the_corpus_keeps_its_own_moment(
    collection: Collection,
) -> None:
    query = ask(collection, Draft("graph", as_of=2012, paper_id="elsewhere"))
    assert query.before == 2012
    assert query.allowed.tolist() == [True, True, False, False]


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


def with_second(collection: Collection) -> Collection:
    vectors = unit(np.array([[1, 0], [0, 1], [1, 1], [1, 0]], np.float32))
    return replace(collection, second=Space(vectors, ExactIndex(vectors)))


def test_second_vector_is_that_of_the_text_pulled_towards_the_seeds(collection: Collection) -> None:
    both, text = with_second(collection), np.array([1, 0], np.float32)
    plain = make_query(both, Draft("graph"), collection.vectors[0], second=text)
    assert plain.second is not None and plain.second.tolist() == [1, 0]
    draft = Draft("graph", references=("b",))
    pulled = make_query(both, draft, collection.vectors[0], second=text).second
    one_seed = 0.5 * 1 / (1 + 2)
    assert pulled == pytest.approx(unit(np.array([1, one_seed])))


def test_seeds_alone_point_to_their_mean_in_the_second_space(collection: Collection) -> None:
    query = make_query(with_second(collection), Draft(references=("a", "b")), None)
    assert query.second == pytest.approx(unit(np.array([1, 1])))


def test_text_that_the_second_space_does_not_know_is_near_nothing(collection: Collection) -> None:
    query = make_query(with_second(collection), Draft("graph"), collection.vectors[0])
    assert query.second is not None and query.second.tolist() == [0, 0]


def test_without_second_space_there_is_no_second_vector(collection: Collection) -> None:
    assert ask(collection, Draft("graph")).second is None
    assert collection.second_vector(1) is None
    assert with_second(collection).second_vector(1) == pytest.approx([0, 1])
