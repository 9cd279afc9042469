"""What every text index must do; BM25 is compared to its formula written out in plain Python."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexes.bm25 import Bm25Index
from recsys.errors import ArtifactCorrupt
from recsys.store.arrays import Floats, Mask
from recsys.store.terms import QueryText, TermStore

VOCABULARY = ("ant", "bee", "cat", "dog", "elk")
PHRASES = st.lists(st.sampled_from(VOCABULARY), max_size=6).map(" ".join)
PAPERS = st.lists(st.tuples(PHRASES, st.none() | PHRASES), min_size=1, max_size=10)
K1, B = 1.2, 0.75


def frequencies(title: str, abstract: str | None) -> dict[str, int]:
    words = title.split() * 2 + (abstract or "").split()
    return {word: words.count(word) for word in words}


def bm25(papers: list[tuple[str, str | None]], draft: str) -> list[float]:
    """Score every paper: the formula, term by term."""
    papers_tf = [frequencies(*paper) for paper in papers]
    mean = max(sum(sum(tf.values()) for tf in papers_tf) / len(papers), 1)
    scores = []
    for tf in papers_tf:
        score = 0.0
        for word in draft.split():
            df = sum(word in other for other in papers_tf)
            idf = math.log(1 + (len(papers) - df + 0.5) / (df + 0.5))
            norm = K1 * (1 - B + B * sum(tf.values()) / mean)
            score += idf * tf.get(word, 0) * (K1 + 1) / (tf.get(word, 0) + norm)
        scores.append(score)
    return scores


def scores_of(index: Bm25Index, query: QueryText) -> Floats:
    """Score every row, 0 where no term is shared."""
    scores = np.zeros(len(index.store.terms), np.float32)
    rows, found = index.search(query, len(scores))
    scores[rows] = found
    return scores


def exact_scores(index: Bm25Index, query: QueryText) -> Floats:
    """Sum what each term weighs in each paper, term by term, bit by bit."""
    store = index.store
    scores = np.zeros(len(store.terms))
    for code, count in zip(query.codes, query.counts, strict=True):
        for row in range(len(scores)):
            begin, end = store.terms.starts[row : row + 2]
            at = begin + np.flatnonzero(store.terms.values[begin:end] == code)
            impacts = store.impacts(at, np.full(len(at), row, np.int32))
            scores[row] += (impacts * count).astype(np.float64).sum()
    return scores.astype(np.float32)


def index_of(papers: list[tuple[str, str | None]]) -> Bm25Index:
    return Bm25Index.build(TermStore.build(papers))


@given(PAPERS, PHRASES, PHRASES)
def test_scores_follow_the_formula(
    papers: list[tuple[str, str | None]], title: str, abstract: str
) -> None:
    index = index_of(papers)
    scores = scores_of(index, index.store.query(title, abstract))
    np.testing.assert_allclose(scores, bm25(papers, f"{title} {abstract}"), rtol=1e-5, atol=1e-7)


@given(PAPERS, PHRASES, st.integers(0, 12), st.data())
def test_search_is_the_head_of_the_allowed_positive_scores(
    papers: list[tuple[str, str | None]], title: str, k: int, data: st.DataObject
) -> None:
    index = index_of(papers)
    query = index.store.query(title, None)
    n = len(papers)
    allowed: Mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    scores = exact_scores(index, query)
    positive = [row for row in range(n) if allowed[row] and scores[row] > 0]
    expected = sorted(positive, key=lambda row: (-scores[row], row))[:k]
    rows, found = index.search(query, k, allowed=allowed)
    assert [str(rows.dtype), str(found.dtype)] == ["int32", "float32"]
    assert rows.tolist() == expected
    assert found.tolist() == scores[rows].tolist()


def test_copies_come_in_ascending_order_of_rows() -> None:
    index = index_of([("ant", None), ("bee", None), ("ant", None), ("ant", None)])
    assert index.search(index.store.query("ant", None), 2)[0].tolist() == [0, 2]


def test_draft_without_known_words_finds_nothing() -> None:
    index = index_of([("ant", None), ("bee", "cat")])
    rows, scores = index.search(index.store.query("zebra", "the of"), 5)
    assert len(rows) == len(scores) == 0
    assert [str(rows.dtype), str(scores.dtype)] == ["int32", "float32"]


def test_nothing_asked_or_nothing_allowed_gives_nothing() -> None:
    index = index_of([("ant", None), ("bee", "cat")])
    query = index.store.query("ant", None)
    assert len(index.search(query, 0)[0]) == 0
    assert len(index.search(query, 5, allowed=np.zeros(2, bool))[0]) == 0


def test_papers_without_any_word_are_never_found() -> None:
    index = index_of([("the", None), ("ant", None)])
    assert index.search(index.store.query("the ant", None), 5)[0].tolist() == [1]


def test_corpus_without_any_word_answers_with_nothing() -> None:
    index = index_of([("the", None), ("of", "and")])
    assert len(index.search(index.store.query("ant", None), 5)[0]) == 0


def test_repeated_draft_words_weigh_more() -> None:
    index = index_of([("ant", None), ("bee", None)])
    once, twice = (scores_of(index, index.store.query(text, None)) for text in ("ant", "ant ant"))
    assert twice[0] == pytest.approx(2 * once[0])


def test_loaded_index_answers_as_the_built_one(tmp_path: Path) -> None:
    index = index_of([("ant bee", "cat"), ("bee", None), ("dog", "ant ant")])
    index.save(tmp_path)
    loaded = Bm25Index.load(tmp_path, index.store)
    query = index.store.query("ant bee", "dog")
    np.testing.assert_array_equal(scores_of(loaded, query), scores_of(index, query))


@pytest.mark.parametrize("row", [-1, 3, 2**31 - 1])
def test_papers_that_are_not_there_are_damage_and_no_crash(row: int) -> None:
    index = index_of([("ant", None), ("ant", None), ("bee", None)])
    rows = index.postings.rows.copy()
    rows[0] = row
    broken = replace(index, postings=replace(index.postings, rows=rows))
    with pytest.raises(ArtifactCorrupt, match="damaged"):
        broken.search(index.store.query("ant", None), 2)
