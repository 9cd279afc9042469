"""The ten features, each by hand."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.eval.studies.clicks.recommendation_task import RelatedPaper
from recsys.formats.embeddings import Embeddings
from recsys.pipelines.studies.clicks.click_features import FEATURES, features, jaccard
from tests.rows import each_row

SETS = st.frozensets(st.sampled_from("abcdef"))


def paper(
    title: str = "",
    year: int | None = None,
    authors: str = "",
    references: str = "",
    cited_by: str = "",
) -> RelatedPaper:
    """Describe a paper; names are single letters."""
    sets = (frozenset(each) for each in (authors, references, cited_by))
    return RelatedPaper(title, year, *sets)


def compared(
    query: RelatedPaper | None,
    candidate: RelatedPaper | None,
    vectors: dict[str, list[float]] | None = None,
) -> dict[str, float]:
    """Compute the features of candidate c for query q, by name."""
    papers = {name: each for name, each in (("q", query), ("c", candidate)) if each is not None}
    log = ClickLog.of([Impression("q", ("c",))])
    row = features(log, papers, embeddings(vectors or {"x": [1.0, 0.0]}))[0, 0]
    return dict(zip(FEATURES, row.tolist(), strict=True))


def embeddings(vectors: dict[str, list[float]]) -> Embeddings:
    return Embeddings(tuple(vectors), np.array(list(vectors.values()), np.float32))


def test_the_features_are_in_the_published_order() -> None:
    assert FEATURES == (
        "author match", "title match", "embedding cosine", "citation overlap", "reference overlap",
        "cites query", "cited by query", "oldness", "relative oldness", "citation count",
    )  # fmt: skip


def test_every_feature_by_hand() -> None:
    found = compared(
        paper("Graphs of Graphs", 2015, authors="abc", references="rst", cited_by="xyc"),
        paper("Graphs of graphs, drawn", 2010, authors="cd", references="ruvw", cited_by="xyzuv"),
        {"q": [3.0, 4.0], "c": [0.0, -2.0]},
    )
    assert found == pytest.approx(
        {
            "author match": 1 / 4,  # c of a b c d
            "title match": 2 / 5,  # "Graphs", "of" of these and "graphs", ",", "drawn"
            "embedding cosine": -4 / 5,
            "citation overlap": 2 / 6,  # x y of x y c z u v
            "reference overlap": 1 / 6,  # r of r s t u v w
            "cites query": 1,  # c is among those that cite q
            "cited by query": 0,
            "oldness": 10 / 20,
            "relative oldness": 5 / 20,
            "citation count": log(6) / 10,
        },
        abs=1e-6,
    )


@each_row(
    ("query", "candidate", "expected"),
    [
        (paper(cited_by="c"), paper(), (1, 0)),
        (paper(), paper(references="q"), (1, 0)),
        (paper(references="c"), paper(), (0, 1)),
        (paper(), paper(cited_by="q"), (0, 1)),
        (paper(references="c", cited_by="c"), None, (1, 1)),
        (None, paper(references="q"), (1, 0)),
        (paper(references="x"), paper(references="x"), (0, 0)),
    ],
)
def test_either_record_may_tell_of_a_citation(
    query: RelatedPaper | None, candidate: RelatedPaper | None, expected: tuple[float, float]
) -> None:
    found = compared(query, candidate)
    assert (found["cites query"], found["cited by query"]) == expected


@each_row(
    ("query", "candidate", "oldness", "relative"),
    [
        (2015, 2020, 0, -0.25),
        (2015, 2026, -0.3, -0.55),
        (2020, 1950, 1, 1),
        (1950, 2100, -1, -1),
        (None, 2016, 0.2, 0),
        (2016, None, 0, 0),
    ],
)
def test_ages_are_cut_and_0_where_unknown(
    query: int | None, candidate: int | None, oldness: float, relative: float
) -> None:
    found = compared(paper(year=query), paper(year=candidate))
    ages = found["oldness"], found["relative oldness"]
    assert ages == pytest.approx((oldness, relative))


@given(SETS, SETS)
def test_jaccard_is_symmetric_and_1_only_for_equal_sets(
    one: frozenset[str], other: frozenset[str]
) -> None:
    found = jaccard(one, other)
    assert found == jaccard(other, one)
    assert (found == 1) == (one == other and bool(one))
    assert found == (len(one & other) / len(one | other) if one | other else 0)
