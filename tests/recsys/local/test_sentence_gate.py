"""Where the local ranker does not know a corpus, the two stages order, and names come first."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recsys.app.wiring import data_folder
from recsys.local.local_recommender import (
    LOCAL_RANKER,
    LocalRanking,
    LocalRecommender,
    PassageRanker,
    explain_local,
    load_local_ranker,
)
from recsys.local.mentions import SystemName
from recsys.local.named_works import NamedRows
from recsys.local.passage import Passage
from recsys.local.sentence_gate import MOST_WORDS, SENTENCE_EVIDENCE, in_turn, is_like_learned
from recsys.ranking.ranker import Transfer
from recsys.records import Draft, Paper
from recsys.store.collection import Collection
from tests.hashing_encoder import HashingEncoder
from tests.local_worlds import (
    LocalWorld,
    random_local_world,
    recommender_of,
)
from tests.rows import each_row, few
from tests.tiny import collect

SEEDS = st.integers(0, 2**32 - 1)
CHANCES = Transfer(0.1, 0.5, {"named": (2.0, 0.0, 1.0), "rank": (-0.5, 0.0, 3.0)})


def chain(*, links: int, abstract: str | None = None) -> Collection:
    """Papers of 2000 to 2011, each of which cites so many before it."""
    papers = [
        Paper(
            f"p{at:02}",
            f"On honey {at}",
            abstract,
            year=2000 + at,
            references=tuple(f"p{at - back:02}" for back in range(1, links + 1) if at >= back),
        )
        for at in range(12)
    ]
    return collect(papers, HashingEncoder(8).encode([(each.title, None) for each in papers]))


def gated(collection: Collection, *, always: bool = False) -> LocalRecommender:
    """Let the two stages answer; always: whatever the corpus is like."""
    usual = recommender_of(collection)
    if always:
        collection.graph.once(("like learned", 2010), lambda: False)
    return LocalRecommender(replace(usual.ranker, two_stages=CHANCES))


LONG = " ".join(f"word{at}" for at in range(int(MOST_WORDS)))


@each_row(
    ("links", "abstract", "before", "alike"),
    [
        (4, None, 2012, True),
        (4, "Bees dance.", 2012, True),
        (4, LONG, 2012, False),
        (1, None, 2012, False),
        (0, None, 2012, False),
        (4, None, 2002, False),  # What is cited later is not known yet.
        (4, None, 1999, False),
    ],
)
def test_a_corpus_is_like_what_was_learned_from_by_links_and_length(
    links: int, abstract: str | None, before: int, alike: bool
) -> None:
    assert is_like_learned(chain(links=links, abstract=abstract), before) is alike


@each_row(("links", "own", "gate"), [(4, False, False), (1, False, True), (1, True, False)])
def test_two_stages_order_where_the_corpus_is_unlike_and_the_ranker_is_not_its_own(
    links: int, own: bool, gate: bool
) -> None:
    usual = recommender_of(chain(links=links)).ranker
    ranker = usual if own else replace(usual, two_stages=CHANCES)
    draft = Draft("On honey", as_of=2012)
    (asked,) = ranker.posed(draft, [Passage("honey of bees")])
    assert asked.whole is gate
    found = ranker.rank(asked)
    if not gate:
        (plain,) = usual.posed(draft, [Passage("honey of bees")])
        assert found.rows.tolist() == usual.rank(plain).rows.tolist()


def ranked(world: LocalWorld, passage: Passage | None = None) -> tuple[PassageRanker, LocalRanking]:
    ranker = replace(recommender_of(world.collection).ranker, two_stages=CHANCES)
    asked = passage or world.passage
    return ranker, ranker.rank(ranker.reader.whole(world.draft, asked))


@given(SEEDS)
@few(10)
def test_the_order_is_that_of_the_two_stages(seed: int) -> None:
    world = random_local_world(seed)
    ranker, found = ranked(world, Passage("we measure honey and gravel"))
    recommender = ranker.reader.recommender
    asked = replace(
        world.draft,
        title="we measure honey and gravel",
        abstract=world.draft.title or world.draft.abstract,
    )
    expected = recommender.rank(recommender.query_to(asked))
    assert found.rows.tolist() == expected.rows.tolist()
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-6)


@given(SEEDS)
def test_chances_are_no_certainties_and_fall_with_the_rank(seed: int) -> None:
    world = random_local_world(seed)
    ranker, found = ranked(world)
    assert ((found.probabilities > 0) & (found.probabilities < 1)).all()
    assert (np.diff(found.probabilities) <= 0).all()
    assert (np.diff(found.scores) <= 0).all()
    assert len(set(found.rows.tolist())) == len(found.rows)
    beside = ranker.reader.collection.corpus.rows(world.passage.beside)
    assert not set(found.rows.tolist()) & set(beside.tolist())
    # What is named clearly comes first, but for other versions of it, and stands above all others.
    named = found.facts.asked.named.clearest(least=0.2).rows
    best = np.ceil(found.scores[~np.isin(found.rows, named)].max(initial=0))
    assert np.isin(found.rows[found.scores > best], named).all()
    assert not len(named) or np.isin(found.rows[0], named)


@each_row(
    ("names", "scores", "ranks", "order"),
    [
        ("aab", [0.9, 0.8, 0.5], [5, 1, 2], [0, 2, 1]),  # One of each name, then the second.
        ("aab", [0.9, 0.9, 0.5], [5, 1, 2], [1, 2, 0]),  # Equal scores: the ranking decides.
        ("", [], [], []),
    ],
)
def test_each_name_has_its_turn(
    names: str, scores: Sequence[float], ranks: Sequence[int], order: Sequence[int]
) -> None:
    given_scores = np.array(scores, np.float32)
    called = tuple(SystemName(name, False, 0, 1) for name in names)
    rows = np.arange(len(names), dtype=np.int32)
    assert in_turn(NamedRows(rows, given_scores, given_scores, called), ranks).tolist() == order


def test_a_work_that_only_its_name_brings_comes_first_and_says_so() -> None:
    named = Paper("a", "Ferns on glaciers", year=2001, authors=("Ann Ash",))
    others = [Paper(f"b{at:02}", "Honey of bees", year=2002) for at in range(30)]
    papers = [named, *others]
    vectors = HashingEncoder(8).encode([(paper.title, None) for paper in papers])
    local = gated(collect(papers, vectors))
    draft = Draft("On honey", as_of=2012, references=("b00",))
    (items,) = local.recommend(draft, [Passage("Honey of bees (Ash, 2001)")], 5)
    assert items[0].paper.id == "a"
    assert items[0].reasons[0].text == "named in the sentence: Ash (2001)"
    assert (items[0].sources, items[0].found_by) == (("name",), ("its name in the sentence",))
    (again,) = local.recommend(
        replace(draft, references=("a",)), [Passage("Honey of bees (Ash, 2001)")], 5
    )
    assert again[0].paper.id == "a"  # The draft cites it elsewhere.


def test_of_many_papers_that_a_name_fits_the_two_stages_choose() -> None:
    people = [
        Paper(f"a{at:02}", f"Clouds {at}", year=2001, authors=(f"Ann Ash {'A' * at}",))
        for at in range(9)
    ]
    wanted = Paper("b", "Honey of bees", year=2001, authors=("Bo Ash",))
    papers = [*people, wanted]
    vectors = HashingEncoder(8).encode([(paper.title, None) for paper in papers])
    local = gated(collect(papers, vectors))
    assert local.ranker.reader.pool.named < len(papers)
    (items,) = local.recommend(Draft("", as_of=2012), [Passage("Honey of bees (Ash, 2001)")], 1)
    assert [item.paper.id for item in items] == ["b"]


def test_reasons_are_of_the_draft_with_the_sentence() -> None:
    collection = chain(links=1)
    ranker = replace(recommender_of(collection).ranker, two_stages=CHANCES)

    def texts(draft: Draft) -> str:
        facts = ranker.rank(ranker.reader.whole(draft, Passage("bees dance"))).facts
        papers = collection.corpus.papers(facts.rows)
        told = explain_local(facts, range(len(papers)), papers, 9)
        return "; ".join(reason.text for reasons in told for reason in reasons)

    with_draft = texts(Draft("On honey", as_of=2012, references=("p05",)))
    assert "cited by papers that your draft already cites" in with_draft
    assert (
        "most similar to the sentence and draft" in with_draft and "whole draft" not in with_draft
    )
    alone = texts(Draft("", as_of=2012))
    assert "the most similar to the sentence" in alone and "draft" not in alone


def test_a_transfer_of_sentences_is_stored_with_the_local_ranker_that_ships() -> None:
    ranker = load_local_ranker(data_folder() / LOCAL_RANKER)
    assert ranker.transfer is not None, "fit it: python -m benchmarks.sentence_chances"
    assert ranker.transfer.slope > 0
    assert set(ranker.transfer.evidence) == set(SENTENCE_EVIDENCE)
