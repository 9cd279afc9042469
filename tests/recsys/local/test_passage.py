"""A passage as a query: what it asks, what it may be answered with, what it names."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.local.local_recommender import PassageReader
from recsys.local.named_works import NamedRows, find_names
from recsys.local.passage import Passage, PassageQuery, pose_passage, rows_of
from recsys.records import Draft, Paper
from recsys.store.collection import Collection
from tests.local_worlds import LocalWorld, random_local_world, reader_of
from tests.tiny import collect, unit

PAPERS = (
    Paper("a", "Fern corpus", year=2001, authors=("Ann Ash",)),
    Paper("b", "Honey graph", year=2002, authors=("Bob Birch", "Eva Elm"), references=("a",)),
    Paper("c", "MossBank: ferns", year=2003, authors=("Cid Cedar",), references=("a", "b")),
    Paper("d", "Gravel engine", year=2009, authors=("Ann Ash",), references=("a", "c")),
)
DRAFT = Draft("Ferns", as_of=2005, references=("a", "b"))


@pytest.fixture(scope="module")
def reader() -> PassageReader:
    return reader_of(collect(PAPERS, unit(np.random.default_rng(0).standard_normal((4, 8)))))


def posed(reader: PassageReader, passage: Passage, draft: Draft = DRAFT) -> PassageQuery:
    view, vector = reader.view(draft, passage), reader.encode([passage])[0]
    return pose_passage(reader.collection, reader.works, view, passage, vector)


def wanted(reader: PassageReader, passage: Passage, draft: Draft = DRAFT) -> str:
    """The ids that may be recommended."""
    rows = np.flatnonzero(posed(reader, passage, draft).query.wanted)
    return "".join(PAPERS[row].id for row in rows.tolist())


def test_the_words_and_the_vector_are_those_of_the_passage(reader: PassageReader) -> None:
    asked = posed(reader, Passage("About honey"))
    np.testing.assert_array_equal(asked.query.vector, reader.encode([Passage("About honey")])[0])
    terms: Collection = reader.collection
    assert asked.query.text == terms.terms.query("About honey", None)
    assert asked.query.before == asked.draft.query.before == 2005
    nothing = (asked.query.authors, asked.query.own_papers, asked.query.disliked)
    assert [each.tolist() for each in nothing] == [[], [], []]
    assert asked.query.venue == -1 and asked.query.nnselect is None


def test_what_the_draft_cites_is_recommended_again_only_where_it_is_named(
    reader: PassageReader,
) -> None:
    assert wanted(reader, Passage("About honey")) == "c"
    assert wanted(reader, Passage("As Ash (2001) says")) == "ac"
    assert wanted(reader, Passage("As Ash (2001) says", beside=("b",))) == "ac"


def test_what_the_sentence_cites_is_never_recommended_even_if_it_is_named(
    reader: PassageReader,
) -> None:
    named = Passage("As Ash (2001) and MossBank have it", beside=("a", "c"))
    assert wanted(reader, named) == ""
    asked = posed(reader, named)
    assert sorted(asked.query.seeds.tolist()) == [0, 2]
    assert asked.named.rows.tolist() == []


def test_papers_beside_that_are_unknown_or_newer_tell_nothing(reader: PassageReader) -> None:
    asked = posed(reader, Passage("About honey", beside=("d", "mars", "c")))
    assert asked.query.seeds.tolist() == [2]


def test_what_is_newer_than_the_draft_is_neither_named_nor_wanted(reader: PassageReader) -> None:
    asked = posed(reader, Passage("As Ash (2009) says"))
    assert 3 not in asked.named.rows and not asked.query.wanted[3]
    later = posed(reader, Passage("As Ash (2009) says"), Draft("Ferns", as_of=2010))
    assert later.named.rows.tolist() == [3]


def test_papers_beside_come_closest_to_the_sentence_first(reader: PassageReader) -> None:
    asked = posed(reader, Passage("About honey", beside=("a", "b", "c")))
    cosines = reader.collection.vectors[asked.query.seeds] @ asked.query.vector
    assert len(cosines) == 3 and (np.diff(cosines) <= 0).all()


@given(st.integers(0, 2**32 - 1))
def test_a_passage_asks_of_nothing_that_its_draft_may_not(seed: int) -> None:
    world: LocalWorld = random_local_world(seed)
    reader = reader_of(world.collection)
    asked = posed(reader, world.passage, world.draft)
    whole = asked.draft.query
    beside = set(reader.collection.corpus.rows(world.passage.beside).tolist())
    named = reader.works.resolve(find_names(world.passage.text), allowed=whole.allowed)
    again = set(whole.seeds.tolist()) & set(named.rows.tolist())
    expected = (set(np.flatnonzero(whole.wanted).tolist()) | again) - beside
    assert set(np.flatnonzero(asked.query.wanted).tolist()) == expected
    assert set(asked.named.rows.tolist()) == set(named.rows.tolist()) & expected
    assert whole.allowed[asked.query.seeds].all()
    assert (asked.query.allowed == whole.allowed).all()


def test_clear_names_come_first_and_are_few() -> None:
    scores = np.array([0.9, 0.5, 0.2, 0.1], np.float32)
    found = NamedRows(np.array([4, 1, 2, 3], np.int32), scores, scores, ())
    assert rows_of(found, least=0.2, most=2).tolist() == [4, 1]
    assert rows_of(found, least=0.6, most=9).tolist() == [4]
    assert rows_of(found, least=1.0, most=9).tolist() == []
