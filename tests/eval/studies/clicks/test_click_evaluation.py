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
    by_depth,
    calibration,
    evaluate_runs,
    run_scores,
)
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.eval.studies.clicks.estimators import Options
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.simulation import PositionBased, decay, simulate
from recsys.eval.trec import Run, read_runs
from tests.eval.studies.clicks.invented_world import invented_world, relevance_of
from tests.eval.studies.clicks.scored_logs import Scored, scored, scored_logs, shown_papers

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


def test_figures_are_those_of_the_formulas() -> None:
    found = judged({"r": {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"d": 1.0, "a": 0.5}}})
    assert list(found.systems) == [DISPLAY, "r"] == list(found.curves)
    assert list(found.differences) == ["r"]
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


def test_a_run_over_other_papers_is_refused() -> None:
    with pytest.raises(InputError, match="'r' ranks no paper that the log shows"):
        judged({"r": {"q1": {"d": 1.0}, "q9": {"a": 1.0}}})


def test_two_runs_of_one_name_are_refused(tmp_path: Path) -> None:
    line = "q1 Q0 a 1 1.0 t\n"
    paths = [tmp_path / name for name in ("x/r.trec", "y/r.txt", f"{DISPLAY}.trec")]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text(line)
    assert read_runs(paths[:1], [DISPLAY]) == {"r": {"q1": {"a": 1.0}}}
    with pytest.raises(InputError, match="Two systems are called 'r'"):
        read_runs(paths[:2], [DISPLAY])
    with pytest.raises(InputError, match=f"Two systems are called '{DISPLAY}'"):
        read_runs(paths[2:], [DISPLAY])


# Curves and calibration from clicks: by hand, against loops, and against a known truth.

HALVES = Propensities("test", np.array([1, 0.5, 0.25, 0.125]))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_curves_by_hand() -> None:
    impressions = [
        Impression("q", ("a", "b", "c"), ("c",)),
        Impression("r", ("a", "b"), ("a", "b")),
        Impression("r", ("a", "b")),
    ]
    # Weights 4 for c, 1 for a, 2 for b; c ranks first, a and b tie, then b before a.
    case = scored(impressions, [[1, 2, 3], [1, 1], [0, 4]])
    found = by_depth(case.log, case.scores, HALVES, rng=rng(), samples=10)
    assert found.at == (1, 2, 3)
    assert found.recall.value == pytest.approx((5.5 / 7, 1, 1))
    assert found.precision is not None
    assert found.precision.value == pytest.approx((5.5 / 3, 7 / 6, 7 / 7))


@given(scored_logs())
def test_curves_are_those_of_loops(case: Scored) -> None:
    papers = list(shown_papers(case))
    table = case.propensities.values
    weights = [each.clicked * table[0] / table[each.column] for each in papers]
    scores = [case.lists[each.impression][each.column] for each in papers]
    found = by_depth(case.log, case.scores, case.propensities, rng=rng(), samples=2)
    for k, recall in zip(found.at, found.recall.value, strict=True):
        top = 0.0
        for each, weight, score in zip(papers, weights, scores, strict=True):
            tied = case.lists[each.impression].count(score)
            higher = each.above - (tied - 1) / 2
            top += weight * min(max((k - higher) / tied, 0), 1)
        assert recall == pytest.approx(top / sum(weights))
    if case.log.clicked.any(1).all():
        assert found.precision is None
    else:
        assert found.precision is not None
        assert found.precision.value[-1] == pytest.approx(sum(weights) / len(papers))


def known() -> Scored:
    """Simulate a log whose scores are the true relevance."""
    world = invented_world(50, 6, rng(1))
    log = simulate(world, PositionBased(decay(1, 6)), 20_000, rng=rng(2))
    scores = relevance_of(world, log.query, log.shown)
    return Scored(log, [], scores, Propensities("test", decay(1, 6)))


def test_true_relevance_is_calibrated_once_position_is_corrected() -> None:
    case = known()
    bins = calibration(case.log, case.scores, case.propensities, rng=rng(), samples=100)
    assert sum(each.count for each in bins) == case.log.present.sum()
    for each in bins:
        slack = each.relevant.high - each.relevant.low
        assert each.relevant.value == pytest.approx(each.predicted, abs=slack)
    assert bins[-1].clicked < 0.9 * bins[-1].predicted


@given(scored_logs())
def test_bins_hold_all_weighted_clicks(case: Scored) -> None:
    probabilities = (case.scores + 1) / 3
    if case.log.clicked.any(1).all():
        with pytest.raises(InputError, match="Every list of the log has a click"):
            calibration(case.log, probabilities, case.propensities, rng=rng(), samples=2)
        return
    bins = calibration(case.log, probabilities, case.propensities, rng=rng(), samples=2)
    table = case.propensities.values
    total = sum(each.count * each.relevant.value for each in bins)
    papers = list(shown_papers(case))
    assert total == pytest.approx(sum(p.clicked * table[0] / table[p.column] for p in papers))


def test_bad_input_is_refused() -> None:
    case = scored([Impression("q", ("a", "b"), ("b",)), Impression("q", ("a",))], [[1, 2], [1]])
    with pytest.raises(InputError, match=r"predicted relevance is 2\.0, not in \[0, 1\]"):
        calibration(case.log, case.scores, case.propensities, rng=rng())
    quiet = case.log.take(np.array([1]))
    with pytest.raises(InputError, match="None of the 1 impressions has a click"):
        by_depth(quiet, case.scores[1:], case.propensities, rng=rng())
