"""Terms in reasons: words that mean something, phrases before words, none of them twice."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recsys.query.query import make_query
from recsys.ranking.reasons import ALIKE, MOST_TERMS, DraftWords, means_something
from recsys.records import Draft, Paper
from tests.recsys.ranking.worked_example import context_of
from tests.rows import each_row
from tests.tiny import collect, random_world, unit

FILLING = 400
"""Papers, so that the nearest ones are few of them."""


@each_row(
    "word",
    ["2019", "10", "a3f9", "0x1b", "https", "doi", "www", "study", "Studies", "large", "using",
     "controlled", "thereby", "better", "vr", "mostly"],
)  # fmt: skip
def test_figures_fragments_and_words_of_any_paper_mean_nothing(word: str) -> None:
    assert not means_something(word)


def terms_of(draft: Draft, papers: list[Paper], paper: Paper) -> list[str]:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((len(papers), 4))
    vectors[:20] = [1, 0, 0, 0]
    collection = collect(papers, unit(vectors))
    query = make_query(collection, draft, unit(np.array([1, 0, 0, 0], np.float32)))
    context = context_of(collection, query)
    row = collection.corpus.row(paper.id)
    at = int(np.flatnonzero(context.rows == row)[0])
    return DraftWords.of(context, [at]).shared(at, paper)


def world_of_badminton() -> list[Paper]:
    near = [
        Paper(f"p{row:03}", f"Badminton tactics {row}", abstract="myriad coaches of wings " * 2)
        for row in range(20)
    ]
    far = [
        Paper(f"p{row:03}", f"Gravel number {row}", abstract="myriad wings over engines")
        for row in range(20, FILLING)
    ]
    return near + far


def test_rare_around_the_draft_counts_not_rare_anywhere() -> None:
    papers = world_of_badminton()
    draft = Draft("Tactics of badminton coaches", abstract="A myriad of wings and coaches.")
    found = terms_of(draft, papers, papers[0])
    assert set(found) == {"badminton", "tactics", "coaches"}


def test_a_phrase_of_the_paper_goes_before_its_words() -> None:
    papers = world_of_badminton()
    draft = Draft("On badminton tactics", abstract="Coaches teach badminton tactics.")
    assert terms_of(draft, papers, papers[0])[0] == "badminton tactics"


@given(st.integers(0, 2**32 - 1))
def test_whatever_the_collection_terms_are_few_telling_and_apart(seed: int) -> None:
    world = random_world(seed)
    query = make_query(world.collection, world.draft, world.vector)
    context = context_of(world.collection, query)
    words = DraftWords.of(context, range(len(context)))
    for at, row in enumerate(context.rows.tolist()):
        terms = words.shared(at, world.papers[row])
        assert len(terms) <= MOST_TERMS
        parts = [part for term in terms for part in term.replace("-", " ").split()]
        assert all(map(means_something, parts))
        begins = [{part[:ALIKE] for part in term.replace("-", " ").split()} for term in terms]
        assert sum(map(len, begins)) == len(set().union(*begins))
