"""Judging clicks: by hand, and against loops over the lists."""

import numpy as np
import pytest
from hypothesis import given

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import Impression
from recsys.eval.studies.clicks.estimators import MEASURES, check_scores, places, standing
from tests.eval.studies.clicks.scored_logs import Scored, scored, scored_logs, shown_papers


def clicked_among_others(case: Scored) -> tuple[Doubles, Doubles]:
    """Count those above and below each clicked paper: (c,) each."""
    above, below = standing(case.scores, case.log.present)
    return above[case.log.clicked], below[case.log.clicked]


def test_ties_count_one_half_above_and_below() -> None:
    impressions = [
        Impression("q", ("a", "b", "c", "d"), ("b", "d")),
        Impression("r", ("a", "b"), ("a",)),
    ]
    case = scored(impressions, [[0.9, 0.5, 0.5, 0.1], [0.3, 0.3]])
    above, below = clicked_among_others(case)
    assert above.tolist() == [1.5, 3, 0.5]
    assert below.tolist() == [1.5, 0, 0.5]


def test_measures_by_hand() -> None:
    above, below = np.array([0, 0.5, 2]), np.array([3, 0.5, 0])
    top = {name: measure(above, below)[0].tolist() for name, measure in MEASURES.items()}
    assert top["nDCG"] == pytest.approx([1, 1 / np.log2(2.5), 0.5])
    assert top["MRR"] == pytest.approx([1, 2 / 3, 1 / 3])
    assert top["P@1"] == [1, 0, 0]  # Who ties for the first place is not the first.
    assert top["accuracy"] == [3, 0.5, 0]
    assert MEASURES["accuracy"](above, below)[1].tolist() == [3, 1, 2]


@given(scored_logs(clicked=False))
def test_clicks_are_those_that_loops_find(case: Scored) -> None:
    above, below = clicked_among_others(case)
    expected = [each for each in shown_papers(case) if each.clicked]
    assert above.tolist() == [each.above for each in expected]
    assert below.tolist() == [each.below for each in expected]
    terms = {name: measure(above, below) for name, measure in MEASURES.items()}
    for name, (top, bottom) in terms.items():
        assert top.tolist() == pytest.approx([each.terms(name)[0] for each in expected], abs=1e-12)
        assert bottom.tolist() == [each.terms(name)[1] for each in expected]


@given(scored_logs())
def test_only_the_order_of_the_scores_matters(case: Scored) -> None:
    present = case.log.present
    above, below = standing(case.scores, present)
    higher, tied = places(case.scores, present)
    others = np.where(present, present.sum(1, keepdims=True) - 1, 0)
    assert ((above + below) == others).all()
    assert (higher + tied / 2 == above).all()
    same = standing(np.exp(case.scores) - 7, present)
    assert (same[0] == above).all() and (same[1] == below).all()
    opposite = standing(-case.scores, present)
    assert (opposite[0] == below).all() and (opposite[1] == above).all()


def test_infinite_scores_are_compared_like_others() -> None:
    case = scored([Impression("q", ("a", "b", "c"), ("b",))], [[-np.inf, -np.inf, np.inf]])
    above, below = clicked_among_others(case)
    assert (above.tolist(), below.tolist()) == ([1.5], [0.5])


def test_a_shown_paper_without_a_score_is_an_error() -> None:
    impressions = [Impression("q", ("a", "b")), Impression("r", ("c",), ("c",))]
    case = scored(impressions, [[1, 2], [3]])
    assert check_scores(case.log, case.scores) is case.scores  # Behind the end nothing is needed.
    case.scores[0, 1] = np.nan
    with pytest.raises(InputError, match=r"'b' at position 2 of impression 1 \(query 'q'\) has no"):
        check_scores(case.log, case.scores)
    with pytest.raises(InputError, match=r"shape \(1, 2\), the log \(2, 2\)"):
        check_scores(case.log, case.scores[:1])
