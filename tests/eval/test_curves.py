"""Curves: by hand, against ir-measures, and with bands that hold them."""

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.eval.judge_runs import curves, interpolated_precision, reliability_of
from recsys.eval.measures import Judged, draw, precision, recall, stack
from recsys.eval.run_figures import Curves
from recsys.store.arrays import Mask

FLAGS = st.lists(st.booleans(), max_size=130).map(lambda values: np.array(values, bool))


def flags(text: str) -> Mask:
    return np.array([each == "x" for each in text], bool)


def curves_of(*judged: Judged, samples: int = 30) -> Curves:
    return curves(judged, draw(len(judged), rng=np.random.default_rng(0), samples=samples))


def test_curves_average_queries() -> None:
    found = curves_of(Judged(flags("x.xx"), gold=8), Judged(flags("x"), gold=2))
    # At k = 2: P 1/2 and 1/2, R 1/8 and 1/2.
    assert found.precision_macro.value[1] == 0.5
    assert found.recall_macro.value[1] == pytest.approx((1 / 8 + 1 / 2) / 2)
    assert len(found.recall_macro.value) == 100


def test_interpolated_precision_by_hand() -> None:
    # Gold at ranks 1, 3, 6 of 4: precision 1, 2/3, 1/2; recall .25, .5, .75.
    (curve,) = interpolated_precision(flags("x.x..x")[None], np.array([4]))
    expected = [1, 1, 1, 2 / 3, 2 / 3, 2 / 3, 1 / 2, 1 / 2, 0, 0, 0]
    assert curve.tolist() == pytest.approx(expected)


@given(
    st.lists(st.tuples(FLAGS, st.integers(0, 40)), min_size=1, max_size=6).filter(
        lambda rows: all(len(each) for each, _ in rows)  # It divides 0 by 0 for an empty ranking.
    )
)
def test_interpolated_precision_agrees_with_ir_measures(rows: list[tuple[Mask, int]]) -> None:
    judged = [Judged(each[:100], int(each[:100].sum()) + missed + 1) for each, missed in rows]
    run, qrels = {}, {}
    for place, query in enumerate(judged):
        names = [f"d{rank}" for rank in range(len(query.flags))]
        gold = [name for name, hit in zip(names, query.flags, strict=True) if hit]
        gold += [f"missed{i}" for i in range(query.gold - len(gold))]
        run[f"q{place}"] = {name: -float(rank) for rank, name in enumerate(names)}
        qrels[f"q{place}"] = dict.fromkeys(gold, 1)
    measures = [ir_measures.parse_measure(f"IPrec@{level / 10}") for level in range(11)]
    theirs = ir_measures.calc_aggregate(measures, qrels, run)
    ours = curves_of(*judged, samples=2).eleven_point.value
    assert ours == pytest.approx([theirs[measure] for measure in measures], abs=1e-9)


@given(st.lists(FLAGS, min_size=1, max_size=6))
def test_curves_pass_through_the_measures_and_lie_in_their_bands(found: list[Mask]) -> None:
    judged = [Judged(each, int(each.sum()) + 1) for each in found]
    together, gold = stack(judged)
    result = curves_of(*judged)
    for k in (1, 20, 100):
        assert result.precision_macro.value[k - 1] == pytest.approx(precision(together, k).mean())
        assert result.recall_macro.value[k - 1] == pytest.approx(recall(together, gold, k).mean())
    assert (np.diff(result.recall_macro.value) >= -1e-12).all()
    assert (np.diff(result.eleven_point.value) <= 1e-12).all()
    for band in (result.precision_macro, result.recall_macro, result.eleven_point):
        assert (np.array(band.low) <= np.array(band.high)).all()
        assert min(band.low) >= 0 and max(band.high) <= 1 + 1e-12


def test_reliability_tells_the_error_of_its_predictions() -> None:
    probabilities = np.array([0.0] * 90 + [0.5] * 10)
    outcomes = np.array([0] * 90 + [1] * 5 + [0] * 5)
    found = reliability_of(probabilities, outcomes)
    assert found.error == 0
    assert [(each.count, each.predicted, each.observed) for each in found.bins] == [
        (90, 0, 0),
        (10, 0.5, 0.5),
    ]
