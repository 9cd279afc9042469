import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.indexes.bm25 import Bm25Index
from recsys.query.query import make_query
from recsys.ranking.evidence import Evidence
from recsys.ranking.facts import Overlap
from recsys.records import Draft, Paper
from recsys.retrieval.propose import propose
from recsys.retrieval.sources import StageOne
from tests.tiny import SMALL, collect, random_world

SEEDS = st.integers(0, 2**32 - 1)


def overlap_of(seed: int) -> tuple[Overlap, Evidence, list[set[str]], set[str]]:
    """Draw a world; also return the words of its candidates and of its draft."""
    world = random_world(seed)
    query = make_query(world.collection, world.draft, world.vector)
    evidence = Evidence(world.collection, query, propose(world.collection, query, SMALL))
    papers = [world.papers[row] for row in evidence.rows]
    theirs = [set(f"{paper.title} {paper.abstract or ''}".split()) for paper in papers]
    return Overlap(evidence), evidence, theirs, set(query.text.words)


@given(SEEDS)
def test_bm25_of_the_forward_index_equals_that_of_the_text_index(seed: int) -> None:
    overlap, evidence, _, _ = overlap_of(seed)
    index = evidence.collection.text_index
    assert isinstance(index, Bm25Index)
    rows, found = index.search(evidence.query.text, len(index.store.terms))
    score = dict(zip(rows.tolist(), found.tolist(), strict=True))
    expected = [score.get(row, 0) for row in evidence.rows.tolist()]
    np.testing.assert_allclose(overlap.bm25, expected, rtol=1e-5)


@given(SEEDS)
def test_share_of_the_draft_is_the_idf_of_the_words_in_common(seed: int) -> None:
    overlap, evidence, theirs, ours = overlap_of(seed)
    store = evidence.collection.terms
    idf = {word: float(store.idf[store.vocabulary.find(word) or 0]) for word in ours}
    whole = max(sum(idf.values()), 1e-9)
    expected = [sum(idf[word] for word in ours & words) / whole for words in theirs]
    rarest = [max((idf[word] for word in ours & words), default=0) for words in theirs]
    np.testing.assert_allclose(overlap.text_in_text, expected, rtol=1e-5)
    np.testing.assert_allclose(overlap.rarest, rarest, rtol=1e-6)


@given(SEEDS)
def test_word_cosine_is_one_for_the_same_words_and_zero_for_none_in_common(seed: int) -> None:
    overlap, _, theirs, ours = overlap_of(seed)
    for cosine, words in zip(overlap.cosine.tolist(), theirs, strict=True):
        assert -1e-6 <= cosine <= 1 + 1e-5
        if not ours & words:
            assert cosine == 0
        if ours == words:
            assert cosine == pytest.approx(1, abs=1e-5)


def test_title_words_of_the_draft_count_wherever_the_candidate_has_them() -> None:
    papers = [Paper("a", "ranking", abstract="graphs"), Paper("b", "graph")]
    collection = collect(papers, np.eye(2, dtype=np.float32))
    query = make_query(collection, Draft("graph", "ranking"), collection.vectors[0])
    overlap = Overlap(Evidence(collection, query, propose(collection, query, StageOne())))
    assert overlap.title_in_title.tolist() == [0, 1]
    assert overlap.title_in_text.tolist() == [1, 1]
    assert overlap.text_in_title.tolist() == [1, 1]
    assert overlap.terms.tolist() == [2, 1]
