"""The triplet loss and its margins, computed by hand."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.studies.citeomatic.negatives import (
    Kind,
    Margins,
    triplet_loss,
)

COUNTS = st.integers(0, 5000)


def margin(options: Margins, kind: Kind, positive: int, negative: int) -> float:
    kinds = np.array([kind], np.int8)
    return float(options.of(kinds, np.array([positive]), np.array([negative]))[0])


@given(COUNTS, COUNTS, st.sampled_from(Kind))
def test_a_paper_cited_more_often_must_be_further_ahead(a: int, b: int, kind: Kind) -> None:
    least, most = sorted((a, b))
    assert margin(Margins(), kind, most, least) >= margin(Margins(), kind, least, most)
    lift = margin(Margins(), kind, a, b) - margin(Margins(boost=0), kind, a, b)
    assert abs(lift) < 0.01 + 1e-7


@given(st.lists(st.tuples(*[st.floats(-1, 1, width=32)] * 3), min_size=1, max_size=8))
def test_the_loss_is_the_mean_of_what_the_margin_is_missed_by(
    rows: list[tuple[float, float, float]],
) -> None:
    s_pos, s_neg, margins = torch.tensor(rows, dtype=torch.float64).unbind(1)
    expected = sum(max(m + n - p, 0) for p, n, m in rows) / len(rows)
    assert float(triplet_loss(s_pos, s_neg, margins)) == pytest.approx(expected, abs=1e-12)
