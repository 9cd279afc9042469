"""Estimators of measures from clicks: by hand, against loops, and by property."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.eval.measures import Interval, draw, interval
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.eval.studies.clicks.estimators import (
    CLIPPED_IPS,
    CLIPPED_SNIPS,
    DOUBLY_ROBUST,
    IPS,
    MEASURES,
    NAIVE,
    SNIPS,
    WEIGHING,
    Estimates,
    Options,
    Unit,
    check_scores,
    compare,
    doubly_robust,
    drawn_figures,
    effective_size,
    estimate,
    estimate_all,
    standing,
)
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.simulation import PositionBased, decay, simulate
from tests.eval.studies.clicks.invented_world import invented_world
from tests.eval.studies.clicks.scored_logs import Scored, Shown, scored, scored_logs, shown_papers
from tests.rows import each_row

SELF_NORMALISED = (NAIVE, SNIPS, CLIPPED_SNIPS)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def value(found: Estimates, estimator: str, measure: str) -> float:
    figure = found.figures[estimator][measure]
    assert figure is not None
    return figure.value


def judge_all(case: Scored, options: Options) -> Estimates:
    return estimate(case.log, case.scores, case.propensities, rng=rng(), options=options)


def test_the_adjusted_measures_of_scidocs_by_hand() -> None:
    # Clicks at positions 1, 3 and 2 of propensity 1, 1/4 and 1/2: weights 1, 4 and 2.
    impressions = [
        Impression("q", ("a", "b", "c"), ("a",)),
        Impression("q", ("a", "b", "c"), ("c",)),
        Impression("r", ("d", "e"), ("e",)),
        Impression("r", ("d", "e")),
    ]
    # Above and below: 0 and 2, 1.5 and .5, 1 and 0.
    case = scored(impressions, [[3, 2, 1], [2, 1, 1], [5, 4], [4, 5]])
    table = Propensities("test", np.array([0.8, 0.4, 0.2]))
    found = estimate(case.log, case.scores, table, rng=rng())
    third = 1 / np.log2(3.5)
    plain = {"nDCG": (1 + third + 1 / np.log2(3)) / 3, "MRR": 1.9 / 3, "P@1": 1 / 3}
    adjusted = {"nDCG": (1 + 4 * third + 2 / np.log2(3)) / 7, "MRR": 3.6 / 7, "P@1": 1 / 7}
    plain["accuracy"], adjusted["accuracy"] = 2.5 / 5, 4 / (4 + 8)
    for measure in MEASURES:
        assert value(found, NAIVE, measure) == pytest.approx(plain[measure], abs=1e-12)
        assert value(found, SNIPS, measure) == pytest.approx(adjusted[measure], abs=1e-12)
        assert value(found, CLIPPED_SNIPS, measure) == value(found, SNIPS, measure)
    assert value(found, IPS, "MRR") == pytest.approx(3.6 / 4)
    assert value(found, IPS, "accuracy") == pytest.approx(4 / 4)
    # With a cap of 3 the weights are 1, 3 and 2.
    clipped = estimate(case.log, case.scores, table, rng=rng(), options=Options(cap=3))
    assert value(clipped, CLIPPED_SNIPS, "MRR") == pytest.approx((1 + 3 * 0.4 + 1) / 6)
    assert value(clipped, CLIPPED_IPS, "MRR") == pytest.approx(3.2 / 4)
    assert value(clipped, SNIPS, "MRR") == value(found, SNIPS, "MRR")
    assert (found.impressions, found.clicks) == (4, 3)
    assert found.effective[NAIVE] == 3
    assert found.effective[SNIPS] == pytest.approx(49 / 21)


def expected(papers: list[Shown], case: Scored, estimator: str, measure: str) -> float | None:
    """Follow the formulas of `recsys.eval.studies.clicks.estimators`, paper by paper."""
    table = case.propensities.values
    examinations: dict[tuple[str, str], float] = defaultdict(float)
    clicks: dict[tuple[str, str], float] = defaultdict(float)
    for each in papers:
        examinations[each.pair] += table[each.column] / table[0]
        clicks[each.pair] += each.clicked
    top = bottom = 0.0
    for each in papers:
        weight = table[0] / table[each.column]
        relevance = {
            NAIVE: each.clicked,
            SNIPS: each.clicked * weight,
            IPS: each.clicked * weight,
            CLIPPED_SNIPS: each.clicked * min(weight, 2.5),
            CLIPPED_IPS: each.clicked * min(weight, 2.5),
            DOUBLY_ROBUST: clicks[each.pair] / examinations[each.pair],
        }[estimator]
        numerator, denominator = each.terms(measure)
        top += relevance * numerator
        bottom += relevance * denominator
    if estimator in (IPS, CLIPPED_IPS):
        return top / len(case.log)
    return top / bottom if bottom > 0 else None


@given(scored_logs())
def test_every_figure_is_that_of_the_formula(case: Scored) -> None:
    found = judge_all(case, Options(cap=2.5, samples=2))
    papers = list(shown_papers(case))
    complete = not case.log.clicked.any(1).all()
    assert set(found.figures) == {*WEIGHING, DOUBLY_ROBUST}
    for estimator, figures in found.figures.items():
        for measure in MEASURES:
            figure = figures[measure]
            wanted = expected(papers, case, estimator, measure)
            if estimator not in SELF_NORMALISED and not complete:
                assert figure is None
            elif wanted is None:
                assert figure is None
            else:
                assert value(found, estimator, measure) == pytest.approx(wanted, abs=1e-12)


def simulated(impressions: int = 300) -> Scored:
    world = invented_world(20, 6, rng(1))
    log = simulate(world, PositionBased(decay(1, 6)), impressions, rng=rng(2))
    return Scored(log, [], rng(3).random(log.shown.shape), Propensities("test", decay(1, 6)))


@each_row(
    ("unit", "estimator"),
    [("impression", NAIVE), ("impression", SNIPS), ("impression", IPS), ("query", SNIPS)],
)
def test_intervals_are_those_of_the_units_drawn_again(unit: Unit, estimator: str) -> None:
    case, samples = simulated(), 40
    found = judge_all(case, Options(samples=samples, unit=unit)).figures[estimator]
    again = []
    for counts in draw(20 if unit == "query" else len(case.log), rng=rng(), samples=samples):
        times = counts[case.log.query] if unit == "query" else counts
        rows = np.repeat(np.arange(len(case.log)), times.astype(int))
        drawn = Scored(case.log.take(rows), [], case.scores[rows], case.propensities)
        again.append(judge_all(drawn, Options(samples=1)))
    for measure, figure in found.items():
        values = [value(each, estimator, measure) for each in again]
        low, high = np.quantile(values[1:], [0.025, 0.975])
        assert figure is not None
        bounds = (values[0], float(low), float(high))
        assert (figure.value, figure.low, figure.high) == pytest.approx(bounds)


def test_the_doubly_robust_interval_is_as_wide_as_if_everything_was_estimated_again() -> None:
    case = simulated()
    found = judge_all(case, Options()).figures[DOUBLY_ROBUST]["MRR"]
    mrr, _ = MEASURES["MRR"](*standing(case.scores, case.log.present))
    again = []
    for counts in draw(len(case.log), rng=rng(4), samples=1000)[1:]:
        rows = np.repeat(np.arange(len(case.log)), counts.astype(int))
        relevance = doubly_robust(case.log.take(rows), case.propensities.values).relevance
        again.append((relevance * mrr[rows]).sum() / relevance.sum())
    low, high = np.quantile(again, [0.025, 0.975])
    assert found is not None
    assert found.high - found.low == pytest.approx(high - low, rel=0.15)


def test_functions_are_compared_on_the_same_samples() -> None:
    case = simulated()
    both = {"one": case.scores, "other": -case.scores}
    alone = estimate_all(case.log, both, case.propensities, rng=rng())
    assert alone["one"] == judge_all(case, Options())
    there = compare(case.log, case.scores, -case.scores, case.propensities, rng=rng())
    back = compare(case.log, -case.scores, case.scores, case.propensities, rng=rng())
    for measure in MEASURES:
        gap = value(alone["one"], SNIPS, measure) - value(alone["other"], SNIPS, measure)
        one, other = there.figures[SNIPS][measure], back.figures[SNIPS][measure]
        assert one is not None and other is not None
        assert one.value == pytest.approx(gap)
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    same = compare(case.log, case.scores, case.scores, case.propensities, rng=rng())
    assert same.figures[DOUBLY_ROBUST]["P@1"] == Interval(0, 0, 0)


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=50))
def test_unequal_weights_are_worth_fewer_clicks(weights: list[float]) -> None:
    found = effective_size(np.array(weights))
    assert 1 - 1e-9 <= found <= len(weights) + 1e-9
    assert effective_size(np.full(7, 0.3)) == pytest.approx(7)
    assert effective_size(np.array([3.0, 1.0])) == pytest.approx(1.6)


def test_bad_input_is_refused() -> None:
    case = scored([Impression("q", ("a", "b"), ("b",)), Impression("q", ("a",))], [[1, 2], [1]])
    table, log, scores = case.propensities, case.log, case.scores
    with pytest.raises(InputError, match="None of the 1 impressions has a click"):
        estimate(log.take(np.array([1])), scores[1:], table, rng=rng())
    with pytest.raises(InputError, match="None of the 0 impressions has a click"):
        estimate(ClickLog.of([]), np.zeros((0, 0)), table, rng=rng())
    with pytest.raises(InputError, match="Position 2 is not one of the 1"):
        estimate(log, scores, Propensities("short", np.ones(1)), rng=rng())
    with pytest.raises(InputError, match=r"cap of the weights is 0"):
        Options(cap=0)
    with pytest.raises(InputError, match="0 bootstrap samples"):
        Options(samples=0)


@given(scored_logs())
@settings(max_examples=20, deadline=None)
def test_drawn_figures_have_the_intervals_of_the_estimates(case: Scored) -> None:
    options = Options(samples=50)
    whole = estimate(case.log, case.scores, case.propensities, rng=rng(), options=options)
    for estimator in (NAIVE, SNIPS, IPS):
        drawn = drawn_figures(
            case.log,
            case.scores,
            case.propensities,
            rng=rng(),
            estimator=estimator,
            options=options,
        )
        expected = {name: each for name, each in whole.figures[estimator].items() if each}
        assert {name: interval(each) for name, each in drawn.items()} == expected


# Judging clicks: by hand, and against loops over the lists.


@each_row(
    ("scores", "clicked", "above", "below"),
    [
        ([0.9, 0.5, 0.5, 0.1], "bd", [1.5, 3], [1.5, 0]),
        ([0.3, 0.3], "a", [0.5], [0.5]),
        ([-np.inf, -np.inf, np.inf], "b", [1.5], [0.5]),
    ],
)
def test_ties_count_one_half_above_and_below(
    scores: list[float], clicked: str, above: list[float], below: list[float]
) -> None:
    case = scored([Impression("q", tuple("abcd"[: len(scores)]), tuple(clicked))], [scores])
    found = standing(case.scores, case.log.present)
    assert [each[case.log.clicked].tolist() for each in found] == [above, below]


def test_a_shown_paper_without_a_score_is_an_error() -> None:
    impressions = [Impression("q", ("a", "b")), Impression("r", ("c",), ("c",))]
    case = scored(impressions, [[1, 2], [3]])
    assert check_scores(case.log, case.scores) is case.scores  # Behind the end nothing is needed.
    case.scores[0, 1] = np.nan
    with pytest.raises(InputError, match=r"'b' at position 2 of impression 1 \(query 'q'\) has no"):
        check_scores(case.log, case.scores)
    with pytest.raises(InputError, match=r"shape \(1, 2\), the log \(2, 2\)"):
        check_scores(case.log, case.scores[:1])


# Sums over samples of a log.
