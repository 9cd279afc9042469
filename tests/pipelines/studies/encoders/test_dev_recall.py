"""Recall by cosine alone, beside a plain loop."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.evaluation.splits import gold
from recsys.pipelines.studies.encoders.triplets import Sample, judge_of
from tests.pipelines.studies.encoders.test_triplets import queries_of
from tests.tiny import random_world

EVERYTHING = Sample(None, None)


@given(st.integers(0, 2**20))
def test_recall_is_that_of_a_plain_loop(seed: int) -> None:
    collection = random_world(seed).collection
    queries, vectors = queries_of(collection), collection.vectors
    if len(queries) == 0:
        return
    judge = judge_of(collection, queries, EVERYTHING)
    found = judge.recalls(vectors[judge.rows])
    years = collection.graph.years
    for place, row in enumerate(queries.tolist()):
        allowed = np.flatnonzero((years >= 0) & (years <= years[row]))
        allowed = allowed[allowed != row]
        cosines = vectors[allowed] @ vectors[row]
        order = allowed[np.lexsort((allowed, -cosines))][:20]
        right = gold(collection, row)
        assert found[place] == np.isin(order, right).sum() / len(right)


def test_a_sample_keeps_gold_and_is_always_the_same() -> None:
    collection = random_world(0).collection
    queries = queries_of(collection)
    assert len(queries) > 5
    judges = [judge_of(collection, queries, Sample(5, 12)) for _ in range(2)]
    assert judges[0].queries.tolist() == judges[1].queries.tolist()
    assert judges[0].papers.tolist() == judges[1].papers.tolist()
    judge = judges[0]
    right = {row for query in judge.queries.tolist() for row in gold(collection, query).tolist()}
    assert len(judge.queries) == 5 and set(judge.queries.tolist()) <= set(queries.tolist())
    assert right <= set(judge.papers.tolist()) and len(judge.papers) == max(12, len(right))
    for place, query in enumerate(judge.queries.tolist()):
        assert judge.gold[place].tolist() == gold(collection, query).tolist()
