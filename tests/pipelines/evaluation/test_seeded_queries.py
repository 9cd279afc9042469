"""Queries with some of their references given: nothing else of what is to be found shows."""

from dataclasses import replace

import numpy as np
import pytest

from recsys.pipelines.evaluation.splits import (
    LISTS,
    SEEDED,
    gold,
    pose,
    training_poses,
)
from recsys.query.query import Query, draft_of, make_query
from recsys.ranking.feature_context import FeatureContext
from recsys.ranking.features import compute, feature_names
from recsys.records import Paper
from recsys.retrieval.propose import propose
from recsys.store.arrays import Rows
from recsys.store.collection import Collection
from recsys.store.graph import CitationGraph
from tests.rows import each_row
from tests.tiny import SMALL, collect, random_world

ALL = feature_names(metadata=True)


def row_of(collection: Collection, paper_id: str) -> int:
    return int(collection.corpus.rows([paper_id])[0])


def rows_of(collection: Collection, *paper_ids: str) -> Rows:
    return collection.corpus.rows(paper_ids)


def test_given_papers_are_seeds_and_no_answers_any_more(collection: Collection) -> None:
    row, given = row_of(collection, "rivers-06"), rows_of(collection, "rivers-05")
    posed = pose(collection, row, given=given)
    assert posed.query.seeds.tolist() == given.tolist()
    assert not posed.query.wanted[given].any()
    assert posed.right.tolist() == rows_of(collection, "rivers-04").tolist()
    assert (posed.query.before, bool(posed.query.allowed[row])) == (2006, False)


def test_training_poses_every_query_plainly_and_some_once_more(collection: Collection) -> None:
    kinds = []
    for row in range(len(collection.corpus)):
        plain, *others = training_poses(collection, row, metadata=True)
        right = gold(collection, row)
        assert len(plain.query.seeds) == 0 and plain.right.tolist() == right.tolist()
        assert plain.query.vector.tolist() == collection.vectors[row].tolist()
        again = [posed.query.seeds for posed in training_poses(collection, row, metadata=False)]
        assert list(map(list, again)) == [list(posed.query.seeds) for posed in (plain, *others)]
        assert len(others) <= (1 if len(right) > 1 else 0)
        for other in others:
            both = np.sort(np.concatenate([other.query.seeds, other.right]))
            assert both.tolist() == right.tolist()
            assert 0 < len(other.query.seeds) < len(right)
            kinds.append(bool(other.query.text.title))
    queries = sum(len(gold(collection, row)) > 1 for row in range(len(collection.corpus)))
    assert len(kinds) / queries == pytest.approx(SEEDED + LISTS, abs=0.2)
    assert True in kinds and False in kinds


def without_citations_of(collection: Collection, row: int, kept: Rows) -> Collection:
    """Let one paper cite nothing but the kept rows."""
    years = collection.graph.years
    citing, cited = collection.graph.references(np.arange(len(years), dtype=np.int32))
    stays = (citing != row) | np.isin(cited, kept)
    graph = CitationGraph.build(citing[stays], cited[stays], years)
    return replace(collection, graph=graph)


def measured(collection: Collection, query: Query) -> tuple[list[int], list[list[float]]]:
    candidates = propose(collection, query, SMALL)
    return candidates.rows.tolist(), compute(
        FeatureContext(collection, query, candidates), ALL
    ).tolist()


@each_row("seed", range(60), usually=10)
def test_references_that_are_held_out_show_nowhere(seed: int) -> None:
    """A world in which the paper never cited them gives the same candidates and features."""
    world = random_world(seed)
    collection = world.collection
    for row in range(len(world.papers)):
        right = gold(collection, row)
        if len(right) > 1:
            given = right[: len(right) // 2]
            blind = without_citations_of(collection, row, given)
            draft = pose_in(world.papers, collection, row, given)
            assert measured(collection, draft) == measured(blind, draft)


def pose_in(papers: tuple[Paper, ...], collection: Collection, row: int, given: Rows) -> Query:
    """Pose a paper of a collection that lies in memory."""
    draft = replace(draft_of(papers[row]), references=tuple(papers[at].id for at in given.tolist()))
    return make_query(collection, draft, collection.vectors[row])


def test_a_paper_cited_together_with_a_seed_by_nobody_else_has_no_company() -> None:
    papers = [
        Paper("a", "graph", year=2000),
        Paper("b", "graph", year=2000),
        Paper("own", "graph", year=2010, references=("a", "b")),
    ]
    collection = collect(papers, np.eye(3, dtype=np.float32))
    query = pose_in(tuple(papers), collection, 2, np.array([0], np.int32))
    candidates = propose(collection, query, SMALL)
    assert candidates.rows.tolist() == [1]
    names = ("seed_company", "seed_peers", "seed_likeness", "seed_votes", "citations")
    assert compute(FeatureContext(collection, query, candidates), names).tolist() == [[0] * 5]
