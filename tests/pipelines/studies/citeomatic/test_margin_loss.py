"""The triplet loss and its margins, computed by hand."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.studies.citeomatic.negatives import (
    Kind,
    Margins,
    citation_boost,
    triplet_loss,
)
from tests.rows import each_row

COUNTS = st.integers(0, 5000)


def margin(options: Margins, kind: Kind, positive: int, negative: int) -> float:
    kinds = np.array([kind], np.int8)
    return float(options.of(kinds, np.array([positive]), np.array([negative]))[0])


@each_row(
    ("kind", "alpha"), [(Kind.RANDOM, 0.3), (Kind.NEIGHBOUR, 0.2), (Kind.CITED_BY_CITED, 0.1)]
)
def test_the_margin_depends_on_the_kind(kind: Kind, alpha: float) -> None:
    assert margin(Margins(), kind, 7, 7) == pytest.approx(alpha)
    assert margin(Margins(gamma=1.5), kind, 7, 7) == pytest.approx(1.5 * alpha)
    assert margin(Margins(variable=False), kind, 7, 7) == pytest.approx(0.2)


def test_the_boost_of_citations() -> None:
    assert citation_boost(np.array([0, 100])) == pytest.approx(
        [0.01, 0.02 / (1 + math.exp(-1))], abs=1e-12
    )
    lift = 0.02 / (1 + math.exp(-1)) - 0.01
    for boost in (1, 0, -1):
        found = margin(Margins(boost=boost), Kind.RANDOM, 100, 0)
        assert found == pytest.approx(0.3 + boost * lift, abs=1e-7)


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
