from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.indexes import ivf_index
from recsys.pipelines.planning import growth_laws
from recsys.pipelines.planning.growth_laws import LAWS, Growth, lists
from tests.rows import each_row

PAPERS = st.integers(1, 10**10)


def test_a_law_goes_through_the_measured_point() -> None:
    assert Growth("linear", 1000, 5.0).at(1000) == 5.0
    assert Growth("linear", 1000, 5.0).at(4000) == 20.0


def test_two_points_tell_the_part_that_does_not_grow() -> None:
    growth = Growth("linear", 1000, 30.0, (500, 20.0))
    assert growth.at(0) == pytest.approx(10)
    assert growth.at(2000) == pytest.approx(50)


def test_no_part_is_below_nothing() -> None:
    # Twice the papers took three times as long: the fixed part would be -10.
    assert Growth("linear", 1000, 30.0, (500, 10.0)).at(2000) == pytest.approx(60)
    # The smaller one took longer: nothing grows.
    assert Growth("linear", 1000, 30.0, (500, 40.0)).at(2000) == pytest.approx(30)


def test_sorting_a_thousand_times_as_much_takes_more_than_a_thousand_times_as_long() -> None:
    assert Growth("n log n", 1023, 1.0).at(2**20 - 1) == pytest.approx(2 * (2**20 - 1) / 1023)


@given(st.sampled_from(sorted(LAWS)), PAPERS, PAPERS)
def test_more_papers_never_take_less(law: str, one: int, other: int) -> None:
    few, many = sorted((one, other))
    growth = Growth(law, 1_000_000, 7.0, (100_000, 2.0))
    assert growth.at(few) <= growth.at(many) * (1 + 1e-12)


@each_row("papers", [1, 15, 17, 1000, 4_194_303, 4_194_304, 10**8])
def test_the_lists_are_those_of_the_index(papers: int) -> None:
    assert (growth_laws.LISTS, growth_laws.MOST_LISTS) == (ivf_index.LISTS, ivf_index.MOST_LISTS)
    most = min(ivf_index.MOST_LISTS, papers)
    assert int(lists(papers)) == int(np.clip(ivf_index.LISTS * sqrt(papers), 1, most))
