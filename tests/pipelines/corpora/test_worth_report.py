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
        "1,000 papers, 1990-2024, half of them since 2012; 98 % with abstract, 100 % with year.",
        "5,000 links, 25 % of the 20,000 references given; 700 papers have any, the median of "
        "these is 6; 34 % of all papers are cited by none.",
        "660 papers could be asked as queries, with 5 links or more to what is not newer: 500 "
        "train, 70 dev, 90 test, by year.",
        "Languages, by a guess from words: English 98 %, other 2 %.",
        "Largest venues: Acta (600).",
        "Largest types: article (9).",
        "Expect: enough links for a ranker of its own: 500 train queries; about 1.7 times "
        "the F1@20 of BM25 or cosine.",
    ]


@each_row(
    ("changes", "said"),
    [
        ({"train": FEWEST_TRAIN}, "enough links for a ranker of its own"),
        ({"train": FEWEST_TRAIN - 1}, "enough for the ranker that comes with recsys to learn on"),
        ({"train": FEWEST_TUNED}, "links help to rank, and 20 train queries are enough"),
        ({"train": FEWEST_TUNED - 1}, "links help to rank, but 19 train queries are too few"),
        ({"train": 99, "links": 999}, "embedding, and 99 train queries are enough"),
        ({"train": 9, "links": 999}, "few links: answers rest on words and embedding, but 9 "),
        ({"train": 0, "links": 0}, "no links: answers rest on words and embedding alone"),
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
