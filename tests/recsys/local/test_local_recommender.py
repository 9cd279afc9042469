"""The whole way of a passage: ranked, explained, at most k, and the same alone as among others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.local.local_features import LocalFacts
from recsys.local.local_recommender import (
    LocalPool,
    LocalRecommender,
    PassageRanker,
    PassageReader,
    explain_local,
    gather,
)
from recsys.local.passage import Passage, PassageQuery
from recsys.ranking.reasons import MOST_REASONS
from recsys.records import Draft, Paper, Recommendation
from recsys.retrieval.propose import StageOne, propose, source_names
from recsys.store.arrays import Floats
from recsys.store.collection import Collection, Space
from tests.hashing_encoder import HashingEncoder
from tests.local_worlds import SMALL_POOL, facts_of, random_local_world, reader_of, recommender_of
from tests.rows import few
from tests.tiny import SMALL, collect, random_world, unit, with_nnselect

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


def test_what_only_the_draft_with_the_sentence_proposes_says_so() -> None:
    papers = (*PAPERS, *(Paper(f"q{at}", "moss", year=2001) for at in range(6)))
    vectors = HashingEncoder(8).encode([(paper.title, None) for paper in papers])
    narrow = StageOne(neighbours=1, matches=1, candidates=1)
    pool = replace(SMALL_POOL, sentence=narrow)
    recommender = recommender_of(collect(papers, vectors), ("named",), pool)
    (items,) = recommender.recommend(Draft("moss", as_of=2010), [Passage("cloud engine")], 9)
    words = {item.paper.title: item.found_by for item in items}
    assert words["moss"] == ("the draft with the sentence",)
    assert "the draft with the sentence" not in words["cloud engine"]


def test_all_passages_are_encoded_together_and_each_with_its_draft() -> None:
    encoder = CountingEncoder()
    reader = reader_of(collect(PAPERS, unit(np.ones((4, 8)))))
    reader = PassageReader(replace(reader.recommender, encoder=encoder), reader.pool)
    recommender = LocalRecommender(PassageRanker(reader, Alike()))
    recommender.recommend(DRAFT, [Passage(word) for word in ("graph", "honey", "cloud")], 2)
    assert encoder.batches == [3, 1, 1, 1]


def test_nnselect_reads_whole_drafts_only() -> None:
    world = with_nnselect(random_world(3), 3)
    assert isinstance(world.collection.nnselect, Space)
    reader = reader_of(world.collection)
    assert reader.collection.nnselect is None
    assert reader.recommender.collection.nnselect is world.collection.nnselect


@given(SEEDS)
@few(10)
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
    found = ranker.rank(facts_of(world).asked)
    assert sorted(found.rows.tolist()) == found.facts.rows.tolist()
    pairs = list(zip((-found.scores).tolist(), found.rows.tolist(), strict=True))
    assert pairs == sorted(pairs)
    np.testing.assert_array_equal(found.probabilities, ranker.ranker.probability(found.scores))


# Candidates of a passage: a union of three pools, and nothing that may not be cited.


def posed(seed: int) -> tuple[PassageReader, PassageQuery]:
    world = random_local_world(seed)
    reader = reader_of(world.collection)
    vector = reader.encode([world.passage])[0]
    return reader, reader.pose(world.draft, world.passage, vector)


@given(SEEDS, st.integers(0, 6), st.integers(0, 3), st.sampled_from([0.0, 0.3, 0.9]))
def test_the_pool_is_the_union_of_what_sentence_draft_and_names_propose(
    seed: int, of_draft: int, named: int, least: float
) -> None:
    reader, asked = posed(seed)
    options = LocalPool(SMALL_POOL.sentence, of_draft, named, least)
    found = gather(reader.collection, asked, options)
    sentence = propose(reader.collection, asked.query, options.sentence, whole=True)
    clear = [
        row
        for row, score in zip(asked.named.rows, asked.named.scores, strict=True)
        if score >= np.float32(least)
    ]
    union = {*sentence.rows.tolist(), *asked.draft.best(of_draft).tolist(), *clear[:named]}
    assert found.rows.tolist() == sorted(row for row in union if asked.query.wanted[row])
    assert found.rows.dtype == np.int32
    considered = np.isin(found.rows, sentence.pool.rows)
    places = np.searchsorted(sentence.pool.rows, found.rows[considered])
    np.testing.assert_array_equal(found.chosen.sources[considered], sentence.pool.sources[places])
    np.testing.assert_array_equal(found.prior[considered], sentence.pool.prior[places])
    assert all(source_names(int(bits)) == () for bits in found.chosen.sources[~considered])
    expected = reader.collection.vectors[found.rows] @ asked.query.vector
    np.testing.assert_allclose(found.cosines, expected, atol=1e-6)


def test_a_paper_of_the_draft_is_not_promising_for_being_the_best_of_few() -> None:
    # Shares are of the best of all that the sentence finds, not of what is added.
    papers = [
        Paper("a", "ferns", year=2000),
        Paper("b", "beetles", year=2000),
        *[Paper(f"c{at}", "ferns", year=2001, references=("a",)) for at in range(4)],
        Paper("d", "ferns", year=2002, references=("a", "b")),
    ]
    towards = np.array([0.1, 0, *[0.9] * 4, 0.8])
    vectors = unit(np.stack([towards, 1 - towards, *[np.zeros(7)] * 6], axis=1))
    reader = reader_of(collect(papers, vectors))
    sentence, passage = np.eye(8, dtype=np.float32)[0], Passage("ferns")
    asked = reader.pose(Draft("beetles", as_of=2005), passage, sentence)
    few = replace(SMALL, candidates=2)
    found = gather(reader.collection, asked, LocalPool(few, of_draft=50))
    hopes = dict(zip(found.rows.tolist(), found.prior.tolist(), strict=True))
    every = propose(reader.collection, asked.query, SMALL, whole=True)
    expected = dict(zip(every.pool.rows.tolist(), every.pool.prior.tolist(), strict=True))
    assert hopes == {row: expected[row] for row in hopes}
    assert 1 in hopes and hopes[1] < hopes[0]


# Reasons at a place: each kind where it holds, in words that are true, at most three of them.

REASONED = (
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
    return collect(REASONED, VECTORS)


def reasoned(collection: Collection, passage: Passage, draft: Draft = ALONE) -> LocalFacts:
    reader = reader_of(collection)
    return reader.facts_of(reader.pose(draft, passage, SENTENCE))


def every_reason(facts: LocalFacts, paper_id: str) -> dict[str, str]:
    """Ask for all kinds, however many: kind -> text."""
    papers: Sequence[Paper] = REASONED
    row = next(row for row, paper in enumerate(papers) if paper.id == paper_id)
    at = int(np.flatnonzero(facts.rows == row)[0])
    found = explain_local(facts, range(len(facts.rows)), [papers[row] for row in facts.rows], 9)
    return {reason.kind: reason.text for reason in found[at]}


def test_each_kind_says_what_the_collection_holds(collection: Collection) -> None:
    facts = reasoned(collection, Passage("Graph ranking of beetles (Ash, 2001)"))
    assert every_reason(facts, "a") == {
        "named": "named in the sentence: Ash (2001)",
        "votes": "3 of the 5 papers most similar to the sentence cite it",
        "near": "among the 4 most similar to the sentence",
        "citations": "cited 3 times in this corpus",
    }
    assert every_reason(facts, "b") == {
        "terms": "shares the term graph ranking",
        "votes": "1 of the 5 papers most similar to the sentence cites it",
        "near": "the most similar to the sentence",
        "citations": "cited once in this corpus",
    }
    assert every_reason(facts, "e") == {"near": "among the 5 most similar to the sentence"}


def test_ties_to_what_stands_beside_are_told_the_most_direct_one(collection: Collection) -> None:
    def tie(paper_id: str, *beside: str) -> str:
        return every_reason(reasoned(collection, Passage("ferns", beside)), paper_id)["beside"]

    assert tie("a", "b") == "cited by papers that the sentence already cites"
    assert tie("b", "a") == "cited together with papers that the sentence already cites"
    assert "beside" not in every_reason(reasoned(collection, Passage("ferns", ("e",))), "a")


def test_the_best_of_the_draft_are_said_to_be_so(collection: Collection) -> None:
    draft = Draft("Honey", as_of=2010)
    told = every_reason(reasoned(collection, Passage("ferns"), draft), "a")
    assert told["draft"] == "among the 20 best papers for the draft with this sentence"
    assert "draft" not in every_reason(reasoned(collection, Passage("ferns")), "a")


@given(SEEDS)
def test_reasons_are_few_distinct_and_in_the_order_of_the_table(seed: int) -> None:
    world = random_local_world(seed)
    facts = facts_of(world)
    papers = [world.world.papers[row] for row in facts.rows.tolist()]
    told, every = (explain_local(facts, range(len(papers)), papers, k) for k in (MOST_REASONS, 9))
    assert len(told) == len(papers)
    order = ["named", "context", "beside", "terms", "votes", "draft", "near", "citations"]
    for at, (reasons, more) in enumerate(zip(told, every, strict=True)):
        assert reasons == more[:MOST_REASONS]
        assert [each.kind for each in more] == [k for k in order if k in {r.kind for r in more}]
        assert len({reason.kind for reason in reasons}) == len(reasons)
        assert ("named" in {each.kind for each in reasons}) == (facts.named[at] >= 0.3)
