"""Reasons: each kind where it holds, in words that are true, at most three of them."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.query.query import make_query
from recsys.ranking.feature_context import FeatureContext
from recsys.ranking.reasons import MOST_REASONS, Findings, cited_by, explain, reasons_for
from recsys.records import Draft, Paper, Reason
from recsys.retrieval.propose import propose
from recsys.store.arrays import Floats
from recsys.store.collection import Collection
from recsys.store.names import agree, name_keys
from tests.recsys.ranking.worked_example import context_of
from tests.tiny import SMALL, collect, random_world, unit

DRAFT = Draft(
    title="Graph Ranking for BM25 lists", abstract="We rank beetle photos.", authors=("Ann Ash",)
)
PAPERS = (
    Paper("a", "Old honey", year=2001),
    Paper("b", "Graph ranking of ferns", year=2002, references=("a",)),
    Paper("c", "Beetle clouds", year=2003, authors=("Ann Ash",), references=("a", "b")),
    Paper("d", "Engine gravel", year=2004, references=("a", "c")),
    Paper("e", "Lonely stones", year=2005),
)
VECTORS = unit(np.array([[0.2, 1], [1, 0], [0.9, 0.1], [0.8, 0.2], [0, 1]], np.float32))
TOWARDS_B = unit(np.array([1, 0], np.float32))


@pytest.fixture
def collection() -> Collection:
    return collect(PAPERS, VECTORS)


def findings_of(collection: Collection, draft: Draft, vector: Floats = TOWARDS_B) -> Findings:
    query = make_query(collection, draft, vector)
    return of_all(context_of(collection, query))


def of_all(context: FeatureContext, best: Sequence[int] = ()) -> Findings:
    return Findings(context, range(len(context)), best)


def every_reason(findings: Findings, paper_id: str) -> dict[str, str]:
    """Ask for all kinds, however many: kind -> text."""
    row = findings.context.collection.corpus.row(paper_id)
    at = int(np.flatnonzero(findings.context.rows == row)[0])
    paper = next(paper for paper in PAPERS if paper.id == paper_id)
    return {reason.kind: reason.text for reason in reasons_for(findings, at, paper)}


def given_reasons(findings: Findings) -> Sequence[tuple[Reason, ...]]:
    context = findings.context
    papers = [paper for paper in PAPERS if context.collection.corpus.row(paper.id) in context.rows]
    return explain(findings.context, range(len(context)), papers)


def test_each_kind_says_what_the_collection_holds(collection: Collection) -> None:
    findings = findings_of(collection, DRAFT)
    assert every_reason(findings, "a") == {
        "votes": "3 of the 5 most similar papers cite it",
        "authors": "an earlier paper by the draft's authors cites it",
        "near": "among the 4 most similar to your draft",
        "citations": "cited 3 times in this corpus",
    }
    assert every_reason(findings, "b") == {
        "votes": "1 of the 5 most similar papers cites it",
        "authors": "an earlier paper by the draft's authors cites it",
        "terms": "shares the term graph ranking",
        "near": "the most similar to your draft",
        "citations": "cited once in this corpus",
    }
    assert every_reason(findings, "c") == {
        "votes": "1 of the 5 most similar papers cites it",
        "terms": "shares the term beetle",
        "near": "among the 2 most similar to your draft",
        "own": "by an author of the draft",
        "citations": "cited once in this corpus",
    }
    assert every_reason(findings, "e") == {"near": "among the 5 most similar to your draft"}


def test_of_the_papers_that_fit_best_those_that_cite_it_are_counted(
    collection: Collection,
) -> None:
    def told(paper_id: str, *best: int, as_of: int | None = None) -> str | None:
        context = findings_of(collection, replace(DRAFT, as_of=as_of)).context
        return every_reason(of_all(context, best), paper_id).get("top")

    # Papers b, c and d cite a; c alone cites b. What is no candidate of 2004 is not asked.
    assert told("a", 0, 1, 2, 3, 4) == "3 of the 5 best-ranked papers cite it"
    assert told("a", 0, 3, 4) == "1 of the 3 best-ranked papers cites it"
    assert told("b", 2, 1) == "1 of the 2 best-ranked papers cites it"
    assert told("a", 0, 4) is told("a") is None
    assert told("a", 1, 2, as_of=2003) == "1 of the 2 best-ranked papers cites it"


def test_ties_to_the_list_are_the_first_reason_the_most_direct_one_told(
    collection: Collection,
) -> None:
    def tie(paper_id: str, *references: str) -> str:
        findings = findings_of(collection, replace(DRAFT, references=references))
        assert given_reasons(findings)[0][0].kind == "seeds"
        return every_reason(findings, paper_id)["seeds"]

    assert tie("a", "b") == "1 of your references cites it"
    assert tie("a", "b", "d") == "2 of your references cite it"
    assert tie("c", "a", "b") == "cites 2 of your references"
    assert tie("b", "a") == "cites 1 of your references"
    # Both b and d cite a; c and d cite it together with b and c.
    assert tie("c", "d") == "1 of your references cites it"


def test_paper_cited_together_with_the_list_says_so() -> None:
    papers = (
        Paper("a", "Honey", year=2000),
        Paper("b", "Ferns", year=2000),
        Paper("c", "Gravel", year=2001, references=("a", "b")),
    )
    small = collect(papers, np.eye(3, dtype=np.float32))
    query = make_query(small, Draft("Ferns", references=("b",)), small.vectors[2])
    context = context_of(small, query)
    texts = [reason.text for reason in explain(context, [0], papers[:1])[0]]
    assert texts[0] == "cited together with 1 of your references"


def test_nearest_paper_of_the_list_is_named(collection: Collection) -> None:
    findings = findings_of(collection, replace(DRAFT, references=("a", "d")))
    assert (
        every_reason(findings, "b")["seed-near"] == "similar to “Engine gravel” in your references"
    )
    assert every_reason(findings, "e")["seed-near"] == "similar to “Old honey” in your references"


def test_a_single_neighbour_is_no_plural() -> None:
    papers = (Paper("a", "Old honey", year=2001), Paper("b", "New", year=2002, references=("a",)))
    small = collect(papers, unit(np.array([[0, 1], [1, 0]], np.float32)))
    query = make_query(small, Draft("Honey", as_of=2002), TOWARDS_B)
    # As of 2002, only a is old enough to be asked, and it cites nobody.
    findings = of_all(context_of(small, query))
    assert len(findings.asked) == 1
    assert [reason.kind for reason in explain(findings.context, [0], papers[:1])[0]] == [
        "terms",
        "near",
    ]
    later = (*papers, Paper("c", "Newest", year=2003))
    one_voice = collect(later, unit(np.array([[0, 1], [1, 0], [0.5, 0.5]], np.float32)))
    query = make_query(one_voice, Draft("Honey", as_of=2010), TOWARDS_B)
    nearest_only = replace(SMALL, neighbours=1)
    findings = of_all(context_of(one_voice, query, nearest_only))
    assert every_reason(findings, "a")["votes"] == "the most similar paper cites it"


def test_only_older_papers_count_as_of_a_year(collection: Collection) -> None:
    reasons = every_reason(findings_of(collection, replace(DRAFT, as_of=2003)), "a")
    assert reasons["votes"] == "1 of the 2 most similar papers cites it"
    assert reasons["citations"] == "cited once in this corpus"
    assert "authors" not in reasons


def test_three_reasons_at_most_in_the_order_of_the_table(collection: Collection) -> None:
    given_now = given_reasons(findings_of(collection, DRAFT))
    assert [[reason.kind for reason in reasons] for reasons in given_now] == [
        ["votes", "authors", "near"],
        ["votes", "authors", "terms"],
        ["votes", "terms", "near"],
        ["near"],
        ["near"],
    ]


@given(st.integers(0, 2**32 - 1))
def test_whatever_the_collection_reasons_are_few_true_and_distinct(seed: int) -> None:
    world = random_world(seed)
    query = make_query(world.collection, world.draft, world.vector)
    candidates = propose(world.collection, query, SMALL)
    context = FeatureContext(world.collection, query, candidates)
    papers = [world.papers[row] for row in candidates.rows.tolist()]
    best = candidates.rows[::2]
    given_now = explain(context, range(len(papers)), papers, best)
    for paper, reasons in zip(papers, given_now, strict=True):
        kinds = [reason.kind for reason in reasons]
        assert len(kinds) <= MOST_REASONS and len(set(kinds)) == len(kinds)
        pairs = product(*map(name_keys, (paper.authors, world.draft.authors)))
        assert ("own" not in kinds) or any(agree(*pair) is not False for pair in pairs)
        cited = [other for other in world.papers if paper.id in other.references]
        assert ("citations" not in kinds) or cited
        older = [other for other in cited if other.year and other.year < query.before]
        among = sum(
            other in older and other is not paper for other in (world.papers[row] for row in best)
        )
        told = [reason.text for reason in reasons if reason.kind == "top"]
        assert told in ([], [cited_by(among, len(best), "best-ranked papers")])
        assert all(reason.text and "\n" not in reason.text for reason in reasons)
