"""The doubly robust estimator: against loops, and its expectation over all possible clicks."""

from collections import defaultdict
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.eval.studies.clicks.estimators import doubly_robust
from tests.eval.studies.clicks.scored_logs import Scored, scored_logs, shown_papers

PROPENSITIES = np.array([1.0, 0.4])
RELEVANCE = {"a": 0.5, "b": 0.75}


def lists(clicks: tuple[bool, ...]) -> ClickLog:
    """Show a and b to three readers, to one of them the other way round."""
    orders = (("a", "b"), ("a", "b"), ("b", "a"))
    flags = (clicks[:2], clicks[2:4], clicks[4:])
    return ClickLog.of(
        Impression("q", order, tuple(p for p, c in zip(order, flag, strict=True) if c))
        for order, flag in zip(orders, flags, strict=True)
    )


def expected(model: dict[str, float] | None, cap: float) -> dict[str, float]:
    """Average the estimate over all that the three readers may click."""
    total = dict.fromkeys(RELEVANCE, 0.0)
    for clicks in product((False, True), repeat=6):
        log = lists(clicks)
        names = np.array(log.papers)[log.shown]
        chances = PROPENSITIES * np.vectorize(RELEVANCE.get)(names)
        probability = float(np.where(log.clicked, chances, 1 - chances).prod())
        predicted = None if model is None else np.vectorize(model.get)(names)
        found = doubly_robust(log, PROPENSITIES, model=predicted, cap=cap).relevance
        for paper in total:
            values = found[names == paper]
            assert values == pytest.approx(values[0])
            total[paper] += probability * values[0]
    return total


def test_clicks_are_divided_by_the_examinations_of_a_paper_wherever_it_stood() -> None:
    found = doubly_robust(lists((True, False, False, True, False, False)), PROPENSITIES).relevance
    # a: one click in 1 + 1 + .4 examinations; b: one in .4 + .4 + 1.
    a, b = 1 / 2.4, 1 / 1.8
    assert found.tolist() == [pytest.approx([a, b])] * 2 + [pytest.approx([b, a])]


def test_it_is_unbiased_without_a_cap_whatever_the_model_says() -> None:
    for model in (None, {"a": 0.1, "b": 0.9}):
        assert expected(model, np.inf) == pytest.approx(RELEVANCE)


def test_it_is_unbiased_with_the_right_model_whatever_the_cap() -> None:
    for cap in (0.5, 1, 1.5, 10):
        assert expected(RELEVANCE, cap) == pytest.approx(RELEVANCE)


def test_a_cap_leaves_a_share_of_the_error_of_a_wrong_model() -> None:
    # Mean propensities .8 and .6: of the weight 1 / .6, a cap of 1.5 leaves 90 %.
    found = expected({"a": 0.1, "b": 0.95}, 1.5)
    assert found == pytest.approx({"a": 0.5, "b": 0.75 + 0.1 * 0.2})


@given(scored_logs(), st.sampled_from([0.7, 1.0, 2.0, np.inf]), st.integers(0, 2**32))
def test_it_is_the_formula(case: Scored, cap: float, seed: int) -> None:
    log, table = case.log, case.propensities.values
    model = np.random.default_rng(seed).random(log.shown.shape)
    found = doubly_robust(log, table, model=model, cap=cap).relevance
    pairs = defaultdict(list)
    for each in shown_papers(case):
        pairs[each.pair].append(each)
    for shown in pairs.values():
        p = [table[each.column] for each in shown]
        r = [model[each.impression, each.column] for each in shown]
        weight = min(1 / np.mean(p), cap)
        gaps = [e.clicked - one * other for e, one, other in zip(shown, p, r, strict=True)]
        for each, predicted in zip(shown, r, strict=True):
            value = found[each.impression, each.column]
            assert value == pytest.approx(predicted + weight * np.mean(gaps), abs=1e-12)
    assert (found[~log.present] == 0).all()


@given(scored_logs(), st.sampled_from([0.7, 2.0, np.inf]), st.booleans(), st.integers(0, 2**32))
def test_impressions_are_told_what_they_cause(
    case: Scored, cap: float, modelled: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    values = np.where(case.log.present, rng.random(case.log.shown.shape), 0)
    model = rng.random(case.log.shown.shape) if modelled else None

    def total(rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Doubles:
        log, predicted = case.log.take(rows), None if model is None else model[rows]
        found = doubly_robust(log, case.propensities.values, model=predicted, cap=cap)
        assert found.total(values[rows]).sum() == pytest.approx(
            (found.relevance * values[rows]).sum()
        )
        return found.total(values[rows])

    # Among 1000 copies of the log, one more of an impression adds what is told of it.
    every = np.arange(len(case.log))
    many = np.tile(every, 1000)
    more = np.append(many, rng.integers(len(every)))
    assert total(more).sum() - total(many).sum() == pytest.approx(total(every)[more[-1]], abs=0.05)
