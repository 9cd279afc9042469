"""Runs judged by a click log: scores are looked up, what is missing ranks last and is said."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.eval.studies.clicks.click_evaluation import (
    DISPLAY,
    ClickEvaluation,
    display_order,
    evaluate_runs,
    read_runs,
    run_scores,
)
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.eval.studies.clicks.estimators import Options
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.trec import Run

IMPRESSIONS = (
    Impression("q1", ("a", "b", "c"), ("a",)),
    Impression("q1", ("b", "a", "c"), ("c",)),
    Impression("q2", ("a", "d"), ("d",)),
    Impression("q3", ("e", "a")),
)
LOG = ClickLog.of(IMPRESSIONS)
EVEN = Propensities("even", np.ones(3))
HALVING = Propensities("halving", np.array([1, 0.5, 0.25]))


def judged(runs: dict[str, Run], propensities: Propensities = HALVING) -> ClickEvaluation:
    rng = np.random.default_rng(0)
    return evaluate_runs(LOG, propensities, runs, rng=rng, options=Options(samples=20))


@given(
    st.dictionaries(
        st.sampled_from(["q1", "q2", "q9"]),
        st.dictionaries(st.sampled_from("abcdz"), st.floats(-5, 5), max_size=4),
    )
)
def test_scores_are_those_of_the_run_and_last_where_it_has_none(run: Run) -> None:
    scores = run_scores(LOG, run)
    assert scores.shape == LOG.shown.shape
    for row, each in zip(scores.tolist(), IMPRESSIONS, strict=True):
        known = run.get(each.query, {})
        assert row[: len(each.shown)] == [known.get(paper, -np.inf) for paper in each.shown]


def test_the_display_order_falls_from_the_top() -> None:
    assert (np.diff(display_order(LOG)) < 0).all()


def test_figures_are_those_of_the_formulas() -> None:
    found = judged({"r": {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"d": 1.0, "a": 0.5}}})
    # Above the clicks: none, a and b, none. They stand at the positions 1, 3 and 2.
    gains, weights = np.array([1, 0.5, 1]), np.array([1, 4, 2])
    figures = found.systems["r"].figures
    naive, adjusted = figures["naive"]["nDCG"], figures["SNIPS"]["nDCG"]
    assert naive is not None and naive.value == pytest.approx(gains.mean(), abs=1e-12)
    assert adjusted is not None
    assert adjusted.value == pytest.approx((weights * gains).sum() / weights.sum(), abs=1e-12)
    assert found.systems["r"].effective["SNIPS"] == pytest.approx(7**2 / (1 + 16 + 4))
    shown = np.array([1, 0.5, 1 / np.log2(3)])
    difference = found.differences["r"].figures["naive"]["nDCG"]
    assert difference is not None
    assert difference.value == pytest.approx((gains - shown).mean(), abs=1e-12)


def test_the_display_order_comes_first_and_differs_from_nothing() -> None:
    found = judged({"r": {"q1": {"a": 1.0}}})
    assert list(found.systems) == [DISPLAY, "r"] == list(found.curves)
    assert list(found.differences) == ["r"]


def test_what_a_run_does_not_rank_is_said() -> None:
    found = judged({"r": {"q1": {"a": 1.0, "b": 2.0}, "q2": {"a": 1.0, "d": 0.5}}})
    assert found.notes == (
        "r: nothing that was shown is ranked for 1 of 3 queries; there, all papers tie.",
        "r: 2 of 8 papers shown for the other queries are not ranked; they tie at the end.",
    )
    whole = {"q1": dict.fromkeys("abc", 1.0), "q2": dict.fromkeys("ad", 1.0)}
    assert judged({"r": {**whole, "q3": {"e": 1.0, "a": 2.0}}}).notes == ()


def test_probabilities_are_calibrated_and_other_scores_are_not() -> None:
    sure = {"q1": dict.fromkeys("abc", 0.5), "q2": dict.fromkeys("ad", 0.25)}
    sure["q3"] = dict.fromkeys("ea", 1.0)
    high = {query: {paper: 2.0 for paper in papers} for query, papers in sure.items()}
    assert list(judged({"sure": sure, "high": high}, EVEN).calibration) == ["sure"]


def test_a_log_of_clicked_lists_tells_no_calibration() -> None:
    log = LOG.take(np.flatnonzero(LOG.clicked.any(1)))
    run: Run = {"q1": dict.fromkeys("abc", 0.5), "q2": dict.fromkeys("ad", 0.25)}
    options = Options(samples=5)
    found = evaluate_runs(log, EVEN, {"r": run}, rng=np.random.default_rng(0), options=options)
    assert found.calibration == {}
    assert found.curves["r"].precision is None


def test_a_run_over_other_papers_is_refused() -> None:
    with pytest.raises(InputError, match="'r' ranks no paper that the log shows"):
        judged({"r": {"q1": {"d": 1.0}, "q9": {"a": 1.0}}})


def test_two_runs_of_one_name_are_refused(tmp_path: Path) -> None:
    line = "q1 Q0 a 1 1.0 t\n"
    paths = [tmp_path / name for name in ("x/r.trec", "y/r.txt", f"{DISPLAY}.trec")]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text(line)
    assert read_runs(paths[:1]) == {"r": {"q1": {"a": 1.0}}}
    with pytest.raises(InputError, match="Two systems are called 'r'"):
        read_runs(paths[:2])
    with pytest.raises(InputError, match=f"Two systems are called '{DISPLAY}'"):
        read_runs(paths[2:])
