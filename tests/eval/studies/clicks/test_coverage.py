"""The coverage study: its truth by hand and by enumeration, and what it finds."""

import numpy as np
import pytest

from recsys.eval.measures import Doubles, Interval
from recsys.eval.studies.clicks.estimators import (
    CLIPPED_SNIPS,
    DOUBLY_ROBUST,
    IPS,
    MEASURES,
    NAIVE,
    SNIPS,
    WEIGHING,
    Options,
    estimate,
)
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.simulation import Policy, PositionBased, World, decay, simulate
from recsys.eval.studies.clicks.studies import CoverageRow, Design, contrasting, population, study
from tests.eval.studies.clicks.invented_world import invented_world
from tests.rows import each_row

EXAMINATION = decay(1, 6)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def world(relevance: Doubles, order: list[int]) -> World:
    m = len(order)
    pool = np.arange(m, dtype=np.int32)[None]
    return World(("q",), tuple("abcdef"[:m]), pool, relevance[None], {"only": np.array([order])})


def test_the_truth_is_the_mean_over_relevant_papers() -> None:
    small = world(np.array([0.5, 0.0, 1.0]), [1, 2, 0])
    scores = np.array([[3.0, 2, 1]])  # Relevant papers rank 1 (weight .5) and 3 (weight 1).
    means, sums = population(small, scores, Policy())
    assert means == pytest.approx(
        {"nDCG": 1 / 1.5, "MRR": (0.5 + 1 / 3) / 1.5, "P@1": 1 / 3, "accuracy": 1 / 3}
    )
    assert sums == pytest.approx({"nDCG": 1, "MRR": 0.5 + 1 / 3, "P@1": 0.5, "accuracy": 1})


def test_only_papers_that_are_shown_count() -> None:
    small = world(np.array([0.5, 0.0, 1.0]), [1, 2, 0])
    means, sums = population(small, np.array([[3.0, 2, 1]]), Policy(depth=2))
    assert (means["MRR"], sums["MRR"]) == (0.5, 0.5)  # b and c; c is relevant, and second.


@each_row("policy", [Policy(("good", "poor"), depth=4), Policy(("poor",), 3, True)])
def test_the_truth_is_what_readers_who_examine_everything_tell(policy: Policy) -> None:
    invented = invented_world(8, 6, rng(1))
    scores = rng(2).integers(3, size=(8, 6)).astype(np.float64)
    log = simulate(invented, PositionBased(np.ones(6)), 40_000, rng=rng(3), policy=policy)
    found = estimate(
        log,
        scores[log.query[:, None], log.shown % 6],
        Propensities("test", np.ones(6)),
        rng=rng(4),
        options=Options(samples=50),
    )
    means, sums = population(invented, scores, policy)
    for measure in MEASURES:
        mean, total = found.figures[NAIVE][measure], found.figures[IPS][measure]
        assert mean is not None and total is not None
        assert mean.value == pytest.approx(means[measure], abs=3 * (mean.high - mean.low) / 4)
        assert total.value == pytest.approx(sums[measure], abs=3 * (total.high - total.low) / 4)


def test_a_list_of_one_paper_has_no_accuracy() -> None:
    small = world(np.array([0.5, 0.0, 1.0]), [2, 1, 0])
    means, sums = population(small, np.array([[3.0, 2, 1]]), Policy(depth=1))
    assert means["P@1"] == 1 and np.isnan(means["accuracy"]) and sums["accuracy"] == 0
    rows = study(
        small,
        PositionBased(np.ones(1)),
        {"it": np.array([[3.0, 2, 1]])},
        rng=rng(),
        design=Design(2, 50, Policy(depth=1), Options(samples=10)),
    )
    assert {row.measure for row in rows if row.estimator == SNIPS} == {"nDCG", "MRR", "P@1"}


def test_rows_sum_up_the_intervals() -> None:
    row = CoverageRow("f", SNIPS, "MRR", 0.5, (Interval(0.4, 0.3, 0.6), Interval(0.8, 0.7, 0.9)))
    assert row.covered == 0.5
    assert row.bias == pytest.approx(0.1)
    assert row.width == pytest.approx(0.25)
    assert row.rmse == pytest.approx(np.sqrt((0.01 + 0.09) / 2))


def find(rows: tuple[CoverageRow, ...], estimator: str) -> list[CoverageRow]:
    return [row for row in rows if row.estimator == estimator and row.measure == "nDCG"]


def test_debiased_intervals_hold_the_truth_and_naive_ones_do_not() -> None:
    invented = invented_world(40, 6, rng(5))
    functions = contrasting(invented, rng=rng(6))
    del functions["as shown"], functions["reversed"]
    steps: list[int] = []
    rows = study(
        invented,
        PositionBased(EXAMINATION),
        functions,
        rng=rng(7),
        design=Design(logs=60, impressions=2000, options=Options(samples=100)),
        progress=lambda stage, done, total: steps.append(done),
    )
    assert steps == list(range(61))
    assert len(rows) == len(functions) * (len(WEIGHING) + 1) * len(MEASURES)
    covered = {
        estimator: np.mean([row.covered for row in find(rows, estimator)])
        for estimator in (NAIVE, SNIPS, IPS, DOUBLY_ROBUST)
    }
    assert covered[NAIVE] < 0.1
    assert min(covered[SNIPS], covered[IPS], covered[DOUBLY_ROBUST]) > 0.88
    widths = [np.mean([r.width for r in find(rows, name)]) for name in (DOUBLY_ROBUST, SNIPS)]
    assert widths[0] < widths[1]  # Three rankers served: a paper has several positions.


def test_a_model_takes_back_most_of_what_a_cap_costs() -> None:
    invented = invented_world(40, 6, rng(8))
    model = 0.75 * invented.relevance + 0.25 * invented.relevance.mean()
    rows = study(
        invented,
        PositionBased(EXAMINATION),
        {"shown": contrasting(invented, rng=rng(9))["as shown"]},
        rng=rng(10),
        design=Design(5, 5000, Policy(("good",)), Options(cap=2, samples=10), model=model),
    )
    (clipped,), (robust,) = find(rows, CLIPPED_SNIPS), find(rows, DOUBLY_ROBUST)
    assert abs(robust.bias) < abs(clipped.bias) / 2


def test_wrong_propensities_mislead() -> None:
    invented = invented_world(40, 6, rng(11))
    wrong = Propensities("wrong", decay(0.2, 6))
    rows = study(
        invented,
        PositionBased(EXAMINATION),
        {"shown": contrasting(invented, rng=rng(12))["as shown"]},
        rng=rng(13),
        design=Design(5, 5000, options=Options(samples=50), propensities=wrong),
    )
    (row,) = find(rows, SNIPS)
    assert row.covered == 0 and row.bias > 0.02


def test_contrasting_functions_are_in_the_order_of_their_names() -> None:
    invented = invented_world(40, 6, rng(14))
    found = contrasting(invented, rng=rng(15))
    means = [population(invented, scores, Policy())[0]["nDCG"] for scores in found.values()]
    assert list(found) == ["relevance", "noisy", "as shown", "reversed"]
    assert means[0] == max(means) and means[-1] == min(means)
    first = next(iter(invented.rankings.values()))
    assert (np.argsort(-found["as shown"], axis=1) == first).all()
