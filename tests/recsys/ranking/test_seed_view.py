"""What seeds tell, against counting it paper by paper; `test_features` has worked examples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.query.query import make_query
from recsys.ranking.evidence import LATEST_CITERS, MODEST, MOST, Evidence, Seeds
from recsys.records import Draft, Paper
from recsys.retrieval.propose import propose
from tests.tiny import SMALL, World, collect, random_world

WORLDS = st.integers(0, 2**32 - 1)


def seeds_of(world: World) -> Seeds:
    """Take the second, fifth, ... paper as seeds, whatever the draft's own references."""
    query = make_query(world.collection, world.draft, world.vector)
    allowed = np.flatnonzero(query.allowed).astype(np.int32)
    evidence = Evidence(world.collection, query, propose(world.collection, query, SMALL))
    return Seeds(evidence, allowed[1::3])


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


@given(WORLDS)
def test_cocitations_count_the_papers_that_cite_both(seed: int) -> None:
    world = random_world(seed)
    seeds = seeds_of(world)
    before = seeds.evidence.query.before
    expected = [
        [
            len(citers(world, row, before) & citers(world, int(other), before))
            for other in seeds.rows
        ]
        for row in seeds.evidence.rows.tolist()
    ]
    assert seeds.cocited.tolist() == expected


@given(WORLDS)
def test_votes_and_cited_are_the_citations_between_candidate_and_seeds(seed: int) -> None:
    world = random_world(seed)
    seeds = seeds_of(world)
    before, others = seeds.evidence.query.before, set(seeds.rows.tolist())
    if not others:
        return
    for at, row in enumerate(seeds.evidence.rows.tolist()):
        votes = citers(world, row, before) & others
        cited = {other for other in others if row in citers(world, other, before)}
        assert seeds.votes[at] * len(others) == pytest.approx(len(votes))
        assert seeds.cited[at] * len(others) == pytest.approx(len(cited))


@given(WORLDS)
def test_every_figure_lies_where_it_must(seed: int) -> None:
    seeds = seeds_of(random_world(seed))
    if len(seeds.rows) and len(seeds.evidence):
        assert (np.abs(seeds.cosines) <= 1 + 1e-5).all()
        shares = (seeds.company_share, seeds.votes, seeds.cited, seeds.coupling, seeds.best_peer)
        for share in (*shares, seeds.likeness):
            assert ((share >= 0) & (share <= 1 + 1e-5)).all()
        assert (seeds.company_share > 0).tolist() == (seeds.company > 0).tolist()
        assert (seeds.best_peer <= seeds.peers + 1e-6).all()


def test_reference_list_equal_to_the_seeds_agrees_fully() -> None:
    papers = [
        Paper("a", "x", year=2000),
        Paper("b", "x", year=2000),
        Paper("c", "x", year=2000),
        Paper("twin", "x", year=2001, references=("a", "b")),
        Paper("wide", "x", year=2001, references=("a", "b", "c", "twin")),
    ]
    collection = collect(papers, np.eye(5, dtype=np.float32))
    query = make_query(collection, Draft("x", references=("a", "b")), collection.vectors[2])
    evidence = Evidence(collection, query, propose(collection, query, SMALL))
    seeds = Seeds(evidence, query.seeds)
    assert evidence.rows.tolist() == [2, 3, 4]
    # wide cites c and twin; of its four references two are seeds: 2 / sqrt(4 * 2).
    assert seeds.best_peer == pytest.approx([2 / 8**0.5, 2 / 8**0.5, 0])
    citations = 1
    expected = 1 / ((citations + MODEST) * (2 + MODEST)) ** 0.5
    assert seeds.likeness[0] == pytest.approx([expected, expected])


def test_long_lists_and_famous_seeds_are_cut() -> None:
    many = MOST + LATEST_CITERS
    papers = [Paper(f"a{i:04}", "x", year=2000) for i in range(many)]
    papers += [Paper(f"b{i:04}", "x", year=2001, references=("a0000",)) for i in range(many)]
    collection = collect(papers, np.ones((len(papers), 1), np.float32))
    draft = Draft("x", references=tuple(paper.id for paper in papers[:many]))
    query = make_query(collection, draft, collection.vectors[0])
    evidence = Evidence(collection, query, propose(collection, query, SMALL))
    seeds = Seeds(evidence, query.seeds)
    assert len(seeds.rows) == MOST
    assert seeds.cosines.shape == (len(evidence), MOST)
    assert seeds.company.tolist() == [0] * len(evidence)
