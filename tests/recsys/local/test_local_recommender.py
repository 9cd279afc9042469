"""The whole way of a passage: ranked, explained, at most k, and the same alone as among others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import DraftError
from recsys.local.local_recommender import LocalRecommender, PassageRanker, PassageReader
from recsys.local.passage import Passage
from recsys.records import Draft, Paper, Recommendation
from recsys.retrieval.sources import StageOne
from recsys.store.arrays import Floats
from recsys.store.collection import Space
from tests.hashing_encoder import HashingEncoder
from tests.local_worlds import SMALL_POOL, random_local_world, reader_of, recommender_of
from tests.tiny import collect, random_world, unit, with_nnselect

SEEDS = st.integers(0, 2**32 - 1)
PAPERS = tuple(
    Paper(f"p{at}", f"{word} {other}", year=2000 + at)
    for at, (word, other) in enumerate(
        [("graph", "honey"), ("graph", "ferns"), ("beetle", "honey"), ("cloud", "engine")]
    )
)
DRAFT = Draft("About honey", as_of=2010)


@dataclass(frozen=True, slots=True)
class Alike:
    """Finds all candidates alike."""

    feature_names: tuple[str, ...] = ("named",)
    first: None = None

    def score(self, features: Floats) -> Floats:
        return np.zeros(len(features), np.float32)

    def probability(self, scores: Floats) -> Floats:
        return np.full(len(scores), 0.5, np.float32)


class CountingEncoder(HashingEncoder):
    """Remembers how many texts came together."""

    def __init__(self) -> None:
        super().__init__(8)
        self.batches: list[int] = []

    def encode(self, texts: Sequence[tuple[str, str | None]]) -> Floats:
        self.batches.append(len(texts))
        return super().encode(texts)


@pytest.fixture
def small() -> LocalRecommender:
    vectors = HashingEncoder(8).encode([(paper.title, None) for paper in PAPERS])
    return recommender_of(collect(PAPERS, vectors), ("sentence.cosine",))


def ids(items: Sequence[Recommendation]) -> list[str]:
    return [item.paper.id for item in items]


def test_passages_are_answered_each_by_its_own_words(small: LocalRecommender) -> None:
    passages = [Passage("a cloud engine"), Passage("graph ferns"), Passage("graph honey")]
    answers = small.recommend(DRAFT, passages, 1)
    assert [ids(items) for items in answers] == [["p3"], ["p1"], ["p0"]]
    (best,) = answers[0]
    assert (best.rank, best.paper) == (1, PAPERS[3])
    assert best.probability == pytest.approx(1 / (1 + np.exp(-best.score)))
    assert best.reasons and best.sources and len(best.found_by) == len(best.sources)


def test_at_most_k_are_ranked_by_score(small: LocalRecommender) -> None:
    for k in (1, 3, 99):
        (items,) = small.recommend(DRAFT, [Passage("honey")], k)
        assert [item.rank for item in items] == list(range(1, min(k, 4) + 1))
        assert [item.score for item in items] == sorted((i.score for i in items), reverse=True)


def test_no_passages_are_no_answers(small: LocalRecommender) -> None:
    assert small.recommend(Draft(title=""), [], 3) == []


def test_ties_break_by_ascending_id(small: LocalRecommender) -> None:
    alike = LocalRecommender(PassageRanker(small.ranker.reader, Alike()))
    (items,) = alike.recommend(DRAFT, [Passage("honey")], 9)
    assert ids(items) == ["p0", "p1", "p2", "p3"]


def test_of_each_work_one_version_is_recommended_and_none_of_what_the_draft_cites() -> None:
    people = ("Ada Ash", "Bob Birch")
    title = "Measuring the slow drift of gravel in braided rivers"
    papers = tuple(
        Paper(name, written, year=2004, authors=people)
        for name, written in (("a", title), ("b", f"{title}."), ("c", "Ferns on glacier forelands"))
    )
    vectors = HashingEncoder(8).encode([(paper.title, None) for paper in papers])
    usual = reader_of(collect(papers, vectors))
    local = LocalRecommender(PassageRanker(usual, Alike()))
    (items,) = local.recommend(DRAFT, [Passage("gravel drift")], 9)
    assert ids(items) == ["a", "c"]
    assert [[paper.id for paper in item.versions] for item in items] == [["b"], []]
    (beside,) = local.recommend(DRAFT, [Passage("gravel drift", ("b",))], 9)
    (cited,) = local.recommend(replace(DRAFT, references=("b",)), [Passage("gravel drift")], 9)
    assert ids(beside) == ids(cited) == ["c"]


def test_a_passage_that_nothing_is_left_for_has_an_empty_answer(small: LocalRecommender) -> None:
    every = tuple(paper.id for paper in PAPERS)
    answers = small.recommend(DRAFT, [Passage("honey", every), Passage("honey")], 3)
    assert [len(items) for items in answers] == [0, 3]


def test_a_draft_and_a_passage_without_words_are_an_error(small: LocalRecommender) -> None:
    with pytest.raises(DraftError):
        small.recommend(Draft(title=""), [Passage(" ")], 3)
    # With a draft, a sentence that was all names still has its draft to answer.
    assert small.recommend(DRAFT, [Passage("")], 2)[0]


def test_what_the_draft_alone_proposes_says_so() -> None:
    papers = (*PAPERS, *(Paper(f"q{at}", "moss", year=2001) for at in range(6)))
    vectors = HashingEncoder(8).encode([(paper.title, None) for paper in papers])
    narrow = StageOne(neighbours=1, matches=1, candidates=1)
    pool = replace(SMALL_POOL, sentence=narrow)
    recommender = recommender_of(collect(papers, vectors), ("named",), pool)
    (items,) = recommender.recommend(Draft("moss", as_of=2010), [Passage("cloud engine")], 9)
    words = {item.paper.title: item.found_by for item in items}
    assert words["moss"] == ("the draft as a whole",)
    assert "the draft as a whole" not in words["cloud engine"]


def test_the_draft_is_ranked_once_and_all_passages_are_encoded_together() -> None:
    encoder = CountingEncoder()
    reader = reader_of(collect(PAPERS, unit(np.ones((4, 8)))))
    reader = PassageReader(replace(reader.recommender, encoder=encoder), reader.pool)
    recommender = LocalRecommender(PassageRanker(reader, Alike()))
    recommender.recommend(DRAFT, [Passage(word) for word in ("graph", "honey", "cloud")], 2)
    assert encoder.batches == [1, 3]


def test_nnselect_reads_whole_drafts_only() -> None:
    world = with_nnselect(random_world(3), 3)
    assert isinstance(world.collection.nnselect, Space)
    reader = reader_of(world.collection)
    assert reader.collection.nnselect is None
    assert reader.recommender.collection.nnselect is world.collection.nnselect


@given(SEEDS)
def test_an_answer_is_the_same_alone_as_among_others_and_again(seed: int) -> None:
    world, other = random_local_world(seed), random_local_world(seed + 1)
    draft = replace(world.draft, title=world.draft.title or "graphs")
    passages = [world.passage, other.passage, Passage("honey engines")]
    recommender = recommender_of(world.collection)
    together = recommender.recommend(draft, passages, 5)
    assert together == recommender.recommend(draft, passages, 5)
    for passage, items in zip(passages, together, strict=True):
        (alone,) = recommender.recommend(draft, [passage], 5)
        assert ids(alone) == ids(items)
        assert [item.score for item in alone] == pytest.approx([item.score for item in items])
        assert not set(ids(items)) & set(passage.beside)


@given(SEEDS)
def test_a_ranking_holds_every_candidate_once(seed: int) -> None:
    world = random_local_world(seed)
    ranker = recommender_of(world.collection).ranker
    reader = ranker.reader
    view = reader.view(world.draft, world.passage)
    found = ranker.rank(reader.facts(view, world.passage, reader.encode([world.passage])[0]))
    assert sorted(found.rows.tolist()) == found.facts.rows.tolist()
    pairs = list(zip((-found.scores).tolist(), found.rows.tolist(), strict=True))
    assert pairs == sorted(pairs)
    np.testing.assert_array_equal(found.probabilities, ranker.ranker.probability(found.scores))
