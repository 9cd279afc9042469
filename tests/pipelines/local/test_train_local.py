"""Examples for the local ranker: drawn alike whoever else is drawn, and true to their queries."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from recsys.errors import InputError
from recsys.local.local_features import LOCAL_FEATURES, compute_local
from recsys.local.local_recommender import PassageRanker, PassageReader
from recsys.local.passage import ContextUse
from recsys.pipelines.local.evaluate_local import LocalEvaluation, evaluate_local, telling
from recsys.pipelines.local.local_queries import (
    KNOWN,
    LocalQueries,
    LocalQuery,
    beside,
    pose_query,
    references_of,
)
from recsys.pipelines.local.train_local import RAW, Way, drawn_way, example
from recsys.protocols import Ranker
from recsys.recommend import Recommender
from recsys.records import Paper
from recsys.store.arrays import Floats
from recsys.store.collection import Collection
from recsys.store.vectors import dot_cache
from tests.hashing_encoder import HashingEncoder
from tests.recsys.local.test_context_view import POOL, with_told
from tests.rows import each_row
from tests.tiny import SMALL, collect


def test_all_ways_are_drawn_and_most_are_masked(found: LocalQueries) -> None:
    ways = [drawn_way(query, seed=0) for query in found.queries]
    assert set(ways) == {Way(known, masked) for known in KNOWN for masked in (True, False)}
    assert np.mean([not way.masked for way in ways]) == pytest.approx(RAW, abs=0.12)
    assert ways == [drawn_way(query, seed=0) for query in found.queries]
    assert ways != [drawn_way(query, seed=1) for query in found.queries]
    of_papers: dict[int, set[Way]] = {}
    for query, way in zip(found.queries, ways, strict=True):
        of_papers.setdefault(query.citing, set()).add(way)
    assert max(map(len, of_papers.values())) > 1
    assert str(Way("title", True)) == "title, masked"
    assert str(Way("title", False, ContextUse.ONLY)) == "title, as printed, with contexts"


@each_row("known", KNOWN)
@each_row("masked", [True, False])
def test_an_example_is_what_the_query_is_answered_with(
    known: str, masked: bool, ranker: PassageRanker, found: LocalQueries
) -> None:
    reader = ranker.reader
    for query in found.queries[50:54]:
        way = Way(known, masked, ContextUse.HIDDEN)
        made = example(reader, query, way)
        assert made is not None
        posed = pose_query(
            reader.collection, reader.works, query, known, masked=masked, contexts=way.contexts
        )
        with dot_cache():  # Else the last bit of a cosine may differ.
            facts = reader.facts(posed.draft, posed.passage)
            expected = compute_local(facts, LOCAL_FEATURES)
        listed = references_of(reader.collection, query)
        others = beside(reader.collection, reader.works, query, listed)
        kept = ~np.isin(facts.rows, reader.collection.corpus.rows(others))
        np.testing.assert_array_equal(made.features, expected[kept])
        np.testing.assert_array_equal(made.relevant, np.isin(facts.rows[kept], query.gold))
        assert made.relevant.dtype == np.int8
        assert made.gold == len(query.gold)


# Which citing sentences queries may read: in training never all, so that presence says nothing.

PAPERS = (
    Paper(id="a", title="Ferns in shadow", year=2000),
    Paper(id="b", title="Ferns in the sun", year=2000),
    Paper(id="c", title="Honey", year=2003, references=("a", "b")),
    Paper(id="d", title="Clouds", year=2005, references=("a", "b")),
)
QUERIES = [LocalQuery(3, f"Ferns in shadow {n}", np.array([0], np.int32)) for n in range(200)]


class ByCosine:
    """Orders whole drafts by cosines."""

    feature_names = ("cosine",)

    @property
    def first(self) -> None:
        return None

    def score(self, features: Floats) -> Floats:
        return features[:, 0]

    def probability(self, scores: Floats) -> Floats:
        return scores


def ranker_of(collection: Collection) -> PassageRanker:
    ranker: Ranker = ByCosine()
    recommender = Recommender(collection, HashingEncoder(8), ranker, SMALL)
    return PassageRanker(PassageReader(recommender, POOL), ranker)


def plain() -> Collection:
    vectors = HashingEncoder(8).encode([(paper.title, None) for paper in PAPERS])
    collection = collect(PAPERS, vectors)
    # What is read of a file otherwise.
    vars(collection.corpus)["full_papers"] = lambda rows: [PAPERS[row] for row in rows]
    none = pa.table({"abstract": pa.nulls(len(PAPERS), pa.string())})
    vars(collection.corpus)["texts"] = lambda: none
    return collection


@pytest.fixture
def told(tmp_path: Path) -> Collection:
    said = [("c", "a", "Ferns in shadow."), ("d", "b", "Ferns in shadow are here.")]
    vectors = HashingEncoder(8).encode([(text, None) for *_, text in said])
    return with_told(plain(), said, vectors, tmp_path)


def test_examples_have_all_signs_or_none(told: Collection) -> None:
    reader = ranker_of(told).reader
    at = LOCAL_FEATURES.index("context_best")
    hidden = example(reader, QUERIES[0], Way("title", True))
    only = example(reader, QUERIES[0], Way("title", True, ContextUse.ONLY))
    assert hidden is not None and only is not None
    assert set(hidden.features[:, at]) == {-1} and len(hidden.relevant) == 3
    # Paper b is cited in a sentence of the draft itself alone.
    assert len(only.relevant) == 1 and only.relevant.tolist() == [1] and only.features[0, at] > 0.5


def test_only_papers_with_sentences_need_an_index_with_some(tmp_path: Path) -> None:
    options = replace(LocalEvaluation(systems=("bm25",)), contexts=ContextUse.ONLY)
    queries = LocalQueries(tuple(QUERIES[:1]))
    with pytest.raises(InputError, match="has no contexts"):
        evaluate_local(
            Path("my.index"), queries, options, tmp_path, open_local=lambda _: ranker_of(plain())
        )


def test_contexts_that_only_cited_papers_have_are_told(tmp_path: Path) -> None:
    only_gold = with_told(plain(), [("c", "a", "Ferns grow in shadow.")], None, tmp_path)
    (line,) = telling(only_gold, QUERIES, contexts=True)
    assert line.startswith("100% of the cited papers have contexts in the index, and 0% of the oth")
    assert "--contexts hidden" in line
    said = [("c", "b", "Sun."), ("d", "c", "Honey.")]
    (tmp_path / "others").mkdir()
    of_others = with_told(plain(), said, None, tmp_path / "others")
    assert list(telling(of_others, QUERIES, contexts=True)) == []
    assert list(telling(plain(), QUERIES, contexts=True)) == []
    assert list(telling(only_gold, QUERIES, contexts=False)) == []
