import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.query.query import make_query
from recsys.ranking import evidence as module
from recsys.ranking.evidence import Edges, Evidence, Joined, Weighed, divide, vote_share
from recsys.records import Draft, Paper
from recsys.retrieval.propose import propose
from recsys.retrieval.sources import StageOne
from tests.tiny import SMALL, World, collect, random_world

SEEDS = st.integers(0, 2**32 - 1)


def gather(world: World) -> Evidence:
    query = make_query(world.collection, world.draft, world.vector)
    return Evidence(world.collection, query, propose(world.collection, query, SMALL))


def crowd(citers: int) -> Evidence:
    """One paper of 2000 that one paper a year cites from 2001 on; all are candidates."""
    papers = [Paper("a", "graph", year=2000)]
    papers += [Paper(f"b{i:04}", "x", year=2001 + i, references=("a",)) for i in range(citers)]
    collection = collect(papers, np.eye(citers + 1, dtype=np.float32))
    query = make_query(collection, Draft("graph"), collection.vectors[0])
    return Evidence(collection, query, propose(collection, query, StageOne()))


@given(SEEDS)
def test_citers_are_the_older_papers_that_cite_the_candidate(seed: int) -> None:
    world = random_world(seed)
    evidence = gather(world)
    found = set(zip(evidence.citers.owner.tolist(), evidence.citers.rows.tolist(), strict=True))
    expected = {
        (at, row)
        for at, candidate in enumerate(evidence.rows.tolist())
        for row, paper in enumerate(world.papers)
        if world.papers[candidate].id in paper.references
        and row != candidate
        and paper.year is not None
        and paper.year < evidence.query.before
    }
    assert found == expected
    assert evidence.citations.tolist() == [
        sum(owner == at for owner, _ in expected) for at in range(len(evidence))
    ]


@given(SEEDS)
def test_references_are_what_older_candidates_cite_of_what_may_be_seen(seed: int) -> None:
    world = random_world(seed)
    evidence = gather(world)
    edges = evidence.references
    assert evidence.query.allowed[edges.rows].all()
    expected = [
        sum(
            bool(evidence.query.allowed[row])
            for row in evidence.graph.cites[candidate]
            if bool(evidence.graph.older(np.array([candidate]), evidence.query.before)[0])
        )
        for candidate in evidence.rows.tolist()
    ]
    assert evidence.total(edges.owner).tolist() == expected


@given(SEEDS)
def test_edge_cosines_are_those_between_draft_and_connected_paper(seed: int) -> None:
    world = random_world(seed)
    evidence = gather(world)
    for edges in (evidence.citers, evidence.references):
        expected = [
            float(world.collection.vectors[row] @ evidence.query.vector) for row in edges.rows
        ]
        np.testing.assert_allclose(edges.cosines, expected, atol=1e-6)


@given(SEEDS)
def test_company_counts_the_citers_shared_with_each_paper(seed: int) -> None:
    world = random_world(seed)
    evidence = gather(world)
    others = np.arange(min(3, len(world.papers)), dtype=np.int32)
    weights = np.array([1, 2, 4], np.float32)[: len(others)]

    def citers(row: int) -> set[int]:
        return set(
            evidence.graph.citers(np.array([row], np.int32), evidence.query.before)[1].tolist()
        )

    expected = [
        sum(
            float(w) * len(citers(row) & citers(int(o)))
            for o, w in zip(others, weights, strict=True)
        )
        for row in evidence.rows.tolist()
    ]
    assert evidence.company(others, weights).tolist() == expected


def test_only_the_latest_citers_of_a_much_cited_paper_are_compared() -> None:
    evidence = crowd(module.LATEST_CITERS + 5)
    mine = evidence.citers.rows[evidence.citers.owner == 0]
    assert len(mine) == module.LATEST_CITERS
    assert mine.min() == 6
    assert evidence.citations[0] == module.LATEST_CITERS + 5


def test_citations_since_count_the_years_before_the_draft() -> None:
    evidence = crowd(10)  # Cited from 2001 to 2010; the draft is of 2011.
    assert evidence.citations_since(1)[0] == 1
    assert evidence.citations_since(3)[0] == 3
    assert evidence.citations_since(100)[0] == 10


def test_age_of_an_undated_candidate_is_minus_one() -> None:
    papers = [Paper("a", "graph"), Paper("b", "graph", year=2000), Paper("c", "graph", year=2001)]
    collection = collect(papers, np.eye(3, dtype=np.float32))
    query = make_query(collection, Draft("graph", as_of=2001), collection.vectors[0])
    evidence = Evidence(collection, query, propose(collection, query, StageOne()))
    assert evidence.age.tolist() == [-1, 1, 0]


def test_highest_is_zero_without_edges_and_never_below_zero() -> None:
    evidence = crowd(3)
    owner = np.array([1, 1, 3], np.int32)
    weights = np.array([0.2, 0.7, -0.5], np.float32)
    assert evidence.highest(owner, weights).tolist() == pytest.approx([0, 0.7, 0, 0])
    assert evidence.highest(owner[:0], weights[:0]).tolist() == [0, 0, 0, 0]


def test_mean_is_zero_for_owners_without_edges() -> None:
    owner, weights = np.array([1, 1, 3], np.int32), np.array([1, 2, 5], np.float32)
    edges = Edges(owner, owner, weights, 4)
    assert edges.mean(weights).tolist() == [0, 1.5, 0, 5]
    assert edges.counts.tolist() == [0, 2, 0, 1]
    assert edges.highest(-weights).tolist() == [0, 0, 0, 0]


def test_seeds_lead_before_the_highest_prior() -> None:
    papers = [Paper(f"p{i:02}", "graph", year=2000) for i in range(30)]
    collection = collect(papers, np.eye(30, dtype=np.float32))
    query = make_query(collection, Draft("graph", references=("p29", "p28")), collection.vectors[3])
    evidence = Evidence(collection, query, propose(collection, query, StageOne()))
    assert len(evidence.leaders) == module.LEADERS
    assert evidence.leaders[:3].tolist() == [28, 29, 3]


def test_each_list_of_papers_is_looked_up_and_repeated_ones_add_up() -> None:
    owner, rows = np.array([0, 0, 2, 2], np.int32), np.array([5, 6, 6, 9], np.int32)
    once = Weighed(np.array([6, 5], np.int32), np.array([0.5, 0.25], np.float32))
    twice = Weighed(np.array([9, 9, 7], np.int32), np.array([1, 2, 4], np.float32))
    found = Joined.of(Edges(owner, rows, np.zeros(4, np.float32), 3), once, twice)
    assert [each.tolist() for each in found.totals] == [[0.75, 0, 0.5], [0, 0, 3]]
    assert [each.tolist() for each in found.highest] == [[0.5, 0, 0.5], [0, 0, 3]]


@given(SEEDS)
def test_vote_shares_lie_between_zero_and_one(seed: int) -> None:
    evidence = gather(random_world(seed))
    for share in (evidence.nearest_votes, evidence.match_votes):
        assert ((share >= 0) & (share <= 1 + 1e-5)).all()


def test_vote_share_without_voters_is_zero() -> None:
    evidence = crowd(3)
    nobody = np.empty(0, np.int32)
    assert vote_share(evidence.cast(nobody), np.empty(0, np.float32)).tolist() == [0, 0, 0, 0]


def test_divide_by_the_least_where_the_divisor_is_smaller() -> None:
    values, by = np.array([1, 4], np.float32), np.array([0, 2], np.float32)
    assert divide(values, by, least=0.5).tolist() == [2, 2]
