"""Features of words and of authors, against counting word by word and name by name."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.indexes.bm25 import Bm25Index
from recsys.ranking.feature_context import FeatureContext
from recsys.ranking.features import RECENT, compute
from recsys.records import Draft, Paper
from recsys.store.names import name_keys
from tests.recsys.ranking.worked_example import context_among, context_in
from tests.tiny import random_world

SEEDS = st.integers(0, 2**32 - 1)


def column(context: FeatureContext, name: str) -> list[float]:
    values: list[float] = compute(context, (name,))[:, 0].tolist()
    return values


def counted(context: FeatureContext, name: str) -> list[int]:
    """Turn a logarithm back into the count."""
    return [round(float(np.expm1(value))) for value in column(context, name)]


@given(SEEDS)
def test_bm25_of_the_forward_index_equals_that_of_the_text_index(seed: int) -> None:
    context = context_in(random_world(seed))
    index, text = context.collection.text_index, context.query.text
    assert isinstance(index, Bm25Index)
    rows, scores = index.search(text, len(index.store.terms))
    score = dict(zip(rows.tolist(), scores.tolist(), strict=True))
    words = max(float(text.counts.sum()), 1)
    expected = [score.get(row, 0) / words for row in context.rows.tolist()]
    np.testing.assert_allclose(column(context, "bm25_per_term"), expected, rtol=1e-5)


@given(SEEDS)
def test_words_in_common_weigh_their_idf(seed: int) -> None:
    world = random_world(seed)
    context = context_in(world)
    papers = [world.papers[row] for row in context.rows]
    theirs = [set(f"{paper.title} {paper.abstract or ''}".split()) for paper in papers]
    ours, store = set(context.query.text.words), context.collection.terms
    idf = {word: float(store.idf[store.vocabulary.find(word) or 0]) for word in ours}
    whole = max(sum(idf.values()), 1e-9)
    expected = [sum(idf[word] for word in ours & words) / whole for words in theirs]
    rarest = [max((idf[word] for word in ours & words), default=0) for words in theirs]
    np.testing.assert_allclose(column(context, "text_in_text"), expected, rtol=1e-5)
    np.testing.assert_allclose(column(context, "rarest_term"), rarest, rtol=1e-6)
    for cosine, words in zip(column(context, "term_cosine"), theirs, strict=True):
        assert -1e-6 <= cosine <= 1 + 1e-5
        assert cosine == 0 or ours & words
        if ours == words:
            assert cosine == pytest.approx(1, abs=1e-5)


def test_title_words_of_the_draft_count_wherever_the_candidate_has_them() -> None:
    papers = [Paper("a", "ranking", abstract="graphs"), Paper("b", "graph")]
    context = context_among(papers, Draft("graph", "ranking"))
    assert column(context, "title_in_title") == [0, 1]
    assert column(context, "title_in_text") == [1, 1]
    assert column(context, "text_in_title") == [1, 1]
    assert counted(context, "terms") == [2, 1]


def test_seeds_lead_before_the_highest_prior() -> None:
    papers = [Paper(f"p{i:02}", "graph", year=2000) for i in range(30)]
    papers.append(Paper("z", "graph", year=1999))
    citing = {"p29", "p28", "p03"}  # The seeds, and the nearest paper.
    papers = [
        Paper(p.id, p.title, year=p.year, references=("z",) if p.id in citing else ())
        for p in papers
    ]
    context = context_among(papers, Draft("graph", references=("p29", "p28")), towards=3)
    votes = dict(zip(context.rows.tolist(), column(context, "leader_votes"), strict=True))
    assert votes[30] == pytest.approx(3 / 20)


def test_papers_of_the_drafts_year_by_its_authors_are_known_but_do_not_vote() -> None:
    papers = [
        Paper("a", "x", year=2000, authors=("Bob Birch",)),
        Paper("b", "x", year=2005, authors=("Ann Ash", "Bob Birch"), references=("a",)),
    ]
    context = context_among(papers, Draft("x", authors=("Ann Ash",), as_of=2005))
    assert counted(context, "author_votes") == [0, 0]
    assert counted(context, "author_habit") == [0, 0]
    assert counted(context, "coauthors") == [1, 1]


def test_recent_votes_are_those_of_the_last_years_before_the_draft() -> None:
    papers = [Paper("a", "x", year=1990)] + [
        Paper(f"b{year}", "x", year=year, authors=("Ann Ash",), references=("a",))
        for year in (2005, 2006, 2009)
    ]
    context = context_among(papers, Draft("x", authors=("Ann Ash",), as_of=2010))
    assert RECENT == 4
    assert (counted(context, "author_votes")[0], counted(context, "author_votes_4y")[0]) == (3, 2)


def test_habit_leaves_out_papers_that_were_not_yet_written() -> None:
    papers = [
        Paper("a", "x", year=2000, authors=("Ann Ash",), references=("b", "c")),
        Paper("b", "x", year=1990, authors=("Bob Birch",)),
        Paper("c", "x", year=2020, authors=("Bob Birch",)),
    ]
    context = context_among(papers, Draft("x", authors=("Ann Ash",), as_of=2010))
    assert counted(context, "author_habit") == [0, 1]


@given(SEEDS)
def test_authors_in_common_equal_a_count_in_plain_python(seed: int) -> None:
    world = random_world(seed)
    context = context_in(world)
    names, query = world.collection.corpus.author_names, context.query
    ours = {names[code] for code in query.authors}
    assert column(context, "shared_authors") == [
        len(ours & set(name_keys(world.papers[row].authors))) * (row in query.own_papers)
        for row in context.rows
    ]
