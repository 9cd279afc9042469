"""What every text index must do; BM25 is compared to its formula written out in plain Python."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recsys.errors import ArtifactCorrupt, InputError
from recsys.indexes.backends import (
    OWN,
    TEXT_BACKENDS,
    Former,
    build_words,
    carry_words,
    open_words,
    text_backend,
    words_summary,
)
from recsys.indexes.bm25 import Bm25Index, write_postings
from recsys.protocols import TextIndex
from recsys.store.arrays import Floats, Mask
from recsys.store.terms import QueryText, TermStore
from tests.indexes.small_indexes import bm25_of, lance_apart
from tests.rows import each_row

VOCABULARY = ("ant", "bee", "cat", "dog", "elk")
PHRASES = st.lists(st.sampled_from(VOCABULARY), max_size=6).map(" ".join)
PAPERS = st.lists(st.tuples(PHRASES, st.none() | PHRASES), min_size=1, max_size=10)
K1, B = 1.2, 0.75
Papers: TypeAlias = list[tuple[str, str | None]]
BUILDS = [*TEXT_BACKENDS, "lance, carried"]
FEW = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
"""Examples, where each takes an engine a moment to prepare."""


@dataclass(frozen=True)
class Index:
    """What is searched, and the terms that it is searched by."""

    store: TermStore
    search: TextIndex

    def scores(self, query: QueryText) -> Floats:
        """Score every row, 0 where no term is shared."""
        scores = np.zeros(len(self.store.terms), np.float32)
        rows, found = self.search.search(query, len(scores))
        scores[rows] = found
        return scores


Build: TypeAlias = Callable[[Papers], Index]


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


def exact_scores(store: TermStore, query: QueryText) -> Floats:
    """Sum what each term weighs in each paper, term by term, bit by bit."""
    scores = np.zeros(len(store.terms))
    for code, count in zip(query.codes, query.counts, strict=True):
        for row in range(len(scores)):
            begin, end = store.terms.starts[row : row + 2]
            at = begin + np.flatnonzero(store.terms.values[begin:end] == code)
            impacts = store.impacts(at, np.full(len(at), row, np.int32))
            scores[row] += (impacts * count).astype(np.float64).sum()
    return scores.astype(np.float32)


def index_of(papers: Papers) -> Bm25Index:
    return bm25_of(TermStore.build(papers))


def saved(papers: Papers, folder: Path) -> TermStore:
    folder.mkdir(parents=True, exist_ok=True)
    store = TermStore.build(papers)
    store.save(folder)
    return store


def built(name: str, papers: Papers, folder: Path) -> Index:
    store = saved(papers, folder)
    return Index(store, open_words(store, folder, build_words(name, store, folder)))


def built_before(name: str, papers: Papers, folder: Path) -> Index:
    """Search by what was built of others, of which each second paper is still there."""
    others = [paper for pair in zip(papers, reversed(papers), strict=True) for paper in pair]
    rows = np.full(len(others), -1, np.int32)
    rows[::2] = np.arange(len(papers))
    rows[:2] = -1  # The first one is new.
    store = saved(others, folder / "former")
    facts = build_words(name, store, folder / "former")
    today = saved(papers, folder)
    now = carry_words(name, today, folder, Former(folder / "former", facts, rows))
    return Index(today, open_words(today, folder, now))


@pytest.fixture(params=lance_apart(BUILDS))
def build(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Build]:
    name, _, carried = request.param.partition(", ")
    monkeypatch.setattr("recsys.indexes.lance.lance_table.MOST_DEAD", 1)  # Half of these are.
    with TemporaryDirectory() as place:
        count = iter(range(10**6))
        make = built_before if carried else built
        yield lambda papers: make(name, papers, Path(place) / str(next(count)))


@given(papers=PAPERS, title=PHRASES, abstract=PHRASES)
def test_scores_follow_the_formula(papers: Papers, title: str, abstract: str) -> None:
    found = index_of(papers)
    index = Index(found.store, found)
    scores = index.scores(index.store.query(title, abstract))
    np.testing.assert_allclose(scores, bm25(papers, f"{title} {abstract}"), rtol=1e-5, atol=1e-7)


def check_head(index: Index, title: str, k: int, allowed: Mask) -> None:
    """Search, and compare with the head of all scores."""
    query = index.store.query(title, None)
    scores = exact_scores(index.store, query)
    positive = [row for row in range(len(allowed)) if allowed[row] and scores[row] > 0]
    expected = sorted(positive, key=lambda row: (-scores[row], row))[:k]
    rows, found = index.search.search(query, k, allowed=allowed)
    assert [str(rows.dtype), str(found.dtype)] == ["int32", "float32"]
    assert rows.tolist() == expected
    assert found.tolist() == scores[rows].tolist()


@given(papers=PAPERS, title=PHRASES, k=st.integers(0, 12), data=st.data())
def test_search_is_the_head_of_the_allowed_positive_scores(
    papers: Papers, title: str, k: int, data: st.DataObject
) -> None:
    n = len(papers)
    allowed: Mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    index = index_of(papers)
    check_head(Index(index.store, index), title, k, allowed)


@given(papers=PAPERS, title=PHRASES, k=st.integers(0, 12), data=st.data())
@FEW
def test_every_backend_finds_the_head(
    build: Build, papers: Papers, title: str, k: int, data: st.DataObject
) -> None:
    n = len(papers)
    allowed: Mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    check_head(build(papers), title, k, allowed)


def test_a_mask_that_no_engine_can_be_told_is_applied_to_what_it_finds(build: Build) -> None:
    papers: Papers = [("ant " * (1 + at % 7), "bee" if at % 2 else None) for at in range(400)]
    allowed = np.random.default_rng(0).random(400) < 0.4
    index = build(papers)
    check_head(index, "ant bee", 30, allowed)
    check_head(index, "ant", 399, allowed)


def test_loaded_index_answers_as_the_built_one(tmp_path: Path) -> None:
    index = index_of([("ant bee", "cat"), ("bee", None), ("dog", "ant ant")])
    index.store.save(tmp_path)
    write_postings(tmp_path)
    loaded = Bm25Index.load(tmp_path, index.store)
    query = index.store.query("ant bee", "dog")
    one, other = (Index(index.store, each).scores(query) for each in (loaded, index))
    np.testing.assert_array_equal(one, other)


@each_row("row", [-1, 3, 2**31 - 1])
def test_papers_that_are_not_there_are_damage_and_no_crash(row: int) -> None:
    index = index_of([("ant", None), ("ant", None), ("bee", None)])
    rows = index.postings.rows.copy()
    rows[0] = row
    broken = replace(index, postings=replace(index.postings, rows=rows))
    with pytest.raises(ArtifactCorrupt, match="damaged"):
        broken.search(index.store.query("ant", None), 2)


def test_an_unknown_backend_is_corrected() -> None:
    with pytest.raises(InputError, match="Did you mean 'lance'"):
        text_backend("lanse")


def test_what_was_chosen_is_said() -> None:
    assert words_summary({}, 1) == []
    assert words_summary({"backend": OWN}, 1) == [text_backend(OWN).summary({}, 1)]
    assert all(text_backend(name).summary({}, 1).endswith(".") for name in TEXT_BACKENDS)
