"""Ranking by distance: by hand, and against trec_eval with ties and missing vectors."""

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from recsys.eval.studies.scidocs.scidocs_figures import Ranked, rank
from recsys.eval.trec import Qrels
from recsys.formats.embeddings import Embeddings
from tests.rows import each_row

GRID = st.integers(-2, 2)
"""Few coordinates, so that many distances are equal."""


def on_a_line(**places: float) -> Embeddings:
    vectors = np.array([[place] for place in places.values()], np.float32)
    return Embeddings(tuple(places), vectors)


def of_query(ranked: Ranked, query: str) -> tuple[float, float]:
    at = ranked.queries.index(query)
    return float(ranked.average_precision[at]), float(ranked.ndcg[at])


def test_candidates_are_ordered_by_distance() -> None:
    # Distances a 1, b 2, c 3, d 4; right are b and d, at ranks 2 and 4: AP (1/2 + 2/4) / 2.
    found = rank({"q": {"a": 0, "b": 1, "c": 0, "d": 1}}, on_a_line(q=0, a=1, b=-2, c=3, d=-4))
    gain, ideal = 1 / np.log2(3) + 1 / np.log2(5), 1 + 1 / np.log2(3)
    assert of_query(found, "q") == pytest.approx((0.5, gain / ideal))
    assert found.left_out == 0


def test_ties_break_by_descending_id() -> None:
    vectors = on_a_line(q=0, a=1, b=-1, c=1)
    assert of_query(rank({"q": {"a": 0, "b": 0, "c": 1}}, vectors), "q") == (1, 1)
    assert of_query(rank({"q": {"a": 1, "b": 0, "c": 0}}, vectors), "q")[0] == pytest.approx(1 / 3)


def test_distances_that_differ_beyond_five_decimals_tie() -> None:
    judgements: Qrels = {"q": {"a": 0, "b": 1}}
    assert of_query(rank(judgements, on_a_line(q=0, a=0.500001, b=0.500002)), "q") == (1, 1)
    assert of_query(rank(judgements, on_a_line(q=0, a=0.50001, b=0.50002)), "q")[0] == 0.5


def test_distances_are_compared_in_32_bits() -> None:
    # 4096.00012 and 4096.00015 differ in the fifth decimal; the nearest float32 is the same.
    vectors = np.array([[0, 0], [4096, 1], [4096, 1.1]], np.float32)
    near, far = np.linalg.norm(vectors[1:].astype(float), axis=1).round(5)
    assert near < far and np.float32(near) == np.float32(far)
    found = rank({"q": {"a": 0, "b": 1}}, Embeddings(("q", "a", "b"), vectors))
    assert of_query(found, "q") == (1, 1)


@each_row(
    ("judged", "vectors", "expected"),
    [
        # A right candidate without a vector is missed.
        ({"a": 1, "b": 1, "c": 0}, on_a_line(q=0, a=1, c=2), (0.5, 1 / (1 + 1 / np.log2(3)))),
        # One with an empty vector is last; b and c tie at the end: c comes first.
        (
            {"a": 0, "b": 1, "c": 0},
            Embeddings(("q", "a"), np.array([[0.0], [9.0]], np.float32), ("b", "c")),
            (1 / 3, 0.5),
        ),
        # Nothing is found where nothing is right.
        ({"a": 0}, on_a_line(q=0, a=1), (0, 0)),
    ],
)
def test_what_has_no_vector_is_missed_or_last(
    judged: dict[str, int], vectors: Embeddings, expected: tuple[float, float]
) -> None:
    assert of_query(rank({"q": judged}, vectors), "q") == pytest.approx(expected)


def test_queries_without_a_vector_or_candidates_are_left_out() -> None:
    vectors = Embeddings(("q", "a"), np.ones((2, 1), np.float32), ("r",))
    found = rank({"q": {"a": 1}, "r": {"a": 1}, "s": {"a": 1}, "a": {"x": 1}}, vectors)
    assert (found.queries, found.left_out) == (("q",), 3)
    nobody = rank({"q": {"a": 1}}, on_a_line(b=1))
    assert (nobody.queries, len(nobody.average_precision), nobody.left_out) == ((), 0, 1)


@st.composite
def suites(draw: st.DrawFn) -> tuple[Qrels, Embeddings]:
    papers = [f"p{i}" for i in range(draw(st.integers(2, 12)))]
    points = {paper: draw(st.tuples(GRID, GRID)) for paper in papers}
    kind = {
        paper: draw(st.sampled_from(["vector", "vector", "empty", "absent"])) for paper in papers
    }
    ids = tuple(paper for paper in papers if kind[paper] == "vector")
    vectors = np.array([points[paper] for paper in ids], np.float32).reshape(-1, 2)
    scale = draw(st.sampled_from([1.0, 1e-5, 3e4]))
    empty = tuple(paper for paper in papers if kind[paper] == "empty")
    judgements = {
        query: {paper: draw(st.integers(0, 1)) for paper in draw(st.permutations(papers))[: 1 + i]}
        for i, query in enumerate(papers)
    }
    return judgements, Embeddings(ids, vectors * np.float32(scale), empty)


@given(suites())
def test_the_measures_are_those_of_trec_eval(suite: tuple[Qrels, Embeddings]) -> None:
    """Score one candidate at a time, as SciDocs writes its run."""
    judgements, embeddings = suite
    vector_of = dict(zip(embeddings.ids, embeddings.vectors[:].astype(float), strict=True))
    run: dict[str, dict[str, float]] = {}
    for query, candidates in judgements.items():
        if query not in vector_of:
            continue
        scores = {
            paper: float(np.round(-np.sqrt(((vector_of[paper] - vector_of[query]) ** 2).sum()), 5))
            for paper in candidates
            if paper in vector_of
        }
        scores |= {paper: -np.inf for paper in candidates if paper in embeddings.empty}
        if scores:
            run[query] = scores
    expected = pytrec_eval.RelevanceEvaluator(judgements, {"map", "ndcg"}).evaluate(run)
    found = rank(judgements, embeddings)
    assert set(found.queries) == set(expected)
    for query, measures in expected.items():
        assert of_query(found, query) == pytest.approx(
            (measures["map"], measures["ndcg"]), abs=1e-12
        )
