"""What is said of a corpus: figures that are true, and one sentence that fits them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from recsys.pipelines.corpora.corpus_worth import (
    GAIN_BY_LINKS,
    CorpusWorth,
    expectation,
    expected_gain,
    worth_json,
    worth_lines,
)
from recsys.pipelines.corpora.query_years import FEWEST_TRAIN, FEWEST_TUNED
from tests.rows import each_row

MEASURED = Path(__file__).parents[3] / "benchmarks" / "few-links.json"
GOOD = CorpusWorth(
    papers=1000, abstracts=980, dated=1000, years=(1990, 2012, 2024), references=20_000,
    links=5000, citing=700, median_links=6.0, uncited=340, train=500, dev=70, test=90,
)  # fmt: skip


def test_the_lines_for_people() -> None:
    full = replace(
        GOOD, languages={"English": 0.98, "other": 0.02}, venues={"Acta": 600}, types={"article": 9}
    )
    assert worth_lines(full) == [
        "1,000 papers from 1990 to 2024, half of them since 2012; 98 % have an abstract, 100 % a "
        "year.",
        "5,000 citations among them, 25 % of the 20,000 references; 700 papers cite others "
        "(median 6), 34 % are cited by none.",
        "660 papers can be queries, with 5 or more references to papers that are not newer: 500 "
        "train, 70 dev and 90 test, split by year.",
        "Languages (guessed): English 98 %, other 2 %.",
        "Largest venues: Acta (600).",
        "Largest types: article (9).",
        "Expect: an F1@20 about 1.7 times that of BM25 or cosine; 500 train queries are enough "
        "for a ranker of its own.",
    ]


@each_row(
    ("changes", "said"),
    [
        ({"train": FEWEST_TRAIN}, "300 train queries are enough for a ranker of its own"),
        ({"train": FEWEST_TRAIN - 1}, "enough to fine-tune the shipped ranker"),
        ({"train": FEWEST_TUNED}, "20 train queries are enough"),
        ({"train": FEWEST_TUNED - 1}, "19 train queries are too few"),
        ({"train": 99, "links": 999}, "words and embeddings; 99 train queries are enough"),
        (
            {"train": 9, "links": 999},
            "few citations, so ranking relies on words and embeddings; 9 ",
        ),
        ({"train": 0, "links": 0}, "no citations, so ranking relies on words and embeddings alone"),
        ({"abstracts": 499}, "most papers have no abstract"),
    ],
)
def test_one_sentence_says_what_to_expect(changes: dict[str, int], said: str) -> None:
    assert said in expectation(replace(GOOD, **changes))  # type: ignore[arg-type]  # Counts alone.


def test_the_curve_is_the_one_that_was_measured() -> None:
    """The rising curve that is nearest to what docs/results/transfer.md says of two corpora."""
    measured = json.loads(MEASURED.read_text())
    assert set(measured) == {"vis", "archaeology"}
    points = [
        (at["links"] / corpus["papers"], at["ratio"])
        for corpus in measured.values()
        for at in corpus["shares"]
    ]
    links, ratios = zip(*points, strict=True)
    nearest = IsotonicRegression().fit(links, ratios)
    for (at, gain), exact in zip(GAIN_BY_LINKS, sorted(set(links)), strict=True):
        assert at == pytest.approx(exact, abs=0.005)
        assert gain == pytest.approx(nearest.predict([exact])[0], abs=0.005), at


@given(st.integers(0, 10**5), st.integers(0, 10**5))
def test_more_links_are_never_expected_to_bring_less(one: int, other: int) -> None:
    few, many = (expected_gain(replace(GOOD, links=each)) for each in sorted((one, other)))
    assert few <= many


def test_json_has_every_figure_and_the_sentence() -> None:
    value = json.loads(worth_json(GOOD))
    assert value["schema"] == "recsys.corpus-worth/1"
    assert value["years"] == [1990, 2012, 2024]
    assert value["expect"] == expectation(GOOD)
    assert set(value) == {"schema", "expect", *GOOD.facts()}
