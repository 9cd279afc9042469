"""Curves and calibration from clicks: by hand, against loops, and against a known truth."""

import numpy as np
import pytest
from hypothesis import given

from recsys.errors import InputError
from recsys.eval.studies.clicks.click_evaluation import by_depth, calibration
from recsys.eval.studies.clicks.click_log import Impression
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.simulation import PositionBased, decay, simulate
from tests.eval.studies.clicks.invented_world import invented_world, relevance_of
from tests.eval.studies.clicks.scored_logs import Scored, scored, scored_logs, shown_papers

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


def test_curves_come_close_to_the_truth_and_naive_ones_do_not() -> None:
    case = known()
    order = np.sort(case.scores, axis=1)[:, ::-1].cumsum(1)
    precision, recall = order.mean(0) / np.arange(1, 7), order.sum(0) / order[:, -1].sum()
    found = by_depth(case.log, case.scores, case.propensities, rng=rng(), samples=100)
    assert found.precision is not None
    assert found.recall.value == pytest.approx(tuple(recall), abs=0.01)
    assert found.precision.value == pytest.approx(tuple(precision), rel=0.04)
    assert (np.array(found.precision.low) <= found.precision.value).all()
    naive = by_depth(case.log, case.scores, Propensities("naive", np.ones(6)), rng=rng(), samples=2)
    assert naive.precision is not None
    assert naive.precision.value[-1] < 0.7 * precision[-1]


def test_true_relevance_is_calibrated_once_position_is_corrected() -> None:
    case = known()
    bins = calibration(case.log, case.scores, case.propensities, rng=rng(), samples=100)
    assert sum(each.count for each in bins) == case.log.present.sum()
    for each in bins:
        slack = each.relevant.high - each.relevant.low
        assert each.relevant.value == pytest.approx(each.predicted, abs=slack)
    assert bins[-1].clicked < 0.9 * bins[-1].predicted


@given(scored_logs())
def test_bins_hold_what_loops_find(case: Scored) -> None:
    probabilities = (case.scores + 1) / 3
    if case.log.clicked.any(1).all():
        with pytest.raises(InputError, match="Every list of the log has a click"):
            calibration(case.log, probabilities, case.propensities, rng=rng(), samples=2)
        return
    bins = calibration(case.log, probabilities, case.propensities, rng=rng(), samples=2)
    table = case.propensities.values
    for each in bins:
        weights, clicks, predicted = [], [], []
        for paper in shown_papers(case):
            probability = probabilities[paper.impression, paper.column]
            if each.predicted == pytest.approx(probability):
                weights.append(paper.clicked * table[0] / table[paper.column])
                clicks.append(paper.clicked)
                predicted.append(probability)
        if len(predicted) == each.count:  # All of the bin have the same probability.
            assert each.relevant.value == pytest.approx(np.mean(weights))
            assert each.clicked == pytest.approx(np.mean(clicks))
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
    with pytest.raises(InputError, match="has no score"):
        by_depth(case.log, np.full((2, 2), np.nan), case.propensities, rng=rng())
    with pytest.raises(InputError, match="Position 2 is not one of the 1"):
        by_depth(case.log, case.scores, Propensities("short", np.ones(1)), rng=rng())
