"""A passage as a query: what it asks, what it may be answered with, what it names."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.local.local_features import LOCAL_FEATURES, compute_local
from recsys.local.local_recommender import PassageReader, explain_local
from recsys.local.mentions import SystemName
from recsys.local.named_works import NamedRows, find_names
from recsys.local.passage import (
    COLUMNS,
    OUTSIDE,
    DraftView,
    Passage,
    PassageQuery,
)
from recsys.records import Draft, Paper, Reason
from recsys.store.arrays import Floats, Rows
from recsys.store.collection import Collection
from tests.local_worlds import (
    LocalWorld,
    facts_of,
    random_local_world,
    reader_of,
    recommender_of,
)
from tests.rows import few
from tests.time_travel import back_in_time, may_be_seen
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
    return reader.pose(draft, passage, reader.encode([passage])[0])


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
    names = tuple(SystemName(name, False, 0, 1) for name in "abcd")
    found = NamedRows(np.array([4, 1, 2, 3], np.int32), scores, scores, names)
    for least, most, rows in ((0.2, 2, [4, 1]), (0.6, 9, [4]), (1.0, 9, [])):
        kept = found.clearest(least=least, most=most)
        assert kept.rows.tolist() == rows
        assert kept.named == names[: len(rows)]


# A draft's own candidates as its passages look them up, against a plain dict.

SEEDS = st.integers(0, 2**32 - 1)


def view_of(world: LocalWorld) -> DraftView:
    return DraftView.of(reader_of(world.collection).recommender, world.draft, world.passage)


@given(SEEDS)
def test_columns_are_looked_up_as_in_a_dict(seed: int) -> None:
    world = random_local_world(seed)
    view = view_of(world)
    assert (np.diff(view.rows) > 0).all()
    asked = np.random.default_rng(seed).integers(0, len(world.world.papers), 30).astype(np.int32)
    for place, name in enumerate(COLUMNS):
        known = dict(zip(view.rows.tolist(), view.columns[:, place].tolist(), strict=True))
        expected = [known.get(row, float(OUTSIDE)) for row in asked.tolist()]
        assert view.column(name, asked).tolist() == expected


@given(SEEDS)
def test_a_view_is_the_ranking_for_the_draft_with_the_passage_as_its_title(seed: int) -> None:
    world = random_local_world(seed)
    recommender, view = reader_of(world.collection).recommender, view_of(world)
    told = replace(
        world.draft,
        title=world.passage.text,
        abstract=world.draft.title or world.draft.abstract,
        references=tuple(dict.fromkeys((*world.draft.references, *world.passage.beside))),
    )
    ranking = recommender.order(recommender.query_to(told))
    assert view.rows.tolist() == sorted(ranking.rows.tolist())
    ranks = np.arange(1, len(ranking.rows) + 1)
    assert view.column("rank", ranking.rows).tolist() == ranks.tolist()
    np.testing.assert_array_equal(view.column("score", ranking.rows), ranking.scores)
    np.testing.assert_array_equal(view.column("probability", ranking.rows), ranking.probabilities)


@given(SEEDS, st.integers(0, 8))
def test_the_best_are_first_by_rank_and_may_be_cited(seed: int, k: int) -> None:
    view = view_of(random_local_world(seed))
    ranks = view.column("rank", view.rows).tolist()
    first = [row for _, row in sorted(zip(ranks, view.rows.tolist(), strict=True))][:k]
    assert view.best(k).tolist() == [row for row in first if view.query.wanted[row]]


def test_a_passage_alone_is_asked_as_of_the_moment_of_its_draft() -> None:
    world = random_local_world(7)
    own = next(paper for paper in world.world.papers if paper.year == 2004)
    for references in ((), ("nowhere",)):
        draft = Draft(title=" ", as_of=2006, paper_id=own.id, references=references)
        recommender = reader_of(world.collection).recommender
        view = DraftView.of(recommender, draft, Passage("We rank graphs"))
        assert not view.known
        assert view.query.before == 2004
        assert not view.query.allowed[world.collection.corpus.row(own.id) or 0]


# The as-of rule of passages: what was written after the draft changes nothing at any place.


def answer(
    collection: Collection, world: LocalWorld
) -> tuple[Rows, Floats, list[tuple[Reason, ...]]]:
    """Candidates, their features, and the reasons for them."""
    facts = facts_of(world, collection=collection)
    papers = [world.world.papers[row] for row in facts.rows.tolist()]
    reasons = explain_local(facts, range(len(papers)), papers)
    return facts.rows, compute_local(facts, LOCAL_FEATURES), reasons


@given(SEEDS)
@few(10)
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


def world_of(papers: tuple[Paper, ...], draft: Draft) -> LocalWorld:
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
        world = world_of(papers, Draft("graph", as_of=as_of, paper_id="own"))
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
    world = world_of(papers, Draft("graph", as_of=2015))
    rows, _, reasons = answer(world.collection, world)
    kinds = [{reason.kind for reason in told} for told in reasons]
    told = dict(zip(rows.tolist(), kinds, strict=True))
    assert "votes" in told[0] and "votes" not in told[1]
