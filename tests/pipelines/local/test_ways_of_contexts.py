"""Which citing sentences queries may read: in training never all, so that presence says nothing."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.local.local_features import LOCAL_FEATURES
from recsys.local.local_recommender import PassageRanker, PassageReader
from recsys.local.passage import ContextUse
from recsys.pipelines.local.evaluate_local import LocalEvaluation, evaluate_local, telling_contexts
from recsys.pipelines.local.local_queries import LocalQueries, LocalQuery, pose_query
from recsys.pipelines.local.train_local import Way, drawn_way, example
from recsys.protocols import Ranker
from recsys.recommend import Recommender
from recsys.records import Paper
from recsys.store.arrays import Floats
from recsys.store.collection import Collection
from tests.hashing_encoder import HashingEncoder
from tests.recsys.local.told_world import POOL, with_told
from tests.tiny import SMALL, collect

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
    return collection


@pytest.fixture
def told(tmp_path: Path) -> Collection:
    said = [("c", "a", "Ferns in shadow."), ("d", "b", "Ferns in shadow are here.")]
    vectors = HashingEncoder(8).encode([(text, None) for *_, text in said])
    return with_told(plain(), said, vectors, tmp_path)


def test_a_way_never_reads_all_sentences() -> None:
    ways = [drawn_way(query, seed=1, contexts=True) for query in QUERIES]
    uses = [way.contexts for way in ways]
    assert set(uses) == {ContextUse.ONLY, ContextUse.HIDDEN}
    assert 60 < uses.count(ContextUse.ONLY) < 140
    bare = [drawn_way(query, seed=1) for query in QUERIES]
    assert {way.contexts for way in bare} == {ContextUse.HIDDEN}
    assert [(way.known, way.masked) for way in bare] == [(way.known, way.masked) for way in ways]


def test_ways_are_named() -> None:
    assert str(Way("title", True)) == "title, masked"
    assert str(Way("title", False, ContextUse.ONLY)) == "title, as printed, with contexts"


def test_examples_have_all_signs_or_none(told: Collection) -> None:
    reader = ranker_of(told).reader
    at = LOCAL_FEATURES.index("context_best")
    hidden = example(reader, QUERIES[0], Way("title", True))
    only = example(reader, QUERIES[0], Way("title", True, ContextUse.ONLY))
    assert hidden is not None and only is not None
    assert set(hidden.features[:, at]) == {-1} and len(hidden.relevant) == 3
    # Paper b is cited in a sentence of the draft itself alone.
    assert len(only.relevant) == 1 and only.relevant.tolist() == [1] and only.features[0, at] > 0.5


def test_queries_are_posed_with_what_may_be_read(told: Collection) -> None:
    works = ranker_of(told).reader.works
    posed = pose_query(told, works, QUERIES[0], "title", masked=True)
    assert posed.passage.contexts is ContextUse.ALL
    posed = pose_query(told, works, QUERIES[0], "title", masked=True, contexts=ContextUse.HIDDEN)
    assert posed.passage.contexts is ContextUse.HIDDEN


def test_only_papers_with_sentences_need_an_index_with_some(tmp_path: Path) -> None:
    options = replace(LocalEvaluation(systems=("bm25",)), contexts=ContextUse.ONLY)
    queries = LocalQueries(tuple(QUERIES[:1]))
    with pytest.raises(InputError, match="has no contexts"):
        evaluate_local(
            Path("my.index"), queries, options, tmp_path, open_local=lambda _: ranker_of(plain())
        )


def test_contexts_that_only_cited_papers_have_are_told(tmp_path: Path) -> None:
    only_gold = with_told(plain(), [("c", "a", "Ferns grow in shadow.")], None, tmp_path)
    (line,) = telling_contexts(only_gold, QUERIES)
    assert line.startswith("100% of the cited papers have contexts in the index, and 0% of the oth")
    assert "--contexts hidden" in line


def test_contexts_of_others_or_of_none_tell_nothing(tmp_path: Path) -> None:
    of_others = with_told(plain(), [("c", "b", "Sun."), ("d", "c", "Honey.")], None, tmp_path)
    assert list(telling_contexts(of_others, QUERIES)) == []
    assert list(telling_contexts(plain(), QUERIES)) == []
