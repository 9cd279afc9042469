"""What is known of candidates and seeds, against reading it off the papers one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.query.query import make_query
from recsys.ranking.feature_context import (
    LATEST_CITERS,
    MOST_SEEDS,
    Edges,
    FeatureContext,
    Seeds,
)
from recsys.ranking.features import compute
from recsys.records import Draft, Paper
from tests.recsys.ranking.worked_example import context_among, context_in, context_of
from tests.tiny import World, collect, random_world

WORLDS = st.integers(0, 2**32 - 1)


def citers(world: World, row: int, before: int) -> set[int]:
    """Who cites a paper, of those that count: read off the papers themselves."""
    wanted = world.papers[row].id
    return {
        other
        for other, paper in enumerate(world.papers)
        if wanted in paper.references
        and other != row
        and paper.year is not None
        and paper.year < before
    }


def crowd(citers: int) -> FeatureContext:
    """One paper of 2000 that one paper a year cites from 2001 on; all are candidates."""
    papers = [Paper("a", "graph", year=2000)]
    papers += [Paper(f"b{i:04}", "x", year=2001 + i, references=("a",)) for i in range(citers)]
    return context_among(papers, Draft("graph"))


@given(WORLDS)
def test_citers_and_references_are_the_citations_that_may_be_seen(seed: int) -> None:
    world = random_world(seed)
    context = context_in(world)
    graph, before = context.graph, context.query.before
    edges = context.citers
    expected = {
        (at, other)
        for at, row in enumerate(context.rows.tolist())
        for other in citers(world, row, before)
    }
    assert set(zip(edges.owner.tolist(), edges.rows.tolist(), strict=True)) == expected
    assert context.citations.tolist() == edges.counts.tolist()
    assert context.query.allowed[context.references.rows].all()
    older = graph.older(context.rows, before)
    assert context.references.counts.tolist() == [
        int(context.query.allowed[graph.cites[row]].sum()) if is_older else 0
        for row, is_older in zip(context.rows.tolist(), older, strict=True)
    ]
    for edges in (context.citers, context.references):
        cosines = [world.collection.vectors[row] @ context.query.vector for row in edges.rows]
        np.testing.assert_allclose(edges.cosines, np.array(cosines), atol=1e-6)


@given(WORLDS)
def test_company_counts_the_citers_shared_with_each_paper(seed: int) -> None:
    world = random_world(seed)
    context = context_in(world)
    others = np.arange(min(3, len(world.papers)), dtype=np.int32)
    weights = np.array([1, 2, 4], np.float32)[: len(others)]
    (of_citer,) = context.citers.weigh(context.citers_of(others, weights))
    before = context.query.before
    expected = [
        sum(
            float(weight) * len(citers(world, row, before) & citers(world, int(other), before))
            for other, weight in zip(others, weights, strict=True)
        )
        for row in context.rows.tolist()
    ]
    assert context.citers.total(of_citer).tolist() == expected


def test_only_the_latest_citers_of_a_much_cited_paper_are_compared() -> None:
    context = crowd(LATEST_CITERS + 5)
    mine = context.citers.rows[context.citers.owner == 0]
    assert len(mine) == LATEST_CITERS
    assert mine.min() == 6
    assert context.citations[0] == LATEST_CITERS + 5


def test_citations_of_the_last_years_are_those_before_the_draft() -> None:
    columns = compute(crowd(10), ("citations_1y", "citations_3y", "citations"))
    assert np.expm1(columns[0]) == pytest.approx([1, 3, 10])  # Cited from 2001 to 2010.


def test_edges_are_summed_by_candidate_and_repeated_papers_add_up() -> None:
    owner, rows = np.array([0, 0, 2, 2], np.int32), np.array([5, 6, 6, 9], np.int32)
    edges = Edges(owner, rows, np.zeros(4, np.float32), 3)
    once = np.array([6, 5], np.int32), np.array([0.5, 0.25], np.float32)
    twice = np.array([9, 9, 7], np.int32), np.array([1, 2, 4], np.float32)
    of_once, of_twice = edges.weigh(once, twice)
    assert (of_once.tolist(), of_twice.tolist()) == ([0.25, 0.5, 0.5, 0], [0, 0, 0, 3])
    assert edges.total(of_once).tolist() == [0.75, 0, 0.5]
    assert edges.mean(of_twice).tolist() == [0, 0, 1.5]
    assert edges.counts.tolist() == [2, 0, 2]
    assert edges.highest(of_once).tolist() == [0.5, 0, 0.5]
    assert edges.highest(-of_once).tolist() == [0, 0, 0]


def seeds_of(world: World) -> Seeds:
    """Take the second, fifth, ... paper as seeds, whatever the draft's own references."""
    context = context_in(world)
    return Seeds(context, np.flatnonzero(context.query.allowed).astype(np.int32)[1::3])


@given(WORLDS)
def test_seeds_are_cocited_with_and_cite_and_are_cited_by_candidates(seed: int) -> None:
    world = random_world(seed)
    seeds = seeds_of(world)
    before, others = seeds.context.query.before, seeds.rows.tolist()
    if not others:
        return
    for at, row in enumerate(seeds.context.rows.tolist()):
        own = citers(world, row, before)
        both = [len(own & citers(world, other, before)) for other in others]
        assert seeds.cocited[at].tolist() == both
        assert seeds.company_share[at] == pytest.approx(np.mean(np.array(both) > 0))
        assert seeds.votes[at] * len(others) == pytest.approx(len(own & set(others)))
        cited = [other for other in others if row in citers(world, other, before)]
        assert seeds.referred[0][at] * len(others) == pytest.approx(len(cited))
    assert (np.abs(seeds.cosines) <= 1 + 1e-5).all()
    assert ((seeds.likeness >= 0) & (seeds.likeness <= 1 + 1e-5)).all()


def test_long_lists_and_famous_seeds_are_cut() -> None:
    many = MOST_SEEDS + LATEST_CITERS
    papers = [Paper(f"a{i:04}", "x", year=2000) for i in range(many)]
    papers += [Paper(f"b{i:04}", "x", year=2001, references=("a0000",)) for i in range(many)]
    collection = collect(papers, np.ones((len(papers), 1), np.float32))
    draft = Draft("x", references=tuple(paper.id for paper in papers[:many]))
    context = context_of(collection, make_query(collection, draft, collection.vectors[0]))
    assert context.seeds is not None
    assert context.seeds.cosines.shape == (len(context), MOST_SEEDS)
    assert not context.seeds.cocited.any()
