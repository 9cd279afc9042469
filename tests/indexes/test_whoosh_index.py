"""The Whoosh baseline: the same formula, the same query terms, rows as document numbers."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import ArtifactMissing
from recsys.indexes.whoosh_index import WhooshIndex
from recsys.store.arrays import Mask
from recsys.store.terms import QueryText
from tests.rows import each_row

PAPERS: list[tuple[str, str | None]] = [
    ("rivers of ice", "glaciers flow like rivers and carve valleys"),
    ("deserts", "sand moves and carves nothing"),
    ("rivers", None),
    ("volcanoes and rivers", "lava flows like rivers, rivers of fire"),
    ("rivers", None),
]
WORDS = ("rivers", "glaciers", "sand", "lava", "flow", "ice", "unheard", "the")
PHRASES = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)


def asked(title: str, abstract: str | None = None) -> QueryText:
    none = np.empty(0, np.int32)
    return QueryText(title, abstract, (), none, none.astype(np.float32), none.astype(bool))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> WhooshIndex:
    folder = tmp_path_factory.mktemp("whoosh") / "index"
    WhooshIndex.build(PAPERS, folder)
    return WhooshIndex.load(folder)


def bm25f(word: str, row: int) -> float:
    """Score one word by the formula of Whoosh's BM25F with its defaults: sum over both fields."""
    total = 0.0
    for field in (0, 1):
        texts = [
            [w for w in (paper[field] or "").replace(",", "").split() if w not in ("and", "of")]
            for paper in PAPERS
        ]
        df = sum(word in text for text in texts)
        if df == 0:
            continue
        idf = math.log(len(PAPERS) / (df + 1)) + 1
        mean = sum(map(len, texts)) / len(PAPERS)
        tf = texts[row].count(word)
        norm = 1 - 0.75 + 0.75 * len(texts[row]) / mean
        total += idf * tf * 2.2 / (tf + 1.2 * norm)
    return total


@each_row("word", ["rivers", "glaciers", "sand"])
def test_scores_follow_the_formula(word: str, index: WhooshIndex) -> None:
    rows, scores = index.search(asked("", word), 10)
    expected = {row: bm25f(word, row) for row in range(len(PAPERS)) if bm25f(word, row) > 0}
    assert set(rows.tolist()) == set(expected)
    assert scores.tolist() == pytest.approx([expected[row] for row in rows.tolist()], rel=1e-6)


@given(title=PHRASES, abstract=PHRASES, k=st.integers(0, 6), data=st.data())
def test_search_is_the_head_of_the_allowed_papers(
    index: WhooshIndex, title: str, abstract: str, k: int, data: st.DataObject
) -> None:
    n = len(PAPERS)
    allowed: Mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    everything = dict(
        zip(*(each.tolist() for each in index.search(asked(title, abstract), n)), strict=True)
    )
    rows, scores = index.search(asked(title, abstract), k, allowed=allowed)
    kept = [row for row in everything if allowed[row]]
    assert rows.tolist() == sorted(kept, key=lambda row: (-everything[row], row))[:k]
    assert scores.tolist() == [everything[row] for row in rows.tolist()]
    assert [str(rows.dtype), str(scores.dtype)] == ["int32", "float32"]


def test_a_query_is_three_terms_of_the_title_and_five_of_the_abstract(index: WhooshIndex) -> None:
    title = "rivers ice deserts volcanoes"
    abstract = "glaciers flow like rivers and carve valleys, sand moves, lava flows"
    assert len(index.key_terms(asked(title))) == 3
    assert len(index.key_terms(asked("", abstract))) == 5
    terms = index.key_terms(asked(title, abstract))
    assert len(terms) == 8
    # Bo1 of a term seen once in the query grows with its rarity.
    assert "rivers" not in terms[:3]


def test_an_index_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ArtifactMissing):
        WhooshIndex.load(tmp_path / "none")
