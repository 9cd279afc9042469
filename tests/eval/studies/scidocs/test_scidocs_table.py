"""Figures, comparison and table of the suite: by hand, and in every format."""

import json

import numpy as np
import pytest

from recsys.eval.measures import Doubles
from recsys.eval.studies.scidocs.scidocs_figures import (
    COLUMNS,
    PUBLISHED,
    RENDERERS,
    SAMPLES,
    Classified,
    Figure,
    Ranked,
    Row,
    Suite,
    average,
    beaten,
    classification_figure,
    query_lines,
    ranking_figures,
)
from recsys.eval.studies.scidocs.scidocs_layout import Task
from tests.rows import each_row


def ranked(values: Doubles, *, left_out: int = 0) -> Ranked:
    queries = tuple(f"q{i}" for i in range(len(values)))
    return Ranked(queries, values, 1 - values, left_out)


def row(name: str, values: Doubles, *notes: str) -> Row:
    found = ranked(values)
    figures = ranking_figures(Task.CITE, found, rng=np.random.default_rng(0))
    return Row(name, figures, notes, {Task.CITE: found})


def fixed(value: float) -> Figure:
    return Figure.of(np.full(1 + SAMPLES, value))


def whole(name: str) -> Row:
    """Give the i-th figure the value i."""
    return Row(name, {column: fixed(float(i)) for i, column in enumerate(COLUMNS)})


def test_figures_are_percent_with_intervals_over_queries() -> None:
    values = np.arange(100) / 99
    found = ranking_figures(Task.CITE, ranked(values), rng=np.random.default_rng(0))
    precision, gain = found[Task.CITE, "MAP"], found[Task.CITE, "nDCG"]
    assert (precision.value, gain.value) == pytest.approx((50, 50))
    # The mean of a hundred draws has a standard error of 100 * sqrt(1 / 12 / 100) = 2.89.
    assert precision.low == pytest.approx(50 - 1.96 * 2.89, abs=0.7)
    assert precision.high == pytest.approx(50 + 1.96 * 2.89, abs=0.7)


def test_a_classifier_is_judged_on_other_papers_in_each_draw() -> None:
    labels = np.repeat([3, 7], 100)
    told = np.where(np.arange(200) % 4 == 0, 10 - labels, labels)
    classified = Classified(labels, told, 0.1, 0)
    found = classification_figure(Task.MAG, classified, rng=np.random.default_rng(0))
    figure = found[Task.MAG, "F1"]
    assert figure.value == pytest.approx(75)
    # With balanced classes and errors, F1 varies as accuracy: 100 * sqrt(0.75 * 0.25 / 200) = 3.06.
    assert figure.low == pytest.approx(75 - 1.96 * 3.06, abs=0.8)
    assert figure.high == pytest.approx(75 + 1.96 * 3.06, abs=0.8)


def test_the_interval_of_an_average_knows_which_figures_vary_together() -> None:
    values = np.random.default_rng(1).random(200)
    one, other = (
        ranking_figures(task, ranked(values), rng=np.random.default_rng(place))
        for place, task in enumerate((Task.CITE, Task.CO_CITE))
    )
    # MAP and nDCG of a task are 50 + x and 50 - x here, in every draw.
    level = average(one.values())
    assert (level.low, level.high) == pytest.approx((50, 50))
    apart = average([one[Task.CITE, "MAP"], other[Task.CO_CITE, "MAP"]])
    width = one[Task.CITE, "MAP"].high - one[Task.CITE, "MAP"].low
    assert apart.high - apart.low == pytest.approx(width / np.sqrt(2), rel=0.1)


def test_published_figures_average_to_the_published_averages() -> None:
    averages = {
        name: round(float(np.mean([float(each) for each in figures.values()])), 1)
        for name, figures in PUBLISHED.items()
        if len(figures) == len(COLUMNS)
    }
    assert averages == {"SPECTER (README)": 80.0, "SPECTER (hub)": 80.5}
    assert PUBLISHED["SPECTER (README)"][Task.CO_CITE, "nDCG"] == "94.77"


def test_a_better_encoder_beats_a_worse_one() -> None:
    noise = np.random.default_rng(1).random(40) / 10
    rows = [
        row("bad", noise),
        row("good", noise + 0.5),
        row("as bad", noise + 1e-3 * (-1) ** np.arange(40)),
    ]
    assert beaten(rows, (Task.CITE, "MAP")) == {"bad": [], "good": ["bad", "as bad"], "as bad": []}
    # The other measure is the other way round.
    assert beaten(rows, (Task.CITE, "nDCG"))["bad"] == ["good"]
    markdown = RENDERERS["markdown"](Suite("data", "test", tuple(rows[:2])))
    line = next(each for each in markdown.splitlines()[12:] if each.startswith("| cite"))
    assert "<sup>a</sup>" in line and "<sup>b</sup>" not in line


def test_encoders_are_compared_on_the_queries_that_all_answer() -> None:
    one = row("one", np.full(20, 0.9))
    few = Ranked(("q19", "new"), np.array([0.1, 1.0]), np.array([0.0, 0.0]), 18)
    other = Row("other", {}, (), {Task.CITE: few})
    assert beaten([one, other], (Task.CITE, "MAP")) == {
        "one": [],
        "other": [],
    }  # One query tells nothing.
    apart = Row("apart", {}, (), {Task.CITE: Ranked(("new",), np.ones(1), np.ones(1), 20)})
    assert beaten([one, apart], (Task.CITE, "MAP")) == {"one": [], "apart": []}
    assert beaten([one], (Task.CITE, "MAP")) == {"one": []}


def test_the_table_shows_measured_and_published_figures() -> None:
    suite = Suite("data", "test", (whole("ours"),))
    text = RENDERERS["table"](suite)
    lines = text.splitlines()
    assert lines[0] == "SciDocs, test: data."
    assert lines[2].split("  ")[0] == "task" and "SPECTER (README)" in lines[2]
    assert lines[4].split() == ["mag", "F1", "0.00", "81.95", "79.4"]
    assert lines[15].split() == ["recomm", "P@1", "11.00", "16.8", "20.0", "20.9"]
    assert lines[16].split() == ["average", "5.50", "80.0", "80.5"]
    assert "generated" not in text
    assert ["average", "5.50", "(5.50-5.50)"] in [line.split() for line in lines]


@each_row("name", RENDERERS)
def test_every_format_holds_the_figures(name: str) -> None:
    text = RENDERERS[name](Suite("data", "test", (row("ours", np.array([0.25, 0.5])),)))
    assert "37.5" in text


def test_each_query_has_a_line() -> None:
    lines = query_lines(Suite("data", "test", (row("ours", np.array([0.25, 1.0])),))).splitlines()
    assert [json.loads(line) for line in lines] == [
        {"encoder": "ours", "task": "cite", "query": "q0", "map": 0.25, "ndcg": 0.75},
        {"encoder": "ours", "task": "cite", "query": "q1", "map": 1.0, "ndcg": 0.0},
    ]
